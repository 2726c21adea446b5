"""A push by hand: a force at the tool that rises smoothly, is held, and is let go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.robot import samples
from jointwise.units import Unit, check_fields

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class HandPush:
    """Force [N] and moment [N m] at the tool in base axes, with the times at which a hand applies them.

    Rise and release follow 10 s^3 - 15 s^4 + 6 s^5, the path of least jerk that describes how people move; half a
    second is a calm hand, a tenth a bump.
    """

    force: tuple[float, float, float]
    moment: tuple[float, float, float] = (0.0, 0.0, 0.0)
    start: Annotated[float, Unit("s", lower=0.0)]
    rise: Annotated[float, Unit("s", lower=0.0, open_lower=True)] = 0.5
    hold: Annotated[float, Unit("s", lower=0.0)] = 1.0
    release: Annotated[float, Unit("s", lower=0.0, open_lower=True)] = 0.3

    def __post_init__(self) -> None:
        check_fields(self, "hand_push")
        for name in ("force", "moment"):
            given = samples.checked(f"hand_push.{name}", getattr(self, name), 3)
            if given.ndim != 1:
                raise ParameterError(f"hand_push.{name}", getattr(self, name), "three numbers")
            object.__setattr__(self, name, tuple(float(v) for v in given))

    def wrench(self, ticks: int, period: float = 1e-3, *, first: int = 0) -> Array:
        """Force and moment of the control periods from `first` on, (ticks, 6); zero outside the push."""
        time = (first + np.arange(ticks, dtype=np.float64)) * np.float64(period)
        let_go = self.start + self.rise + self.hold
        share = _smooth((time - self.start) / self.rise) - _smooth((time - let_go) / self.release)
        return np.outer(share, [*self.force, *self.moment])


def _smooth(s: Array) -> Array:
    s = np.clip(s, 0.0, 1.0)
    return s**3 * (10.0 + s * (6.0 * s - 15.0))
