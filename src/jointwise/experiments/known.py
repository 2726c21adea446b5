"""What of the drives is known before the fit: rotor inertia, friction, elasticity of the gears. Spec 07.2, 07.8.

    tau_J = K_tau i - B ddtheta - f(dtheta, tau_J, T)                        two encoders, J2(14)
    q     = theta - e(theta) - tau_E^-1(tau_J)                               motor encoder only, spec 07.8 (14), (18)

Rotor torque and friction of the robot file are taken off the measured torque, so that only links and what is left of
the friction are fitted. Without a link encoder the link's position follows from the rotor's and from the joint torque;
the friction unknown at first is the fitted one the second time (the print leaves it out).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.experiments.design import ROOM_TEMPERATURE, direction_share
from jointwise.laws.friction import FrictionModel
from jointwise.laws.transmissions import Transmission
from jointwise.recording import filters
from jointwise.recording.signals import Signals
from jointwise.robot.description import Robot
from jointwise.robot.parts import Law
from jointwise.units import Unknown

Array = NDArray[np.float64]

PARTS = ("rotors", "friction")
TORQUE_BAND = 2.0
"""Cut-off of the joint torque that bends the gears and loads their friction, beside that of the fit."""
LOAD_ROUNDS = 4
"""Friction grows by at most some ten percent of the load it lowers, so four rounds leave less than a thousandth."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """Which parts of the drives of `robot` are taken as known."""

    robot: Robot
    rotors: bool = False
    friction: bool = False
    elastic: bool = False

    def __post_init__(self) -> None:
        joints = self.robot.joints
        needed: list[tuple[str, object]] = []
        if self.rotors or self.elastic:
            needed += [
                (f"joints.{j.name}.drive.rotor_inertia", j.drive.rotor_inertia) for j in joints
            ]
        if self.friction:
            needed += [(f"joints.{j.name}.friction", j.friction) for j in joints]
        if self.elastic:
            needed += [(f"joints.{j.name}.transmission", j.transmission) for j in joints]
            if not np.array_equal(self.robot.coupling_matrix(), np.eye(self.robot.n)):
                raise ParameterError(
                    f"coupling of {self.robot.name}", "motors that turn several joints",
                    "each motor its own joint, for an elastic fit",
                )  # fmt: skip
        self.robot.require("what is to be known of the drives", needed)

    @property
    def nothing(self) -> bool:
        """Whether signals stay as they are."""
        return not (self.rotors or self.friction or self.elastic)

    def applied(self, piece: Signals, filter_hz: float) -> Signals:
        """The piece with its known torque, and with links where elastic gears put them."""
        if self.nothing:
            return piece
        coupling = self.robot.coupling_matrix()
        rotor, friction = self._drive_torque(piece, filter_hz)
        known = np.zeros_like(rotor)
        known += rotor if self.rotors or self.elastic else 0.0
        known += friction if self.friction else 0.0
        piece = replace(piece, known=known @ coupling)
        return self._bent(piece, rotor + friction, filter_hz) if self.elastic else piece

    def _drive_torque(self, piece: Signals, filter_hz: float) -> tuple[Array, Array]:
        """Torque that accelerates the rotors, and that of the robot's friction, (samples, motors) each."""
        inertia = [_number(joint.drive.rotor_inertia) for joint in self.robot.joints]
        rotor = piece.ddtheta * np.array(inertia)
        measured = np.linalg.solve(self.robot.coupling_matrix().T, piece.torque.T).T
        load = _smooth(measured - rotor, piece, filter_hz)
        friction = np.zeros_like(rotor)
        for j, joint in enumerate(self.robot.joints):
            if isinstance(joint.friction, Law):
                friction[:, j] = _along(
                    FrictionModel.from_law(joint.friction), piece, j, load[:, j]
                )
        return rotor, friction

    def _bent(self, piece: Signals, lost: Array, filter_hz: float) -> Signals:
        """Links behind their gears: rotor angle less kinematic error and deformation under the joint torque."""
        torque = _smooth(piece.torque - lost, piece, filter_hz)
        q = piece.theta.copy()
        for j, joint in enumerate(self.robot.joints):
            if not isinstance(joint.transmission, Law):
                continue
            gear = Transmission.from_law(joint.transmission)
            if gear.kinematic_error is not None:
                q[:, j] -= gear.kinematic_error.error(piece.theta[:, j])
            q[:, j] -= gear.stiffness.deformation(torque[:, j])
        bend = q - piece.theta
        dbend, ddbend = filters.central_differences(bend, piece.rate_hz)
        return replace(piece, q=q, dq=piece.dtheta + dbend, ddq=piece.ddtheta + ddbend)


def _along(law: FrictionModel, piece: Signals, j: int, load: Array) -> Array:
    """Friction of one motor; its load is what friction leaves of the torque before the gear."""
    warm = ROOM_TEMPERATURE if piece.temperature is None else piece.temperature[:, j]
    theta, speed = piece.theta[:, j], piece.dtheta[:, j]
    turned = 1.0 if law.pack().state_size else direction_share(speed, 0.0)
    friction = np.zeros_like(load)
    for _ in range(LOAD_ROUNDS):
        torque, _ = law.run(theta, speed, load - friction, warm, dt=1.0 / piece.rate_hz)
        friction = torque * turned
    return friction


def _smooth(torque: Array, piece: Signals, filter_hz: float) -> Array:
    cutoff = TORQUE_BAND * filter_hz
    return (
        filters.zero_phase(torque, cutoff, piece.rate_hz)
        if cutoff < 0.45 * piece.rate_hz
        else torque
    )


def _number(value: float | Unknown) -> float:
    return 0.0 if isinstance(value, Unknown) else value


def taken_as_known(robot: Robot, compensate: tuple[str, ...], elastic: bool) -> Known:
    """What to take as known, by the names a user gives."""
    for name in compensate:
        if name not in PARTS:
            raise UnknownNameError("part to compensate", name, PARTS)
    return Known(
        robot=robot,
        rotors="rotors" in compensate,
        friction="friction" in compensate,
        elastic=elastic,
    )
