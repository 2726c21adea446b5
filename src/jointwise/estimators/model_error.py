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
from jointwise.robot.samples import in_threads

Array = NDArray[np.float64]

REACH = 1.0
"""h, standard deviations of the state over which the error of a model keeps its sign: an assumption, half the range
that friction has between slow and fast, or between unloaded and loaded."""
MOST_SAMPLES = 1500
"""Of a joint: of more every n-th is compared, the error being smooth."""
BLOCK = 128
"""Samples compared with all before them at one time; what is computed stays in the cache."""


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

    def of_joint(j: int) -> Array:
        uses = [rows.use[:, j] for rows in problem.rows]
        count = sum(int(use.sum()) for use in uses)
        step = max(1, -(-count // MOST_SAMPLES))
        x, w = _thinned(problem, states, uses, j, step)
        acting = np.flatnonzero(w[:, given.free].any(axis=0))
        products = _similar_products(x, w[:, given.free[acting]])
        towards = given.half[acting] * (estimate.weights[j] * count / len(w))
        return np.asarray(excess[j] * towards.T @ products @ towards)

    above = (np.asarray(excess) > 0.0) & (problem.joint_equations > 1)
    if not above.any():
        return estimate
    middle = np.sum(in_threads(of_joint, np.flatnonzero(above).tolist()), axis=0)
    extra = given.half @ middle @ given.half.T
    covariance = estimate.covariance.copy()
    covariance[np.ix_(given.free, given.free)] += 0.5 * (extra + extra.T)
    return replace(estimate, covariance=covariance)


def _thinned(
    problem: Problem, states: Sequence[Array], uses: list[NDArray[np.bool_]], j: int, step: int
) -> tuple[Array, Array]:
    """States and regressor of every so manieth of the equations of a joint that are used."""
    places, first = [], 0
    for use in uses:
        mine = np.flatnonzero(use)
        places.append(mine[-first % step :: step])
        first += len(mine)
    x = np.concatenate([s[rows, j] for s, rows in zip(states, places, strict=True)])
    w = np.concatenate([r.w[rows, j] for r, rows in zip(problem.rows, places, strict=True)])
    return x, w


def _similar_products(x: Array, w: Array) -> Array:
    """W^T S W with S = exp(-|x_k - x_l|^2 / (2 h^2)) of states scaled to standard deviation one, block by block."""
    spread = x.std(axis=0)
    scaled = x / (REACH * np.where(spread > 0.0, spread, 1.0))
    half = 0.5 * np.sum(scaled**2, axis=1, keepdims=True)
    ones = np.ones_like(half)
    left, right = np.hstack([scaled, -half, ones]), np.hstack([scaled, ones, -half])
    out = np.zeros((w.shape[1], w.shape[1]))
    for start in range(0, len(x), BLOCK):
        own = slice(start, start + BLOCK)
        similar = left[own] @ right[: own.stop].T
        np.exp(np.minimum(similar, 0.0, out=similar), out=similar)
        similar[:, start:] *= 0.5
        part = w[own].T @ (similar @ w[: own.stop])
        out += part + part.T
    return out
