"""A bank of slipping springs with chosen limits and a torque each that may grow with load: linear in its torques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from jointwise.errors import ParameterError
from jointwise.kernels.jit import kernel
from jointwise.kernels.scalar import absolute, maximum, minimum
from jointwise.laws.base import Array, Each, FrictionLaw, Values
from jointwise.laws.compiled import leaf
from jointwise.laws.coulomb import Coulomb
from jointwise.laws.load import LinearLoad
from jointwise.units import Unit

LIMIT = Unit("rad", lower=0.0, upper=10.0, open_lower=True)


@leaf
def slipped(delta, shift, limit):
    """J1(35): a spring bent by `delta` after its end moved by `shift`."""
    return minimum(maximum(delta + shift, -limit), limit)


@kernel
def bent_shares(limits, way, start, out):
    """How far each spring is bent beside its limit along a way, out (samples, springs); begun at `start`, -1 to 1."""
    for i in range(limits.shape[0]):
        limit = limits[i]
        delta = start * limit
        for k in range(way.shape[0]):
            if k > 0:
                delta = slipped(delta, way[k] - way[k - 1], limit)
            out[k, i] = delta / limit


@leaf
def slip_bank_step(p, s, s_new, x):
    """sum (W_i + L_i abs(load)) delta_i / Delta_i; p holds the count, the limits, the torques, the load shares."""
    count = int(p[0])
    load = absolute(x[2])
    total = 0.0
    for i in range(count):
        limit = p[1 + i]
        delta = slipped(s[i], x[0], limit)
        s_new[i] = delta
        total += (p[1 + count + i] + p[1 + 2 * count + i] * load) * delta / limit
    return total


@dataclass(frozen=True, kw_only=True)
class SlipBank(FrictionLaw):
    """Maxwell-slip with any limits; each operator's torque is a constant plus a share of the load.

    Formula: f = sum (W_i + L_i abs(tau_J)) delta_i / Delta_i, delta_i = sgn(u_i) min(abs u_i, Delta_i),
        u_i = delta_i + shift
    Source: J1(35), (36) with free limits (LR and NLR of J1 4.4.3); load on each operator after J3(3), (20)
    Valid: pre-sliding and reversals at any speed and at any load inside the identified range
    """

    name: ClassVar[str] = "slip_bank"
    code: ClassVar[int] = 24
    limits: Annotated[Values, Each(LIMIT, longest=64)]
    torques: Annotated[Values, Each(Unit("N m", lower=0.0), longest=64)]
    load_shares: Annotated[Values, Each(Unit("1", lower=0.0), longest=64)]

    def check(self) -> None:
        """One torque and one load share for each limit."""
        for name in ("torques", "load_shares"):
            if len(getattr(self, name)) != len(self.limits):
                raise ParameterError(
                    f"{self.name}.{name}",
                    f"{len(getattr(self, name))} values",
                    f"one for each of the {len(self.limits)} limits",
                )

    def packed(self) -> Array:
        """Count, limits, torques, load shares."""
        values = [len(self.limits), *self.limits, *self.torques, *self.load_shares]
        return np.array(values, dtype=np.float64)

    @property
    def state_size(self) -> int:
        """One deflection for each operator [rad]."""
        return len(self.limits)

    @property
    def rate_independent(self) -> bool:
        """Always."""
        return True

    @property
    def return_point(self) -> bool:
        """Always, at constant load."""
        return True

    def steady(self) -> tuple[FrictionLaw, ...]:
        """Coulomb friction with a linear share of load."""
        return (
            Coulomb(coulomb=sum(self.torques)),
            LinearLoad(load_linear=sum(self.load_shares)),
        )

    @classmethod
    def examples(cls) -> tuple[SlipBank, ...]:
        """Three springs, the softest of which carries the load's share."""
        return (
            cls(limits=(2e-5, 3e-4, 1e-3), torques=(3.0, 2.0, 1.0), load_shares=(0.0, 0.01, 0.04)),
        )

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """Independent of load and with polynomial limits it is Maxwell-slip."""
        from jointwise.laws.maxwell_slip import MaxwellSlip, slip_limits, slip_stiffness

        limits, stiffness = slip_limits(4, 4.0), slip_stiffness(4, 4.0, 2.0)
        bank = cls(
            limits=tuple(1e-3 * limits),
            torques=tuple(7.0 * stiffness * limits),
            load_shares=(0.0,) * 4,
        )
        slip = MaxwellSlip(
            coulomb=7.0,
            operators=4,
            limit_exponent=4.0,
            stiffness_exponent=2.0,
            half_backlash=(1e-3,),
        )
        return ((bank, (slip,)),)
