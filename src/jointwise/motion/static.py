"""Poses in which to push at the tool, so that the stiffness of every gear is told apart. Spec 07.8.

The tool gives way by dx = J K^-1 J^T F. Among clear random poses those are taken, one after the other, that raise the
determinant of the stack of J_j (J_j^T F) most, for forces along the three base axes; J_j is column j of the Jacobian.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from jointwise.errors import NumericalError
from jointwise.motion.course import Course, Setting
from jointwise.motion.options import Help, Seed
from jointwise.motion.path import Array
from jointwise.motion.waypoints import LAWS, visit
from jointwise.robot.clearance import clearance, has_capsules
from jointwise.units import Unit

CANDIDATES = 400
WIDEST = np.pi / 2.0
ALONG = 25
"""Poses looked at between two, for collisions."""
MARGIN = 0.02
"""m kept between links on the way."""
HELD = 0.8
"""Of the torque limits: what gravity may take along the way."""
RIDGE = 1e-9


def plan(
    setting: Setting,
    *,
    poses: Annotated[int, Unit("1", lower=1, upper=100), Help("poses to push in")] = 8,
    dwell: Annotated[
        float, Unit("s", lower=0.0, upper=1e4), Help("seconds to stand still at each pose")
    ] = 20.0,
    seed: Annotated[int, Seed, Help("seed of the poses to choose from")] = 0,
) -> Course:
    """Stand in poses in which pushing the tool tells the stiffness of every gear."""
    reach = np.minimum(setting.bounds.reach(WIDEST), WIDEST)
    draws = np.random.default_rng(seed).uniform(-1.0, 1.0, (CANDIDATES, setting.robot.n))
    candidates = setting.bounds.middle() + draws * reach
    begin = candidates[int(np.argmax(_room(setting, candidates)))]
    stacks = _stacks(setting, candidates)
    here, chosen, gram = begin, [], RIDGE * np.eye(setting.robot.n)
    for k in range(poses):
        order = np.argsort(-_gains(gram, stacks))
        place = next((int(i) for i in order if _reachable(setting, here, candidates[i])), None)
        if place is None:
            raise NumericalError(
                f"no pose of {setting.robot.name} can be reached without links meeting; "
                "allow more of the limits, or state a farther floor"
            )
        here = candidates[place]
        gram = gram + stacks[place].T @ stacks[place]
        chosen.append(here)
        setting.report(k + 1, poses)
    writer = visit(begin, chosen, setting.bounds, law="septic", dwell=dwell)
    scale = np.sqrt(np.diag(gram))
    return Course(
        path=writer.path(),
        smoothness=LAWS["septic"],
        rest=LAWS["septic"],
        notes={
            "waypoints": [pose.tolist() for pose in (begin, *chosen)],
            "condition": float(np.sqrt(np.linalg.cond(gram / np.outer(scale, scale)))),
        },
    )


def _stacks(setting: Setting, poses: Array) -> Array:
    """(poses, 9, n): shift of the tool per compliance of each gear, under a force along each axis."""
    jacobian = setting.robot.jacobian(poses)[:, :3]
    stack = jacobian[:, :, None, :] * jacobian[:, None, :, :]
    return np.asarray(stack.reshape(len(poses), 9, -1))


def _gains(gram: Array, stacks: Array) -> Array:
    """log det of the normal equations with each pose added."""
    return np.asarray(np.linalg.slogdet(gram + stacks.transpose(0, 2, 1) @ stacks)[1])


def _room(setting: Setting, poses: Array) -> Array:
    """Distance between links, m, of each pose; minus infinity where holding it takes too much torque."""
    robot = setting.robot
    room = np.zeros(len(poses))
    if has_capsules(robot):
        room = clearance(robot, poses, floor=setting.bounds.floor) - MARGIN
    if not any(".link." in path or "payload" in path for path in robot.unknown()):
        torque = np.abs(robot.gravity_torque(poses))
        room[(torque > HELD * setting.bounds.torque).any(axis=1)] = -np.inf
    return np.asarray(room)


def _reachable(setting: Setting, start: Array, goal: Array) -> bool:
    """Whether the straight way between two poses keeps links apart and can be held, and is a way at all."""
    if np.allclose(start, goal):
        return False
    way = start + np.linspace(0.0, 1.0, ALONG)[:, None] * (goal - start)
    return bool(_room(setting, way).min() >= 0.0)
