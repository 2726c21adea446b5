"""`plan(kind, robot, ...)`: the planners by name. A new kind of motion is one new file and one line here.

A planner takes a `Setting`, the robot with the bounds to keep, and options of its own, and returns a `Course`: a path
with what it promises. What is common is done here: bounds are taken from the robot and from what the user states, the
path is sampled, and the result is checked against limits and collisions on a grid ten times as fine.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.motion.bounds import Numbers, bounds_of
from jointwise.motion.check import Excess, excesses
from jointwise.motion.course import Course, Report, Setting, silent
from jointwise.motion.motion import Motion, sampled
from jointwise.motion.options import Help, checked
from jointwise.units import Unit

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

KINDS = {
    "fourier": "jointwise.motion.excitation",
    "random": "jointwise.motion.random",
    "bang": "jointwise.motion.bang",
    "sweep": "jointwise.motion.sweep",
    "reciprocate": "jointwise.motion.reciprocate",
    "cycle": "jointwise.motion.cycle",
    "point": "jointwise.motion.point",
    "lemniscate": "jointwise.motion.lemniscate",
    "static": "jointwise.motion.static",
}
"""Kind of motion -> the module whose function `plan` makes it."""
FINER = 10
"""The check looks at that many instants per sample."""


def planner(kind: str) -> Callable[..., Course]:
    """The function that plans a kind of motion; its docstring says what it makes."""
    if kind not in KINDS:
        raise UnknownNameError("kind of motion", str(kind), KINDS)
    found: Callable[..., Course] = importlib.import_module(KINDS[kind]).plan
    return found


RANGE = Unit("rad [m]", infinite=True)


def common(
    *,
    rate_hz: Annotated[
        float, Unit("Hz", lower=1.0, upper=1e5), Help("samples per second")
    ] = 1000.0,
    share: Annotated[
        float,
        Unit("1", lower=0.0, upper=1.0, open_lower=True),
        Help("share of the robot's own limits that may be used"),
    ] = 0.9,
    lower: Annotated[Numbers | None, RANGE, Help("lowest positions in rad [m]")] = None,
    upper: Annotated[Numbers | None, RANGE, Help("highest positions in rad [m]")] = None,
    max_velocity: Annotated[
        Numbers | None, Unit("rad/s", lower=0.0), Help("speed limit in rad/s [m/s]")
    ] = None,
    max_acceleration: Annotated[
        Numbers | None, Unit("rad/s^2", lower=0.0), Help("acceleration limit in rad/s^2 [m/s^2]")
    ] = None,
    max_jerk: Annotated[
        Numbers | None, Unit("rad/s^3", lower=0.0), Help("jerk limit in rad/s^3 [m/s^3]")
    ] = None,
    max_torque: Annotated[
        Numbers | None, Unit("N m", lower=0.0), Help("limit of the joint torque in N m [N]")
    ] = None,
    floor: Annotated[
        float,
        Unit("m", infinite=True),
        Help("height of the floor in the base frame in m; -inf for none"),
    ] = 0.0,
) -> dict[str, Any]:
    """Options of every kind of motion: what it may use of each joint, and how finely it is sampled."""
    return dict(locals())


def plan(
    kind: str, robot: Robot, *, check: bool = True, report: Report = silent, **options: Any
) -> Motion:
    """A motion of a kind for a robot; `KINDS` lists the kinds, `planner(kind)` says what each takes.

    `common` lists the options of all kinds. Numbers per joint are one for all or a list. `report` is called with
    (done, total) while a long plan is being made. The motion is checked at ten times its rate, and ParameterError
    names what it exceeds; with `check=False` see `plan_and_check` for all excesses.
    """
    motion, found = plan_and_check(kind, robot, report=report, check=check, **options)
    for excess in found:
        raise ParameterError(
            f"{excess.quantity} of {excess.where} in the planned motion",
            excess.value,
            excess.allowed,
        )
    return motion


def plan_and_check(
    kind: str, robot: Robot, *, report: Report = silent, check: bool = True, **options: Any
) -> tuple[Motion, tuple[Excess, ...]]:
    """The motion, and everything it exceeds of the bounds it was planned for and of the robot's limits."""
    make = planner(kind)
    own = {k: v for k, v in options.items() if k not in _COMMON}
    shared = {k: v for k, v in options.items() if k in _COMMON}
    checked(common, shared)
    checked(make, own)
    chosen = common(**shared)
    rate_hz = chosen.pop("rate_hz")
    bounds = bounds_of(robot, **chosen)
    course = make(Setting(robot=robot, bounds=bounds, rate_hz=rate_hz, report=report), **own)
    notes = {
        "planner": kind,
        "robot": robot.name,
        "options": _plain(own),
        "limits": bounds.notes(),
        **course.notes,
    }
    motion = sampled(
        course.path,
        joint_names=tuple(j.name for j in robot.joints),
        rate_hz=rate_hz,
        smoothness=course.smoothness,
        rest=course.rest,
        notes=notes,
    )
    if not check:
        return motion, ()
    return motion, excesses(motion, robot, bounds, finer=FINER) + motion.excesses(robot)


_COMMON = tuple(common.__kwdefaults__ or ())


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return np.asarray(value).tolist() if isinstance(value, (list, tuple, np.ndarray)) else value
