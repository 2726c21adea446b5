"""Least squares with parameters kept above or below bounds, such as friction that must not push. Spec 07.7.

    min sum_j w_j |y_j - W_j gamma|^2   subject to   lower <= gamma <= upper

A convex problem with one answer where the columns are independent; solved on the triangular factor with columns
scaled to length one by the active-set method for bounded variables (Stark and Parker 1995), to rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.estimators.estimate import CONVERGED, STOPPED, Estimate
from jointwise.estimators.problem import Problem
from jointwise.estimators.solve import (
    freedom_of,
    joint_noise,
    settled_weights,
    solve_factor,
    spread,
)
from jointwise.robot.independent import column_indices

Array = NDArray[np.float64]

AT_BOUND = 1e-9
"""Of the bound's distance from the scale of the column: closer counts as at the bound."""


class BoundedSolution(NamedTuple):
    """Minimum within bounds, and what holds it."""

    values: Array
    held: NDArray[np.bool_]
    """parameters at a bound"""
    converged: bool


def bounded(
    problem: Problem,
    *,
    nonnegative: Iterable[str] = (),
    lower: Mapping[str, float] | None = None,
    upper: Mapping[str, float] | None = None,
) -> Estimate:
    """Weighted least squares within bounds; weights 1/sigma_j^2 from the residual without bounds.

    The covariance is that of the parameters off their bounds with the others held, zero for those.
    """
    low, high = bounds(problem.names, nonnegative, lower or {}, upper or {})
    return within_bounds(problem, settled_weights(problem), low, high, "bounded")


def within_bounds(
    problem: Problem, weights: Array, low: Array, high: Array, method: str
) -> Estimate:
    """Bounded least squares with given weights as an estimate."""
    factor = problem.weighted_factor(weights)
    solve_factor(factor, problem.names)  # refuses columns that are not independent
    found = solve_bounded(factor, low, high)
    loose = np.flatnonzero(~found.held)
    covariance = np.zeros((problem.columns, problem.columns))
    noise = joint_noise(problem, found.values)
    if len(loose):
        names = [problem.names[k] for k in loose]
        part = problem.select(names)
        inverse = solve_factor(part.weighted_factor(weights), part.names).inverse
        covariance[np.ix_(loose, loose)] = spread(part, inverse, weights, noise)
    return Estimate(
        method=method,
        names=problem.names,
        values=found.values,
        covariance=covariance,
        weights=weights,
        noise=noise,
        equations=problem.equations,
        freedom=freedom_of(problem, problem.columns),
        status=CONVERGED if found.converged else STOPPED,
        active=tuple(n for n, h in zip(problem.names, found.held, strict=True) if h),
    )


def solve_bounded(factor: Array, low: Array, high: Array) -> BoundedSolution:
    """The minimum from the factor R of [W y]."""
    from scipy.optimize import lsq_linear

    count = len(low)
    lengths = np.linalg.norm(factor[:, :count], axis=0)
    lengths = np.where(lengths > 0.0, lengths, 1.0)
    size = float(np.linalg.norm(factor[:, count])) or 1.0
    # In these units columns and torque have length one, so the tolerances of the solver mean the same for any robot.
    low, high = low * lengths / size, high * lengths / size
    result = lsq_linear(
        factor[:, :count] / lengths,
        factor[:, count] / size,
        (low, high),
        method="bvls",
        tol=1e-14,
        max_iter=20 * max(count, 1),
    )
    held = (result.x - low <= AT_BOUND) | (high - result.x <= AT_BOUND)
    values = np.clip(result.x, low, high)
    return BoundedSolution(values * size / lengths, held, bool(result.status > 0))


def bounds(
    names: tuple[str, ...],
    nonnegative: Iterable[str],
    lower: Mapping[str, float],
    upper: Mapping[str, float],
) -> tuple[Array, Array]:
    """Arrays of bounds from names; infinite where nothing is said."""
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    low[column_indices(nonnegative, names)] = 0.0
    for array, given in ((low, lower), (high, upper)):
        places = column_indices(given, names)
        array[places] = [given[names[k]] for k in places]
    for name, a, b in zip(names, low, high, strict=True):
        if not a < b:
            raise ParameterError(f"lower bound of {name}", a, f"below its upper bound {b:g}")
    return low, high
