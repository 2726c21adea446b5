"""Maxwell-slip: springs in parallel, each slipping at its own limit. Friction with a full memory of reversals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Protocol

import numpy as np

from jointwise.kernels.scalar import maximum, minimum
from jointwise.laws.base import Array, Each, FrictionLaw, Values, whole
from jointwise.laws.compiled import leaf
from jointwise.laws.coulomb import Coulomb
from jointwise.laws.periodic import periodic_value
from jointwise.units import Unit

OPERATORS = Unit("1", lower=1.0, upper=64.0)
EXPONENT = Unit("1", lower=0.0, upper=20.0)
HALF_BACKLASH = Unit("rad", lower=0.0, upper=1.0, open_lower=True)
SLIP_HEAD = 3
"""Packed: Coulomb torque, number of operators, start of the backlash table; then limits, stiffnesses, table."""


def slip_limits(operators: int, exponent: float) -> Array:
    """Delta_i = (i/M)^r_Delta, the largest 1. J1(40), J3(17)."""
    return (np.arange(1, operators + 1) / operators) ** exponent


def slip_stiffness(operators: int, limit_exponent: float, stiffness_exponent: float) -> Array:
    """k_i with sum k_i Delta_i = 1. J1(41), J3(18) for a torque of one."""
    i = np.arange(1, operators + 1, dtype=np.float64)
    weights = (operators + 1 - i) ** stiffness_exponent
    shares: Array = weights / weights.sum()
    return shares / slip_limits(operators, limit_exponent)


@leaf
def slip_sum(p, limits, stiffness, count, width, shift, s, s_new):
    """Move every operator by `shift`, slip at width * Delta_i, and sum k_i delta_i / width. J1(35), J1(38)."""
    total = 0.0
    for i in range(count):
        limit = width * p[limits + i]
        delta = minimum(maximum(s[i] + shift, -limit), limit)
        s_new[i] = delta
        total += p[stiffness + i] * delta
    return total / width


@leaf
def maxwell_slip_step(p, s, s_new, x):
    """F_C H, with the width of the map at the new position."""
    count = int(p[1])
    width = periodic_value(p, int(p[2]), x[4])
    return p[0] * slip_sum(p, SLIP_HEAD, SLIP_HEAD + count, count, width, x[0], s, s_new)


class SlipShape(Protocol):
    """The parameters that shape the unit hysteresis."""

    @property
    def operators(self) -> float:
        """M."""

    @property
    def limit_exponent(self) -> float:
        """r_Delta."""

    @property
    def stiffness_exponent(self) -> float:
        """r_k."""

    @property
    def half_backlash(self) -> Values:
        """Bl."""


def packed_slip(head: list[float], place: int, law: SlipShape) -> Array:
    """`head` with M and the start of the table at `place`, then limits, stiffnesses, table."""
    m, r_limit, table = int(law.operators), law.limit_exponent, law.half_backlash
    values = list(head)
    values[place : place + 2] = [m, len(head) + 2 * m]
    values += [*slip_limits(m, r_limit), *slip_stiffness(m, r_limit, law.stiffness_exponent)]
    return np.array([*values, len(table), *table], dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class MaxwellSlip(FrictionLaw):
    """Discrete Maxwell-slip (rate-independent GMS) with polynomial limits and stiffnesses.

    `half_backlash` is the way over which the last operator slips: one value, or its map over one turn of the joint at
    equally spaced angles. The slip torque does not depend on it.

    Formula: f = F_C H, H = sum k_i delta_i / Bl, delta_i = sgn(u_i) min(abs u_i, Bl Delta_i), u_i = delta_i + shift,
        Delta_i = (i/M)^r_D, k_i = (M+1-i)^r_k / (Delta_i sum j^r_k), Bl at the new position
    Source: J1(34)-(41); Bl at the new position in limit and output (erratum 26)
    Valid: pre-sliding and reversals at any speed; steady sliding is plain Coulomb friction
    """

    name: ClassVar[str] = "maxwell_slip"
    code: ClassVar[int] = 20
    coulomb: Annotated[float, Unit("N m", lower=0.0)]
    operators: Annotated[float, OPERATORS]
    limit_exponent: Annotated[float, EXPONENT]
    stiffness_exponent: Annotated[float, EXPONENT]
    half_backlash: Annotated[Values, Each(HALF_BACKLASH)]

    def check(self) -> None:
        """A whole number of operators."""
        whole(self.name, "operators", self.operators)

    def packed(self) -> Array:
        """Coulomb torque, M, place of the table, limits, stiffnesses, table."""
        return packed_slip([self.coulomb, 0.0, 0.0], 1, self)

    @property
    def state_size(self) -> int:
        """One deflection for each operator [rad]."""
        return int(self.operators)

    @property
    def rate_independent(self) -> bool:
        """Always."""
        return True

    @property
    def return_point(self) -> bool:
        """While the width is the same everywhere."""
        return len(self.half_backlash) == 1

    def steady(self) -> tuple[FrictionLaw, ...]:
        """Coulomb friction."""
        return (Coulomb(coulomb=self.coulomb),)

    @classmethod
    def examples(cls) -> tuple[MaxwellSlip, ...]:
        """Four operators as identified on a small arm; eight equally spaced ones on a varying backlash."""
        wave = tuple(1e-3 * (1.0 + 0.3 * np.sin(2.0 * np.pi * np.arange(24) / 24)))
        return (
            cls(
                coulomb=7.0,
                operators=4,
                limit_exponent=4.0,
                stiffness_exponent=2.0,
                half_backlash=(1e-3,),
            ),
            cls(
                coulomb=7.0,
                operators=8,
                limit_exponent=1.0,
                stiffness_exponent=1.0,
                half_backlash=wave,
            ),
        )
