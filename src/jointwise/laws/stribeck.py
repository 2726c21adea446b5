"""Coulomb friction that falls from a higher level near standstill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.kernels.scalar import absolute, exp, power, sgn
from jointwise.laws.base import FrictionLaw, increasing
from jointwise.laws.compiled import leaf
from jointwise.laws.coulomb import Coulomb
from jointwise.units import Unit

STRIBECK_VELOCITY = Unit("rad/s", lower=0.0, open_lower=True)
STRIBECK_EXPONENT = Unit("1", lower=0.1, upper=4.0)


@leaf
def stribeck_factor(omega, v_s, mu):
    """exp(-(abs omega / v_S)^mu): 1 at standstill, 0 far above v_S."""
    return exp(-power(absolute(omega) / v_s, mu))


@leaf
def stribeck_step(p, s, s_new, x):
    """sgn(omega) (F_C + (F_S - F_C) exp(-(abs omega / v_S)^mu))."""
    return sgn(x[1]) * (p[0] + (p[1] - p[0]) * stribeck_factor(x[1], p[2], p[3]))


@dataclass(frozen=True, kw_only=True)
class Stribeck(FrictionLaw):
    """Coulomb friction with the Stribeck effect.

    Formula: f = sgn(omega) (F_C + (F_S - F_C) exp(-(abs omega / v_S)^mu))
    Source: textbook; T 2.1.4 (figure only), first terms of C1(14)
    Valid: steady sliding; jumps at standstill
    """

    name: ClassVar[str] = "stribeck"
    code: ClassVar[int] = 5
    coulomb: Annotated[float, Unit("N m", lower=0.0)]
    breakaway: Annotated[float, Unit("N m", lower=0.0)]
    stribeck_velocity: Annotated[float, STRIBECK_VELOCITY]
    stribeck_exponent: Annotated[float, STRIBECK_EXPONENT]

    def check(self) -> None:
        """Friction falls from breakaway to Coulomb level."""
        increasing(self.name, ("coulomb", self.coulomb), ("breakaway", self.breakaway), True)

    @classmethod
    def examples(cls) -> tuple[Stribeck, ...]:
        """A joint of a small arm."""
        return (cls(coulomb=6.0, breakaway=8.0, stribeck_velocity=0.03, stribeck_exponent=0.8),)

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """Without excess at standstill it is Coulomb friction."""
        flat = cls(coulomb=6.0, breakaway=6.0, stribeck_velocity=0.03, stribeck_exponent=0.8)
        return ((flat, (Coulomb(coulomb=6.0),)),)
