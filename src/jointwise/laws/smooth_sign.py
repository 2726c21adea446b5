"""Coulomb friction with the jump at standstill replaced by a steep slope: three published forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.kernels.scalar import maximum, minimum, tanh
from jointwise.laws.base import FrictionLaw
from jointwise.laws.compiled import leaf
from jointwise.units import Unit

TORQUE = Unit("N m", lower=0.0)
WIDTH = Unit("rad/s", lower=0.0, open_lower=True)
STEEPNESS = Unit("s/rad", lower=0.0, open_lower=True)


@leaf
def tanh_step(p, s, s_new, x):
    """F_C tanh(omega / epsilon)."""
    return p[0] * tanh(x[1] / p[1])


@leaf
def sigmoid_step(p, s, s_new, x):
    """2 f_c / (1 + exp(-s_F omega)) - f_c, written without overflow."""
    return p[0] * tanh(0.5 * p[1] * x[1])


@leaf
def zone(omega, width):
    """Omega / epsilon, cut at -1 and 1."""
    return minimum(maximum(omega / width, -1.0), 1.0)


@leaf
def zone_step(p, s, s_new, x):
    """F_C omega / epsilon inside the zone, F_C sgn(omega) outside."""
    return p[0] * zone(x[1], p[1])


@dataclass(frozen=True, kw_only=True)
class TanhCoulomb(FrictionLaw):
    """Coulomb friction with a hyperbolic tangent for the sign.

    Formula: f = F_C tanh(omega / epsilon)
    Source: K(3)
    Valid: speeds well above epsilon; creeps under load at standstill
    """

    name: ClassVar[str] = "coulomb_tanh"
    code: ClassVar[int] = 6
    coulomb: Annotated[float, TORQUE]
    width: Annotated[float, WIDTH]

    @classmethod
    def examples(cls) -> tuple[TanhCoulomb, ...]:
        """A narrow zone."""
        return (cls(coulomb=7.5, width=0.01),)

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """The sigmoid form with s_F = 2 / epsilon is the same function."""
        return ((cls(coulomb=7.5, width=0.01), (SigmoidCoulomb(coulomb=7.5, steepness=200.0),)),)


@dataclass(frozen=True, kw_only=True)
class SigmoidCoulomb(FrictionLaw):
    """Coulomb friction with a logistic function for the sign.

    Formula: f = 2 f_c / (1 + exp(-s_F omega)) - f_c = f_c tanh(s_F omega / 2)
    Source: W(4), without its viscous term
    Valid: speeds well above 1 / s_F; creeps under load at standstill
    """

    name: ClassVar[str] = "coulomb_sigmoid"
    code: ClassVar[int] = 7
    coulomb: Annotated[float, TORQUE]
    steepness: Annotated[float, STEEPNESS]

    @classmethod
    def examples(cls) -> tuple[SigmoidCoulomb, ...]:
        """W Table 2, joint 1 of a large robot."""
        return (cls(coulomb=200.0, steepness=500.0),)


@dataclass(frozen=True, kw_only=True)
class ZoneCoulomb(FrictionLaw):
    """Coulomb friction with a linear zone around standstill.

    Formula: f = (omega / epsilon) F_C for abs omega < epsilon, F_C sgn(omega) beyond
    Source: L(3), without its viscous part
    Valid: speeds above epsilon; creeps under load at standstill
    """

    name: ClassVar[str] = "coulomb_zone"
    code: ClassVar[int] = 8
    coulomb: Annotated[float, TORQUE]
    width: Annotated[float, WIDTH]

    @classmethod
    def examples(cls) -> tuple[ZoneCoulomb, ...]:
        """A narrow zone."""
        return (cls(coulomb=8.0, width=0.02),)
