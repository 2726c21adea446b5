"""Coulomb friction: constant, against the motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.kernels.scalar import sgn
from jointwise.laws.base import FrictionLaw
from jointwise.laws.compiled import leaf
from jointwise.units import Unit


@leaf
def coulomb_step(p, s, s_new, x):
    """F_C sgn(omega)."""
    return p[0] * sgn(x[1])


@dataclass(frozen=True, kw_only=True)
class Coulomb(FrictionLaw):
    """Coulomb friction.

    Formula: f = F_C sgn(omega)
    Source: textbook; T 2.1.4, K(2), L(2), W(3)
    Valid: sliding in one direction; jumps at standstill, so a simulation chatters there
    """

    name: ClassVar[str] = "coulomb"
    code: ClassVar[int] = 2
    coulomb: Annotated[float, Unit("N m", lower=0.0)]

    @classmethod
    def examples(cls) -> tuple[Coulomb, ...]:
        """A joint of a small arm."""
        return (cls(coulomb=7.5),)
