"""Constant speeds of one joint, for friction against speed; spec 08.5, J1 4.2, J3 4.1, PA1.

At each speed the joint goes the same way out and back. Speeding up and slowing down follow a smooth ramp (velocity
10 u^3 - 15 u^4 + 6 u^5 of its end value), and the notes of the motion list the windows in which speed is constant.
Over whole turns gravity and kinematic error average out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from jointwise.errors import ParameterError
from jointwise.motion.bounds import Numbers
from jointwise.motion.course import Course, Setting
from jointwise.motion.options import Help
from jointwise.motion.polynomial import RAMP, Writer, largest, mirrored
from jointwise.units import Unit

SPEEDS = 8
SLOWEST = 0.03
"""Share of the largest speed."""

JointOption = Annotated[
    str | None, Help("joint by name or number from 1, the others stand still [default: the first]")
]
StartOption = Annotated[
    Sequence[float] | None,
    Unit("rad [m]"),
    Help("pose to begin at in rad [m] [default: chosen]"),
]


def plan(
    setting: Setting,
    *,
    joint: JointOption = None,
    speeds: Annotated[
        Numbers | None,
        Unit("rad/s", lower=0.0, open_lower=True),
        Help("speeds in rad/s [m/s], each in both directions [default: 8 up to the limit]"),
    ] = None,
    travel: Annotated[
        float | None,
        Unit("rad [m]", lower=0.0, open_lower=True),
        Help("way out and back in rad [m] [default: a turn, less where the range is less]"),
    ] = None,
    settle: Annotated[
        float, Unit("s", lower=0.0, upper=100.0), Help("seconds to stand still in between")
    ] = 0.2,
    start: StartOption = None,
) -> Course:
    """Move one joint at constant speeds out and back, from slow to fast."""
    k = setting.joint_index(joint)
    begin = setting.start(start)
    b = setting.bounds
    chosen = np.geomspace(SLOWEST, 1.0, SPEEDS) * b.velocity[k] if speeds is None else speeds
    fast = np.sort(np.atleast_1d(np.asarray(chosen, dtype=np.float64)))
    if fast[-1] > b.velocity[k] * (1.0 + 1e-9):
        allowed = f"at most the limit of {b.velocity[k]:g}"
        raise ParameterError("speeds", float(fast[-1]), allowed)
    way = _travel(setting, k, travel)
    begin[k] = max(b.lower[k], min(begin[k] - 0.5 * way, b.upper[k] - way))
    single_range(setting, k, way)
    writer = Writer(begin)
    writer.dwell(settle)
    windows = []
    for speed in fast:
        for sign in (1.0, -1.0):
            window = _one(writer, setting, k, sign * float(speed), way)
            windows.append({"speed": sign * float(speed), "from": window[0], "to": window[1]})
            writer.dwell(settle)
    notes = {"joint": setting.robot.joints[k].name, "windows": windows, "travel": way}
    return Course(path=writer.path(), smoothness=3, rest=3, notes=notes)


def single_range(setting: Setting, k: int, room: float) -> None:
    """Raise ParameterError where a joint has no room to move."""
    if not room > 1e-6:
        name = setting.robot.joints[k].name
        raise ParameterError(f"room of {name}", room, "above 0", "begin away from its limit")


def _travel(setting: Setting, k: int, travel: float | None) -> float:
    b = setting.bounds
    turn = 2.0 * np.pi if setting.robot.joints[k].kind == "revolute" else 1.0
    room = float(b.upper[k] - b.lower[k])
    if travel is None:
        return min(turn, room)
    if travel > room:
        raise ParameterError("travel", travel, f"at most the range of {room:g}")
    return travel


def _one(writer: Writer, setting: Setting, k: int, speed: float, way: float) -> tuple[float, float]:
    """One pass at a constant speed; the window in which it is constant."""
    b = setting.bounds
    ramp = max(
        largest(RAMP, 2) * abs(speed) / b.acceleration[k],
        (largest(RAMP, 3) * abs(speed) / b.jerk[k]) ** 0.5,
    ) * (1.0 + 1e-9)
    constant = way / abs(speed) - ramp
    if constant <= 0.0:
        name = setting.robot.joints[k].name
        raise ParameterError(
            f"speed of {name}",
            abs(speed),
            f"low enough to be reached within {way:g}, which takes {ramp:.3g} s of speeding up",
            "state slower speeds or a higher acceleration",
        )
    unit = np.zeros(setting.robot.n)
    unit[k] = 1.0
    before = writer.q.copy()
    by = unit * speed * ramp
    writer.shaped(ramp, by, RAMP)
    begin = writer.time
    writer.piece(constant, unit * speed)
    end = writer.time
    writer.shaped(ramp, by, mirrored(RAMP))
    writer.q = before + np.sign(speed) * way * unit
    return begin, end
