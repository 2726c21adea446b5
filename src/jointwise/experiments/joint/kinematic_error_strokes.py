"""What the kinematic error reads of slow strokes: samples behind their reversals, deformation under load taken out."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.joint.common import Read
from jointwise.experiments.joint.pose import ALIGNED
from jointwise.experiments.joint.samples import JointSamples
from jointwise.laws.transmissions import Transmission
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]
LEFT_BEHIND = 0.02
"""rad after a reversal that do not count: ten times a usual backlash."""
KEPT = 400
"""Samples of one stroke that are kept."""
TURN = 2.0 * np.pi
CELLS = 480
"""Of the turn; samples of one cell together count as much as those of another."""
ROUNDS = 3
"""Passes in which gravity and the friction that grows with it are found in turn; the third changes nothing."""


class Strokes(NamedTuple):
    """Samples behind the reversals: rotor angle, deformation free of load, direction, number of the stroke."""

    theta: Array
    phi: Array
    direction: Array
    alpha: Array
    stroke: NDArray[np.int64]

    @property
    def weight(self) -> Array:
        """Of each sample, by how many there are at its place; mean square one."""
        cell = np.floor(self.theta / TURN * CELLS).astype(np.int64)
        cell -= cell.min()
        share = 1.0 / np.bincount(cell)[cell]
        return np.asarray(np.sqrt(share / share.mean()))


def strokes_of(robot: Robot, given: Read) -> tuple[Strokes, tuple[str, ...]]:
    """Samples far enough behind their reversals, with the deformation under load taken out where it is known."""
    known = robot.joints[given.place].transmission
    spring = None if isinstance(known, Unknown) else Transmission.from_law(known).stiffness
    notes: tuple[str, ...] = ()
    if given.angle > ALIGNED:
        words = "deformation under gravity was taken out" if spring is not None else (
            "deformation under gravity is part of the first harmonic: fit stiffness first"
        )  # fmt: skip
        notes = (
            f"the axis is {np.degrees(given.angle):.0f} deg from gravity, not parallel to it; {words}",
        )
    found = []
    first = 0
    for samples in given.parts:
        pieces, count = _behind_reversals(samples, first)
        first += count
        load = gravity_of(samples) if given.angle > ALIGNED else np.zeros(len(samples))
        bent = np.zeros(len(samples)) if spring is None else np.asarray(spring.deformation(load))
        link = samples.q if samples.q is not None else samples.theta
        for part, number in pieces:
            way = float(np.sign(samples.theta[part][-1] - samples.theta[part][0]))
            values = (samples.theta - link - bent)[part]
            found.append(
                (
                    samples.theta[part],
                    values,
                    np.full(len(values), way),
                    samples.alpha[part],
                    np.full(len(values), number),
                )
            )
    theta, phi, direction, alpha, stroke = (np.concatenate(v) for v in zip(*found, strict=True))
    return Strokes(theta, phi, direction, alpha, stroke.astype(np.int64)), notes


def gravity_of(samples: JointSamples) -> Array:
    """Joint torque as the motor sees it: gravity about a fixed axis, a cos + b sin, beside friction by direction.

    Friction grows with the load (spec 05.4). Strokes are longer one way than the other, so that a growth left out
    would pass for an offset and, over part of a turn, for gravity.
    """
    sign = np.tanh(samples.omega / 1e-3)
    shape = np.column_stack([np.cos(samples.theta), np.sin(samples.theta)])
    design = np.column_stack([shape, sign, samples.omega, np.ones_like(sign)])
    gravity = np.zeros_like(sign)
    for _ in range(ROUNDS):
        growth = np.column_stack([sign * np.abs(gravity), sign * gravity**2])
        columns = np.column_stack([design, growth]) if gravity.any() else design
        gravity = shape @ np.linalg.lstsq(columns, samples.smooth_torque, rcond=1e-10)[0][:2]
    return np.asarray(gravity)


def _behind_reversals(
    samples: JointSamples, first: int
) -> tuple[list[tuple[NDArray[np.int64], int]], int]:
    """Samples of each stroke that are far behind its reversal, at most KEPT, and the number of strokes."""
    sign = np.sign(samples.omega)
    moving = np.abs(samples.omega) > 1e-3
    edges = np.flatnonzero(np.diff(np.where(moving, sign, 0.0), prepend=0.0, append=0.0) != 0)
    found: list[tuple[NDArray[np.int64], int]] = []
    for start, stop in itertools.pairwise(edges):
        if not moving[start]:
            continue
        way = np.abs(samples.theta[start:stop] - samples.theta[start])
        behind = start + np.flatnonzero(way > min(LEFT_BEHIND, 0.5 * float(way.max())))
        if len(behind) > 10 and way.max() > 2e-3:
            step = max(1, len(behind) // KEPT)
            found.append((behind[::step], first + len(found)))
    return found, len(found)
