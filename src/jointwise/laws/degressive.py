"""Viscous friction that grows with the square root of speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.kernels.scalar import absolute, sgn, sqrt
from jointwise.laws.base import FrictionLaw
from jointwise.laws.compiled import leaf
from jointwise.units import Unit


@leaf
def root_speed(omega):
    """sgn(omega) sqrt(abs omega)."""
    return sgn(omega) * sqrt(absolute(omega))


@leaf
def degressive_step(p, s, s_new, x):
    """F_R sgn(omega) sqrt(abs omega)."""
    return p[0] * root_speed(x[1])


@dataclass(frozen=True, kw_only=True)
class DegressiveViscous(FrictionLaw):
    """Viscous friction growing with the square root of speed, as grease in a gear does.

    Formula: f = F_R sgn(omega) sqrt(abs omega)
    Source: the speed factor of J1(28), at constant temperature
    Valid: steady sliding; the slope at standstill is infinite
    """

    name: ClassVar[str] = "viscous_degressive"
    code: ClassVar[int] = 10
    viscous_root: Annotated[float, Unit("N m (s/rad)^0.5", lower=0.0)]

    @classmethod
    def examples(cls) -> tuple[DegressiveViscous, ...]:
        """A joint of a small arm."""
        return (cls(viscous_root=9.0),)
