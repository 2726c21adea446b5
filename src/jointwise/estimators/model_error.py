"""Intervals where the model is wrong: what of the residual is no noise comes back in the same states. Spec 07.4.

Friction that was left out errs in the same way whenever the arm passes the same state, in every period and in every
recording, so more data do not average it out and no comparison of one part of the data with another shows it. What of
the residual is above the noise floor is taken as an unknown smooth function of the state x of its joint,

    E e(k) e(l) = (sigma_j^2 - floor_j^2) exp( -|x(k) - x(l)|^2 / (2 h^2) ),   x scaled to standard deviation one

and adds A^-1 [ sum_j w_j^2 W_j^T E(e e^T) W_j ] A^-1 to the covariance (the discrepancy of Kennedy and O'Hagan 2001).
It also holds for errors that leave no residual, such as a wrong gain of the current sensor, as far as they are of the
same size as those that do. Without an excess nothing is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ShapeError
from jointwise.estimators.bread import bread
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.problem import Problem

Array = NDArray[np.float64]

REACH = 1.0
"""h, standard deviations of the state over which the error of a model keeps its sign: an assumption, half the range
that friction has between slow and fast, or between unloaded and loaded."""
MOST_SAMPLES = 1500
"""Of a joint: of more every n-th is compared, the error being smooth."""


def with_model_error(
    problem: Problem, estimate: Estimate, states: Sequence[Array], excess: Array
) -> Estimate:
    """The same estimate with a covariance that allows for errors of the model; needs the rows.

    `states` (samples, joints, coordinates) of each recording say where each equation was taken; `excess` (joints,) is
    the variance of the residual above that of the noise. `estimate` already allows for residuals correlated in time.
    """
    problem.require_rows("an allowance for errors of the model")
    if len(states) != len(problem.rows) or any(
        s.shape[:2] != r.y.shape for s, r in zip(states, problem.rows, strict=False)
    ):
        got, needed = (
            [v.shape[:2] for v in each] for each in (states, [r.y for r in problem.rows])
        )
        raise ShapeError("states", f"shapes {got}", f"shapes {needed}")
    given = bread(problem, estimate)
    middle = np.zeros((len(given.free), len(given.free)))
    for j in np.flatnonzero(np.asarray(excess) > 0.0):
        uses = [rows.use[:, j] for rows in problem.rows]
        x = np.concatenate([s[use, j] for s, use in zip(states, uses, strict=True)])
        w = np.concatenate(
            [r.w[use, j][:, given.free] for r, use in zip(problem.rows, uses, strict=True)]
        )
        step = max(1, -(-len(w) // MOST_SAMPLES))
        if len(w) < 2:
            continue
        columns = (w[::step] @ given.half) * (estimate.weights[j] * len(w) / len(w[::step]))
        middle += excess[j] * columns.T @ _similarity(x[::step]) @ columns
    extra = given.half @ middle @ given.half.T
    covariance = estimate.covariance.copy()
    covariance[np.ix_(given.free, given.free)] += 0.5 * (extra + extra.T)
    return replace(estimate, covariance=covariance)


def _similarity(x: Array) -> Array:
    """exp(-|x_k - x_l|^2 / (2 h^2)) of states scaled to standard deviation one."""
    spread = x.std(axis=0)
    scaled = x / (REACH * np.where(spread > 0.0, spread, 1.0))
    squares = np.sum(scaled**2, axis=1)
    apart = squares[:, None] + squares - 2.0 * scaled @ scaled.T
    return np.asarray(np.exp(-0.5 * np.maximum(apart, 0.0)))
