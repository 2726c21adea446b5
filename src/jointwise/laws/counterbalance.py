"""A torque that depends on the joint's position only: springs and cylinders that balance an arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from jointwise.errors import ParameterError
from jointwise.kernels.scalar import cos, sin
from jointwise.laws.base import Array, Each, FrictionLaw, Values
from jointwise.laws.compiled import leaf
from jointwise.units import Unit

AMPLITUDE = Unit("N m")


@leaf
def counterbalance_step(p, s, s_new, x):
    """sum a_i sin(i q) + b_i cos(i q); p holds the count, the sines, the cosines."""
    count = int(p[0])
    total = 0.0
    for i in range(count):
        angle = (i + 1.0) * x[4]
        total += p[1 + i] * sin(angle) + p[1 + count + i] * cos(angle)
    return total


@dataclass(frozen=True, kw_only=True)
class Counterbalance(FrictionLaw):
    """Torque of a balancing cylinder or spring, as a short Fourier series in the joint angle.

    Formula: f = sum a_i sin(i q) + b_i cos(i q)
    Source: own; a smooth function of one angle, such as the balancing cylinder of a heavy arm's second joint
    Valid: inside the angles it was identified in; no friction by itself, a closed cycle gives back what it took
    """

    name: ClassVar[str] = "counterbalance"
    code: ClassVar[int] = 26
    odd: ClassVar[bool] = False
    dissipative: ClassVar[bool] = False
    sines: Annotated[Values, Each(AMPLITUDE, longest=16)]
    cosines: Annotated[Values, Each(AMPLITUDE, longest=16)]

    def check(self) -> None:
        """As many sines as cosines."""
        if len(self.sines) != len(self.cosines):
            raise ParameterError(
                f"{self.name}.cosines",
                f"{len(self.cosines)} values",
                f"as many as sines, {len(self.sines)}",
            )

    def packed(self) -> Array:
        """Count, sines, cosines."""
        return np.array([len(self.sines), *self.sines, *self.cosines], dtype=np.float64)

    @property
    def rate_independent(self) -> bool:
        """Always."""
        return True

    @classmethod
    def examples(cls) -> tuple[Counterbalance, ...]:
        """A cylinder on the second joint of a heavy arm."""
        return (cls(sines=(-900.0, 120.0), cosines=(300.0, -40.0)),)
