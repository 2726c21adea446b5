"""Motions of one joint while the others stand: steady sweeps, slow strokes, holding still."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.experiments.joint.pose import Pose
from jointwise.motion.bounds import bounds_of
from jointwise.motion.motion import Motion, sampled
from jointwise.motion.polynomial import RAMP, SEPTIC, Writer, largest
from jointwise.robot.description import Robot

Array = NDArray[np.float64]
RATE_HZ = 1000.0
SHARE = 0.95
"""Of the robot's limits that motions of one joint may use."""
SLOWING = (0.0, 1.0, 0.0, 0.0, -2.5, 3.0, -1.0)
"""From constant speed to rest: RAMP run backwards, s(1) - s(1 - u)."""
RAMP_ACCELERATION = 3.0
"""rad/s^2 at which a sweep reaches its speed, where the arm allows it."""
LONGEST_HOLD, SHORTEST_HOLD = 4.0, 0.8
"""s at constant speed, on the way out and on the way back."""


def sweeps(
    robot: Robot,
    pose: Pose,
    joint: int,
    speeds: Sequence[float],
    *,
    longest: float = LONGEST_HOLD,
) -> Motion:
    """Every speed held forward for at most `longest` seconds, then backward over the same way; spec 08.5."""
    bounds = bounds_of(robot, share=SHARE)
    top = float(bounds.velocity[joint])
    writer = Writer(_at(pose, joint, 0.5 * (pose.low + pose.high)))
    unit = np.eye(robot.n)[joint]
    width = pose.high - pose.low
    for speed in speeds:
        if not 0.0 < speed <= top:
            raise ParameterError("speed", float(speed), f"above 0 and at most {top:g} rad/s")
        acceleration = min(RAMP_ACCELERATION, float(bounds.acceleration[joint]))
        ramp = max(speed * largest(RAMP, 2) / acceleration, 0.1)
        room = width - speed * ramp  # both ramps together cover speed * ramp
        hold = min(longest, room / speed)
        if hold < SHORTEST_HOLD:
            continue
        travel = speed * (hold + ramp)
        _shift(writer, unit, -0.5 * travel)
        for way in (1.0, -1.0):
            _sweep(writer, way * unit * speed, ramp, hold)
        _shift(writer, unit, 0.5 * travel)
    return _motion(robot, writer, "sweeps", joint, pose, speeds=[float(s) for s in speeds])


def strokes(
    robot: Robot,
    pose: Pose,
    joint: int,
    *,
    cycles: int,
    net: float,
    back: float = 0.1984,
    acceleration: float = 0.05,
    top: float = np.inf,
) -> Motion:
    """Slow strokes forward and back with a triangular velocity, J3(21) and spec 08.6; `net` rad of advance a cycle.

    Each stroke runs from rest to rest, `back` + `net` forward, then `back` [rad] backward, never faster than `top`.
    """
    ahead, behind = back + net, back
    start = 0.5 * (pose.low + pose.high) - 0.5 * (cycles * net + behind)
    writer = Writer(_at(pose, joint, start))
    unit = np.eye(robot.n)[joint]
    for _ in range(cycles):
        for by in (ahead, -behind):
            half = min(float(np.sqrt(abs(by) / acceleration)), top / acceleration)
            way, peak = np.sign(by) * unit, acceleration * half
            writer.piece(half, 0.0, 0.5 * acceleration * way)
            if abs(by) - peak * half > 1e-9:
                writer.piece(abs(by) / peak - half, peak * way)
            writer.piece(half, peak * way, -0.5 * acceleration * way)
    return _motion(robot, writer, "strokes", joint, pose, cycles=cycles, net=net)


def held(robot: Robot, pose: Pose, joint: int, duration: float) -> Motion:
    """The arm standing still in the pose."""
    writer = Writer(_at(pose, joint, 0.5 * (pose.low + pose.high)))
    writer.dwell(duration)
    return _motion(robot, writer, "held", joint, pose, duration=duration)


def _sweep(writer: Writer, rate: Array, ramp: float, hold: float) -> None:
    by_ramp = rate * ramp
    writer.piece(ramp, *(c / ramp**k * by_ramp for k, c in enumerate(RAMP) if k))
    writer.piece(hold, rate)
    writer.piece(ramp, *(c / ramp**k * by_ramp for k, c in enumerate(SLOWING) if k))


def _shift(writer: Writer, unit: Array, by: float) -> None:
    """From rest to rest, gently."""
    if abs(by) < 1e-9:
        return
    duration = max(0.5, float(np.sqrt(abs(by) * largest(SEPTIC, 2) / RAMP_ACCELERATION)))
    writer.shaped(duration, by * unit, SEPTIC)


def _at(pose: Pose, joint: int, place: float) -> Array:
    q = pose.q.copy()
    q[joint] = place
    return q


def _motion(
    robot: Robot, writer: Writer, kind: str, joint: int, pose: Pose, **notes: Any
) -> Motion:
    bounds = bounds_of(robot, share=SHARE)
    return sampled(
        writer.path(),
        joint_names=tuple(j.name for j in robot.joints),
        rate_hz=RATE_HZ,
        smoothness=1 if kind == "strokes" else 3,
        rest=1 if kind == "strokes" else 3,
        notes={
            "planner": kind,
            "robot": robot.name,
            "limits": bounds.notes(),
            "joint": robot.joints[joint].name,
            "axis_to_gravity_rad": pose.angle,
            "pose_rule": pose.rule,
            "pose_rule_met": pose.met,
            **notes,
        },
    )
