"""What a motion exceeds: limits of the robot, its own limits, collisions, as found on a grid as fine as wanted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jointwise.motion.bounds import Bounds
from jointwise.motion.path import Array
from jointwise.robot.clearance import distances, has_capsules, pair_names

if TYPE_CHECKING:
    from jointwise.motion.motion import Motion
    from jointwise.robot.description import Robot

SLACK = 1e-9
"""Relative excess over a limit that is rounding, not a violation."""
TRAVEL = 2e-3
"""rad [m] all joints together may move between two collision checks: 2 mm at 1 m from the axes."""
MOST = 2_000_000
"""Samples a check looks at; a longer motion is checked less finely, and at every one of its own samples."""
BLOCK = 50_000


@dataclass(frozen=True, kw_only=True)
class Excess:
    """One limit a motion exceeds, where it does so most."""

    quantity: str
    where: str
    """the joint, or the links that meet"""
    time: float
    value: float
    allowed: str

    def __str__(self) -> str:
        return f"{self.quantity} of {self.where} is {self.value:.4g} at {self.time:.3f} s, allowed {self.allowed}"


def excesses(motion: Motion, robot: Robot, bounds: Bounds, *, finer: int = 1) -> tuple[Excess, ...]:
    """Every limit that is exceeded at any instant of a grid `finer` times as fine as the motion's."""
    worst: dict[tuple[str, str], tuple[float, Excess]] = {}
    for time, values in _blocks(motion, finer):
        found = [*_rates(time, values, robot, bounds), *_torque(time, values, robot, bounds)]
        if has_capsules(robot):
            chosen = _moved(values[0])
            found += _collisions(time[chosen], values[0][chosen], robot, bounds.floor)
        for size, excess in found:
            key = (excess.quantity, excess.where)
            if key not in worst or size > worst[key][0]:
                worst[key] = (size, excess)
    return tuple(excess for _, excess in worst.values())


def _blocks(motion: Motion, finer: int) -> Iterator[tuple[Array, Array]]:
    """Times and derivatives (orders, samples, n), block by block: the samples, then the path on the finer grid."""
    stored = np.array(motion.derivatives)
    for start in range(0, len(motion), BLOCK):
        part = slice(start, start + BLOCK)
        yield motion.time[part], stored[:, part]
    if motion.path is None or finer == 1:
        return
    finer = max(1, min(finer, MOST // len(motion)))
    count = (len(motion) - 1) * finer + 1
    for start in range(0, count, BLOCK):
        index = np.arange(start, min(count, start + BLOCK))
        time = index * (motion.period / finer)
        yield time + motion.time[0], motion.path.at(time)[: len(stored)]


Found = list[tuple[float, Excess]]


def _rates(time: Array, values: Array, robot: Robot, bounds: Bounds) -> Found:
    found: Found = []
    sides = [("position", bounds.lower, bounds.upper)]
    sides += [
        (name, -getattr(bounds, name), getattr(bounds, name))
        for name in ("velocity", "acceleration", "jerk")
    ]
    for (name, low, high), value in zip(sides, values, strict=False):
        found += _outside(name, time, value, low, high, robot)
    if len(values) < 4:  # acceleration jumps, and no jerk is small enough
        for joint, most in zip(robot.joints, bounds.jerk, strict=True):
            if np.isfinite(most):
                allowed = f"up to {most:g}, by a motion whose acceleration does not jump"
                excess = Excess(
                    quantity="jerk", where=joint.name, time=float(time[0]), value=np.inf, allowed=allowed
                )  # fmt: skip
                found.append((np.inf, excess))
    return found


def _outside(name: str, time: Array, value: Array, low: Array, high: Array, robot: Robot) -> Found:
    found: Found = []
    for k, joint in enumerate(robot.joints):
        beyond = np.maximum(value[:, k] - high[k], low[k] - value[:, k])
        s = int(np.argmax(beyond))
        scale = max(1.0, *(abs(v) for v in (low[k], high[k]) if np.isfinite(v)), 1.0)
        if beyond[s] > SLACK * scale:
            excess = Excess(
                quantity=name,
                where=joint.name,
                time=float(time[s]),
                value=float(value[s, k]),
                allowed=f"from {low[k]:g} to {high[k]:g}",
            )
            found.append((float(beyond[s]), excess))
    return found


def _torque(time: Array, values: Array, robot: Robot, bounds: Bounds) -> Found:
    if not np.isfinite(bounds.torque).any() or not links_known(robot):
        return []
    torque = robot.inverse_dynamics(*values[:3], rotors=rotors_known(robot))
    return _outside("torque", time, torque, -bounds.torque, bounds.torque, robot)


def links_known(robot: Robot) -> bool:
    """True where the prior model can say what torque a motion needs."""
    return not any(".link." in path or "payload" in path for path in robot.unknown())


def rotors_known(robot: Robot) -> bool:
    """True where the prior model knows the inertia of all rotors."""
    return not any(path.endswith("rotor_inertia") for path in robot.unknown())


def _moved(q: Array) -> NDArray[np.int64]:
    """Places of samples between which all joints together travel at most TRAVEL, the first and last among them."""
    steps = np.abs(np.diff(q, axis=0, prepend=q[:1])).sum(axis=1)
    marks = np.floor(np.cumsum(steps) / TRAVEL)
    kept = np.flatnonzero(np.diff(marks, prepend=-1.0))
    return np.unique(np.append(kept, [0, len(q) - 1]))


def _collisions(time: Array, q: Array, robot: Robot, floor: float) -> Found:
    apart = distances(robot, q, floor=floor)
    found: Found = []
    for name, column in zip(pair_names(robot, floor=floor), apart.T, strict=True):
        s = int(np.argmin(column))
        if column[s] < 0.0:
            excess = Excess(
                quantity="distance",
                where=name,
                time=float(time[s]),
                value=float(column[s]),
                allowed="at least 0 m",
            )
            found.append((-float(column[s]), excess))
    return found
