"""Exact regrouping: parts of a link that its own joint cannot move are carried to the link before. Spec 02.6.

A body that looks the same after any motion of joint i may as well ride on link i-1. In the frame of the joint these
bodies are spanned by

    revolute   a unit of XX and YY together, mZ, m         (mass spread evenly around the axis, without spin inertia)
    prismatic  the six inertias without mass               (no first moment, so shifting does nothing)

and carrying is the map of `inertia.transport`. With modified DH frames this is the relation of Gautier and Khalil,
J2(9) as corrected in erratum 12; frames of any kind are treated alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jointwise.robot.frames import inverse
from jointwise.robot.inertia import INERTIAL_NAMES, transport

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

Array = NDArray[np.float64]

PER_LINK = len(INERTIAL_NAMES)
XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M = range(PER_LINK)
PARALLEL = 1e-12
"""Sine of the angle to gravity below which an axis counts as parallel: a few times the rounding of a frame."""
COMFORTABLE = 1e-3
"""A parameter that a body has less of than this stands for it only if no other can; it needs large coefficients."""
PIVOT = 1e-9
"""A smaller entry is rounding."""


def regrouped(robot: Robot) -> Array:
    """(10 n, 10 n): row k holds what is collected in standard parameter k; rows of eliminated ones are zero.

    The torque of gamma equals the torque of regrouped(robot) @ gamma, exactly, for every motion.
    """
    n = robot.n
    collected = np.eye(PER_LINK * n)
    frames = [joint.frame for joint in robot.joints]
    to_base = robot.base.matrix()[:3, :3].T
    for i in range(n - 1, -1, -1):
        # Parameters stated at the joint, expressed in the link frame on either side of it.
        to_link = transport(inverse(frames[i].after()))
        own = slice(PER_LINK * i, PER_LINK * (i + 1))
        if i == 0:
            gravity = frames[0].before()[:3, :3].T @ to_base @ np.asarray(robot.gravity)
            bodies = to_link @ fixed_bodies(robot.joints[0].kind, gravity)
            _eliminate(collected, own, bodies)
            break
        free = unmoved_bodies(robot.joints[i].kind)
        amounts = _eliminate(collected, own, to_link @ free)
        below = slice(PER_LINK * (i - 1), PER_LINK * i)
        collected[below] += transport(frames[i].before()) @ free @ amounts
    return collected


def unmoved_bodies(kind: str) -> Array:
    """(10, bodies) in the frame of a joint: what the joint's own motion does not change."""
    units = np.eye(PER_LINK)
    if kind == "prismatic":
        return units[:, [XX, XY, XZ, YY, YZ, ZZ]]
    return np.column_stack([units[:, XX] + units[:, YY], units[:, MZ], units[:, M]])


def fixed_bodies(kind: str, gravity: Array) -> Array:
    """(10, bodies) on the first link that its joint, standing on the ground, never feels."""
    units = np.eye(PER_LINK)
    if kind == "prismatic":
        return units[:, [XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ]]
    unfelt = [XX, XY, XZ, YY, YZ, MZ, M]
    if np.hypot(gravity[0], gravity[1]) <= PARALLEL * np.linalg.norm(gravity):
        unfelt += [MX, MY]
    return units[:, unfelt]


def _eliminate(collected: Array, own: slice, bodies: Array) -> Array:
    """Take the bodies off a link so that its last possible parameters become zero; returns the amounts taken."""
    chosen = last_independent_rows(bodies)
    amounts = np.asarray(np.linalg.solve(bodies[chosen], collected[own][chosen]), dtype=np.float64)
    collected[own] -= bodies @ amounts
    collected[own.start + np.array(chosen)] = 0.0
    return amounts


def last_independent_rows(bodies: Array) -> list[int]:
    """As many rows as there are columns, independent, from the last row upward."""
    rest = bodies.copy()
    chosen: list[int] = []
    for threshold in (COMFORTABLE, PIVOT):
        for k in range(len(bodies) - 1, -1, -1):
            size = float(np.linalg.norm(rest[k]))
            if size > threshold and k not in chosen:
                direction = rest[k] / size
                rest = rest - np.outer(rest @ direction, direction)
                chosen.append(k)
    return chosen
