"""The piecewise linear stiffness of gear data sheets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from jointwise.kernels.scalar import absolute, select, sgn
from jointwise.laws.base import Array, increasing
from jointwise.laws.compiled import leaf
from jointwise.laws.linear import STIFFNESS
from jointwise.laws.transmission import TransmissionLaw
from jointwise.units import Unit

SWITCH = Unit("N m", lower=0.0, open_lower=True)


@leaf
def by_segment(x, first, second, at_first, at_second, at_third):
    """One of three numbers: x up to the first switch, up to the second, beyond."""
    return select(x <= first, at_first, select(x <= second, at_second, at_third))


@leaf
def segments_torque(p, phi):
    """K1 phi, then T1 + K2 (phi - phi1), then T2 + K3 (phi - phi2)."""
    x = absolute(phi)
    second = p[3] + p[1] * (x - p[5])
    third = p[4] + p[2] * (x - p[6])
    return sgn(phi) * by_segment(x, p[5], p[6], p[0] * x, second, third)


@leaf
def segments_stiffness(p, phi):
    """K1, K2 or K3."""
    return by_segment(absolute(phi), p[5], p[6], p[0], p[1], p[2])


@leaf
def segments_slope(p, phi):
    """Zero on every segment."""
    return 0.0 * phi


@leaf
def segments_deformation(p, tau):
    """The inverse, segment by segment."""
    x = absolute(tau)
    second = p[5] + (x - p[3]) / p[1]
    third = p[6] + (x - p[4]) / p[2]
    return sgn(tau) * by_segment(x, p[3], p[4], x / p[0], second, third)


def switch_deformations(
    stiffness_1: float, stiffness_2: float, torque_1: float, torque_2: float
) -> tuple[float, float]:
    """Deformations at which the stiffness changes."""
    phi1 = torque_1 / stiffness_1
    return phi1, phi1 + (torque_2 - torque_1) / stiffness_2


@dataclass(frozen=True, kw_only=True)
class ThreeSegments(TransmissionLaw):
    """Stiffness of a data sheet: three slopes, changing at two torques.

    Formula: tau_E = K1 phi up to T1, T1 + K2 (phi - phi1) up to T2, T2 + K3 (phi - phi2) beyond; phi1 = T1/K1,
        phi2 = phi1 + (T2 - T1)/K2; odd
    Source: definition of the manufacturers of strain-wave gears, named in T 2.1.3 and J1 4.1
    Valid: torques up to the gear's limit; the stiffness jumps, so its slope is zero everywhere
    """

    name: ClassVar[str] = "three_segments"
    code: ClassVar[int] = 3
    stiffness_1: Annotated[float, STIFFNESS]
    stiffness_2: Annotated[float, STIFFNESS]
    stiffness_3: Annotated[float, STIFFNESS]
    torque_1: Annotated[float, SWITCH]
    torque_2: Annotated[float, SWITCH]

    def check(self) -> None:
        """The second switch beyond the first."""
        increasing(self.name, ("torque_1", self.torque_1), ("torque_2", self.torque_2), False)

    def packed(self) -> Array:
        """The fields, then the deformations at both switches."""
        phi1, phi2 = switch_deformations(
            self.stiffness_1, self.stiffness_2, self.torque_1, self.torque_2
        )
        stiffness = [self.stiffness_1, self.stiffness_2, self.stiffness_3]
        return np.array([*stiffness, self.torque_1, self.torque_2, phi1, phi2])

    @classmethod
    def examples(cls) -> tuple[ThreeSegments, ...]:
        """Order of magnitude of a strain-wave gear of size 25."""
        return (
            cls(
                stiffness_1=3.1e4,
                stiffness_2=5.0e4,
                stiffness_3=5.7e4,
                torque_1=14.0,
                torque_2=48.0,
            ),
        )
