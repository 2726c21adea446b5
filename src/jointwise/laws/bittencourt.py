"""Friction of speed, load and temperature together: Bittencourt's model and its temperature term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.kernels.scalar import absolute, exp, maximum, minimum, sgn
from jointwise.laws.base import FrictionLaw
from jointwise.laws.compiled import leaf
from jointwise.laws.load import LinearLoad
from jointwise.laws.stribeck import STRIBECK_VELOCITY, Stribeck, stribeck_factor
from jointwise.laws.viscous import Viscous
from jointwise.units import Unit

EXPONENT = 1.3
NARROWEST = 1e-6
"""Stribeck velocity [rad/s] below which it is not let fall by temperature."""
COLDEST = -100.0
TORQUE = Unit("N m", lower=0.0)
PER_DEGREE = Unit("N m/deg C")
SPEED_PER_DEGREE = Unit("rad/s/deg C")


@leaf
def warm_stribeck(f0, f_slope, v0, v_slope, omega, temperature):
    """(F_s0 + F_sT T) exp(-abs(omega / (w_s0 + w_sT T))^1.3)."""
    width = maximum(v0 + v_slope * temperature, NARROWEST)
    return (f0 + f_slope * temperature) * stribeck_factor(omega, width, EXPONENT)


@leaf
def warm_stribeck_step(p, s, s_new, x):
    """sgn(omega) times the Stribeck peak at this temperature."""
    return sgn(x[1]) * warm_stribeck(p[0], p[1], p[2], p[3], x[1], x[3])


@leaf
def bittencourt_step(p, s, s_new, x):
    """Nine terms of speed, load and temperature."""
    omega, tau, t = x[1], absolute(x[2]), x[3]
    dry = p[0] + p[1] * tau + p[2] * tau * stribeck_factor(omega, p[3], EXPONENT)
    dry += warm_stribeck(p[4], p[5], p[6], p[7], omega, t)
    thin = exp(minimum(-t / p[10], -COLDEST / p[10]))
    return sgn(omega) * dry + (p[8] + p[9] * thin) * omega


@dataclass(frozen=True, kw_only=True)
class WarmStribeck(FrictionLaw):
    """Stribeck peak that grows and widens with temperature.

    Formula: f = sgn(omega) (F_s0 + F_sT T) exp(-abs(omega / (w_s0 + w_sT T))^1.3), T in deg C
    Source: Bittencourt and Gunnarsson (2012), described in J1 4.2.3
    Valid: steady sliding inside the identified temperatures; a peak, not the friction at higher speed
    """

    name: ClassVar[str] = "stribeck_warm"
    code: ClassVar[int] = 15
    dissipative: ClassVar[bool] = False
    peak: Annotated[float, Unit("N m")]
    peak_slope: Annotated[float, PER_DEGREE]
    stribeck_velocity: Annotated[float, STRIBECK_VELOCITY]
    stribeck_velocity_slope: Annotated[float, SPEED_PER_DEGREE]

    @classmethod
    def examples(cls) -> tuple[WarmStribeck, ...]:
        """A peak of 2 N m at 20 deg C."""
        return (
            cls(
                peak=1.0,
                peak_slope=0.05,
                stribeck_velocity=0.02,
                stribeck_velocity_slope=0.002,
            ),
        )

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """Independent of temperature it is a Stribeck term without Coulomb friction."""
        cold = cls(peak=2.0, peak_slope=0.0, stribeck_velocity=0.05, stribeck_velocity_slope=0.0)
        plain = Stribeck(
            coulomb=0.0, breakaway=2.0, stribeck_velocity=0.05, stribeck_exponent=EXPONENT
        )
        return ((cold, (plain,)),)


@dataclass(frozen=True, kw_only=True)
class Bittencourt(FrictionLaw):
    """Friction of speed, load and temperature in one law.

    Formula: f = sgn(omega) (F_c0 + F_cl abs(tau) + F_sl abs(tau) exp(-abs(omega/w_sl)^1.3) + (F_s0 + F_sT T)
        exp(-abs(omega/(w_s0 + w_sT T))^1.3)) + (F_v0 + F_vT exp(-T/T_V0)) omega, T in deg C
    Source: Bittencourt and Gunnarsson (2012), as remembered in the literature; not printed in T
    Valid: steady sliding inside the identified loads and temperatures; jumps at standstill
    """

    name: ClassVar[str] = "bittencourt"
    code: ClassVar[int] = 16
    dissipative: ClassVar[bool] = False
    coulomb: Annotated[float, TORQUE]
    load_linear: Annotated[float, Unit("1", lower=0.0)]
    load_peak: Annotated[float, Unit("1", lower=0.0)]
    load_stribeck_velocity: Annotated[float, STRIBECK_VELOCITY]
    peak: Annotated[float, Unit("N m")]
    peak_slope: Annotated[float, PER_DEGREE]
    stribeck_velocity: Annotated[float, STRIBECK_VELOCITY]
    stribeck_velocity_slope: Annotated[float, SPEED_PER_DEGREE]
    viscous: Annotated[float, Unit("N m s/rad", lower=0.0)]
    viscous_cold: Annotated[float, Unit("N m s/rad", lower=0.0)]
    viscous_decay: Annotated[float, Unit("deg C", lower=1.0)]

    @classmethod
    def examples(cls) -> tuple[Bittencourt, ...]:
        """All terms at work."""
        return (
            cls(
                coulomb=4.0,
                load_linear=0.03,
                load_peak=0.02,
                load_stribeck_velocity=0.1,
                peak=1.0,
                peak_slope=0.05,
                stribeck_velocity=0.02,
                stribeck_velocity_slope=0.002,
                viscous=5.0,
                viscous_cold=20.0,
                viscous_decay=20.0,
            ),
        )

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """Without its temperature terms it is Stribeck, load and viscous friction."""
        plain = cls(
            coulomb=4.0,
            load_linear=0.03,
            load_peak=0.0,
            load_stribeck_velocity=0.1,
            peak=1.0,
            peak_slope=0.0,
            stribeck_velocity=0.05,
            stribeck_velocity_slope=0.0,
            viscous=5.0,
            viscous_cold=0.0,
            viscous_decay=20.0,
        )
        dry = Stribeck(
            coulomb=4.0, breakaway=5.0, stribeck_velocity=0.05, stribeck_exponent=EXPONENT
        )
        return ((plain, (dry, LinearLoad(load_linear=0.03), Viscous(viscous=5.0))),)
