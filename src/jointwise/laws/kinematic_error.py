"""Kinematic error: how far the output is from where the rotor says, as a function of the rotor angle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from jointwise.errors import ParameterError
from jointwise.kernels.scalar import cos, sin
from jointwise.laws.base import Array, Each, JointLaw, Values
from jointwise.laws.compiled import leaf
from jointwise.laws.periodic import periodic_slope, periodic_value
from jointwise.units import Unit

AMPLITUDE = Unit("rad", lower=-1.0, upper=1.0)
HEAD = 4
"""Packed: offset, base frequency of the rotor, its harmonics, harmonics of the output; then a1 b1 a2 b2 ..."""


@leaf
def harmonics(p, k, count, angle):
    """Sum of a_n cos(n angle) + b_n sin(n angle), and its derivative by the angle."""
    c1, s1 = cos(angle), sin(angle)
    c, s = c1, s1
    total, slope = 0.0 * angle, 0.0 * angle
    for n in range(count):
        a, b = p[k + 2 * n], p[k + 2 * n + 1]
        total += a * c + b * s
        slope += (n + 1.0) * (b * c - a * s)
        c, s = c * c1 - s * s1, s * c1 + c * s1
    return total, slope


@leaf
def fourier_error(p, theta):
    """Offset and both families of harmonics."""
    rotor, output = int(p[2]), int(p[3])
    total = p[0] + 0.0 * theta
    if rotor > 0:
        total += harmonics(p, HEAD, rotor, p[1] * theta)[0]
    if output > 0:
        total += harmonics(p, HEAD + 2 * rotor, output, theta)[0]
    return total


@leaf
def fourier_error_slope(p, theta):
    """Derivative by theta."""
    rotor, output = int(p[2]), int(p[3])
    total = 0.0 * theta
    if rotor > 0:
        total += p[1] * harmonics(p, HEAD, rotor, p[1] * theta)[1]
    if output > 0:
        total += harmonics(p, HEAD + 2 * rotor, output, theta)[1]
    return total


@leaf
def table_error(p, theta):
    """The table at theta."""
    return periodic_value(p, 0, theta)


@leaf
def table_error_slope(p, theta):
    """Derivative by theta."""
    return periodic_slope(p, 0, theta)


class KinematicErrorLaw(JointLaw):
    """A kinematic error, a function of the reflected rotor angle. Kernels: error(p, theta) and its derivative."""

    def error(self, theta: ArrayLike) -> Array:
        """The error at rotor angles [rad]; the output is where rotor angle minus error says."""
        from jointwise.laws.transmissions import ERROR, of_angle

        return of_angle(ERROR, self, theta)

    def slope(self, theta: ArrayLike) -> Array:
        """Derivative of the error by the rotor angle."""
        from jointwise.laws.transmissions import ERROR_SLOPE, of_angle

        return of_angle(ERROR_SLOPE, self, theta)


@dataclass(frozen=True, kw_only=True)
class FourierError(KinematicErrorLaw):
    """Kinematic error as Fourier series of the rotor (2 n r cycles in one output turn) and of the output (n cycles).

    Formula: error = mean + sum a_n cos(2 n r theta) + b_n sin(2 n r theta) + sum A_n cos(n theta) + B_n sin(n theta)
    Source: T(2.33), T(2.34) with the frequencies made consistent (erratum 18)
    Valid: smooth errors; 12 harmonics are enough. On a UR5e the output family dominates
    """

    name: ClassVar[str] = "kinematic_error_fourier"
    code: ClassVar[int] = 1
    mean: Annotated[float, AMPLITUDE] = 0.0
    gear_ratio: Annotated[float, Unit("1", nonzero=True, lower=-1e6, upper=1e6)]
    rotor_cosine: Annotated[Values, Each(AMPLITUDE, shortest=0, longest=64)] = ()
    rotor_sine: Annotated[Values, Each(AMPLITUDE, shortest=0, longest=64)] = ()
    output_cosine: Annotated[Values, Each(AMPLITUDE, shortest=0, longest=64)] = ()
    output_sine: Annotated[Values, Each(AMPLITUDE, shortest=0, longest=64)] = ()

    def check(self) -> None:
        """A sine for each cosine."""
        for family in ("rotor", "output"):
            cosine, sine = getattr(self, f"{family}_cosine"), getattr(self, f"{family}_sine")
            if len(cosine) != len(sine):
                raise ParameterError(
                    f"{self.name}.{family}_sine", sine, f"as long as the cosines, {len(cosine)}"
                )

    def packed(self) -> Array:
        """Mean, rotor frequency, both counts, pairs of both families."""
        rotor = np.ravel(np.column_stack([self.rotor_cosine, self.rotor_sine]))
        output = np.ravel(np.column_stack([self.output_cosine, self.output_sine]))
        head = [self.mean, 2.0 * self.gear_ratio, len(self.rotor_sine), len(self.output_sine)]
        return np.concatenate([head, rotor, output])

    @classmethod
    def examples(cls) -> tuple[FourierError, ...]:
        """A tenth of a milliradian in both families."""
        return (
            cls(
                gear_ratio=101.0,
                rotor_cosine=(3e-5, 1e-5),
                rotor_sine=(-2e-5, 5e-6),
                output_cosine=(2e-4, 0.0, 3e-5),
                output_sine=(1e-4, 5e-5, -2e-5),
            ),
        )


@dataclass(frozen=True, kw_only=True)
class ErrorTable(KinematicErrorLaw):
    """Kinematic error as a table over one output turn, linear in between, wrapping around.

    Formula: error = linear interpolation of knot k at theta = 2 pi k / n
    Source: J1(31); any number of points, as the source gives 240 and 1000 (erratum 19)
    Valid: errors slower than the spacing of the points; the rotor family needs more than 4 r points
    """

    name: ClassVar[str] = "kinematic_error_table"
    code: ClassVar[int] = 2
    knots: Annotated[Values, Each(AMPLITUDE)]

    def packed(self) -> Array:
        """Number of points, values."""
        return np.array([len(self.knots), *self.knots])

    @classmethod
    def examples(cls) -> tuple[ErrorTable, ...]:
        """Two cycles in a turn."""
        return (cls(knots=tuple(2e-4 * np.sin(4.0 * np.pi * np.arange(48) / 48))),)
