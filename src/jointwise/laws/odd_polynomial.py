"""A spring that stiffens with deformation: an odd polynomial of any order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from jointwise.errors import ParameterError
from jointwise.kernels.scalar import absolute, asinh, minimum, sgn, sinh, sqrt
from jointwise.laws.base import Array, Each, Values
from jointwise.laws.compiled import leaf
from jointwise.laws.linear import LinearSpring
from jointwise.laws.solve import increasing_root
from jointwise.laws.transmission import TransmissionLaw
from jointwise.units import Unit

HEAD = 2
"""Packed: P, smallest stiffness; then alpha_1 ... alpha_P."""
LARGEST_ORDER = 16
CUBIC_AT_LEAST = 1e-200
"""Below this share of alpha_1 the closed form of the cubic would overflow; the root is then found by steps."""
NEARLY_REAL = 1e-6
"""A pair of turning points this close to the real axis counts as one on it."""


@leaf
def polynomial_torque(p, phi):
    """Sum of alpha_p phi^(2p-1)."""
    count = int(p[0])
    square = phi * phi
    total = p[HEAD + count - 1]
    for i in range(count - 2, -1, -1):
        total = total * square + p[HEAD + i]
    return total * phi


@leaf
def polynomial_stiffness(p, phi):
    """Sum of (2p-1) alpha_p phi^(2p-2)."""
    count = int(p[0])
    square = phi * phi
    total = (2 * count - 1) * p[HEAD + count - 1] + 0.0 * phi
    for i in range(count - 2, -1, -1):
        total = total * square + (2 * i + 1) * p[HEAD + i]
    return total


@leaf
def polynomial_slope(p, phi):
    """Sum of (2p-1) (2p-2) alpha_p phi^(2p-3)."""
    count = int(p[0])
    square = phi * phi
    total = 0.0 * phi
    for i in range(count - 1, 0, -1):
        total = total * square + (2 * i + 1) * (2 * i) * p[HEAD + i]
    return total * phi


@leaf
def cubic_deformation(alpha1, alpha2, tau):
    """2 sqrt(a1/(3 a2)) sinh(asinh(3 tau/(2 a1) sqrt(3 a2/a1)) / 3), for a1, a2 > 0."""
    scale = sqrt(alpha1 / (3.0 * alpha2))
    return 2.0 * scale * sinh(asinh(1.5 * tau / (alpha1 * scale)) / 3.0)


polynomial_root = increasing_root(polynomial_torque, polynomial_stiffness)


@leaf
def polynomial_deformation(p, tau):
    """Closed form up to the cubic, safeguarded Newton steps beyond."""
    count = int(p[0])
    if count == 1:
        return tau / p[HEAD]
    if count == 2 and p[HEAD + 1] > CUBIC_AT_LEAST * p[HEAD]:
        return cubic_deformation(p[HEAD], p[HEAD + 1], tau)
    size = absolute(tau)
    high = size / p[1]
    root = polynomial_root(p, size, 0.0, high, minimum(high, size / p[HEAD]))
    return sgn(tau) * root


@dataclass(frozen=True, kw_only=True)
class OddPolynomial(TransmissionLaw):
    """Odd polynomial stiffness; the coefficients may have any sign while the stiffness stays positive everywhere.

    Formula: tau_E = alpha_1 phi + alpha_2 phi^3 + ... + alpha_P phi^(2P-1)
    Source: C1(7)-(10), J1(12)-(16), J1(22), PA1 22-25; exponents lowered directly (erratum 15)
    Valid: inside the identified torques; P = 2 fits strain-wave gears
    """

    name: ClassVar[str] = "odd_polynomial"
    code: ClassVar[int] = 2
    coefficients: Annotated[Values, Each(Unit("N m/rad^(2p-1)"), longest=LARGEST_ORDER)]

    def check(self) -> None:
        """Stiffness above zero at every deformation."""
        if smallest_stiffness(self.coefficients) <= 0.0:
            raise ParameterError(
                f"{self.name}.coefficients",
                self.coefficients,
                "such that the stiffness stays above 0 N m/rad",
                "a softening fit holds only in its range of torque and cannot be inverted beyond it",
            )

    def packed(self) -> Array:
        """P, smallest stiffness, coefficients."""
        smallest = smallest_stiffness(self.coefficients)
        return np.array([len(self.coefficients), smallest, *self.coefficients])

    @classmethod
    def examples(cls) -> tuple[OddPolynomial, ...]:
        """A strain-wave gear by one, two and three terms, one of them softening in between."""
        return (
            cls(coefficients=(3.1e4,)),
            cls(coefficients=(2.5e4, 4e9)),
            cls(coefficients=(2.5e4, 4e9, 1e14)),
            cls(coefficients=(4.0e4, -1e9, 1e14)),
        )

    @classmethod
    def reductions(cls) -> tuple[tuple[TransmissionLaw, TransmissionLaw], ...]:
        """One term, or higher terms of zero, make a linear spring."""
        spring = LinearSpring(spring_stiffness=3.1e4)
        return ((cls(coefficients=(3.1e4,)), spring), (cls(coefficients=(3.1e4, 0.0, 0.0)), spring))


def smallest_stiffness(coefficients: Values) -> float:
    """The least stiffness over all deformations; minus infinity if it falls without bound."""
    weights = np.array([(2 * i + 1) * a for i, a in enumerate(coefficients)])
    used = np.flatnonzero(weights)
    if used.size == 0 or weights[used[-1]] < 0.0:
        return -math.inf if used.size and used[-1] > 0 else float(weights[0])
    if np.all(weights >= 0.0):
        return float(weights[0])
    # In y = phi^2 / scale, so that coefficients of very different size do not spoil the roots.
    last = used[-1]
    scale = float((abs(weights[0]) / weights[last]) ** (1.0 / last)) or 1.0
    k = np.polynomial.Polynomial(weights[: last + 1] * scale ** np.arange(last + 1))
    turns = np.asarray(k.deriv().roots(), dtype=np.complex128)
    real = turns.real[(abs(turns.imag) < NEARLY_REAL * (1.0 + abs(turns))) & (turns.real > 0.0)]
    return float(min(float(k(y)) for y in [0.0, *real]))
