"""Viscous damping of the transmission."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.errors import ParameterError
from jointwise.laws.base import JointLaw
from jointwise.laws.compiled import leaf
from jointwise.units import Unit


@leaf
def damping_torque(p, dphi):
    """D dphi."""
    return p[0] * dphi


@dataclass(frozen=True, kw_only=True)
class Damping(JointLaw):
    """Damping between rotor and link.

    Formula: tau_D = D (dtheta - dq)
    Source: T(2.21), C1(4); value from decaying oscillation: PA1 3, PA2 7
    Valid: small oscillations; most loss of a strain-wave gear is hysteresis, not damping
    """

    name: ClassVar[str] = "damping"
    code: ClassVar[int] = 1
    damping: Annotated[float, Unit("N m s/rad", lower=0.0)]

    @classmethod
    def from_decay(
        cls,
        *,
        rotor_inertia: float,
        first_peak: float,
        later_peak: float,
        seconds_between: float,
    ) -> Damping:
        """D = 2 B ln(A1/A2) / (t2 - t1) from two peaks of one sign of a free rotor oscillation, output held."""
        for label, value in (
            ("rotor_inertia", rotor_inertia),
            ("first_peak", first_peak),
            ("later_peak", later_peak),
            ("seconds_between", seconds_between),
        ):
            Unit("1", lower=0.0, open_lower=True).check(label, value)
        if later_peak > first_peak:
            raise ParameterError("later_peak", later_peak, f"at most first_peak, {first_peak:g}")
        return cls(
            damping=2.0 * rotor_inertia * math.log(first_peak / later_peak) / seconds_between
        )

    @classmethod
    def examples(cls) -> tuple[Damping, ...]:
        """A joint of a small arm."""
        return (cls(damping=20.0),)
