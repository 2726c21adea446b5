"""Inverse kinematics: joint positions that bring the tool to a pose; spec 02.1.

Arms built like a UR have up to eight solutions in closed form (`wrist_solutions`): axes 2, 3 and 4 are parallel, axis
1 is across 2, 5 across 4, 6 across 5, and 5 and 6 meet. For any other arm, `nearest_solution` takes damped steps from
a guess, and uses what freedom is left to stay near a posture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from jointwise.errors import NumericalError
from jointwise.motion.path import Array

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

STRAIGHT = 1e-9
"""Sine or relative length that counts as zero in the geometry of the arm."""
REACH = 1e-9
"""Cosine beyond one that is rounding, at the edge of the workspace."""
STEPS = 200
TOLERANCE = 1e-11
DAMPING = 1e-6
POSTURE = 0.2
"""Share of the way back to the posture in each step."""


class Axes(NamedTuple):
    """Axes of the joints at q = 0 in the base frame, points on them, and the pose of the tool."""

    z: Array
    o: Array
    tool: Array


def axes_of(robot: Robot) -> Axes:
    """Axes of a robot at q = 0, from its Jacobian: a joint moves the tool by z x (p - o)."""
    zero = np.zeros(robot.n)
    jacobian, tool = robot.jacobian(zero), robot.pose(zero)
    z = jacobian[3:].T
    o = tool[:3, 3] - np.cross(jacobian[:3].T, z)
    return Axes(z, o, tool)


def is_wristed(robot: Robot) -> bool:
    """True where `wrist_solutions` applies."""
    if robot.n != 6 or any(joint.kind != "revolute" for joint in robot.joints):
        return False
    z, o, _ = axes_of(robot)
    parallel = max(np.linalg.norm(np.cross(z[1], z[k])) for k in (2, 3))
    across = max(abs(z[0] @ z[1]), abs(z[4] @ z[3]), abs(z[5] @ z[4]))
    apart = abs(np.cross(z[4], z[5]) @ (o[5] - o[4]))
    return bool(max(parallel, across, apart) < STRAIGHT)


def wrist_solutions(robot: Robot, pose: ArrayLike, *, wrist: float = 0.0) -> Array:
    """All solutions (count, 6), count up to 8, each angle within half a turn of zero.

    With T the pose, M that at q = 0 and e_i the turn of joint i, T M^-1 = e1 ... e6. The point where axes 5 and 6
    meet is moved by e1 ... e4 only, and 2 to 4 do not move it along their common direction: that gives q1. The
    direction of axis 6 against this direction gives q5, and the direction seen from behind axis 6 gives q6; where
    axis 6 is parallel to it, q6 is free and becomes `wrist`. What remains is a plane triangle for q2, q3, q4.
    """
    z, o, tool = axes_of(robot)
    motion = np.asarray(pose, dtype=np.float64) @ np.linalg.inv(tool)
    meet = o[4] + z[4] * (z[4] @ (o[5] - o[4]))
    target = motion[:3, :3] @ meet + motion[:3, 3]
    found = []
    for q1 in _on_plane(z[0], z[1], target - o[0], float(z[1] @ (meet - o[0]))):
        first = turn(z[0], o[0], -q1) @ motion
        for q5 in _across(z[4], z[1], z[5], float(z[1] @ first[:3, :3] @ z[5])):
            seen = _rotation(z[4], -q5) @ z[1]  # e5^-1 z2, turned by e6^-1 into the target's
            q6 = _between(z[5], first[:3, :3].T @ z[1], seen, wrist)
            rest = first @ turn(z[5], o[5], -q6) @ turn(z[4], o[4], -q5)
            found += [(q1, *bend, q5, q6) for bend in _triangle(z[1], o[1:4], rest)]
    return _wrapped(np.array(found).reshape(-1, 6))


def _triangle(z: Array, o: Array, rest: Array) -> list[tuple[float, float, float]]:
    """q2, q3, q4 of three parallel axes whose turns make up `rest`."""
    upper = _flat(z, o[1] - o[0])
    fore = _flat(z, o[2] - o[1])
    goal = _flat(z, rest[:3, :3] @ o[2] + rest[:3, 3] - o[0])
    total = _angle(z, rest)
    solutions = []
    a, b, c = (float(np.linalg.norm(v)) for v in (upper, fore, goal))
    cosine = (c * c - a * a - b * b) / (2.0 * a * b)
    if abs(cosine) > 1.0 + REACH:
        return []
    bent = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
    straight = _signed(z, fore, upper)
    for q3 in (straight + bent, straight - bent):
        q2 = _signed(z, upper + _rotation(z, q3) @ fore, goal)
        solutions.append((q2, q3, total - q2 - q3))
    return solutions


def _on_plane(axis: Array, normal: Array, point: Array, distance: float) -> list[float]:
    """Turns q with normal . R(axis, -q) point = distance."""
    across = np.cross(axis, normal)
    return _solve(float(normal @ point), float(across @ point), distance)


def _across(axis: Array, normal: Array, direction: Array, value: float) -> list[float]:
    """Turns q with normal . R(axis, q) direction = value, for an axis across both."""
    return _solve(float(normal @ direction), float(normal @ np.cross(axis, direction)), value)


def _solve(a: float, b: float, c: float) -> list[float]:
    """Both solutions of a cos q + b sin q = c; none where there is none."""
    size = float(np.hypot(a, b))
    if size == 0.0 or abs(c) > size * (1.0 + REACH):
        return []
    middle, half = float(np.arctan2(b, a)), float(np.arccos(np.clip(c / size, -1.0, 1.0)))
    return [middle + half, middle - half]


def _between(axis: Array, start: Array, end: Array, free: float) -> float:
    """Turn about an axis that brings `start` to `end`; `free` where both lie on the axis."""
    a, b = _flat(axis, start), _flat(axis, end)
    if min(np.linalg.norm(a), np.linalg.norm(b)) < 1e-7:
        return free
    return _signed(axis, a, b)


def _signed(axis: Array, a: Array, b: Array) -> float:
    """Angle from a to b about an axis across both."""
    return float(np.arctan2(axis @ np.cross(a, b), a @ b))


def _angle(axis: Array, motion: Array) -> float:
    """Angle of a motion that turns about this axis."""
    other = _flat(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    return _signed(axis, other, motion[:3, :3] @ other)


def _flat(axis: Array, v: Array) -> Array:
    """A vector without its part along an axis."""
    return np.asarray(v - axis * (axis @ v))


def _rotation(axis: Array, angle: float) -> Array:
    cross = np.cross(np.eye(3), axis)
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross)


def turn(axis: Array, point: Array, angle: float) -> Array:
    """The motion (4, 4) that turns about a line."""
    motion = np.eye(4)
    motion[:3, :3] = _rotation(axis, angle)
    motion[:3, 3] = point - motion[:3, :3] @ point
    return motion


def _wrapped(q: Array) -> Array:
    return np.asarray((q + np.pi) % (2.0 * np.pi) - np.pi)


def nearest_wrist_solution(robot: Robot, pose: ArrayLike, guess: Array) -> Array:
    """The closed-form solution nearest to a guess, whole turns counted as the guess counts them."""
    found = wrist_solutions(robot, pose, wrist=float(guess[5]))
    if not len(found):
        raise NumericalError(f"{robot.name} cannot reach the pose at {_place(pose)}")
    found = found + 2.0 * np.pi * np.round((guess - found) / (2.0 * np.pi))
    return np.asarray(found[int(np.argmin(np.sum((found - guess) ** 2, axis=1)))])


def nearest_solution(
    robot: Robot, pose: ArrayLike, guess: Array, *, posture: Array | None = None, turns: bool = True
) -> Array:
    """A solution from damped steps that begin at a guess; position alone without `turns`.

    Each step is J^T (J J^T + d E)^-1 e towards the pose, and where joints are left over, part of the way back to the
    posture within what does not move the tool, so that the result depends on the pose and not on how it was reached.
    """
    target = np.asarray(pose, dtype=np.float64)
    q = np.array(guess, dtype=np.float64)
    home = q.copy() if posture is None else posture
    rows = 6 if turns else 3
    for _ in range(STEPS):
        error = _error(robot.pose(q), target)[:rows]
        jacobian = robot.jacobian(q)[:rows]
        square = jacobian @ jacobian.T
        damped = square + DAMPING * float(np.linalg.norm(error)) * np.eye(rows)
        pull = np.linalg.lstsq(damped, np.column_stack([error, jacobian]), rcond=1e-12)[0]
        step = jacobian.T @ pull[:, 0]
        back = POSTURE * (home - q)
        back = back - jacobian.T @ (pull[:, 1:] @ back) if robot.n > rows else 0.0 * q
        size = max(1.0, float(np.abs(step).max()) / 0.5)
        q = q + step / size + back
        if np.linalg.norm(error) < TOLERANCE and np.linalg.norm(back) < 1e-10:
            return q
    missing = float(np.linalg.norm(_error(robot.pose(q), target)[:rows]))
    if missing > 1e-8:
        raise NumericalError(
            f"no joint positions of {robot.name} reach the pose at {_place(target)} from the guess; "
            f"{missing:.2g} is missing"
        )
    return q


def solve(robot: Robot, pose: ArrayLike, guess: Array, *, posture: Array) -> Array:
    """The closed-form solution nearest to a guess where the arm has one, else a numeric one."""
    if is_wristed(robot):
        return nearest_wrist_solution(robot, pose, guess)
    return nearest_solution(robot, pose, guess, posture=posture, turns=robot.n >= 6)


def _error(now: Array, target: Array) -> Array:
    """Displacement and rotation vector from one pose to another."""
    r = target[:3, :3] @ now[:3, :3].T
    axis = 0.5 * np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    sine, cosine = float(np.linalg.norm(axis)), 0.5 * (float(np.trace(r)) - 1.0)
    scale = float(np.arctan2(sine, cosine)) / sine if sine > 1e-12 else 1.0
    return np.concatenate([target[:3, 3] - now[:3, 3], scale * axis])


def _place(pose: ArrayLike) -> str:
    return ", ".join(f"{v:.3f}" for v in np.asarray(pose)[:3, 3]) + " m"
