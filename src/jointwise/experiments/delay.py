"""How late the torque of each joint is stamped beside its position, from the residual.

Drives sample, filter and report current and position at different moments; a few milliseconds of lag look like
inertia and viscous friction that are not there, and half a period, for which a torque is held after or before its
stamp, is enough to spoil intervals. Friction that builds up over some way after a reversal looks late too,
in each joint by its own time. The regressor does not change when the torque is shifted, so one factorisation serves
every candidate. With noise of unknown size in each joint the likelihood is greatest where sum_j M_j log |e_j| is
least, which is what is minimised: over a grid, then by parabolas through ever closer neighbours, because beside a small
residual the logarithm is a parabola only very near its minimum.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from jointwise.estimators.problem import Problem
from jointwise.estimators.same_regressor import SameRegressor
from jointwise.experiments.equations import Equations
from jointwise.experiments.methods import independent_places
from jointwise.recording.signals import moved, taps
from jointwise.robot.samples import in_threads

Array = NDArray[np.float64]
Places = NDArray[np.int64]
Solver = Callable[[Problem], Array]

PERIODS = 2.0
"""Of the recorded stamps: how far a delay is searched to both sides."""
BAND = 40.0
"""Share of the cut-off's period that is searched at least."""
CANDIDATES = 17
ROUNDS = 2
"""Of each joint's own delay and the parameters beside it."""
WORTH = 0.1
"""Share of the error of some joint that delays must explain; for less, clocks are believed and nothing is shifted."""
REFINEMENTS = (0.5, 0.1)
"""Distance of the neighbours beside that of the candidates."""
BEYOND = 1.0 + 2.0 / (CANDIDATES - 1)
"""Times the search range: how far neighbours reach."""


def longest_delay(equations: Equations) -> float:
    """Search range in s: two sampling periods, at least a fortieth of the cut-off's period."""
    slowest = max(piece.stamp_period for piece in equations.pieces)
    return max(PERIODS * slowest, 1.0 / (BAND * equations.filter_hz))


def estimated_delays(
    equations: Equations, regressors: Sequence[Array], use: Sequence[NDArray[np.bool_]]
) -> Array:
    """Most likely delay of each joint in s, positive where torque is stamped late; from the equations in `use`.

    First one delay for the whole arm; then each joint's own beside the parameters found, in turns.
    """
    reach = longest_delay(equations)
    delays = np.linspace(-reach, reach, CANDIDATES)
    joints = equations.design.robot.n
    shifts = _Shifts(equations, regressors, use)
    bounded = [name in equations.design.nonnegative for name in shifts.names]
    given = shifts.at(np.zeros(joints))
    regressor = SameRegressor(given, independent_places(given), np.where(bounded, 0.0, -np.inf))
    solve = regressor.values
    tried = [shifts.at(np.full(joints, delay)) for delay in delays]
    common = _common(delays, [_cost(one, solve) for one in tried], shifts, solve)
    found = np.full(joints, common)
    for _ in range(ROUNDS):
        values = solve(shifts.at(found))
        squares = np.array([one.squares(values) for one in tried])
        found = _each(delays, squares, shifts, values)
    return found if _worth(found, shifts, solve) else np.zeros_like(found)


def _worth(found: Array, shifts: _Shifts, solve: Solver) -> bool:
    """Whether the residual of some joint shows that the clocks of drive and controller differ."""
    with_delay, without = (
        problem.squares(solve(problem)) for problem in map(shifts.at, (found, np.zeros_like(found)))
    )
    return bool(np.any(with_delay < (1.0 - WORTH) ** 2 * without))


def _common(delays: Array, costs: list[float], shifts: _Shifts, solve: Solver) -> float:
    best = int(np.argmin(costs))
    found, lowest = float(delays[best]), float(costs[best])
    if best in (0, len(delays) - 1):
        return found

    def cost(delay: float) -> float:
        return _cost(shifts.at(np.full(shifts.joints, delay)), solve)

    for share in REFINEMENTS:
        step = share * float(delays[1] - delays[0])
        left, right = (cost(found + side) for side in (-step, step))
        bend = left - 2.0 * lowest + right
        if bend <= 0.0:
            break
        found += float(np.clip(0.5 * (left - right) / bend, -1.0, 1.0)) * step
        lowest = cost(found)
    return found


