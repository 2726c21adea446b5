"""Friction that grows with the torque the joint carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.kernels.scalar import absolute, sgn
from jointwise.laws.base import FrictionLaw
from jointwise.laws.compiled import leaf
from jointwise.units import Unit

LINEAR = Unit("1", lower=0.0)
QUADRATIC = Unit("1/(N m)", lower=0.0)


@leaf
def linear_load_step(p, s, s_new, x):
    """F_l sgn(omega) abs(tau_l)."""
    return p[0] * sgn(x[1]) * absolute(x[2])


@leaf
def quadratic_load_step(p, s, s_new, x):
    """F_l sgn(omega) tau_l^2."""
    return p[0] * sgn(x[1]) * x[2] * x[2]


@dataclass(frozen=True, kw_only=True)
class LinearLoad(FrictionLaw):
    """Friction proportional to load.

    Formula: f = F_l sgn(omega) abs(tau_l)
    Source: J1 4.2.2, after Bittencourt and Gao, Hamon
    Valid: steady sliding; jumps at standstill and has a kink at zero load
    """

    name: ClassVar[str] = "load_linear"
    code: ClassVar[int] = 11
    load_linear: Annotated[float, LINEAR]

    @classmethod
    def examples(cls) -> tuple[LinearLoad, ...]:
        """Five percent of the load."""
        return (cls(load_linear=0.05),)


@dataclass(frozen=True, kw_only=True)
class QuadraticLoad(FrictionLaw):
    """Friction growing with the square of load.

    Formula: f = F_l sgn(omega) tau_l^2
    Source: J1(27)
    Valid: steady sliding inside the identified loads; jumps at standstill
    """

    name: ClassVar[str] = "load_quadratic"
    code: ClassVar[int] = 12
    load_quadratic: Annotated[float, QUADRATIC]

    @classmethod
    def examples(cls) -> tuple[QuadraticLoad, ...]:
        """Four newton metres at a hundred."""
        return (cls(load_quadratic=4e-4),)
