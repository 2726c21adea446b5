"""Where one link frame sits in the one before: modified DH, standard DH, or a general transform with an axis.

Every convention is the same three steps, a fixed transform, the joint's motion about or along z, and a second fixed
transform; `before` and `after` return the two fixed ones, and packing needs nothing else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.units import Unit, check_fields

Array = NDArray[np.float64]
Vector = tuple[float, float, float]

METRE = Unit("m", lower=-100.0, upper=100.0)
RADIAN = Unit("rad", lower=-100.0, upper=100.0)


@dataclass(frozen=True, kw_only=True)
class Pose:
    """A fixed transform: origin, then roll-pitch-yaw, R = Rz(yaw) Ry(pitch) Rx(roll)."""

    origin: Annotated[Vector, METRE] = (0.0, 0.0, 0.0)
    rpy: Annotated[Vector, RADIAN] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        check_fields(self, "pose")

    def matrix(self) -> Array:
        """The 4 x 4 homogeneous transform."""
        roll, pitch, yaw = self.rpy
        out = np.eye(4)
        out[:3, :3] = rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll)
        out[:3, 3] = self.origin
        return out


@dataclass(frozen=True, kw_only=True)
class ModifiedDH:
    """Craig's modified DH row: Rot_x(alpha) Trans_x(a) Rot_z(q + offset) Trans_z(d); spec 01.5.

    a and alpha are those of the step from the previous axis, a_{i-1} and alpha_{i-1}. For a prismatic joint the
    motion adds to d.
    """

    convention: ClassVar[str] = "modified_dh"
    a: Annotated[float, METRE] = 0.0
    alpha: Annotated[float, RADIAN] = 0.0
    d: Annotated[float, METRE] = 0.0
    offset: Annotated[float, RADIAN] = 0.0

    def __post_init__(self) -> None:
        check_fields(self, "frame")

    def before(self) -> Array:
        """From the previous link frame to the joint at zero."""
        return homogeneous(rotation_x(self.alpha), (self.a, 0.0, 0.0)) @ homogeneous(
            rotation_z(self.offset), (0.0, 0.0, self.d)
        )

    def after(self) -> Array:
        """From the moved joint to the link frame: none, the frame sits on the joint axis."""
        return np.eye(4)


@dataclass(frozen=True, kw_only=True)
class StandardDH:
    """Standard DH row: Rot_z(q + offset) Trans_z(d) Trans_x(a) Rot_x(alpha); spec 01.5.

    The link frame sits at the far end of the link. For a prismatic joint the motion adds to d.
    """

    convention: ClassVar[str] = "standard_dh"
    a: Annotated[float, METRE] = 0.0
    alpha: Annotated[float, RADIAN] = 0.0
    d: Annotated[float, METRE] = 0.0
    offset: Annotated[float, RADIAN] = 0.0

    def __post_init__(self) -> None:
        check_fields(self, "frame")

    def before(self) -> Array:
        """From the previous link frame to the joint at zero."""
        return homogeneous(rotation_z(self.offset), (0.0, 0.0, 0.0))

    def after(self) -> Array:
        """From the moved joint to the link frame."""
        return homogeneous(rotation_x(self.alpha), (self.a, 0.0, self.d))


@dataclass(frozen=True, kw_only=True)
class Transform:
    """General form, as in URDF: a fixed pose, then the motion about or along `axis`, given in the new link frame."""

    convention: ClassVar[str] = "transform"
    origin: Annotated[Vector, METRE] = (0.0, 0.0, 0.0)
    rpy: Annotated[Vector, RADIAN] = (0.0, 0.0, 0.0)
    axis: Annotated[Vector, Unit("1")] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        check_fields(self, "frame")
        if math.hypot(*self.axis) < 1e-6:
            raise ParameterError("frame.axis", self.axis, "a vector longer than 1e-6")

    def before(self) -> Array:
        """From the previous link frame to the joint at zero, its z axis along `axis`."""
        pose = Pose(origin=self.origin, rpy=self.rpy).matrix()
        return pose @ homogeneous(aligned_with(self.axis), (0.0, 0.0, 0.0))

    def after(self) -> Array:
        """Back from the axis-aligned frame to the link frame."""
        return homogeneous(aligned_with(self.axis).T, (0.0, 0.0, 0.0))


Frame = ModifiedDH | StandardDH | Transform
CONVENTIONS: dict[str, type[ModifiedDH] | type[StandardDH] | type[Transform]] = {
    c.convention: c for c in (ModifiedDH, StandardDH, Transform)
}


def rotation_x(angle: float) -> Array:
    """Rotation about x."""
    c, s = _cos_sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def rotation_y(angle: float) -> Array:
    """Rotation about y."""
    c, s = _cos_sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def rotation_z(angle: float) -> Array:
    """Rotation about z."""
    c, s = _cos_sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def homogeneous(rotation: Array, origin: tuple[float, float, float] | Array) -> Array:
    """4 x 4 transform from a rotation and an origin."""
    out = np.eye(4)
    out[:3, :3] = rotation
    out[:3, 3] = origin
    return out


def inverse(transform: Array) -> Array:
    """Inverse of a rigid transform."""
    rotation = transform[:3, :3].T
    return homogeneous(rotation, -rotation @ transform[:3, 3])


def aligned_with(axis: Vector) -> Array:
    """A rotation whose z axis is `axis`; the identity for z, so that frames stay what they were."""
    z = np.asarray(axis) / math.hypot(*axis)
    if z[0] == 0.0 and z[1] == 0.0 and z[2] > 0.0:
        return np.eye(3)
    # The base axis most nearly normal to z gives the best-conditioned frame.
    helper = np.zeros(3)
    helper[int(np.argmin(np.abs(z)))] = 1.0
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def rpy_of(rotation: Array) -> Vector:
    """Roll, pitch, yaw of a rotation matrix."""
    pitch = math.atan2(-rotation[2, 0], math.hypot(rotation[0, 0], rotation[1, 0]))
    if math.hypot(rotation[0, 0], rotation[1, 0]) < 1e-12:
        roll = math.atan2(-rotation[1, 2], rotation[1, 1])
        return (roll, pitch, 0.0)
    roll = math.atan2(rotation[2, 1], rotation[2, 2])
    return (roll, pitch, math.atan2(rotation[1, 0], rotation[0, 0]))


def _cos_sin(angle: float) -> tuple[float, float]:
    """Cosine and sine, exact at multiples of a quarter turn, so that right angles in a file give exact zeros."""
    quarter = angle / (0.5 * math.pi)
    if abs(quarter - round(quarter)) < 1e-15:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[round(quarter) % 4]
    return math.cos(angle), math.sin(angle)
