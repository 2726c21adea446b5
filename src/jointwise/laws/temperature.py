"""Viscous friction that depends on temperature: the two forms of the thesis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.kernels.scalar import maximum, minimum
from jointwise.laws.base import FrictionLaw, increasing
from jointwise.laws.compiled import leaf
from jointwise.laws.degressive import DegressiveViscous, root_speed
from jointwise.units import Unit

CELSIUS = Unit("deg C", lower=1.0, upper=200.0)
CONSTANT = Unit("N m (s/rad)^0.5")
SLOPE = Unit("N m (s/rad)^0.5 / deg C")
CUBE = Unit("N m (s/rad)^0.5 deg C^3")


@leaf
def inside(temperature, low, high):
    """Temperature cut to the range a law was identified in."""
    return minimum(maximum(temperature, low), high)


@leaf
def temperature_step(p, s, s_new, x):
    """sgn(omega) sqrt(abs omega) (F_T1 + F_T2 T + F_T3 / T^3)."""
    t = inside(x[3], p[3], p[4])
    return root_speed(x[1]) * (p[0] + p[1] * t + p[2] / (t * t * t))


@leaf
def temperature_change_step(p, s, s_new, x):
    """sgn(omega) sqrt(abs omega) (F_T1 (T - T0) + F_T2 (1/T^3 - 1/T0^3))."""
    t = inside(x[3], p[3], p[4])
    t0 = p[2]
    cube = 1.0 / (t * t * t) - 1.0 / (t0 * t0 * t0)
    return root_speed(x[1]) * (p[0] * (t - t0) + p[1] * cube)


@dataclass(frozen=True, kw_only=True)
class Temperature(FrictionLaw):
    """Temperature part of friction with a constant; T is cut to the identified range.

    Formula: f = sgn(omega) sqrt(abs omega) (F_T1 + F_T2 T + F_T3 T^-3), T in deg C
    Source: J1(28)
    Valid: inside temperature_low to temperature_high, where it was identified; extrapolates poorly. May be negative:
        it belongs beside a velocity law
    """

    name: ClassVar[str] = "temperature"
    code: ClassVar[int] = 13
    dissipative: ClassVar[bool] = False
    constant: Annotated[float, CONSTANT]
    slope: Annotated[float, SLOPE]
    cube: Annotated[float, CUBE]
    temperature_low: Annotated[float, CELSIUS] = 9.0
    temperature_high: Annotated[float, CELSIUS] = 60.0

    def check(self) -> None:
        """A range of temperatures."""
        low, high = self.temperature_low, self.temperature_high
        increasing(self.name, ("temperature_low", low), ("temperature_high", high), False)

    @classmethod
    def examples(cls) -> tuple[Temperature, ...]:
        """Friction falling as the joint warms up."""
        return (cls(constant=14.0, slope=-0.15, cube=3000.0),)

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """Independent of temperature it is the degressive viscous law."""
        return ((cls(constant=9.0, slope=0.0, cube=0.0), (DegressiveViscous(viscous_root=9.0),)),)


@dataclass(frozen=True, kw_only=True)
class TemperatureChange(FrictionLaw):
    """Change of friction from a reference temperature T0; T is cut to the identified range.

    Formula: f = sgn(omega) sqrt(abs omega) (F_T1 (T - T0) + F_T2 (T^-3 - T0^-3)), T in deg C
    Source: J3(11), printed with (T - T0)^-3, which is infinite where it must vanish (erratum 22)
    Valid: inside temperature_low to temperature_high, where it was identified. Negative when warm: it belongs beside
        a velocity law identified at T0
    """

    name: ClassVar[str] = "temperature_change"
    code: ClassVar[int] = 14
    dissipative: ClassVar[bool] = False
    slope: Annotated[float, SLOPE]
    cube: Annotated[float, CUBE]
    reference: Annotated[float, CELSIUS] = 20.0
    temperature_low: Annotated[float, CELSIUS] = 9.0
    temperature_high: Annotated[float, CELSIUS] = 60.0

    def check(self) -> None:
        """A range of temperatures."""
        low, high = self.temperature_low, self.temperature_high
        increasing(self.name, ("temperature_low", low), ("temperature_high", high), False)

    @classmethod
    def examples(cls) -> tuple[TemperatureChange, ...]:
        """Friction falling as the joint warms up."""
        return (cls(slope=-0.15, cube=3000.0),)

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """The constant of the other form is fixed by a change of zero at T0."""
        fixed = 0.15 * 20.0 - 3000.0 / 20.0**3
        return (
            (
                cls(slope=-0.15, cube=3000.0),
                (Temperature(constant=fixed, slope=-0.15, cube=3000.0),),
            ),
        )
