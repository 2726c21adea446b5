"""Friction that grows while a joint rests and is rubbed off on the way after: linear in its torques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from jointwise.errors import ParameterError
from jointwise.kernels.scalar import absolute, exp, sgn
from jointwise.laws.base import Array, Each, FrictionLaw, Values
from jointwise.laws.compiled import leaf
from jointwise.units import Unit


@leaf
def rested_grid_step(p, s, s_new, x):
    """sgn(omega) sum F_i e_i; p holds the count, the time of rest, the ways, the torques, s holds 1 - e_i."""
    count = int(p[0])
    forgotten = exp(-x[5] / p[1])
    total = 0.0
    for i in range(count):
        excess = (1.0 - s[i] * forgotten) * exp(-absolute(x[0]) / p[2 + i])
        s_new[i] = 1.0 - excess
        total += p[2 + count + i] * excess
    return sgn(x[1]) * total


@dataclass(frozen=True, kw_only=True)
class RestedGrid(FrictionLaw):
    """Excess of friction when a joint sets off, as if its grease had set while it stood.

    Formula: f = sgn(omega) sum F_i e_i, de_i/dt = (1 - e_i) / T_R - e_i abs(omega) / D_i; begins rested, e_i = 1
    Source: static friction that rises with the time of rest, as Rabinowicz and Armstrong have it; not in the sources
    Valid: motion after a rest; steady sliding keeps an excess of D_i / (D_i + abs(omega) T_R)
    """

    name: ClassVar[str] = "rested_grid"
    code: ClassVar[int] = 27
    rest: Annotated[float, Unit("s", lower=0.0, upper=1e4, open_lower=True)]
    ways: Annotated[Values, Each(Unit("rad", lower=0.0, upper=100.0, open_lower=True))]
    torques: Annotated[Values, Each(Unit("N m", lower=0.0))]

    def check(self) -> None:
        """One torque for each way."""
        if len(self.ways) != len(self.torques):
            raise ParameterError(
                f"{self.name}.torques",
                f"{len(self.torques)} values",
                f"one for each of the {len(self.ways)} ways",
            )

    def packed(self) -> Array:
        """Count, time of rest, ways, torques."""
        return np.array([len(self.ways), self.rest, *self.ways, *self.torques], dtype=np.float64)

    @property
    def state_size(self) -> int:
        """How much of each excess is rubbed off, 0 to 1."""
        return len(self.ways)

    @classmethod
    def examples(cls) -> tuple[RestedGrid, ...]:
        """A wrist of a small arm."""
        return (cls(rest=1.0, ways=(0.03, 0.3), torques=(0.6, 0.4)),)
