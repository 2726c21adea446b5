"""The cycle through six waypoints of Madsen's thesis; spec 08.8, J3 6.6.1, Table 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from jointwise.errors import ParameterError
from jointwise.motion.course import Course, Setting
from jointwise.motion.options import Help, OneOf, Poses
from jointwise.motion.waypoints import LAWS, poses, visit
from jointwise.units import Unit

THESIS_DEG = (
    (-110, 0, 0, -90, 90, 0),
    (-70, -30, -90, -130, 50, 120),
    (-140, -10, -130, -40, 125, 10),
    (-45, -55, 100, -90, 45, 150),
    (-45, -90, 0, -90, 0, 0),
    (-220, -90, 0, -90, 0, 0),
)
"""Degrees, joints 1 to 6."""
THESIS_SPEED = np.pi
THESIS_ACCELERATION = 2.0 * np.pi / 3.0
THESIS_DWELL = 0.0347
"""s at each waypoint; the printed cycle of 13.458 s is that much longer than its moves."""


def plan(
    setting: Setting,
    *,
    waypoints: Annotated[
        Sequence[Sequence[float]] | None,
        Poses(),
        Unit("rad [m]"),
        Help("poses in rad [m] [default: those of the thesis]"),
    ] = None,
    laps: Annotated[int, Unit("1", lower=1, upper=10_000), Help("times to go round")] = 1,
    dwell: Annotated[
        float, Unit("s", lower=0.0, upper=1e4), Help("seconds to stand still at each waypoint")
    ] = THESIS_DWELL,
    law: Annotated[str, OneOf(tuple(LAWS)), Help("law of time")] = "trapezoid",
) -> Course:
    """Go round through waypoints, at rest at each; those of Madsen's thesis unless others are given."""
    robot, bounds = setting.robot, setting.bounds
    if waypoints is None:
        if robot.n != len(THESIS_DEG[0]):
            raise ParameterError("waypoints", "not given", f"stated for an arm of {robot.n} joints")
        waypoints = np.deg2rad(THESIS_DEG).tolist()
        bounds = replace(
            bounds,
            velocity=np.minimum(bounds.velocity, THESIS_SPEED),
            acceleration=np.minimum(bounds.acceleration, THESIS_ACCELERATION),
        )
    way = poses("waypoint", np.asarray(waypoints), robot.n, bounds)
    goals = [*way[1:], way[0]] * laps
    writer = visit(way[0], goals, bounds, law=law, dwell=dwell)
    return Course(
        path=writer.path(),
        smoothness=LAWS[law],
        rest=LAWS[law],
        notes={"waypoints": way.tolist(), "lap_s": writer.time / laps},
    )
