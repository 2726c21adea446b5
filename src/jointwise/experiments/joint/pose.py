"""The pose of a joint experiment: the axis of the joint parallel or normal to gravity, for any arm. Spec 09.

Only the joints before the one in question turn its axis; the joints after it decide how much gravity loads it and
whether links are clear of each other. Where an arm cannot bring an axis parallel to gravity the least angle is
returned: gravity then falls out of the fit because a turn about the axis gives exactly a cos q + b sin q.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.motion.bounds import bounds_of
from jointwise.robot.clearance import clearance, has_capsules
from jointwise.robot.description import Robot

Array = NDArray[np.float64]
Rule = Literal["parallel", "normal"]
DRAWS = 1500
SEED = 9
ALIGNED = 0.02
"""rad; an axis nearer than this to the wanted direction counts as there."""
TRIED = 160
"""Poses with the axis as wanted that are compared for clearance and load."""
WIDE = 0.7
"""Share of the widest sweep that is wide enough to choose by load."""
NARROWEST = 0.1
"""rad; a sweep that reaches less far to both sides is of no use."""
MARGIN = 0.01
"""m between links that is kept."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pose:
    """Where the other joints stand, the range the joint may sweep, and how far its axis is from the wanted one."""

    q: Array
    low: float
    high: float
    angle: float
    """rad between the axis and gravity, 0 to pi/2"""
    rule: Rule
    largest_gravity: float
    """N m; largest gravity torque on the joint over its range by the prior model, NaN where masses are unknown"""

    @property
    def met(self) -> bool:
        """Whether the axis has the wanted direction."""
        wanted = 0.0 if self.rule == "parallel" else 0.5 * np.pi
        return abs(self.angle - wanted) < ALIGNED


def axis_angle(robot: Robot, q: Array, j: int) -> Array:
    """Angle between the axis of joint j and gravity, 0 to pi/2, for poses (..., n)."""
    gravity = np.asarray(robot.gravity)
    size = float(np.linalg.norm(gravity))
    axis = _axes(robot, q, j)
    if size == 0.0:
        return np.zeros(np.shape(q)[:-1])
    along = np.abs(axis @ (gravity / size))
    return np.asarray(np.arccos(np.clip(along, 0.0, 1.0)))


def _axes(robot: Robot, q: Array, j: int) -> Array:
    jacobian = robot.jacobian(q)
    part = slice(3, 6) if robot.joints[j].kind == "revolute" else slice(0, 3)
    return np.asarray(jacobian[..., part, j])


