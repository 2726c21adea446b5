"""The search for a Fourier series: a measure of excitation plus penalties for limits, with exact gradients.

Unknowns are the free coefficients of each joint (spec 08.2): what is left of a and b when the derivatives at the ends
are zero, and the centre or nothing where the start is given. The path is linear in them, so a gradient with respect
to the motion of every sample becomes one with respect to the unknowns by the transposed basis. Penalties are squares
of what exceeds a limit, relative to it; their weight grows from round to round, and instants that a finer look finds
in violation join the grid on which penalties are taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from jointwise.motion.bounds import Bounds
from jointwise.motion.check import links_known, rotors_known
from jointwise.motion.path import Array
from jointwise.motion.series import FourierPath, basis, resting
from jointwise.motion.stack import BaseStack
from jointwise.robot.clearance import distances, has_capsules

if TYPE_CHECKING:
    from jointwise.motion.objectives import Measure
    from jointwise.robot.description import Robot

MARGIN = 0.995
"""Share of each limit the search aims at, so that its penalties end within the limit itself."""
GAP = 0.02
"""m of distance the search aims at, less for links that are always close to each other."""
LENGTH = 0.05
"""m by which a distance is divided to be compared with relative excesses of other limits."""
ALWAYS_CLOSE = 0.4
"""Share of the distance two links have in most poses that the search may ask for."""
STEP = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape:
    """What a Fourier series looks like: period in s, harmonics, derivatives zero at the ends, start or None."""

    period: float
    harmonics: int
    rest: int
    start: Array | None

    def columns(self) -> int:
        """Unknowns of one joint."""
        sine, cosine = resting(self.harmonics, self.rest)
        return int(sine.shape[1] + cosine.shape[1] + (self.start is None))

    def bases(self, time: Array) -> Array:
        """What multiplies the unknowns of a joint in each derivative: (5, samples, unknowns)."""
        sine, cosine = resting(self.harmonics, self.rest)
        waves = basis(time, self.period, self.harmonics)
        both = np.concatenate([waves[:, 0] @ sine, waves[:, 1] @ cosine], axis=2)
        if self.start is not None:  # the centre follows from q(0) = start
            at_zero = basis(np.zeros(1), self.period, self.harmonics)[0, 1] @ cosine
            both[0, :, sine.shape[1] :] -= at_zero
            return np.asarray(both)
        center = np.zeros((*both.shape[:2], 1))
        center[0] = 1.0
        return np.concatenate([both, center], axis=2)

    def path(self, unknowns: Array, duration: float) -> FourierPath:
        """The path of unknowns (n, columns)."""
        sine, cosine = resting(self.harmonics, self.rest)
        edge = sine.shape[1] + cosine.shape[1]
        a, b = unknowns[:, : sine.shape[1]] @ sine.T, unknowns[:, sine.shape[1] : edge] @ cosine.T
        if self.start is None:
            center = unknowns[:, edge]
        else:
            center = self.start - basis(np.zeros(1), self.period, self.harmonics)[0, 1, 0] @ b.T
        return FourierPath(center=center, sine=a, cosine=b, period=self.period, duration=duration)


class Search:
    """Value and gradient of measure plus penalties, for unknowns in one flat array."""

    def __init__(
        self, robot: Robot, bounds: Bounds, shape: Shape, stack: BaseStack, measure: Measure
    ) -> None:
        self.robot, self.bounds, self.shape, self.stack = robot, bounds, shape, stack
        self.measure = measure
        self.weight = 1.0
        self.per_joint = shape.columns()
        samples = max(24 * shape.harmonics, 4 * len(stack.kept) // robot.n + 1)
        self.grid = shape.period * np.arange(samples) / samples
        self.bases = shape.bases(self.grid)
        self.gamma = robot.parameters() if links_known(robot) else None
        self.rotors = robot.rotor_matrix() if rotors_known(robot) else None
        self.gaps = _gaps(robot, bounds) if has_capsules(robot) else None
        self.value = np.inf
        self.watch(np.zeros(0))

    def watch(self, instants: Array) -> None:
        """Take penalties on these instants too, besides a grid twice as fine as that of the measure."""
        self.extra = instants
        fine = self.shape.period * np.arange(2 * len(self.grid)) / (2 * len(self.grid))
        self.watched = np.concatenate([fine, instants])
        self.watched_bases = self.shape.bases(self.watched)

    def motion(self, unknowns: Array, bases: Array) -> Array:
        """Position and derivatives of every sample."""
        values = np.einsum("ksm,jm->ksj", bases, unknowns)
        if self.shape.start is not None:
            values[0] += self.shape.start
        return np.asarray(values)

    def __call__(self, flat: Array) -> tuple[float, Array]:
        """Value and gradient."""
        unknowns = flat.reshape(self.robot.n, self.per_joint)
        values = self.motion(unknowns, self.bases)
        state = (values[0], values[1], values[2])
        w, y = self.stack.at(*state)
        rows = len(self.grid) * self.robot.n
        value, slope = self.measure(w.reshape(rows, -1))
        extra = np.zeros_like(y)
        torque_value, back = self._torque(state, y, extra)
        found = self.stack.back(slope.reshape(w.shape), extra, state)
        if back is not None:
            found[2] += back
        gradient = sum(np.einsum("sj,sm->jm", f, self.bases[k]) for k, f in enumerate(found))
        limit_value, limit_gradient = self._limits(unknowns)
        total = self.value = value + torque_value + limit_value
        return total, np.asarray(gradient + limit_gradient).ravel()

    def path(self, flat: Array, duration: float) -> FourierPath:
        """The path of the unknowns in one flat array."""
        return self.shape.path(flat.reshape(self.robot.n, self.per_joint), duration)

    def measured(self, path: FourierPath) -> float:
        """The measure of a path alone."""
        q, dq, ddq = path.at(self.grid)[:3]
        w, _ = self.stack.at(q, dq, ddq)
        return self.measure(w.reshape(len(self.grid) * self.robot.n, -1))[0]

    def excess(self, unknowns: Array) -> float:
        """Penalties alone, without their weight."""
        state = self.motion(unknowns, self.bases)[:3]
        y = self.robot.regressor(*state)
        torque, _ = self._torque((state[0], state[1], state[2]), y, np.zeros_like(y))
        return (torque + self._limits(unknowns)[0]) / self.weight

    def _torque(
        self, state: tuple[Array, Array, Array], y: Array, extra: Array
    ) -> tuple[float, Array | None]:
        """Penalty of torque; its gradient goes into `extra` with respect to Y, and for rotors is returned."""
        if self.gamma is None or not np.isfinite(self.bounds.torque).any():
            return 0.0, None
        torque = y @ self.gamma
        if self.rotors is not None:
            torque = torque + state[2] @ self.rotors
        value, slope = hinge(torque, -self.bounds.torque, self.bounds.torque, self.weight)
        extra += slope[..., None] * self.gamma
        return value, None if self.rotors is None else slope @ self.rotors

    def _limits(self, unknowns: Array) -> tuple[float, Array]:
        b = self.bounds
        values = self.motion(unknowns, self.watched_bases)
        total, gradient = 0.0, np.zeros_like(unknowns)
        pairs = (
            (b.lower, b.upper), (-b.velocity, b.velocity), (-b.acceleration, b.acceleration), (-b.jerk, b.jerk),
        )  # fmt: skip
        for k, (low, high) in enumerate(pairs):
            value, slope = hinge(values[k], low, high, self.weight)
            if k == 0 and self.gaps is not None:
                apart, away = self._collisions(values[0], self.gaps)
                value, slope = value + apart, slope + away
            if value > 0.0:
                total += value
                gradient += np.einsum("sj,sm->jm", slope, self.watched_bases[k])
        return total, gradient

    def _collisions(self, q: Array, gaps: Array) -> tuple[float, Array]:
        """Penalty of links closer than their gap, and its gradient with respect to q by central differences."""
        missing = np.maximum(gaps - distances(self.robot, q, floor=self.bounds.floor), 0.0)
        missing /= LENGTH
        scale = self.weight / len(q)
        slope = np.zeros_like(q)
        close = np.flatnonzero(missing.any(axis=1))
        if not len(close):
            return 0.0, slope
        n = self.robot.n
        moved = np.repeat(q[close][None], 2 * n, axis=0)
        for i in range(n):
            moved[2 * i, :, i] += STEP
            moved[2 * i + 1, :, i] -= STEP
        apart = distances(self.robot, moved.reshape(-1, n), floor=self.bounds.floor)
        apart = apart.reshape(2 * n, len(close), -1)
        for i in range(n):
            rate = (apart[2 * i] - apart[2 * i + 1]) / (2.0 * STEP * LENGTH)
            slope[close, i] = -2.0 * scale * np.sum(missing[close] * rate, axis=1)
        return float(scale * np.sum(missing**2)), slope


def hinge(x: Array, low: Array, high: Array, weight: float) -> tuple[float, Array]:
    """weight times the mean square of what exceeds a share MARGIN of the limits, relative to half their range."""
    open_sided = ~np.isfinite(high - low)
    center = np.where(
        open_sided, 0.0, 0.5 * (np.where(open_sided, 0.0, low) + np.where(open_sided, 0.0, high))
    )
    half = np.where(
        open_sided, 1.0, 0.5 * (np.where(open_sided, 1.0, high) - np.where(open_sided, -1.0, low))
    )
    above = np.where(np.isfinite(high), np.where(open_sided, high, center + MARGIN * half), np.inf)
    below = np.where(np.isfinite(low), np.where(open_sided, low, center - MARGIN * half), -np.inf)
    beyond = (np.maximum(x - above, 0.0) - np.maximum(below - x, 0.0)) / half
    scale = weight / len(x)
    return float(scale * np.sum(beyond**2)), 2.0 * scale * beyond / half


def _gaps(robot: Robot, bounds: Bounds) -> Array:
    """Distance each pair should keep: GAP, less where the pair is never far apart."""
    poses = np.random.default_rng(0).uniform(-np.pi, np.pi, (400, robot.n))
    usual = np.quantile(distances(robot, poses, floor=bounds.floor), 0.9, axis=0)
    return np.minimum(GAP, ALWAYS_CLOSE * np.maximum(usual, 0.0))
