"""Viscous friction, proportional to velocity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.laws.base import FrictionLaw
from jointwise.laws.compiled import leaf
from jointwise.units import Unit


@leaf
def viscous_step(p, s, s_new, x):
    """F_V omega."""
    return p[0] * x[1]


@dataclass(frozen=True, kw_only=True)
class Viscous(FrictionLaw):
    """Viscous friction.

    Formula: f = F_V omega
    Source: textbook; T 2.1.4, K(2), L(2), W(3)
    Valid: any speed; below the Stribeck velocity dry friction dominates
    """

    name: ClassVar[str] = "viscous"
    code: ClassVar[int] = 1
    viscous: Annotated[float, Unit("N m s/rad", lower=0.0)]

    @classmethod
    def examples(cls) -> tuple[Viscous, ...]:
        """A joint of a small arm."""
        return (cls(viscous=12.0),)
