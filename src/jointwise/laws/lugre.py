"""LuGre: friction as the bending of bristles, with one state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.kernels.scalar import absolute, exp, sgn
from jointwise.laws.base import FrictionLaw
from jointwise.laws.compiled import leaf
from jointwise.laws.stribeck import Stribeck
from jointwise.laws.viscous import Viscous
from jointwise.units import Unit


@leaf
def relaxed(z, end, way):
    """The state after a relaxation towards `end` over `way` relaxation lengths; exact."""
    return end + (z - end) * exp(-way)


@leaf
def lugre_step(p, s, s_new, x):
    """Exact for constant velocity: z relaxes over the way gone."""
    shift, v = x[0], x[1]
    sigma0 = p[0]
    r = v / p[4]
    g = p[2] + p[3] * exp(-r * r)
    z = relaxed(s[0], sgn(shift) * g / sigma0, sigma0 * absolute(shift) / g)
    s_new[0] = z
    dz = v - sigma0 * absolute(v) * z / g
    return sigma0 * z + p[1] * dz + p[5] * v


@dataclass(frozen=True, kw_only=True)
class LuGre(FrictionLaw):
    """LuGre friction: bristles of stiffness sigma0 and damping sigma1 that slip at the Stribeck curve.

    Formula: f = sigma0 z + sigma1 dz/dt + F_V omega, dz/dt = omega - sigma0 abs(omega) z / g,
        g = F_C + (F_S - F_C) exp(-(omega/v_S)^2); excess = F_S - F_C
    Source: T(2.35), T(2.36), printed with the sign inside the square (erratum 25); step exact at constant velocity
    Valid: one contact; forgets inner loops, drifts under small oscillating load. Passive only while the viscous part
        exceeds sigma1 excess / F_C
    """

    name: ClassVar[str] = "lugre"
    code: ClassVar[int] = 18
    dissipative: ClassVar[bool] = False
    stiffness: Annotated[float, Unit("N m/rad", lower=0.0, open_lower=True)]
    damping: Annotated[float, Unit("N m s/rad", lower=0.0)]
    coulomb: Annotated[float, Unit("N m", lower=0.0, open_lower=True)]
    excess: Annotated[float, Unit("N m", lower=0.0)]
    stribeck_velocity: Annotated[float, Unit("rad/s", lower=0.0, open_lower=True)]
    viscous: Annotated[float, Unit("N m s/rad", lower=0.0)]

    @property
    def state_size(self) -> int:
        """The bending z [rad]."""
        return 1

    @property
    def rate_independent(self) -> bool:
        """Without damping, Stribeck effect and viscous part (then it is Dahl's law)."""
        return self.damping == 0.0 and self.excess == 0.0 and self.viscous == 0.0

    def steady(self) -> tuple[FrictionLaw, ...]:
        """The Stribeck curve and viscous friction."""
        level = Stribeck(
            coulomb=self.coulomb,
            breakaway=self.coulomb + self.excess,
            stribeck_velocity=self.stribeck_velocity,
            stribeck_exponent=2.0,
        )
        return (level, Viscous(viscous=self.viscous))

    @classmethod
    def examples(cls) -> tuple[LuGre, ...]:
        """A joint of a small arm; the same as Dahl's law."""
        dry = {"stiffness": 8000.0, "coulomb": 6.0, "stribeck_velocity": 0.03}
        return (
            cls(**dry, damping=12.0, excess=2.0, viscous=10.0),
            cls(**dry, damping=0.0, excess=0.0, viscous=0.0),
        )
