"""The Stribeck effect as a sum of exponentials with chosen velocities: linear in its torques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from jointwise.errors import ParameterError
from jointwise.kernels.scalar import absolute, exp, sgn
from jointwise.laws.base import Array, Each, FrictionLaw, Values
from jointwise.laws.compiled import leaf
from jointwise.laws.stribeck import STRIBECK_VELOCITY, Stribeck
from jointwise.units import Unit


@leaf
def stribeck_grid_step(p, s, s_new, x):
    """sgn(omega) sum F_i exp(-abs(omega) / v_i); p holds the count, the velocities, the torques."""
    count = int(p[0])
    total = 0.0
    for i in range(count):
        total += p[1 + count + i] * exp(-absolute(x[1]) / p[1 + i])
    return sgn(x[1]) * total


@dataclass(frozen=True, kw_only=True)
class StribeckGrid(FrictionLaw):
    """Excess of friction at low speed, as a sum of exponentials.

    Formula: f = sgn(omega) sum F_i exp(-abs(omega) / v_i)
    Source: the Stribeck factor of C1(14) with mu = 1 on a grid of velocities, so that the torques are found linearly
    Valid: steady sliding; jumps at standstill
    """

    name: ClassVar[str] = "stribeck_grid"
    code: ClassVar[int] = 25
    velocities: Annotated[Values, Each(STRIBECK_VELOCITY)]
    torques: Annotated[Values, Each(Unit("N m", lower=0.0))]

    def check(self) -> None:
        """One torque for each velocity."""
        if len(self.velocities) != len(self.torques):
            raise ParameterError(
                f"{self.name}.torques",
                f"{len(self.torques)} values",
                f"one for each of the {len(self.velocities)} velocities",
            )

    def packed(self) -> Array:
        """Count, velocities, torques."""
        return np.array([len(self.torques), *self.velocities, *self.torques], dtype=np.float64)

    @classmethod
    def examples(cls) -> tuple[StribeckGrid, ...]:
        """A sharp peak and a broad one."""
        return (cls(velocities=(0.02, 0.2), torques=(1.5, 2.5)),)

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """With one velocity it is the excess of Stribeck's law."""
        single = cls(velocities=(0.05,), torques=(2.0,))
        law = Stribeck(coulomb=0.0, breakaway=2.0, stribeck_velocity=0.05, stribeck_exponent=1.0)
        return ((single, (law,)),)
