"""The transmission of a joint: stiffness, damping, kinematic error, backlash; and those of all joints of an arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError, ShapeError
from jointwise.kernels.jit import kernel
from jointwise.laws.backlash_map import BacklashMap
from jointwise.laws.base import Array, JointLaw
from jointwise.laws.damping import Damping
from jointwise.laws.dispatch import (
    kinematic_error,
    kinematic_error_slope,
    transmission_deformation,
    transmission_slope,
    transmission_stiffness,
    transmission_torque,
)
from jointwise.laws.kinematic_error import KinematicErrorLaw
from jointwise.laws.periodic import periodic_slope, periodic_value
from jointwise.laws.registry import BACKLASH, DAMPING, KINEMATIC_ERROR, STIFFNESS
from jointwise.laws.stored import restored, stored
from jointwise.laws.transmission import TransmissionLaw
from jointwise.robot.parts import Law

TORQUE, STIFFNESS_AT, SLOPE, DEFORMATION = range(4)
ERROR, ERROR_SLOPE, BACKLASH_AT, BACKLASH_SLOPE = range(4)


@kernel
def stiffness_batch(what, code, p, values, out):
    """One of the four functions of a stiffness law at many values."""
    for k in range(values.shape[0]):
        if what == 0:
            out[k] = transmission_torque(code, p, values[k])
        elif what == 1:
            out[k] = transmission_stiffness(code, p, values[k])
        elif what == 2:
            out[k] = transmission_slope(code, p, values[k])
        else:
            out[k] = transmission_deformation(code, p, values[k])


@kernel
def angle_batch(what, code, p, theta, out):
    """A function of the rotor angle, or its derivative, at many angles."""
    for k in range(theta.shape[0]):
        if what == 0:
            out[k] = kinematic_error(code, p, theta[k])
        elif what == 1:
            out[k] = kinematic_error_slope(code, p, theta[k])
        elif what == 2:
            out[k] = periodic_value(p, 0, theta[k])
        else:
            out[k] = periodic_slope(p, 0, theta[k])


def evaluated(law: TransmissionLaw, what: int, values: ArrayLike) -> Array:
    """One of the four functions of a stiffness law, any shape."""
    flat, shape = _flat(values)
    out = np.empty(flat.size)
    stiffness_batch(what, law.code, law.packed(), flat, out)
    return out.reshape(shape)


def of_angle(what: int, law: JointLaw, theta: ArrayLike) -> Array:
    """A kinematic error, a backlash map, or a derivative of one, at rotor angles of any shape."""
    flat, shape = _flat(theta)
    out = np.empty(flat.size)
    angle_batch(what, law.code, law.packed(), flat, out)
    return out.reshape(shape)


UNDAMPED = Damping(damping=0.0)


@dataclass(frozen=True, kw_only=True)
class Transmission:
    """What lies between rotor and link of one joint."""

    stiffness: TransmissionLaw
    damping: Damping = UNDAMPED
    kinematic_error: KinematicErrorLaw | None = None
    """None for a gear without any."""
    backlash: BacklashMap | None = None
    """None where no map was measured; it describes the unloaded joint and bears no torque of its own."""

    @classmethod
    def from_law(cls, law: Law) -> Transmission:
        """The transmission a robot file stores: a stiffness law, and at most one law of every other kind."""
        kinds: list[Mapping[str, type[JointLaw]]] = [STIFFNESS, DAMPING, KINEMATIC_ERROR, BACKLASH]
        table: dict[str, type[JointLaw]] = {}
        for own_kind in kinds:
            table.update(own_kind)
        parts = restored("transmission law", law, table)
        found: dict[str, JointLaw] = {}
        names = ("stiffness", "damping", "kinematic_error", "backlash")
        for name, kind in zip(names, kinds, strict=True):
            own = [part for part in parts if part.name in kind]
            if len(own) > 1:
                both = " and ".join(part.name for part in own)
                raise ParameterError("transmission", both, f"one law for {name}")
            if own:
                found[name] = own[0]
        if "stiffness" not in found:
            raise ParameterError("transmission", law.name, f"with one of {', '.join(STIFFNESS)}")
        return cls(**found)  # type: ignore[arg-type]

    def to_law(self) -> Law:
        """The transmission as a robot file stores it."""
        parts = (self.stiffness, self.damping, self.kinematic_error, self.backlash)
        return stored([part for part in parts if part is not None])


class PackedTransmission(NamedTuple):
    """Transmissions of several joints as kernels read them.

    Row j of `codes`: stiffness code, start and stop of its parameters, kinematic error code (0 for none), start and
    stop of its parameters. `damping` is D of each joint.
    """

    codes: NDArray[np.int64]
    parameters: Array
    damping: Array


class JointTransmissions:
    """The transmissions of all joints: torques and deformations of shape (..., n)."""

    def __init__(self, joints: Sequence[Transmission | TransmissionLaw]) -> None:
        self.joints = tuple(
            Transmission(stiffness=j) if isinstance(j, TransmissionLaw) else j for j in joints
        )

    def torque(self, deformation: ArrayLike) -> Array:
        """Elastic torque [N m]."""
        return self._each(TORQUE, deformation)

    def stiffness(self, deformation: ArrayLike) -> Array:
        """Stiffness [N m/rad]."""
        return self._each(STIFFNESS_AT, deformation)

    def stiffness_slope(self, deformation: ArrayLike) -> Array:
        """Derivative of the stiffness by the deformation [N m/rad^2]."""
        return self._each(SLOPE, deformation)

    def deformation(self, torque: ArrayLike) -> Array:
        """Deformation [rad] at a torque."""
        return self._each(DEFORMATION, torque)

    def pack(self) -> PackedTransmission:
        """The transmissions as kernels read them."""
        rows, parameters, p = [], [], 0
        for joint in self.joints:
            row: list[int] = []
            for law in (joint.stiffness, joint.kinematic_error):
                values = np.zeros(0) if law is None else law.packed()
                row += [0 if law is None else law.code, p, p + values.size]
                parameters.append(values)
                p += values.size
            rows.append(row)
        damping = np.array([joint.damping.damping for joint in self.joints])
        codes = np.array(rows, dtype=np.int64)
        return PackedTransmission(codes, np.concatenate(parameters), damping)

    def _each(self, what: int, values: ArrayLike) -> Array:
        given = np.asarray(values, dtype=np.float64)
        if given.shape[-1:] != (len(self.joints),):
            raise ShapeError("values", f"shape {given.shape}", f"shape (..., {len(self.joints)})")
        columns = [evaluated(j.stiffness, what, given[..., i]) for i, j in enumerate(self.joints)]
        return np.stack(columns, axis=-1)


def _flat(values: ArrayLike) -> tuple[Array, tuple[int, ...]]:
    given = np.asarray(values, dtype=np.float64)
    return np.ascontiguousarray(given).reshape(-1), given.shape
