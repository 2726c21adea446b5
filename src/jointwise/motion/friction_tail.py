"""What excites friction behind an optimised series: slow reversals and constant speeds of all joints at once."""

from __future__ import annotations

import numpy as np

from jointwise.motion.course import Setting
from jointwise.motion.path import Array, Path
from jointwise.motion.polynomial import RAMP, SEPTIC, Writer, largest, mirrored
from jointwise.robot.clearance import clearance, has_capsules

REVERSAL = 0.035
"""rad [m] of each slow move, 2 degrees: well beyond the presliding range of gears, and slow."""
REVERSAL_TIME = 1.0
SPEEDS = (0.05, 0.15, 0.4)
"""Shares of the speed limit that are held."""
TRAVEL = 0.5
"""rad [m] a joint may travel at constant speed."""


def reversals(setting: Setting, start: Array, duration: float) -> Path:
    """Back and forth by small slow moves, joint by joint at its own pace, so that signs of speed mix; spec 08.6."""
    writer = Writer(start)
    moves = max(2, 2 * round(duration / (2.0 * REVERSAL_TIME)))
    each = duration / moves
    b = setting.bounds
    most = np.minimum(
        b.velocity * each / largest(SEPTIC, 1), b.acceleration * each**2 / largest(SEPTIC, 2)
    )
    step = np.minimum(REVERSAL, 0.9 * np.minimum(most, b.jerk * each**3 / largest(SEPTIC, 3)))
    sign = _inward(setting, start)
    pattern = np.array([1.0 if k % 2 == 0 else -1.0 for k in range(moves)])
    for k in range(moves):
        # Every other joint starts half a pattern later, so that not all reverse together.
        late = np.arange(len(start)) % 2 == 1
        pace = np.where(late, np.roll(pattern, 1)[k], pattern[k])
        pace = np.where(late & (k == 0), 0.0, pace)
        pace = np.where(late & (k == moves - 1), 0.0, pace)
        writer.shaped(each, sign * step * pace, SEPTIC)
    return writer.path()


def sweeps(setting: Setting, start: Array, duration: float) -> Path:
    """Out and back at constant speeds, a quarter of the time for speeding up and slowing down; spec 08.5."""
    writer = Writer(start)
    b = setting.bounds
    sign = _inward(setting, start)
    each = duration / (2 * len(SPEEDS))
    ramp = 0.25 * each
    cap = np.minimum(b.acceleration * ramp / largest(RAMP, 2), b.jerk * ramp**2 / largest(RAMP, 3))
    room = np.where(sign > 0.0, b.upper - start, start - b.lower)
    travel = _clear_travel(setting, start, sign * np.minimum(TRAVEL, 0.9 * room))
    cap = 0.9 * np.minimum(cap, np.abs(travel) / (each - ramp))
    for share in SPEEDS:
        speed = np.minimum(share * b.velocity, cap)
        for direction in (sign, -sign):
            by_ramp = direction * speed * ramp
            writer.shaped(ramp, by_ramp, RAMP)
            writer.piece(each - 2.0 * ramp, direction * speed)
            writer.shaped(ramp, by_ramp, mirrored(RAMP))
    return writer.path()


def _inward(setting: Setting, start: Array) -> Array:
    """The direction of each joint that leads to the middle of its range."""
    return np.where(setting.bounds.middle() >= start, 1.0, -1.0)


def _clear_travel(setting: Setting, start: Array, travel: Array) -> Array:
    """The travel, halved until the straight way there and back is clear of collisions."""
    if not has_capsules(setting.robot):
        return travel
    for _ in range(8):
        way = start + np.linspace(0.0, 1.0, 200)[:, None] * travel
        if clearance(setting.robot, way, floor=setting.bounds.floor).min() > 0.0:
            return travel
        travel = 0.5 * travel
    return travel
