"""From one pose to another, and on through any number of them, from rest to rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from jointwise.motion.course import Course, Setting
from jointwise.motion.options import Help, OneOf, Poses
from jointwise.motion.waypoints import LAWS, poses, visit
from jointwise.units import Unit


def plan(
    setting: Setting,
    *,
    goal: Annotated[
        Sequence[float] | Sequence[Sequence[float]],
        Poses(),
        Unit("rad [m]"),
        Help("pose to go to in rad [m], or several one after the other"),
    ],
    start: Annotated[
        Sequence[float] | None,
        Unit("rad [m]"),
        Help("pose to begin at in rad [m] [default: chosen]"),
    ] = None,
    law: Annotated[str, OneOf(tuple(LAWS)), Help("law of time")] = "septic",
    dwell: Annotated[
        float, Unit("s", lower=0.0, upper=1e4), Help("seconds to stand still at each pose")
    ] = 0.0,
) -> Course:
    """Go from pose to pose as fast as the limits allow, all joints together, at rest at each."""
    goals = poses("goal", np.atleast_2d(np.asarray(goal)), setting.robot.n, setting.bounds)
    begin = setting.start(start)
    writer = visit(begin, list(goals), setting.bounds, law=law, dwell=dwell)
    return Course(
        path=writer.path(),
        smoothness=LAWS[law],
        rest=LAWS[law],
        notes={"waypoints": [begin.tolist(), *goals.tolist()]},
    )
