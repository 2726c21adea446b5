"""Residuals correlated in time: autoregressive models of each joint's noise, and rows made white by them.

    e(k) = a_1 e(k-1) + ... + a_p e(k-p) + w(k),  w white

Filtering y and every column of W by 1 - a_1 z^-1 - ... - a_p z^-p leaves w (Cochrane and Orcutt 1949).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.estimators.problem import Problem

Array = NDArray[np.float64]

LARGEST_POLE = 0.999
"""Of a fitted model: residuals that never forget would leave nothing to estimate from."""
DEAD = 1e-3
"""Autocorrelation that no longer counts."""


def autoregression(series: Sequence[Array], order: int) -> Array:
    """Coefficients a_1 ... a_p by least squares over all runs of samples without NaN, made stable where they are not.

    `series` holds one residual per recording, NaN where an equation is not used.
    """
    if order < 1:
        raise ParameterError("order", order, "1 or more")
    past, now = [], []
    for one in series:
        lagged = np.stack([one[order - k - 1 : len(one) - k - 1] for k in range(order)], axis=1)
        whole = np.isfinite(lagged).all(axis=1) & np.isfinite(one[order:])
        past.append(lagged[whole])
        now.append(one[order:][whole])
    regressor, target = np.concatenate(past), np.concatenate(now)
    if len(target) <= 2 * order or not target.any():
        return np.zeros(order)
    return _stable(np.asarray(np.linalg.lstsq(regressor, target, rcond=None)[0], np.float64))


def _stable(coefficients: Array) -> Array:
    """The same model with its poles drawn inside the circle of radius LARGEST_POLE."""
    poles = np.roots(np.concatenate([[1.0], -coefficients]))
    largest = float(np.abs(poles).max(initial=0.0))
    if largest <= LARGEST_POLE:
        return coefficients
    powers = (LARGEST_POLE / largest) ** np.arange(1, len(coefficients) + 1)
    return np.asarray(coefficients * powers)


def whitened(problem: Problem, models: Sequence[Array]) -> Problem:
    """The problem with every joint's equations filtered by the inverse of its noise model; needs the rows.

    Equations whose past is not all used are left out; the model is one per joint and all recordings.
    """
    problem.require_rows("whitening")
    regressors, torques, masks = [], [], []
    for rows in problem.rows:
        w, y, use = rows.w.copy(), rows.y.copy(), rows.use.copy()
        for j, model in enumerate(models):
            for k, a in enumerate(model, start=1):
                w[k:, j] -= a * rows.w[:-k, j]
                y[k:, j] -= a * rows.y[:-k, j]
                use[k:, j] &= rows.use[:-k, j]
                use[:k, j] = False
        regressors.append(w)
        torques.append(y)
        masks.append(use)
    return Problem.from_rows(
        problem.names, regressors, torques, use=masks, recordings=problem.recordings
    )


def noise_models(problem: Problem, values: Array, order: int) -> list[Array]:
    """One autoregressive model per joint from the residual of a fit."""
    left = problem.residuals(values)
    return [autoregression([one[:, j] for one in left], order) for j in range(problem.joints)]


def autocorrelation(model: Array, most: int) -> Array:
    """rho(0) ... of an autoregressive model by the equations of Yule and Walker, up to where it has died away."""
    order = len(model)
    system, right = np.eye(order), np.zeros(order)
    for i in range(order):  # rho(i + 1) = sum_k a_k rho(|i + 1 - k|)
        for k in range(order):
            lag = abs(i - k)
            if lag == 0:
                right[i] += model[k]
            else:
                system[i, lag - 1] -= model[k]
    rho = [1.0, *np.linalg.solve(system, right).tolist()]
    while len(rho) <= most and max(abs(r) for r in rho[-order:]) > DEAD:
        rho.append(float(sum(a * r for a, r in zip(model, rho[: -order - 1 : -1], strict=True))))
    return np.array(rho[: most + 1])