def _each(delays: Array, squares: Array, shifts: _Shifts, values: Array) -> Array:
    """Delay of least squares of each joint beside the values; `squares` (delays, joints) are those on the grid."""

    def at(each: Array) -> Array:
        return shifts.at(each).squares(values)

    best = np.argmin(squares, axis=0)
    found = delays[best]
    inner = (best > 0) & (best < len(delays) - 1) & (np.ptp(squares, axis=0) > 0.0)
    for share in REFINEMENTS:
        step = share * float(delays[1] - delays[0])
        left, middle, right = at(found - step), at(found), at(found + step)
        bend = left - 2.0 * middle + right
        change = 0.5 * (left - right) / np.where(bend > 0.0, bend, 1.0)
        found = found + np.where(inner & (bend > 0.0), np.clip(change, -1.0, 1.0), 0.0) * step
    return np.where(np.ptp(squares, axis=0) > 0.0, found, 0.0)


def _cost(problem: Problem, solve: Solver) -> float:
    squares = problem.squares(solve(problem))
    counts = problem.joint_equations
    return float(np.sum(0.5 * counts * np.log(np.maximum(squares, 1e-300))))


class _Shifts:
    """The problem for any delays: W = Q R is kept, and Q^T of torque moved by whole samples, which others mix."""

    def __init__(
        self, equations: Equations, regressors: Sequence[Array], use: Sequence[NDArray[np.bool_]]
    ) -> None:
        self.names, self.joints = equations.design.names, equations.design.robot.n
        self.counts = np.sum([mask.sum(axis=0) for mask in use], axis=0, keepdims=True)
        self.rates = np.array([piece.rate_hz for piece in equations.pieces])
        reach = BEYOND * longest_delay(equations)
        self.first = np.min(taps(-reach * self.rates)[0], axis=1)
        self.count = int(np.max(taps(reach * self.rates)[0].max(axis=1) - self.first)) + 1
        torque = [self._moved(equations, k) for k in range(len(self.rates))]
        given = list(zip(regressors, torque, use, strict=True))
        self.parts = in_threads(lambda j: _joint(given, j), range(self.joints))

    def _moved(self, equations: Equations, k: int) -> Array:
        """(equations, joints, count) torque of piece k, moved by more and more samples."""
        smooth, known = equations.smooth[k], equations.smooth_known[k]
        whole = range(self.first[k], self.first[k] + self.count)
        late = [moved(smooth, samples, equations.kept[k]) for samples in whole]
        return np.stack(late if known is None else [one - known for one in late], axis=-1)

    def at(self, delays: Array) -> Problem:
        """The problem with the torque of each joint at its delay."""
        size = len(self.names) + 1
        whole, weights = taps(delays[:, None] * self.rates)
        mix = np.zeros((*whole.shape[:2], self.count))
        np.put_along_axis(mix, whole - self.first[:, None], weights, axis=2)
        factors = np.zeros((1, self.joints, size, size))
        for j, (used, r, turned, products) in enumerate(self.parts):
            z = np.tensordot(turned, mix[j], axes=2)
            squares = float(np.einsum("ka,kab,kb", mix[j], products, mix[j]))
            factors[0, j, : len(z), used] = r.T
            factors[0, j, : len(z), -1] = z
            factors[0, j, size - 1, -1] = np.sqrt(max(squares - float(z @ z), 0.0))
        return Problem.from_factors(self.names, factors, self.counts)


def _joint(
    given: Sequence[tuple[Array, Array, NDArray[np.bool_]]], j: int
) -> tuple[Places, Array, Array, Array]:
    """Used columns and R of a joint; Q^T y (rows, pieces, count) and products y^T y (pieces, count, count)."""
    stack = np.concatenate([w[use[:, j], j] for w, _, use in given])
    used = np.flatnonzero(np.any(stack != 0.0, axis=0))
    stack = stack[:, used]  # of an hour, some ten MB that need not be there twice
    q, r = np.linalg.qr(stack)
    late = [y[use[:, j], j] for _, y, use in given]
    edges = np.cumsum([0, *(len(y) for y in late)])
    shares = zip(itertools.pairwise(edges), late, strict=True)
    turned = [q[start:stop].T @ y for (start, stop), y in shares]
    return used, r, np.stack(turned, axis=1), np.stack([y.T @ y for y in late])
