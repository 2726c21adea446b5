"""E-GMS: unit hysteresis times an amplitude that grows with the torque the joint carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.kernels.scalar import absolute
from jointwise.laws.base import Array, Each, FrictionLaw, Values, whole
from jointwise.laws.compiled import leaf
from jointwise.laws.load import LINEAR, QUADRATIC, LinearLoad, QuadraticLoad
from jointwise.laws.maxwell_slip import (
    EXPONENT,
    HALF_BACKLASH,
    OPERATORS,
    MaxwellSlip,
    packed_slip,
    slip_sum,
)
from jointwise.laws.periodic import periodic_value
from jointwise.laws.stribeck import (
    STRIBECK_EXPONENT,
    STRIBECK_VELOCITY,
    Stribeck,
    stribeck_factor,
)
from jointwise.units import Unit

HEAD = 8
"""Packed: F_C0, linear, quadratic, excess, V_S, mu, M, start of the table; then limits, stiffnesses, table."""


@leaf
def e_gms_amplitude(p, omega, load):
    """F(tau_J) plus the Stribeck excess."""
    level = p[0] + p[1] * absolute(load) + p[2] * load * load
    if p[3] > 0.0:
        level += p[3] * stribeck_factor(omega, p[4], p[5])
    return level


@leaf
def e_gms_step(p, s, s_new, x):
    """F(tau_J, omega) H."""
    count = int(p[6])
    width = periodic_value(p, int(p[7]), x[4])
    h = slip_sum(p, HEAD, HEAD + count, count, width, x[0], s, s_new)
    return e_gms_amplitude(p, x[1], x[2]) * h


@dataclass(frozen=True, kw_only=True)
class EGMS(FrictionLaw):
    """Extended GMS: Maxwell-slip hysteresis of unit size times a load-dependent Coulomb amplitude.

    With `stribeck_excess` the Stribeck peak multiplies H as well, which keeps the torque continuous. The viscous and
    temperature parts are terms of their own. `half_backlash` is one value or a map over one turn.

    Formula: f = (F_C0 + F_C1 tau_J^2 + F_l abs(tau_J) + excess exp(-(abs omega / V_S)^mu)) H, H as in maxwell_slip
    Source: J3(3)-(20); Stribeck factor on H (erratum 23), Bl in the output (errata 6, 26)
    Valid: reversals and sliding at any load inside the identified range
    """

    name: ClassVar[str] = "e_gms"
    code: ClassVar[int] = 21
    coulomb: Annotated[float, Unit("N m", lower=0.0)]
    load_linear: Annotated[float, LINEAR] = 0.0
    load_quadratic: Annotated[float, QUADRATIC] = 0.0
    stribeck_excess: Annotated[float, Unit("N m", lower=0.0)] = 0.0
    stribeck_velocity: Annotated[float, STRIBECK_VELOCITY] = 1.0
    stribeck_exponent: Annotated[float, STRIBECK_EXPONENT] = 1.0
    operators: Annotated[float, OPERATORS]
    limit_exponent: Annotated[float, EXPONENT]
    stiffness_exponent: Annotated[float, EXPONENT]
    half_backlash: Annotated[Values, Each(HALF_BACKLASH)]

    def check(self) -> None:
        """A whole number of operators."""
        whole(self.name, "operators", self.operators)

    def packed(self) -> Array:
        """Amplitude, M, place of the table, limits, stiffnesses, table."""
        head = [self.coulomb, self.load_linear, self.load_quadratic, self.stribeck_excess]
        head += [self.stribeck_velocity, self.stribeck_exponent, 0.0, 0.0]
        return packed_slip(head, 6, self)

    @property
    def state_size(self) -> int:
        """One deflection for each operator [rad]."""
        return int(self.operators)

    @property
    def rate_independent(self) -> bool:
        """Without the Stribeck effect."""
        return self.stribeck_excess == 0.0

    @property
    def return_point(self) -> bool:
        """While the width is the same everywhere and speed plays no part."""
        return len(self.half_backlash) == 1 and self.rate_independent

    def steady(self) -> tuple[FrictionLaw, ...]:
        """Stribeck and load-dependent friction."""
        level = Stribeck(
            coulomb=self.coulomb,
            breakaway=self.coulomb + self.stribeck_excess,
            stribeck_velocity=self.stribeck_velocity,
            stribeck_exponent=self.stribeck_exponent,
        )
        return (
            level,
            LinearLoad(load_linear=self.load_linear),
            QuadraticLoad(load_quadratic=self.load_quadratic),
        )

    @classmethod
    def examples(cls) -> tuple[EGMS, ...]:
        """Four operators as identified on a small arm; the same with Stribeck effect and varying backlash."""
        shape = {"operators": 4, "limit_exponent": 4.0, "stiffness_exponent": 2.0}
        peak = {"stribeck_excess": 1.5, "stribeck_velocity": 0.04, "stribeck_exponent": 1.1}
        wave = (1e-3, 1.2e-3, 1.1e-3, 0.8e-3, 0.7e-3, 0.9e-3)
        return (
            cls(coulomb=6.0, load_quadratic=4e-4, half_backlash=(1e-3,), **shape),
            cls(coulomb=6.0, load_linear=0.03, half_backlash=wave, **shape, **peak),
        )

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """Independent of load and speed it is Maxwell-slip."""
        shape = {"operators": 5, "limit_exponent": 2.0, "stiffness_exponent": 1.0}
        return (
            (
                cls(coulomb=6.0, half_backlash=(1e-3,), **shape),
                (MaxwellSlip(coulomb=6.0, half_backlash=(1e-3,), **shape),),
            ),
        )
