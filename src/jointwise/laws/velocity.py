"""The velocity law of seven parameters: Coulomb, Stribeck and a viscous polynomial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.errors import UnknownNameError
from jointwise.kernels.scalar import absolute, sgn
from jointwise.laws.base import FrictionLaw, increasing
from jointwise.laws.compiled import leaf
from jointwise.laws.stribeck import (
    STRIBECK_EXPONENT,
    STRIBECK_VELOCITY,
    Stribeck,
    stribeck_factor,
)
from jointwise.laws.viscous import Viscous
from jointwise.units import Unit

SIGN_OF_SQUARE = {"C1(14)": 1.0, "J3(11)": 1.0, "PA1 16": 1.0, "J1(25)": -1.0}
"""Sign with which each source writes the quadratic viscous term."""


@leaf
def velocity_torque(p, k, omega):
    """The static curve s(omega) of the seven parameters p[k], p[k+1], ..."""
    dry = p[k] + (p[k + 1] - p[k]) * stribeck_factor(omega, p[k + 2], p[k + 3])
    return sgn(omega) * dry + omega * (
        p[k + 4] + absolute(omega) * p[k + 5] + omega * omega * p[k + 6]
    )


@leaf
def velocity_step(p, s, s_new, x):
    """s(omega)."""
    return velocity_torque(p, 0, x[1])


@dataclass(frozen=True, kw_only=True)
class VelocityLaw(FrictionLaw):
    """Velocity law of seven parameters; one sign convention inside: + F_V2 abs(omega) omega.

    Formula: f = sgn(omega) (F_C + (F_S - F_C) exp(-(abs omega / V_S)^mu)) + F_V1 omega + F_V2 abs(omega) omega
        + F_V3 omega^3
    Source: C1(14); J1(25) with the sign of F_V2 turned (erratum 21)
    Valid: steady sliding inside the identified speeds; with negative F_V2 or F_V3 it turns around far beyond them
    """

    name: ClassVar[str] = "velocity"
    code: ClassVar[int] = 9
    dissipative: ClassVar[bool] = False
    coulomb: Annotated[float, Unit("N m", lower=0.0)]
    breakaway: Annotated[float, Unit("N m", lower=0.0)]
    stribeck_velocity: Annotated[float, STRIBECK_VELOCITY]
    stribeck_exponent: Annotated[float, STRIBECK_EXPONENT]
    viscous_1: Annotated[float, Unit("N m s/rad")]
    viscous_2: Annotated[float, Unit("N m s^2/rad^2")]
    viscous_3: Annotated[float, Unit("N m s^3/rad^3")]

    def check(self) -> None:
        """Friction falls from breakaway to Coulomb level."""
        increasing(self.name, ("coulomb", self.coulomb), ("breakaway", self.breakaway), True)

    @classmethod
    def as_printed(cls, *, source: str, viscous_2: float, **others: float) -> VelocityLaw:
        """The law from values as the named source prints them, such as "J1(25)"."""
        if source not in SIGN_OF_SQUARE:
            raise UnknownNameError("source of velocity parameters", source, SIGN_OF_SQUARE)
        return cls(viscous_2=SIGN_OF_SQUARE[source] * viscous_2, **others)

    @classmethod
    def examples(cls) -> tuple[VelocityLaw, ...]:
        """A joint of a small arm, with the usual curve below proportional."""
        return (
            cls(
                coulomb=6.0,
                breakaway=7.0,
                stribeck_velocity=0.05,
                stribeck_exponent=1.2,
                viscous_1=14.0,
                viscous_2=-4.0,
                viscous_3=0.5,
            ),
        )

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """Without the higher powers it is Stribeck plus viscous friction."""
        dry = {"coulomb": 6.0, "breakaway": 7.0}
        dry |= {"stribeck_velocity": 0.05, "stribeck_exponent": 1.2}
        return (
            (
                cls(**dry, viscous_1=14.0, viscous_2=0.0, viscous_3=0.0),
                (Stribeck(**dry), Viscous(viscous=14.0)),
            ),
        )
