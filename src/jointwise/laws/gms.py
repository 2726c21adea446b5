"""Generalized Maxwell-slip: sticking and slipping elements, slipping ones drawn to the Stribeck curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from jointwise.errors import ParameterError
from jointwise.kernels.scalar import absolute, maximum, select, sgn
from jointwise.laws.base import Array, Each, FrictionLaw, Values, increasing
from jointwise.laws.compiled import leaf
from jointwise.laws.lugre import relaxed
from jointwise.laws.stribeck import STRIBECK_EXPONENT, STRIBECK_VELOCITY
from jointwise.laws.velocity import VelocityLaw, velocity_torque
from jointwise.units import Unit

HEAD = 9
"""Packed: M, attraction, the seven of the velocity law; then shares, stiffnesses."""
SMALLEST = 1e-12
"""Torque [N m] below which the static curve counts as this; only at standstill, where no element slips."""
ROUNDING = 1e-9


@leaf
def gms_step(p, s, s_new, x):
    """Elements stick or slip by the flag they carry (0, or the direction they slip in)."""
    shift, omega, dt = x[0], x[1], x[5]
    count = int(p[0])
    level = velocity_torque(p, 2, omega)
    size = maximum(absolute(level), SMALLEST)
    way = p[1] * dt / size
    direction = sgn(omega)
    moving = absolute(direction) > 0.5
    total = 0.0
    for i in range(count):
        force = s[i]
        share = p[HEAD + i]
        slips = select(absolute(s[count + i] - direction) < 0.5, absolute(direction), 0.0)
        slipped = relaxed(force, share * level, way)
        stuck = force + p[HEAD + count + i] * shift
        beyond = select(stuck * direction > share * size, direction, 0.0)
        # An element that starts to slip is at its limit when it does, and stays there at constant velocity.
        ahead = maximum(force * direction, share * size) * direction
        stuck = select(absolute(beyond) > 0.5, relaxed(ahead, share * level, way), stuck)
        s_new[i] = select(slips > 0.5, slipped, stuck)
        s_new[count + i] = select(slips > 0.5, direction, select(moving, beyond, 0.0))
        total += s_new[i]
    return total


@dataclass(frozen=True, kw_only=True)
class GMS(FrictionLaw):
    """Generalized Maxwell-slip with an attraction parameter and the velocity law as static curve s(omega).

    `shares` are the nu_i of the static curve, `stiffness` the k_i, one of each for every element.

    Formula: f = sum F_i; stick dF_i = k_i dtheta until abs F_i > nu_i abs s and F_i omega > 0; slip
        dF_i/dt = sgn(omega) C (nu_i - F_i/s) until omega turns
    Source: T(2.37), T(2.38), C1(11)-(14), printed with nu_i + F_i/s, which runs away (erratum 5)
    Valid: steps short against abs(s)/C and limits nu_i s/k_i; the step is exact at constant velocity
        but for the time an element that was above its limit begins to slip
    """

    name: ClassVar[str] = "gms"
    code: ClassVar[int] = 22
    dissipative: ClassVar[bool] = False
    attraction: Annotated[float, Unit("N m/s", lower=0.0)]
    coulomb: Annotated[float, Unit("N m", lower=0.0, open_lower=True)]
    breakaway: Annotated[float, Unit("N m", lower=0.0, open_lower=True)]
    stribeck_velocity: Annotated[float, STRIBECK_VELOCITY]
    stribeck_exponent: Annotated[float, STRIBECK_EXPONENT]
    viscous_1: Annotated[float, Unit("N m s/rad", lower=0.0)]
    viscous_2: Annotated[float, Unit("N m s^2/rad^2")]
    viscous_3: Annotated[float, Unit("N m s^3/rad^3")]
    shares: Annotated[Values, Each(Unit("1", lower=0.0, upper=1.0), longest=64)]
    stiffness: Annotated[Values, Each(Unit("N m/rad", lower=0.0), longest=64)]

    def check(self) -> None:
        """Shares add up to one, one stiffness for each."""
        increasing(self.name, ("coulomb", self.coulomb), ("breakaway", self.breakaway), True)
        if len(self.shares) != len(self.stiffness):
            raise ParameterError(
                f"{self.name}.stiffness", self.stiffness, f"as long as shares, {len(self.shares)}"
            )
        if abs(sum(self.shares) - 1.0) > ROUNDING:
            raise ParameterError(f"sum of {self.name}.shares", sum(self.shares), "1")

    def curve(self) -> VelocityLaw:
        """The static curve s(omega)."""
        return VelocityLaw(
            coulomb=self.coulomb,
            breakaway=self.breakaway,
            stribeck_velocity=self.stribeck_velocity,
            stribeck_exponent=self.stribeck_exponent,
            viscous_1=self.viscous_1,
            viscous_2=self.viscous_2,
            viscous_3=self.viscous_3,
        )

    def packed(self) -> Array:
        """M, attraction, static curve, shares, stiffnesses."""
        head = [len(self.shares), self.attraction]
        return np.concatenate([head, self.curve().packed(), self.shares, self.stiffness])

    @property
    def state_size(self) -> int:
        """Force [N m] of each element, then its flag: 0 sticks, 1 or -1 slips in that direction."""
        return 2 * len(self.shares)

    def steady(self) -> tuple[FrictionLaw, ...]:
        """The static curve."""
        return (self.curve(),)

    @classmethod
    def examples(cls) -> tuple[GMS, ...]:
        """Four elements; shares and stiffnesses of the polynomial laws."""
        return (
            cls(
                attraction=400.0,
                coulomb=6.0,
                breakaway=7.0,
                stribeck_velocity=0.05,
                stribeck_exponent=1.2,
                viscous_1=10.0,
                viscous_2=-2.0,
                viscous_3=0.3,
                shares=(16 / 30, 9 / 30, 4 / 30, 1 / 30),
                stiffness=(40000.0, 20000.0, 2500.0, 200.0),
            ),
        )
