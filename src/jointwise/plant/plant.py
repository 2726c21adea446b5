"""`Plant`: everything that makes a simulated arm behave like one arm on one day, as a frozen description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.laws.friction import FrictionModel, pack_friction
from jointwise.laws.transmissions import JointTransmissions, Transmission
from jointwise.plant.layout import LINK_TERMS, ROTOR_TERMS, TABLE_WIDTH, TRANSMISSION
from jointwise.plant.sensors import JointSensors
from jointwise.plant.servo import Servo
from jointwise.plant.thermal import Thermal
from jointwise.robot.parts import Law
from jointwise.units import Unit, Unknown, check_fields

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

Array = NDArray[np.float64]
L = TypeVar("L")
ROUNDING = 1e-14
"""An inertia this small beside the largest is a rounding error of zero."""


@dataclass(frozen=True, kw_only=True)
class Wear:
    """A friction parameter that drifts with the way the rotor has gone: value = start + per_radian * travel.

    It stops at the bounds the law states for it. Of a parameter with several numbers, as a map of the backlash, each
    drifts.
    """

    term: int
    """which friction law of the joint, counted from 0"""
    parameter: str
    """name of the law's parameter"""
    per_radian: Annotated[float, Unit("unit of the parameter per rad")]

    def __post_init__(self) -> None:
        check_fields(self, "wear")


@dataclass(frozen=True, kw_only=True)
class PlantJoint:
    """Gear, friction, sensors and heat of one joint."""

    transmission: Transmission
    friction: FrictionModel = FrictionModel(terms=())
    """on the rotor"""
    link_friction: FrictionModel = FrictionModel(terms=())
    """on the output, as by seals and cables"""
    sensors: JointSensors = JointSensors()
    thermal: Thermal = Thermal()
    wear: tuple[Wear, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "wear", tuple(self.wear))
        count = len(self.friction.terms)
        for drift in self.wear:
            if isinstance(drift.term, bool) or not isinstance(drift.term, int):
                raise ParameterError("wear.term", drift.term, "a whole number")
            if not 0 <= drift.term < count:
                raise ParameterError(
                    "wear.term", drift.term, f"the place of one of {count} friction laws"
                )


@dataclass(frozen=True, kw_only=True)
class Plant:
    """A robot whose every drive and link is known, with the joints' gears, friction and sensors, and its servo."""

    robot: Robot
    joints: tuple[PlantJoint, ...]
    servo: Servo = Servo()
    inertial_coupling: bool = False
    """True for the full model with S(q), T(2.22); False for the reduced one, T(2.23)-(2.24)"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", tuple(self.joints))
        robot = self.robot
        if len(self.joints) != robot.n:
            raise ParameterError(
                "number of plant joints", len(self.joints), f"{robot.n}, as {robot.name} has"
            )
        if not np.array_equal(robot.coupling_matrix(), np.eye(robot.n)):
            raise ParameterError(
                f"coupling of {robot.name}",
                robot.coupling,
                "the identity: each motor turns its own joint",
            )
        drives = [(f"joints.{j.name}.drive", j.drive) for j in robot.joints]
        robot.require(
            f"simulating {robot.name}",
            [
                (f"{path}.{part}", getattr(drive, part))
                for path, drive in drives
                for part in ("rotor_inertia", "gear_ratio", "torque_constant")
            ]
            + [(f"joints.{j.name}.limits.torque", j.limits.torque) for j in robot.joints],
        )
        for path, drive in drives:
            if drive.rotor_inertia == 0.0:
                raise ParameterError(
                    f"{path}.rotor_inertia", 0.0, "above 0 kg m^2 for a rotor that moves by itself"
                )
        inertias, modes = np.linalg.eigh(robot.mass_matrix(np.zeros(robot.n)))
        if inertias[0] <= ROUNDING * inertias[-1]:
            worst = robot.joints[int(np.argmax(np.abs(modes[:, 0])))].name
            raise ParameterError(
                f"inertia that joint {worst} of {robot.name} moves",
                float(inertias[0]),
                "above 0 kg m^2 [kg] in every direction: the mass matrix must be positive definite",
                "give mass and inertia to the links it moves",
            )

    def without_link_encoders(self) -> Plant:
        """The same arm with motor encoders alone."""
        joints = [
            replace(joint, sensors=replace(joint.sensors, link_encoder=None))
            for joint in self.joints
        ]
        return replace(self, joints=tuple(joints))

    @classmethod
    def stated(cls, robot: Robot) -> Plant:
        """The arm exactly as its robot file states it: these gears, this friction on the rotors, faultless sensors."""
        parts = ("transmission", "friction")
        robot.require(
            f"simulating {robot.name} as its file states it",
            [(f"joints.{j.name}.{part}", getattr(j, part)) for j in robot.joints for part in parts],
        )
        joints = [
            PlantJoint(
                transmission=_law(j.name, "transmission", Transmission.from_law, j.transmission),
                friction=_law(j.name, "friction", FrictionModel.from_law, j.friction),
            )
            for j in robot.joints
        ]
        return cls(robot=robot, joints=tuple(joints))


def _law(joint: str, part: str, restore: Callable[[Law], L], law: Law | Unknown) -> L:
    """The law of a robot file; what it refuses is told with the joint."""
    try:
        return restore(cast(Law, law))
    except UnknownNameError as error:
        raise UnknownNameError(
            f"{error.kind} for joint {joint}", error.name, error.available
        ) from None
    except ParameterError as error:
        raise ParameterError(
            f"joints.{joint}.{part}: {error.name}", error.value, error.allowed
        ) from None


class PackedDrives(NamedTuple):
    """Gears and friction of all joints as the plant's kernels read them (`plant.layout`)."""

    drives: Array
    table: NDArray[np.int64]
    terms: NDArray[np.int64]
    parameters: Array
    states: int


def pack_drives(plant: Plant) -> PackedDrives:
    """Transmissions, rotor friction and link friction with one vector of numbers and one of states."""
    gears = JointTransmissions([j.transmission for j in plant.joints]).pack()
    rotor = pack_friction([j.friction for j in plant.joints])
    link = pack_friction([j.link_friction for j in plant.joints])
    drives = np.column_stack([np.diag(plant.robot.rotor_matrix()), gears.damping])
    after_gears = len(gears.parameters)
    after_rotor = after_gears + len(rotor.parameters)
    terms = np.concatenate(
        [
            rotor.terms + [0, after_gears, after_gears, 0, 0],
            link.terms + [0, after_rotor, after_rotor, rotor.state_size, rotor.state_size],
        ]
    )
    table = np.zeros((len(plant.joints), TABLE_WIDTH), dtype=np.int64)
    table[:, TRANSMISSION : TRANSMISSION + 6] = gears.codes
    table[:, ROTOR_TERMS : ROTOR_TERMS + 2] = np.column_stack([rotor.first[:-1], rotor.first[1:]])
    table[:, LINK_TERMS : LINK_TERMS + 2] = len(rotor.terms) + np.column_stack(
        [link.first[:-1], link.first[1:]]
    )
    parameters = np.concatenate([gears.parameters, rotor.parameters, link.parameters])
    return PackedDrives(drives, table, terms, parameters, rotor.state_size + link.state_size)
