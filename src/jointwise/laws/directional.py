"""Coulomb and viscous friction with a value of their own for each direction of motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.kernels.scalar import select, sgn
from jointwise.laws.base import FrictionLaw
from jointwise.laws.compiled import leaf
from jointwise.laws.coulomb import Coulomb
from jointwise.laws.viscous import Viscous
from jointwise.units import Unit


@leaf
def directional_step(p, s, s_new, x):
    """sgn(omega) F_C of the direction plus F_V of the direction times omega."""
    v = x[1]
    ahead = v > 0.0
    return sgn(v) * select(ahead, p[0], p[1]) + v * select(ahead, p[2], p[3])


@dataclass(frozen=True, kw_only=True)
class Directional(FrictionLaw):
    """Coulomb and viscous friction that differ between the two directions.

    Formula: f = F_C+ + F_V+ omega for omega > 0, -F_C- + F_V- omega for omega < 0
    Source: "asymmetric" friction of the EMPS benchmark; Coulomb part as L(3)
    Valid: sliding in one direction; jumps at standstill
    """

    name: ClassVar[str] = "directional"
    code: ClassVar[int] = 23
    odd: ClassVar[bool] = False
    coulomb_forward: Annotated[float, Unit("N m", lower=0.0)]
    coulomb_backward: Annotated[float, Unit("N m", lower=0.0)]
    viscous_forward: Annotated[float, Unit("N m s/rad", lower=0.0)]
    viscous_backward: Annotated[float, Unit("N m s/rad", lower=0.0)]

    @classmethod
    def examples(cls) -> tuple[Directional, ...]:
        """A drive that runs harder backward."""
        return (
            cls(
                coulomb_forward=17.0,
                coulomb_backward=23.0,
                viscous_forward=165.0,
                viscous_backward=240.0,
            ),
        )

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """Equal in both directions it is Coulomb plus viscous friction."""
        plain = cls(
            coulomb_forward=8.0, coulomb_backward=8.0, viscous_forward=3.0, viscous_backward=3.0
        )
        return ((plain, (Coulomb(coulomb=8.0), Viscous(viscous=3.0))),)
