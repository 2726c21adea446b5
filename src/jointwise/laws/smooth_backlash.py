"""Two smooth forms of backlash with torsional rigidity: one smooth as torque, one as deformation.

They share their asymptotes c_TR (phi -+ phi_B) and are not inverses of each other: at zero the first has no stiffness,
the second 1 / (1/c_TR + phi_B s/2). Take one of them for plant and feedforward alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.kernels.scalar import absolute, exp, maximum, minimum, power, select, sgn, tanh
from jointwise.laws.compiled import leaf
from jointwise.laws.linear import STIFFNESS
from jointwise.laws.solve import increasing_root
from jointwise.laws.transmission import TransmissionLaw
from jointwise.units import Unit

ANGLE = Unit("rad", lower=0.0, upper=1.0, open_lower=True)
NEAR = 0.5
"""3x/phi_B below which torque and stiffness are taken from their series: the closed forms lose their digits there."""
TORQUE_SERIES = tuple(0.5 / math.factorial(k) / ((k + 3) * (k + 4)) for k in range(12))
STIFFNESS_SERIES = tuple(0.5 / math.factorial(k) / (k + 3) for k in range(12))


@leaf
def alternating(series, z):
    """Sum of series[k] (-z)^k."""
    total = 0.0 * z
    for k in range(11, -1, -1):
        total = series[k] - z * total
    return total


@leaf
def smooth_torque(p, phi):
    """C (x - phi_B) + c (phi_B + 2x + 3x^2/(2 phi_B)) exp(-3x/phi_B) for x = abs phi."""
    scale = p[1] * p[0] / 3.0
    z = 3.0 * absolute(phi) / p[0]
    return sgn(phi) * scale * smooth_shape(z)


@leaf
def smooth_shape(z):
    """Z - 3 + (3 + 2z + z^2/2) exp(-z), which starts as z^4/24."""
    near = z * z * z * z * alternating(TORQUE_SERIES, minimum(z, NEAR))
    far = z - 3.0 + (3.0 + z * (2.0 + 0.5 * z)) * exp(-z)
    return select(z < NEAR, near, far)


@leaf
def smooth_stiffness(p, phi):
    """C (1 - (1 + z + z^2/2) exp(-z)), z = 3 abs phi / phi_B."""
    z = 3.0 * absolute(phi) / p[0]
    near = z * z * z * alternating(STIFFNESS_SERIES, minimum(z, NEAR))
    far = 1.0 - (1.0 + z * (1.0 + 0.5 * z)) * exp(-z)
    return p[1] * select(z < NEAR, near, far)


@leaf
def smooth_slope(p, phi):
    """C (3/phi_B) z^2/2 exp(-z), odd in phi."""
    z = 3.0 * absolute(phi) / p[0]
    return sgn(phi) * p[1] * 1.5 / p[0] * z * z * exp(-z)


smooth_root = increasing_root(smooth_torque, smooth_stiffness)


@leaf
def smooth_deformation(p, tau):
    """Numeric inverse, between the asymptote through zero and the one through phi_B."""
    size = absolute(tau)
    low = size / p[1]
    quartic = power(size * p[0] * p[0] * p[0] / (1.125 * p[1]), 0.25)
    start = minimum(maximum(low, quartic), low + p[0])
    root = smooth_root(p, size, low, low + p[0], start)
    return sgn(tau) * root


@leaf
def lag_deformation(p, tau):
    """Tau / c_TR + phi_B tanh(s tau / 2)."""
    return tau / p[1] + p[0] * tanh(0.5 * p[2] * tau)


@leaf
def lag_compliance(p, tau):
    """1/c_TR + (phi_B s/2) sech^2(s tau / 2)."""
    t = tanh(0.5 * p[2] * tau)
    return 1.0 / p[1] + 0.5 * p[0] * p[2] * (1.0 - t * t)


lag_root = increasing_root(lag_deformation, lag_compliance)


@leaf
def lag_torque(p, phi):
    """Numeric inverse of the deformation."""
    size = absolute(phi)
    low = maximum(p[1] * (size - p[0]), size / lag_compliance(p, 0.0))
    high = p[1] * size
    return sgn(phi) * lag_root(p, size, low, high, low)


@leaf
def lag_stiffness(p, phi):
    """One over the compliance."""
    return 1.0 / lag_compliance(p, lag_torque(p, phi))


@leaf
def lag_slope(p, phi):
    """dk/dphi = k^3 (phi_B s^2/2) tanh sech^2."""
    tau = lag_torque(p, phi)
    t = tanh(0.5 * p[2] * tau)
    k = 1.0 / lag_compliance(p, tau)
    return k * k * k * 0.5 * p[0] * p[2] * p[2] * t * (1.0 - t * t)


@dataclass(frozen=True, kw_only=True)
class SmoothBacklash(TransmissionLaw):
    """Smooth torque: three times differentiable, no stiffness at zero.

    Formula: tau_E = c_TR (x - phi_B + (phi_B + 2 x + 3 x^2/(2 phi_B)) exp(-3 x/phi_B)), x = abs phi; odd
    Source: W(7)-(9) with abs phi for phi tanh(s_E1 phi), their limit for large s_E1, which keeps three derivatives
    Valid: torques large against the lost-motion torque; lost motion itself is part of phi_B
    """

    name: ClassVar[str] = "smooth_backlash"
    code: ClassVar[int] = 5
    effective_backlash: Annotated[float, ANGLE]
    rigidity: Annotated[float, STIFFNESS]

    @classmethod
    def examples(cls) -> tuple[SmoothBacklash, ...]:
        """W Table 2, joint 1."""
        return (cls(effective_backlash=3e-4, rigidity=8.4225e6),)


@dataclass(frozen=True, kw_only=True)
class SmoothDeformation(TransmissionLaw):
    """Smooth deformation as an explicit function of torque, for feedforward; its torque is a numeric inverse.

    Formula: phi = tau_E/c_TR + phi_B tanh(s_E2 tau_E/2)
    Source: W(11); s_E2 is in 1/(N m) (erratum 48)
    Valid: torques large against 1/s_E2; stiffness at zero is 1/(1/c_TR + phi_B s_E2/2)
    """

    name: ClassVar[str] = "smooth_deformation"
    code: ClassVar[int] = 6
    effective_backlash: Annotated[float, ANGLE]
    rigidity: Annotated[float, STIFFNESS]
    steepness: Annotated[float, Unit("1/(N m)", lower=0.0, open_lower=True)]

    @classmethod
    def examples(cls) -> tuple[SmoothDeformation, ...]:
        """W Table 2, joint 1."""
        return (cls(effective_backlash=3e-4, rigidity=8.4225e6, steepness=0.02),)
