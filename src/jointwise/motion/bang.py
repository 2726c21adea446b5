"""Random bang-coast-bang moves of one joint; spec 08.4, C1 VII.A, PA1."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from jointwise.motion.course import Course, Setting
from jointwise.motion.options import Help, Seed
from jointwise.motion.polynomial import Writer
from jointwise.motion.sweep import JointOption, StartOption, single_range
from jointwise.motion.waypoints import trapezoid
from jointwise.units import Unit

LEAST = 0.3
"""Share of the largest swing, speed and acceleration that is drawn at least."""
LONGEST_WAIT = 1.0


def plan(
    setting: Setting,
    *,
    joint: JointOption = None,
    seed: Annotated[int, Seed, Help("seed of the random moves")] = 0,
    duration: Annotated[
        float, Unit("s", lower=1.0, upper=1e5), Help("length of the motion in s")
    ] = 35.0,
    swing: Annotated[
        float,
        Unit("rad [m]", lower=0.0, open_lower=True),
        Help("largest distance of a target from the start in rad [m]"),
    ] = np.pi / 2.0,
    start: StartOption = None,
) -> Course:
    """Move one joint to random targets with even acceleration, constant speed, even deceleration, and waits."""
    k = setting.joint_index(joint)
    begin = setting.start(start)
    b = setting.bounds
    room = min(swing, float(min(b.upper[k] - begin[k], begin[k] - b.lower[k])))
    single_range(setting, k, room)
    rng = np.random.default_rng(seed)
    writer = Writer(begin)
    moves = 0
    while True:
        before = writer.time
        wait, share_v, share_a = rng.uniform(0.0, LONGEST_WAIT), *rng.uniform(LEAST, 1.0, 2)
        target = begin[k] + rng.choice((-1.0, 1.0)) * rng.uniform(LEAST, 1.0) * room
        way = target - writer.q[k]
        speed, push = (
            share * limit / abs(way)
            for share, limit in ((share_v, b.velocity[k]), (share_a, b.acceleration[k]))
        )
        trial = Writer(writer.q)
        by = np.zeros(len(begin))
        by[k] = way
        trapezoid(trial, by, float(speed), float(push))
        if before + wait + trial.time > duration:
            break
        writer.dwell(wait)
        trapezoid(writer, by, float(speed), float(push))
        writer.q[k] = target
        moves += 1
    writer.dwell(duration - writer.time)
    notes = {"joint": setting.robot.joints[k].name, "moves": moves, "seed": seed}
    return Course(path=writer.path(), smoothness=1, rest=1, notes=notes)
