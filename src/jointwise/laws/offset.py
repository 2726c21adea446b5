"""A constant torque: what is left when friction differs between the two directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.laws.base import FrictionLaw
from jointwise.laws.compiled import leaf
from jointwise.units import Unit


@leaf
def offset_step(p, s, s_new, x):
    """f_0."""
    return p[0]


@dataclass(frozen=True, kw_only=True)
class Offset(FrictionLaw):
    """Constant torque beside Coulomb and viscous friction.

    Formula: f = f_0
    Source: "three coefficient" model, T 1.2
    Valid: as a correction of measured torque (current offset, asymmetric friction); it is no friction by itself
    """

    name: ClassVar[str] = "offset"
    code: ClassVar[int] = 3
    odd: ClassVar[bool] = False
    dissipative: ClassVar[bool] = False
    offset: Annotated[float, Unit("N m")]

    @classmethod
    def examples(cls) -> tuple[Offset, ...]:
        """Either sign."""
        return (cls(offset=-0.4),)
