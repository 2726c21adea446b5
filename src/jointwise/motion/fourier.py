"""`random_fourier`: random excitation of all joints within limits, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jointwise.motion.plan import plan
from jointwise.units import check_seed

if TYPE_CHECKING:
    from jointwise.motion.motion import Motion
    from jointwise.robot.description import Robot


def random_fourier(
    robot: Robot,
    *,
    seed: int,
    duration: float = 20.0,
    period: float | None = None,
    harmonics: int = 5,
    rate_hz: float = 1000.0,
    share: float = 0.6,
) -> Motion:
    """Random excitation using up to `share` of each joint's limits on position, velocity and acceleration.

    The motion lasts whole periods, so that it ends at rest; without a period, one of about 10 s is chosen. There is
    no floor; links that would meet are kept apart. The same as `plan("random", robot, ...)`.
    """
    check_seed(seed)
    return plan(
        "random",
        robot,
        seed=seed,
        duration=duration,
        period=period,
        harmonics=harmonics,
        rate_hz=rate_hz,
        share=share,
        floor=-np.inf,
    )
