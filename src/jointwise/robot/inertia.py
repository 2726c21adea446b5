"""Mass, centre of mass and inertia of one body; the ten inertial parameters; what makes them physical.

The ten numbers are Madsen's gamma_i = [XX XY XZ YY YZ ZZ mX mY mZ m], tensor entries about the origin of the link
frame (XY = -integral of x y dm), T(2.49), spec 01.6. A body stores its inertia about the centre of mass in the axes
of the link, which is what data sheets and URDF state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.robot.frames import Vector
from jointwise.units import UNKNOWN, Unit, Unknown, check_fields

Array = NDArray[np.float64]
Tensor = tuple[float, float, float, float, float, float]

INERTIAL_NAMES = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "mX", "mY", "mZ", "m")
UPPER = ([0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2])
"""Rows and columns of the six entries in a tensor."""
TENSOR = [[0, 1, 2], [1, 3, 4], [2, 4, 5]]
"""Which of the six entries each place of a tensor has."""
TRIANGLE_TOLERANCE = 1e-6
"""Published tensors are rounded; a violation below this fraction of the trace is rounding, not an error."""


@dataclass(frozen=True, kw_only=True)
class Body:
    """A rigid body as data sheets give it; each part may be unknown.

    inertia is (xx, xy, xz, yy, yz, zz) about the centre of mass, tensor entries, in the axes of its frame.
    """

    mass: Annotated[float | Unknown, Unit("kg", lower=0.0, upper=1e6)] = UNKNOWN
    center_of_mass: Annotated[Vector | Unknown, Unit("m", lower=-100.0, upper=100.0)] = UNKNOWN
    inertia: Annotated[Tensor | Unknown, Unit("kg m^2", lower=-1e8, upper=1e8)] = UNKNOWN

    def __post_init__(self) -> None:
        check_fields(self, "body")
        if not isinstance(self.inertia, Unknown):
            check_inertia(self.inertia)
            if self.mass == 0.0 and any(self.inertia):
                raise ParameterError("body.inertia", self.inertia, "zero where the mass is zero")

    def unknown(self) -> tuple[str, ...]:
        """Names of the parts that are not known."""
        names = ("mass", "center_of_mass", "inertia")
        return tuple(n for n in names if getattr(self, n) is UNKNOWN)

    def parameters(self) -> Array:
        """The ten inertial parameters about the frame origin; all parts must be known."""
        if isinstance(self.mass, Unknown) or isinstance(self.inertia, Unknown):
            raise TypeError("parameters() of a body with unknown parts")
        if isinstance(self.center_of_mass, Unknown):
            raise TypeError("parameters() of a body with unknown parts")
        c = np.asarray(self.center_of_mass)
        about_origin = matrix_of(self.inertia) + self.mass * (c @ c * np.eye(3) - np.outer(c, c))
        return np.concatenate([entries_of(about_origin), self.mass * c, [self.mass]])


def body_from_parameters(gamma: Array) -> Body:
    """The body with these ten parameters; refuses parameters no body can have."""
    mass = float(gamma[9])
    if mass <= 0.0:
        if not np.any(gamma):
            return NOTHING
        raise ParameterError("mass", mass, "above 0 kg")
    c = gamma[6:9] / mass
    about_center = matrix_of(tuple(gamma[:6])) - mass * (c @ c * np.eye(3) - np.outer(c, c))
    return Body(mass=mass, center_of_mass=tuple(c), inertia=tuple(entries_of(about_center)))


def matrix_of(entries: tuple[float, ...]) -> Array:
    """Symmetric matrix from (xx, xy, xz, yy, yz, zz)."""
    xx, xy, xz, yy, yz, zz = entries
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def entries_of(matrix: Array) -> Array:
    """(xx, xy, xz, yy, yz, zz) of a symmetric matrix."""
    return matrix[UPPER]


def check_inertia(entries: tuple[float, ...]) -> None:
    """Raise ParameterError unless the tensor belongs to some distribution of positive mass."""
    moments = np.linalg.eigvalsh(matrix_of(entries))
    slack = TRIANGLE_TOLERANCE * float(np.sum(np.abs(moments)))
    shown = "(" + ", ".join(f"{m:.6g}" for m in moments) + ")"
    if moments[0] < -slack:
        raise ParameterError(
            "body.inertia",
            f"{entries} with principal moments {shown}",
            "a tensor without negative moments",
        )
    if moments[0] + moments[1] < moments[2] - slack:
        raise ParameterError(
            "body.inertia",
            f"{entries} with principal moments {shown}",
            "a tensor whose two smaller moments add up to the largest (triangle inequality)",
        )


def transport(transform: Array) -> Array:
    """10 x 10 map that expresses the parameters of a body given in one frame in the frame `transform` starts from.

    `transform` is the pose of the body's frame in the new frame.
    """
    return transported(np.eye(10), transform).T


def transported(gamma: Array, transform: Array) -> Array:
    """Ten parameters (..., 10) of the same body in another frame; spec 02.2 written for the link origin."""
    rotation, p = transform[:3, :3], transform[:3, 3]
    s = gamma[..., 6:9] @ rotation.T
    m = gamma[..., 9:]
    tensor = rotation @ gamma[..., TENSOR] @ rotation.T
    along = s[..., :, None] * p
    cross_terms = along + np.swapaxes(along, -1, -2) + m[..., None] * np.outer(p, p)
    inertia = (2.0 * s @ p)[..., None, None] + m[..., None] * (p @ p)
    tensor = tensor + inertia * np.eye(3) - cross_terms
    return np.concatenate([tensor[..., UPPER[0], UPPER[1]], s + m * p, m], axis=-1)


NOTHING = Body(mass=0.0, center_of_mass=(0.0, 0.0, 0.0), inertia=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
