"""Free limits of slipping springs by variable projection, J1(42), with steps that leave wrong minima.

For given limits the torques follow linearly, so only the logarithms of the limits are searched: Gauss-Newton steps in
the projected residual (Golub and Pereyra, with Kaufman's Jacobian), damped after Levenberg. A local minimum is left
by exchange: the operator of a dense grid that lowers the residual most is added, all limits are refined, and the one
that is missed least is taken out. This repeats while it helps, so the answer does not depend on the start.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jointwise.errors import ParameterError
from jointwise.estimators.slip import (
    Array,
    Projected,
    SlipData,
    SlipFit,
    columns,
    columns_and_slopes,
    nonnegative,
    solved,
)
from jointwise.estimators.slip_convex import gathered

STEPS = 60
EXCHANGES = 12
SMALL_STEP = 1e-9
"""Relative change of a limit below which nothing moves any more."""
SMALL_GAIN = 1e-6
"""Relative gain in the sum of squares that is worth another exchange."""
EXACT = 1e-20
"""Share of the torque's squares that is rounding: nothing is left to gain."""
LONGEST_STEP = 0.7
"""Of the logarithm of a limit: a factor of two."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Search:
    """What stays the same during a search: data without the plain columns, the dense grid and its columns."""

    projected: Projected
    grid: Array
    dense: Array
    sizes: Array


def search_of(data: SlipData) -> Search:
    """Prepare a search."""
    projected = Projected(data)
    grid = data.grid()
    dense = projected.without(projected.at(columns(data, grid)))
    return Search(projected=projected, grid=grid, dense=dense, sizes=np.sum(dense**2, axis=0))


def variable_projection(
    data: SlipData, operators: int, *, start: Array | None = None, search: Search | None = None
) -> SlipFit:
    """Limits and torques of `operators` springs; without a start, the convex form gives one."""
    if not 1 <= operators <= 32:
        raise ParameterError("operators", operators, "from 1 to 32")
    found = search_of(data) if search is None else search
    if start is None:
        start = gathered(found.grid, nonnegative(found.dense, found.projected.torque), operators)
    limits, cost, steps = refine(found, _filled(found, np.asarray(start), operators))
    status = "stopped at the limit of iterations"
    for _ in range(EXCHANGES):
        swapped, new_cost, more = _exchange(found, limits)
        steps += more
        if not new_cost < cost * (1.0 - SMALL_GAIN) or cost <= _rounding(found):
            status = "converged"
            break
        limits, cost = swapped, new_cost
    if cost <= _rounding(found):
        status = "converged"
    x = found.projected.at(columns(data, limits))
    fit = solved(found.projected, limits, x, "variable projection", steps)
    return SlipFit(
        limits=fit.limits, torques=fit.torques, extra=fit.extra, rmse=fit.rmse,
        method=fit.method, status=status, rounds=steps,
    ).sorted()  # fmt: skip


def refine(search: Search, limits: Array) -> tuple[Array, float, int]:
    """Damped Gauss-Newton steps from these limits: limits, sum of squares, number of steps."""
    damping, steps = 1e-3, 0
    low, high = np.log(search.grid[0]) - 2.0, np.log(search.grid[-1]) + 0.5
    place = np.clip(np.log(limits), low, high)
    x, slopes, torques, residual = _state(search, place)
    cost = float(residual @ residual)
    while steps < STEPS and cost > _rounding(search):
        matrix, gradient = _normal(x, slopes, torques, residual)
        moved = False
        while damping < 1e8:
            steps += 1
            full = -np.linalg.solve(matrix + damping * _scaling(matrix), gradient)
            step = np.clip(full, -LONGEST_STEP, LONGEST_STEP)
            trial = np.clip(place + step, low, high)
            state = _state(search, trial)
            new_cost = float(state[3] @ state[3])
            if new_cost < cost:
                gain = (cost - new_cost) / cost
                place, cost, moved = trial, new_cost, True
                x, slopes, torques, residual = state
                damping = max(damping * 0.1, 1e-12)
                break
            damping *= 10.0
            if np.abs(step).max() < SMALL_STEP or steps >= STEPS:
                break
        if not moved or (gain < 1e-9 and np.abs(step).max() < 1e-6):
            break
    return np.exp(place), cost, steps


def _state(search: Search, place: Array) -> tuple[Array, Array, Array, Array]:
    p = search.projected
    out, slopes = columns_and_slopes(p.data, np.exp(place))
    x, d = p.without(p.at(out)), p.without(p.at(slopes))
    torques = nonnegative(x, p.torque)
    return x, d, torques, p.torque - x @ torques


def _normal(x: Array, slopes: Array, torques: Array, residual: Array) -> tuple[Array, Array]:
    """J^T J and J^T r of Kaufman's Jacobian, -(1 - P) dX/dlog Delta W, from inner products alone."""
    active = torques > 0.0
    d = slopes * torques
    gram = x[:, active].T @ x[:, active]
    cross = x[:, active].T @ d
    inside = np.linalg.lstsq(gram, cross, rcond=1e-12)[0]
    matrix = d.T @ d - cross.T @ inside
    return 0.5 * (matrix + matrix.T), -(d.T @ residual)


def _scaling(matrix: Array) -> Array:
    diagonal = np.diag(matrix).copy()
    floor = 1e-9 * max(float(diagonal.max(initial=0.0)), 1e-300)
    return np.diag(np.maximum(diagonal, floor))


def _exchange(search: Search, limits: Array) -> tuple[Array, float, int]:
    """One operator more where it helps most, refined, then without the one that is missed least, refined again."""
    added = _best_added(search, limits)
    more, _, steps = refine(search, np.append(limits, added))
    p = search.projected
    x = p.without(p.at(columns(p.data, more)))
    costs = []
    for k in range(len(more)):
        rest = np.delete(x, k, axis=1)
        error = p.torque - rest @ nonnegative(rest, p.torque)
        costs.append(float(error @ error))
    best: tuple[Array, float] = (limits, np.inf)
    for k in np.argsort(costs)[:2]:
        fewer, cost, again = refine(search, np.delete(more, int(k)))
        steps += again
        if cost < best[1]:
            best = (fewer, cost)
    return best[0], best[1], steps


def _best_added(search: Search, limits: Array) -> float:
    """The limit of the dense grid whose column, beside those there are, lowers the sum of squares most."""
    p = search.projected
    x = p.without(p.at(columns(p.data, limits)))
    residual = p.torque - x @ nonnegative(x, p.torque)
    basis = np.linalg.qr(x)[0]
    inside = np.sum((basis.T @ search.dense) ** 2, axis=0)
    left = np.maximum(search.sizes - inside, 1e-9 * search.sizes)
    gain = np.maximum(search.dense.T @ residual, 0.0) ** 2 / left
    return float(search.grid[int(np.argmax(gain))])


def _filled(search: Search, start: Array, operators: int) -> Array:
    """Exactly `operators` limits: missing ones are added where they help most."""
    limits = np.sort(start[:operators])
    if limits.size and limits.min() <= 0.0:
        raise ParameterError("start", float(limits.min()), "above 0")
    while len(limits) < operators:
        more = (
            _best_added(search, limits)
            if limits.size
            else float(search.grid[len(search.grid) // 2])
        )
        near = np.abs(np.log(limits / more)).min(initial=np.inf)
        limits = np.append(limits, more if near > 1e-6 else more * 1.3)
    return limits


def _rounding(search: Search) -> float:
    return EXACT * float(search.projected.torque @ search.projected.torque)