def find_pose(
    robot: Robot,
    joint: int,
    rule: Rule,
    *,
    sweep: float = np.pi / 2.0,
    floor: float = 0.0,
    wide: float = WIDE,
) -> Pose:
    """A pose for the joint (place from 0) by the rule, clear of collisions over a sweep of +-`sweep` rad.

    `wide` is the share of the widest sweep found that a pose must reach before gravity decides among them.
    """
    if rule not in ("parallel", "normal"):
        raise ParameterError("rule", rule, "'parallel' or 'normal'")
    bounds = bounds_of(robot, share=0.95, floor=floor)
    middle = bounds.middle()
    reach = np.minimum(bounds.reach(np.pi), np.pi)
    rng = np.random.default_rng([SEED, joint])
    draws = middle + rng.uniform(-1.0, 1.0, (DRAWS, robot.n)) * reach
    # Quarter turns from the middle are where arms are usually aligned.
    quarters = middle + 0.5 * np.pi * rng.integers(-2, 3, (DRAWS, robot.n))
    poses = np.concatenate([np.clip(quarters, middle - reach, middle + reach), draws])
    wanted = 0.0 if rule == "parallel" else 0.5 * np.pi
    off = np.abs(axis_angle(robot, poses, joint) - wanted)
    best = _polished(robot, poses[int(np.argmin(off))], joint, wanted)
    least = float(abs(axis_angle(robot, best, joint) - wanted))
    # This joint and the outer ones are free: take them from all draws, so that many are seen with an aligned axis.
    outer = np.repeat(best[None], TRIED, axis=0)
    outer[:, joint:] = poses[rng.integers(0, len(poses), TRIED), joint:]
    near = poses[off < least + ALIGNED][:TRIED]
    candidates = np.concatenate([best[None], near, outer])[:TRIED]
    # Most room to both sides is in the middle of the joint's range.
    centred = candidates[: TRIED // 2].copy()
    centred[:, joint] = middle[joint]
    candidates = np.concatenate([candidates, centred])
    limits = (bounds.lower[joint], bounds.upper[joint], sweep)
    chosen, width, load = _best(robot, candidates, joint, limits, rule, floor, wide)
    center = float(chosen[joint])
    return Pose(
        q=chosen,
        low=center - width,
        high=center + width,
        angle=float(axis_angle(robot, chosen, joint)),
        rule=rule,
        largest_gravity=load,
    )


def _polished(robot: Robot, pose: Array, joint: int, wanted: float) -> Array:
    """The pose with the joints before this one moved until its axis points as wanted, as well as they can."""
    from scipy.optimize import minimize

    if joint == 0 or abs(float(axis_angle(robot, pose, joint)) - wanted) < 1e-6:
        return pose

    def miss(before: Array) -> float:
        trial = pose.copy()
        trial[:joint] = before
        return float(axis_angle(robot, trial, joint) - wanted) ** 2

    found = minimize(
        miss, pose[:joint], method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-12}
    )
    polished = pose.copy()
    polished[:joint] = found.x
    return polished


def _best(
    robot: Robot,
    poses: Array,
    joint: int,
    limits: tuple[float, float, float],
    rule: Rule,
    floor: float,
    share: float,
) -> tuple[Array, float, float]:
    """The candidate with a wide clear sweep, and of those the one with most (normal) or least gravity."""
    low, high, sweep = limits
    room = np.minimum(high - poses[:, joint], poses[:, joint] - low)
    widths = np.minimum(0.98 * room, sweep)
    if has_capsules(robot):
        pairs = zip(poses, widths, strict=True)
        widths = np.array([_clear_sweep(robot, q, joint, float(w), floor) for q, w in pairs])
    if widths.max() <= 0.0:
        raise ParameterError(
            f"pose for joint {robot.joints[joint].name}", "in collision everywhere tried", "clear",
            "state a pose, or a floor farther away",
        )  # fmt: skip
    wide = widths >= share * widths.max()
    loads = np.array(
        [_gravity_range(robot, q, joint, float(w)) for q, w in zip(poses, widths, strict=True)]
    )
    known = np.isfinite(loads).any()
    score = (loads if rule == "normal" else -loads) if known else widths
    k = int(np.argmax(np.where(wide, score, -np.inf)))
    return poses[k], float(widths[k]), float(loads[k])


def _clear_sweep(robot: Robot, q: Array, joint: int, half: float, floor: float) -> float:
    """How far the joint may turn both ways from here before links meet."""
    if half < NARROWEST:
        return 0.0
    turn = np.linspace(-half, half, 37)
    way = np.repeat(q[None], len(turn), axis=0)
    way[:, joint] = q[joint] + turn
    blocked = np.abs(turn[clearance(robot, way, floor=floor) <= MARGIN])
    if not blocked.size:
        return half
    free = float(blocked.min())
    return 0.0 if free < NARROWEST else 0.9 * free


def _gravity_range(robot: Robot, q: Array, joint: int, half: float) -> float:
    """Largest absolute gravity torque over the sweep; NaN where the prior model does not know."""
    if any(".link." in path or "payload" in path for path in robot.unknown()):
        return float("nan")
    way = np.repeat(q[None], 9, axis=0)
    way[:, joint] += np.linspace(-half, half, 9)
    return float(np.abs(robot.gravity_torque(way)[:, joint]).max())
