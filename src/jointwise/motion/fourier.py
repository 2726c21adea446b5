"""Finite Fourier series that start and end at rest: random excitation of all joints within limits.

    q_j(t) = q_0j + sum_l a_jl sin(l w t) + b_jl cos(l w t),   w = 2 pi / period

Coefficients are drawn at random and projected onto those with q = q_0, dq = 0, ddq = 0 at the ends of the period, so
the path is smooth inside and twice continuously differentiable at the ends; spec 08, K(25).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jointwise.errors import ParameterError
from jointwise.motion.motion import Motion
from jointwise.units import Unit, Unknown, check_seed

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

LARGEST_SWING = 1.0
"""Amplitude in rad [m] where the robot does not limit the position or allows full turns."""
FALLBACK_SPEED = 1.0
FALLBACK_ACCELERATION = 3.0


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

    The motion lasts whole periods, so that it ends at rest; without a period, one of about 10 s is chosen.
    """
    check_seed(seed)
    Unit("s", lower=0.1, upper=1e5).check("duration", duration)
    if period is None:
        period = duration / max(1, round(duration / 10.0))
    Unit("s", lower=0.1, upper=1e4).check("period", period)
    Unit("Hz", lower=1.0, upper=1e5).check("rate_hz", rate_hz)
    Unit("1", lower=0.0, upper=1.0, open_lower=True).check("share", share)
    if isinstance(harmonics, bool) or not isinstance(harmonics, int) or not 2 <= harmonics <= 100:
        raise ParameterError("harmonics", harmonics, "a whole number from 2 to 100")
    if abs(duration / period - round(duration / period)) > 1e-9 or duration < 0.5 * period:
        raise ParameterError("duration", duration, f"a whole number of periods of {period:g} s")
    n = robot.n
    rng = np.random.default_rng(seed)
    order = np.arange(1, harmonics + 1)
    w = 2.0 * np.pi * order / period
    # Rest at the ends: sum b = 0, sum w a = 0, sum w^2 b = 0; remove the parts that break it.
    a = rng.standard_normal((n, harmonics)) / order
    b = rng.standard_normal((n, harmonics)) / order
    a -= np.outer(a @ w, w) / (w @ w)
    ends = np.linalg.qr(np.column_stack([np.ones(harmonics), w**2]))[0]
    b -= b @ ends @ ends.T
    time = np.arange(round(duration * rate_hz) + 1) / rate_hz
    sine, cosine = np.sin(np.outer(time, w)), np.cos(np.outer(time, w))
    paths = [sine @ a.T + cosine @ b.T]
    for _ in range(4):
        a, b = -b * w, a * w
        paths.append(sine @ a.T + cosine @ b.T)
    center, scale = _fitted(robot, paths, share)
    paths = [p * scale for p in paths]
    paths[0] = paths[0] + center
    return Motion(
        joint_names=tuple(j.name for j in robot.joints),
        time=time,
        q=paths[0],
        dq=paths[1],
        ddq=paths[2],
        d3q=paths[3],
        d4q=paths[4],
        smoothness=4,
        notes={
            "planner": "random_fourier",
            "robot": robot.name,
            "seed": seed,
            "period_s": period,
            "harmonics": harmonics,
        },
    )


def _fitted(robot: Robot, paths: list[np.ndarray], share: float) -> tuple[np.ndarray, np.ndarray]:
    """Centre and scale of each joint that keep a path within its share of the limits."""
    center, scale = np.zeros(robot.n), np.zeros(robot.n)
    for k, joint in enumerate(robot.joints):
        low, high = joint.limits.position_lower, joint.limits.position_upper
        swing = LARGEST_SWING
        if (
            not isinstance(low, Unknown)
            and not isinstance(high, Unknown)
            and np.isfinite(high - low)
        ):
            center[k] = 0.5 * (low + high)
            swing = min(swing, 0.5 * share * (high - low))
        speed, push = joint.limits.velocity, joint.limits.acceleration
        fastest = FALLBACK_SPEED if isinstance(speed, Unknown) else share * speed
        hardest = FALLBACK_ACCELERATION if isinstance(push, Unknown) else share * push
        scale[k] = min(
            bound / max(float(np.abs(p[:, k]).max()), 1e-12)
            for bound, p in zip((swing, fastest, hardest), paths[:3], strict=True)
        )
    return center, scale
