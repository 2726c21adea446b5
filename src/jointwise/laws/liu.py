"""Friction that differs between the two directions, with a cubic viscous part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.kernels.scalar import absolute, select
from jointwise.laws.base import FrictionLaw
from jointwise.laws.compiled import leaf
from jointwise.laws.smooth_sign import ZoneCoulomb, zone
from jointwise.units import Unit


@leaf
def liu_step(p, s, s_new, x):
    """Zone of the sign, a level for each direction, and a cubic."""
    v = x[1]
    dry = absolute(zone(v, p[2])) * select(v > 0.0, p[0], p[1])
    return dry + v * (p[3] + v * p[4] + absolute(v) * p[5] + v * v * p[6])


@dataclass(frozen=True, kw_only=True)
class Liu(FrictionLaw):
    """Asymmetric Coulomb friction with a linear zone, and an asymmetric cubic.

    `coulomb_negative` is the torque itself in negative motion, hence negative for friction that brakes. `viscous_2`
    multiplies omega^2 as the source prints it (asymmetric); `viscous_2_odd` multiplies abs(omega) omega.

    Formula: f = min(abs omega / epsilon, 1) f_c + f_v1 omega + f_v2 omega^2 + f_v2odd abs(omega) omega + f_v3 omega^3,
        f_c = f_c1 for omega > 0, f_c2 (negative) for omega < 0
    Source: L(3), L(4); the cubic is kept below epsilon too, which removes a jump (erratum 24)
    Valid: speeds above epsilon inside the identified range; negative f_v3 turns around beyond it
    """

    name: ClassVar[str] = "liu"
    code: ClassVar[int] = 17
    odd: ClassVar[bool] = False
    dissipative: ClassVar[bool] = False
    coulomb_positive: Annotated[float, Unit("N m", lower=0.0)]
    coulomb_negative: Annotated[float, Unit("N m", upper=0.0)]
    width: Annotated[float, Unit("rad/s", lower=0.0, open_lower=True)]
    viscous_1: Annotated[float, Unit("N m s/rad")]
    viscous_2: Annotated[float, Unit("N m s^2/rad^2")] = 0.0
    viscous_2_odd: Annotated[float, Unit("N m s^2/rad^2")] = 0.0
    viscous_3: Annotated[float, Unit("N m s^3/rad^3")] = 0.0

    @classmethod
    def examples(cls) -> tuple[Liu, ...]:
        """L Table I, joint 1; epsilon is not printed and assumed."""
        return (
            cls(
                coulomb_positive=8.0499,
                coulomb_negative=-10.9926,
                width=0.01,
                viscous_1=33.6469,
                viscous_2=1.6392,
                viscous_3=-4.5485,
            ),
        )

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """Symmetric and without viscous part it is Coulomb friction with a zone."""
        plain = cls(coulomb_positive=8.0, coulomb_negative=-8.0, width=0.02, viscous_1=0.0)
        return ((plain, (ZoneCoulomb(coulomb=8.0, width=0.02),)),)
