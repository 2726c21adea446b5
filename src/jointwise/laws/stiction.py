"""Coulomb friction that holds more at standstill than it brakes in motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.kernels.scalar import absolute, maximum, minimum, select, sgn
from jointwise.laws.base import FrictionLaw, increasing
from jointwise.laws.compiled import leaf
from jointwise.laws.coulomb import Coulomb
from jointwise.units import Unit


@leaf
def stiction_step(p, s, s_new, x):
    """F_C sgn(omega), or the applied torque up to F_S at standstill."""
    held = minimum(maximum(x[2], -p[1]), p[1])
    return select(absolute(x[1]) <= p[2], held, p[0] * sgn(x[1]))


@dataclass(frozen=True, kw_only=True)
class Stiction(FrictionLaw):
    """Coulomb friction with stiction; standstill is a speed of at most `standstill`.

    Formula: f = F_C sgn(omega) in motion; sgn(tau) min(abs tau, F_S) at standstill
    Source: textbook; T 2.1.4 (figure only); Karnopp's zone for the standstill
    Valid: on the link side, where the joint torque is what moves the joint; elsewhere take a law with memory
    """

    name: ClassVar[str] = "stiction"
    code: ClassVar[int] = 4
    coulomb: Annotated[float, Unit("N m", lower=0.0)]
    breakaway: Annotated[float, Unit("N m", lower=0.0)]
    standstill: Annotated[float, Unit("rad/s", lower=0.0)] = 0.0

    def check(self) -> None:
        """Holding at least as much as sliding."""
        increasing(self.name, ("coulomb", self.coulomb), ("breakaway", self.breakaway), True)

    def steady(self) -> tuple[FrictionLaw, ...]:
        """Coulomb friction."""
        return (Coulomb(coulomb=self.coulomb),)

    @classmethod
    def examples(cls) -> tuple[Stiction, ...]:
        """A link bearing."""
        return (cls(coulomb=2.0, breakaway=2.6),)
