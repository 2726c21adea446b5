"""Backlash, lost motion and torsional rigidity, piecewise linear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from jointwise.kernels.scalar import absolute, select, sgn
from jointwise.laws.base import Array
from jointwise.laws.compiled import leaf
from jointwise.laws.linear import STIFFNESS, LinearSpring
from jointwise.laws.three_segments import by_segment
from jointwise.laws.transmission import TransmissionLaw
from jointwise.units import Unit

ANGLE = Unit("rad", lower=0.0, upper=1.0)


@leaf
def lost_motion_torque(p, phi):
    """Zero, c_LM (phi - phi_B*), c_TR (phi - phi_B) + tau_E0."""
    x = absolute(phi)
    lost = p[2] * (x - p[0])
    rigid = p[3] * (x - p[4]) + p[5]
    return sgn(phi) * by_segment(x, p[0], p[4], 0.0 * x, lost, rigid)


@leaf
def lost_motion_stiffness(p, phi):
    """Zero, c_LM or c_TR."""
    return by_segment(absolute(phi), p[0], p[4], 0.0, p[2], p[3])


@leaf
def lost_motion_slope(p, phi):
    """Zero on every segment."""
    return 0.0 * phi


@leaf
def lost_motion_deformation(p, tau):
    """The inverse; the middle of the backlash at zero torque."""
    x = absolute(tau)
    return sgn(tau) * select(x <= p[5], x / p[2] + p[0], (x - p[5]) / p[3] + p[4])


@dataclass(frozen=True, kw_only=True)
class LostMotion(TransmissionLaw):
    """Backlash phi_B*, a soft range phi_LM (lost motion) of stiffness c_LM, then torsional rigidity c_TR.

    Formula: tau_E = 0 up to phi_B*, c_LM (phi - phi_B*) up to phi_B = phi_B* + phi_LM, c_TR (phi - phi_B) + tau_E0
        beyond, tau_E0 = c_LM phi_LM; odd
    Source: W(5), W(6), W(10) in their continuous form (errata 16, 17)
    Valid: gears of large robots; the stiffness is zero in the backlash, where no inverse exists
    """

    name: ClassVar[str] = "lost_motion"
    code: ClassVar[int] = 4
    half_backlash: Annotated[float, ANGLE]
    lost_motion: Annotated[float, ANGLE]
    lost_stiffness: Annotated[float, STIFFNESS]
    rigidity: Annotated[float, STIFFNESS]

    def packed(self) -> Array:
        """The fields, then phi_B and tau_E0."""
        fields = [self.half_backlash, self.lost_motion, self.lost_stiffness, self.rigidity]
        edge = self.half_backlash + self.lost_motion
        # The torque at the edge, computed as the kernel does, so that both branches meet there.
        return np.array([*fields, edge, self.lost_stiffness * (edge - self.half_backlash)])

    @classmethod
    def examples(cls) -> tuple[LostMotion, ...]:
        """W Table 2, joint 1; c_LM is not printed and assumed."""
        return (
            cls(half_backlash=1.5e-4, lost_motion=1.5e-4, lost_stiffness=1e6, rigidity=8.4225e6),
        )

    @classmethod
    def reductions(cls) -> tuple[tuple[TransmissionLaw, TransmissionLaw], ...]:
        """Without backlash and lost motion it is a linear spring."""
        tight = cls(half_backlash=0.0, lost_motion=0.0, lost_stiffness=1e6, rigidity=2e6)
        return ((tight, LinearSpring(spring_stiffness=2e6)),)
