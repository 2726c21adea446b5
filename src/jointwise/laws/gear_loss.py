"""Loss of a gear: friction proportional to load, with a short memory of direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from jointwise.errors import ParameterError
from jointwise.kernels.scalar import absolute, sgn
from jointwise.laws.base import FrictionLaw
from jointwise.laws.compiled import leaf
from jointwise.laws.lugre import relaxed
from jointwise.laws.viscous import Viscous
from jointwise.units import Unit


@leaf
def gear_loss_step(p, s, s_new, x):
    """The state z turns from -1 to 1 over the length h."""
    z = relaxed(s[0], sgn(x[0]), absolute(x[0]) / p[2])
    s_new[0] = z
    return p[0] * absolute(x[2]) * z + p[1] * x[2] * z * z + p[3] * x[1]


@dataclass(frozen=True, kw_only=True)
class GearLoss(FrictionLaw):
    """Loss proportional to the torque carried, different when driving and when driven.

    Formula: f = mu_avg abs(tau_J) z + mu_dif tau_J z^2 + F_V omega, dz/dt = (omega - abs(omega) z) / h
    Source: users of MuJoCo with strain-wave and cycloid gears (its discussion 3528); step exact
    Valid: loaded gears; without load only the viscous part is left. Sliding is dissipative while abs(mu_dif) <= mu_avg
    """

    name: ClassVar[str] = "gear_loss"
    code: ClassVar[int] = 19
    loss: Annotated[float, Unit("1", lower=0.0, upper=1.0)]
    loss_difference: Annotated[float, Unit("1", lower=-1.0, upper=1.0)]
    reversal_length: Annotated[float, Unit("rad", lower=0.0, open_lower=True)]
    viscous: Annotated[float, Unit("N m s/rad", lower=0.0)]

    def check(self) -> None:
        """No energy from the gear."""
        if abs(self.loss_difference) > self.loss:
            raise ParameterError(
                f"{self.name}.loss_difference",
                self.loss_difference,
                f"at most loss in size, which is {self.loss:g}",
            )

    @property
    def state_size(self) -> int:
        """The direction z, between -1 and 1."""
        return 1

    @property
    def rate_independent(self) -> bool:
        """Without the viscous part."""
        return self.viscous == 0.0

    @classmethod
    def examples(cls) -> tuple[GearLoss, ...]:
        """A strain-wave gear; the same without viscous part."""
        values = {"loss": 0.12, "loss_difference": 0.03, "reversal_length": 2e-3}
        return (cls(**values, viscous=8.0), cls(**values, viscous=0.0))

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """Without loss it is viscous friction."""
        free = cls(loss=0.0, loss_difference=0.0, reversal_length=2e-3, viscous=8.0)
        return ((free, (Viscous(viscous=8.0),)),)
