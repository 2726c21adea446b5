"""Slow back and forth over one turn, for friction with memory; spec 08.6, J1 4.3, J3 5.2, J3(21) corrected.

The velocity is a triangle wave of slope +-a between -v_b and +v_f, so that each half move goes from rest to rest:

    v_f + v_b = a P / 2,    v_f - v_b = 2 net / P,    P = period,

with a = 0.05 rad/s^2, 3 degrees net per cycle, 120 cycles in 1015.493 s: 14.4 degrees forward, 11.4 back.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from jointwise.errors import ParameterError
from jointwise.motion.course import Course, Setting
from jointwise.motion.options import Help
from jointwise.motion.polynomial import Writer
from jointwise.motion.sweep import JointOption, StartOption
from jointwise.units import Unit

CYCLES = 120
PERIOD = 1015.493 / CYCLES


def plan(
    setting: Setting,
    *,
    joint: JointOption = None,
    cycles: Annotated[
        int, Unit("1", lower=1, upper=10_000), Help("cycles, of two reversals each")
    ] = CYCLES,
    net: Annotated[
        float,
        Unit("rad [m]", lower=0.0),
        Help("way a cycle gains in rad [m]"),
    ] = np.deg2rad(3.0),
    period: Annotated[float, Unit("s", lower=0.1, upper=1e4), Help("seconds of a cycle")] = PERIOD,
    acceleration: Annotated[
        float, Unit("rad/s^2", lower=0.0, open_lower=True), Help("in rad/s^2 [m/s^2]")
    ] = 0.05,
    start: StartOption = None,
) -> Course:
    """Move one joint slowly back and forth, a little further with every cycle."""
    k = setting.joint_index(joint)
    b = setting.bounds
    forward = 0.5 * (0.5 * acceleration * period + 2.0 * net / period)
    backward = 0.5 * acceleration * period - forward
    if backward <= 0.0:
        allowed = f"below a P^2 / 4 = {0.25 * acceleration * period**2:.4g}, else nothing reverses"
        raise ParameterError("net", net, allowed)
    if forward > b.velocity[k]:
        raise ParameterError("speed of the cycles", forward, f"at most {b.velocity[k]:g}")
    out = forward**2 / acceleration
    whole = (cycles - 1) * net + out
    begin = setting.start(start)
    if start is None:
        begin[k] = max(b.lower[k], min(begin[k] - 0.5 * whole, b.upper[k] - whole))
    if begin[k] + whole > b.upper[k]:
        room = b.upper[k] - begin[k]
        raise ParameterError("way of all cycles", whole, f"at most {room:g}", "take fewer cycles")
    writer = Writer(begin)
    unit = np.zeros(len(begin))
    unit[k] = acceleration
    for _ in range(cycles):
        for top, sign in ((forward, 1.0), (backward, -1.0)):
            half = top / acceleration
            writer.piece(half, 0.0 * unit, 0.5 * sign * unit)
            writer.piece(half, sign * half * unit, -0.5 * sign * unit)
    notes = {
        "joint": setting.robot.joints[k].name,
        "reversals": 2 * cycles,
        "forward_speed": forward,
        "backward_speed": backward,
    }
    return Course(path=writer.path(), smoothness=1, rest=1, notes=notes)
