"""A plain random motion for recordings to check: a Fourier series at rest at both ends, within speed limits."""

from __future__ import annotations

import numpy as np

from jointwise.errors import ParameterError
from jointwise.motion.motion import Motion
from jointwise.units import Unknown

START = (0.0, -1.3, 1.1, -1.2, -1.5, 0.2)


def wandering(robot, seed, *, duration=10.0, share=0.4, harmonics=5, period=10.0):
    """All joints move by up to 1 rad around a usual pose, at up to a share of their fastest speed."""
    rng = np.random.default_rng([seed, 5])
    w = 2.0 * np.pi * np.arange(1, harmonics + 1) / period
    a = rng.standard_normal((robot.n, harmonics)) / np.arange(1, harmonics + 1)
    b = rng.standard_normal((robot.n, harmonics)) / np.arange(1, harmonics + 1)
    a -= np.outer(a @ w, w) / (w @ w)
    ends = np.linalg.qr(np.column_stack([np.ones(harmonics), w**2]))[0]
    b -= b @ ends @ ends.T
    time = np.arange(round(duration * 1000.0) + 1) / 1000.0
    sine, cosine = np.sin(np.outer(time, w)), np.cos(np.outer(time, w))
    paths = []
    for _ in range(3):
        paths.append(sine @ a.T + cosine @ b.T)
        a, b = -b * w, a * w
    fastest = [j.limits.velocity for j in robot.joints]
    limits = np.array([1.0 if isinstance(v, Unknown) else share * v for v in fastest])
    scale = np.min(
        [
            bound / np.abs(p).max(axis=0)
            for bound, p in zip((1.0, limits, 4.0), paths, strict=False)
        ],
        axis=0,
    )
    for _ in range(12):
        path = _motion(robot, time, [p * scale for p in paths])
        try:
            path.check(robot)
        except ParameterError:  # a collision, or too much torque
            scale = 0.8 * scale
            continue
        break
    return path


def _motion(robot, time, paths):
    q, dq, ddq = paths
    return Motion(
        joint_names=tuple(j.name for j in robot.joints), time=time, q=q + np.array(START),
        dq=dq, ddq=ddq, smoothness=2, notes={},
    )  # fmt: skip
