"""Random Fourier series: excitation of all joints without optimisation, at once and for any robot.

Coefficients are drawn at random and projected onto those at rest at the ends (spec 08.2), then scaled joint by joint
to the bounds; where links would meet, the swing is reduced, and if that leaves less than half of it, another pose to
swing about is looked for.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from jointwise.errors import NumericalError, ParameterError
from jointwise.motion.check import links_known, rotors_known
from jointwise.motion.course import Course, Setting
from jointwise.motion.options import Help, Seed
from jointwise.motion.path import Array
from jointwise.motion.series import FourierPath
from jointwise.robot.clearance import clearance
from jointwise.units import Unit

LARGEST_SWING = 1.0
"""rad [m] about the centre where the robot does not limit the position or allows full turns."""
POINTS = 4000
"""Instants per harmonic at which the scale is found."""
INSIDE = 1.0 - 1e-6
"""Share of a limit that is used, so that the peak between these instants is within it too."""
SHRINK, SHRINKINGS = 0.85, 40
CENTERS = 12
"""Other poses to swing about where links meet too soon around the first."""
ENOUGH = 4
"""Shrinkings, to half of the swing, that need no better centre."""
COARSE = 100
"""Every so manieth instant is looked at first."""


def plan(
    setting: Setting,
    *,
    seed: Annotated[int, Seed, Help("seed of the random coefficients")] = 0,
    duration: Annotated[
        float, Unit("s", lower=0.1, upper=1e5), Help("length of the motion in s")
    ] = 20.0,
    period: Annotated[
        float | None,
        Unit("s", lower=0.1, upper=1e4),
        Help("base period in s; the duration must be a multiple [default: about 10]"),
    ] = None,
    harmonics: Annotated[int, Unit("1", lower=2, upper=100), Help("harmonics")] = 5,
) -> Course:
    """Move all joints at once along random Fourier series that start and end at rest."""
    if period is None:
        period = duration / max(1, round(duration / 10.0))
    if abs(duration / period - round(duration / period)) > 1e-9 or duration < 0.5 * period:
        raise ParameterError("duration", duration, f"a whole number of periods of {period:g} s")
    n = setting.robot.n
    rng = np.random.default_rng(seed)
    order = np.arange(1, harmonics + 1)
    w = 2.0 * np.pi * order / period
    # q = sum a sin + b cos; rest at the ends: sum b = 0, sum w a = 0, sum w^2 b = 0.
    a = rng.standard_normal((n, harmonics)) / order
    b = rng.standard_normal((n, harmonics)) / order
    a -= np.outer(a @ w, w) / (w @ w)
    ends = np.linalg.qr(np.column_stack([np.ones(harmonics), w**2]))[0]
    b -= b @ ends @ ends.T
    raw = FourierPath(
        center=np.zeros(n), sine=a * w, cosine=-b * w, period=period, duration=duration
    )
    path = _fitted(setting, raw)
    return Course(path=path, smoothness=4, rest=2, notes={"seed": seed, "period_s": period})


def _fitted(setting: Setting, raw: FourierPath) -> FourierPath:
    """The series centred and scaled to the bounds, and shrunk until no links meet."""
    b = setting.bounds
    time = np.linspace(0.0, raw.period, POINTS * raw.sine.shape[1])
    scale = np.full(raw.n, np.inf)
    for part in np.array_split(time, max(1, len(time) // 10_000)):
        peaks = np.maximum(np.abs(raw.at(part)).max(axis=1), 1e-12)
        limits = (b.reach(LARGEST_SWING), b.velocity, b.acceleration, b.jerk)
        for limit, peak in zip(limits, peaks, strict=False):
            scale = np.minimum(scale, limit / peak)
    widest = np.abs(raw.at(time[::10])[0]).max(axis=0)
    best, fewest = None, SHRINKINGS
    for center in setting.centers(CENTERS):
        room = np.minimum(b.upper - center, center - b.lower)
        whole = raw.shrunk(np.zeros(raw.n), INSIDE * np.minimum(scale, room / widest))
        path, steps = _clear(setting, _moved(whole, center), time, fewest)
        if path is not None:
            best, fewest = path, steps
        if best is not None and fewest <= ENOUGH:
            break
    if best is None:
        raise NumericalError(
            f"no random motion of {setting.robot.name} that is clear and within its torque limits was found around "
            f"{np.round(center, 3)} and {CENTERS} other poses"
        )
    return best


def _clear(
    setting: Setting, path: FourierPath, time: Array, most: int
) -> tuple[FourierPath | None, int]:
    """The path shrunk until no links meet, and how often; nothing where that takes `most` steps or more."""
    coarse, fine = time[::COARSE], time[::10]
    for k in range(most):
        if all(_within(setting, path, at) for at in (coarse, fine)):
            return path, k
        path = path.shrunk(path.center, SHRINK)
    return None, most


def _within(setting: Setting, path: FourierPath, time: Array) -> bool:
    """Whether links keep apart and the torque limits are kept at these instants."""
    q, dq, ddq = path.at(time)[:3]
    clear = clearance(setting.robot, q, floor=setting.bounds.floor).min() > 0.0
    return bool(clear) and _strong_enough(setting, q, dq, ddq)


def _strong_enough(setting: Setting, q: Array, dq: Array, ddq: Array) -> bool:
    """True where the prior model needs less than the torque limits, or there is none."""
    robot, most = setting.robot, setting.bounds.torque
    if not np.isfinite(most).any() or not links_known(robot):
        return True
    torque = robot.inverse_dynamics(q, dq, ddq, rotors=rotors_known(robot))
    return bool((np.abs(torque) < INSIDE * most).all())


def _moved(path: FourierPath, center: Array) -> FourierPath:
    return FourierPath(
        center=center,
        sine=path.sine,
        cosine=path.cosine,
        period=path.period,
        duration=path.duration,
    )
