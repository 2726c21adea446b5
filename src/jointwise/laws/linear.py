"""A linear spring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.laws.compiled import leaf
from jointwise.laws.transmission import TransmissionLaw
from jointwise.units import Unit

STIFFNESS = Unit("N m/rad", lower=0.0, open_lower=True)


@leaf
def linear_torque(p, phi):
    """K phi."""
    return p[0] * phi


@leaf
def linear_stiffness(p, phi):
    """K."""
    return p[0] + 0.0 * phi


@leaf
def linear_slope(p, phi):
    """Zero."""
    return 0.0 * phi


@leaf
def linear_deformation(p, tau):
    """Tau / K."""
    return tau / p[0]


@dataclass(frozen=True, kw_only=True)
class LinearSpring(TransmissionLaw):
    """Linear stiffness.

    Formula: tau_E = K phi
    Source: T(2.20)
    Valid: torques in which the data sheet's stiffnesses differ little
    """

    name: ClassVar[str] = "linear"
    code: ClassVar[int] = 1
    spring_stiffness: Annotated[float, STIFFNESS]

    @classmethod
    def examples(cls) -> tuple[LinearSpring, ...]:
        """A strain-wave gear of middle size."""
        return (cls(spring_stiffness=3.1e4),)
