"""The three slopes of a gear's data sheet with rounded corners, as a gear that wedges gradually has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from jointwise.kernels.scalar import absolute, maximum, minimum, sgn, sqrt
from jointwise.laws.base import Array, increasing
from jointwise.laws.compiled import leaf
from jointwise.laws.linear import STIFFNESS
from jointwise.laws.solve import increasing_root
from jointwise.laws.three_segments import SWITCH, ThreeSegments, switch_deformations
from jointwise.laws.transmission import TransmissionLaw
from jointwise.units import Unit


@leaf
def bent(x, edge, width):
    """A line of slope one up to the edge, flat beyond, odd: (sqrt((x+a)^2 + w^2) - sqrt((x-a)^2 + w^2))/2."""
    up, down = x + edge, x - edge
    # The difference of roots as a quotient, which keeps its digits near zero.
    total = sqrt(up * up + width * width) + sqrt(down * down + width * width)
    return 2.0 * x * edge / maximum(total, 1e-300)


@leaf
def bent_slope(x, edge, width):
    """Its derivative."""
    up, down = x + edge, x - edge
    high = maximum(sqrt(up * up + width * width), 1e-300)
    low = maximum(sqrt(down * down + width * width), 1e-300)
    return 0.5 * (up / high - down / low)


@leaf
def bent_curvature(x, edge, width):
    """Its second derivative."""
    up, down = x + edge, x - edge
    high = maximum(up * up + width * width, 1e-200)
    low = maximum(down * down + width * width, 1e-200)
    return 0.5 * width * width * (1.0 / (high * sqrt(high)) - 1.0 / (low * sqrt(low)))


@leaf
def rounded_torque(p, phi):
    """K3 phi + (K1 - K2) S(phi, phi1) + (K2 - K3) S(phi, phi2)."""
    first = (p[0] - p[1]) * bent(phi, p[3], p[5])
    return p[2] * phi + first + (p[1] - p[2]) * bent(phi, p[4], p[5])


@leaf
def rounded_stiffness(p, phi):
    """Its derivative."""
    first = (p[0] - p[1]) * bent_slope(phi, p[3], p[5])
    return p[2] + first + (p[1] - p[2]) * bent_slope(phi, p[4], p[5])


@leaf
def rounded_slope(p, phi):
    """Its second derivative."""
    first = (p[0] - p[1]) * bent_curvature(phi, p[3], p[5])
    return first + (p[1] - p[2]) * bent_curvature(phi, p[4], p[5])


rounded_root = increasing_root(rounded_torque, rounded_stiffness)


@leaf
def rounded_deformation(p, tau):
    """Numeric inverse, between the lines of the largest and of the smallest stiffness."""
    size = absolute(tau)
    soft = minimum(p[0], minimum(p[1], p[2]))
    hard = maximum(p[0], maximum(p[1], p[2]))
    return sgn(tau) * rounded_root(p, size, size / hard, size / soft, size / soft)


@dataclass(frozen=True, kw_only=True)
class RoundedSegments(TransmissionLaw):
    """Three stiffnesses that change gradually at two torques; any number of derivatives exists.

    Formula: tau_E = K3 phi + (K1 - K2) S(phi, phi1) + (K2 - K3) S(phi, phi2),
        S(x, a) = (sqrt((x + a)^2 + w^2) - sqrt((x - a)^2 + w^2))/2, phi1 and phi2 as in three_segments
    Source: the segments of three_segments with hyperbolas for corners; real gears have no corners
    Valid: as three_segments; w = 0 is that law, and near the corners the torque is off it by up to (K2 - K1) w/2
    """

    name: ClassVar[str] = "rounded_segments"
    code: ClassVar[int] = 7
    stiffness_1: Annotated[float, STIFFNESS]
    stiffness_2: Annotated[float, STIFFNESS]
    stiffness_3: Annotated[float, STIFFNESS]
    torque_1: Annotated[float, SWITCH]
    torque_2: Annotated[float, SWITCH]
    rounding: Annotated[float, Unit("rad", lower=0.0, upper=1.0)]

    def check(self) -> None:
        """The second switch beyond the first."""
        increasing(self.name, ("torque_1", self.torque_1), ("torque_2", self.torque_2), False)

    def packed(self) -> Array:
        """Stiffnesses, deformations at the switches, rounding."""
        phi1, phi2 = switch_deformations(
            self.stiffness_1, self.stiffness_2, self.torque_1, self.torque_2
        )
        stiffness = [self.stiffness_1, self.stiffness_2, self.stiffness_3]
        return np.array([*stiffness, phi1, phi2, self.rounding])

    @classmethod
    def examples(cls) -> tuple[RoundedSegments, ...]:
        """Order of magnitude of a strain-wave gear of size 25."""
        slopes = {"stiffness_1": 3.1e4, "stiffness_2": 5.0e4, "stiffness_3": 5.7e4}
        return (cls(**slopes, torque_1=14.0, torque_2=48.0, rounding=1e-4),)

    @classmethod
    def reductions(cls) -> tuple[tuple[TransmissionLaw, TransmissionLaw], ...]:
        """Without rounding it is the law of three segments."""
        values = {"stiffness_1": 3.1e4, "stiffness_2": 5.0e4, "stiffness_3": 5.7e4}
        values |= {"torque_1": 14.0, "torque_2": 48.0}
        return ((cls(**values, rounding=0.0), ThreeSegments(**values)),)
