"""Half backlash as a function of the joint angle; its kernels are those of laws.periodic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from jointwise.laws.base import Array, Each, JointLaw, Values
from jointwise.laws.maxwell_slip import HALF_BACKLASH


@dataclass(frozen=True, kw_only=True)
class BacklashMap(JointLaw):
    """Half the backlash at equally spaced angles of one output turn, linear in between; one value for a constant.

    Formula: Bl(theta) = (phi_plus - phi_minus)/2, the half width between slow strokes in both directions
    Source: J1(32), J3(22); the source also calls the full width 2 Bl backlash (erratum 20)
    Valid: unloaded joint; also scales the hysteresis of maxwell_slip and e_gms
    """

    name: ClassVar[str] = "backlash_map"
    code: ClassVar[int] = 1
    half_backlash: Annotated[Values, Each(HALF_BACKLASH)]

    def packed(self) -> Array:
        """Number of points, values."""
        return np.array([len(self.half_backlash), *self.half_backlash])

    def at(self, theta: ArrayLike) -> Array:
        """Half backlash at rotor angles [rad]."""
        from jointwise.laws.transmissions import BACKLASH_AT, of_angle

        return of_angle(BACKLASH_AT, self, theta)

    def slope(self, theta: ArrayLike) -> Array:
        """Its derivative by the rotor angle."""
        from jointwise.laws.transmissions import BACKLASH_SLOPE, of_angle

        return of_angle(BACKLASH_SLOPE, self, theta)

    @classmethod
    def examples(cls) -> tuple[BacklashMap, ...]:
        """A constant; one cycle in a turn."""
        wave = tuple(1e-3 * (1.0 + 0.2 * np.cos(2.0 * np.pi * np.arange(36) / 36)))
        return (cls(half_backlash=(1e-3,)), cls(half_backlash=wave))
