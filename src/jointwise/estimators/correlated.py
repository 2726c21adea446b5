"""Standard deviations that stay true where residuals are correlated in time. Spec 07.4.

The covariance of least squares assumes independent residuals. Friction that was not modelled, filters and flexible
gears leave residuals that follow each other, and the plain standard deviations are then too small, often by a factor
of ten. With A = W^T G W and the score of a sample, u(k) = sum_j w_j W_j(k)^T e_j(k), the true one is

    Cov = A^-1 [ sum_k sum_l E u(k) u(l)^T ] A^-1

and the methods differ in how they estimate the middle. Joints may be correlated with each other in all of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.estimators.bread import Bread, bread, widened
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.problem import Problem
from jointwise.estimators.rows import Rows
from jointwise.estimators.whitening import autocorrelation, noise_models
from jointwise.kernels.lagged import lagged_sums
from jointwise.robot.samples import in_threads

Array = NDArray[np.float64]

KERNELS = ("newey-west", "autoregressive")
MOST_LAGS_SHARE = 0.2
"""Of the samples of a recording: longer lags have too few pairs."""


def corrected(
    problem: Problem,
    estimate: Estimate,
    *,
    method: str = "autoregressive",
    order: int = 1,
    lags: int | None = None,
) -> Estimate:
    """The same estimate with a covariance that allows for correlated residuals; needs the rows.

    Where the noise's memory can be modelled, `maximum_likelihood` with an order is sharper and truer than a correction.
    "autoregressive" models the residual of each joint with a memory of `order` samples and takes its autocorrelation
    as that of the noise; right where the model is, and steady on short recordings. "newey-west" sums the products of
    scores up to `lags` samples apart, with falling weights (Newey and West 1987); it assumes nothing of the noise, but
    finds too little on short recordings. Without `lags` they follow from the first autocorrelation (Andrews 1991).
    """
    if method not in KERNELS:
        raise UnknownNameError("correction", method, KERNELS)
    if lags is not None and lags < 0:
        raise ParameterError("lags", lags, "0 or more")
    problem.require_rows("a correction for correlated residuals")
    given = bread(problem, estimate)
    models = noise_models(problem, estimate.values, order)
    if method == "autoregressive":
        middle, inflation = _modelled(problem, estimate, models, given)
        note = f"residuals modelled with a memory of {order} sample{'s' * (order > 1)}"
    else:
        middle, used = _newey_west(problem, estimate, given, lags)
        inflation = 1.0 + 2.0 * used / 3.0
        note = f"products of residuals summed over {used} samples"
    left = problem.equations / inflation - len(given.free)
    return replace(
        estimate,
        covariance=widened(problem, given, middle),
        freedom=float(max(1.0, min(estimate.freedom, left))),
        notes=(*estimate.notes, note),
    )


def clustered(problem: Problem, estimate: Estimate) -> Estimate:
    """The same estimate with a covariance from the scores of whole pieces of time, which factors are enough for.

    Right where pieces are longer than the memory of the noise and many: with fewer than about 40 pieces, or fewer
    than four for each parameter, it is rough. Corrected by pieces / (pieces - 1) and by the degrees of freedom.
    """
    pieces = len(problem.recording)
    if pieces < 2:
        raise ParameterError("pieces", pieces, "2 or more", "give piece_samples to Problem")
    given = bread(problem, estimate)
    scores = piece_scores(problem, estimate)[:, given.free] @ given.half
    scores = scores - scores.mean(axis=0)
    small = pieces / (pieces - 1.0) * problem.equations / max(estimate.freedom, 1.0)
    return replace(
        estimate,
        covariance=widened(problem, given, small * scores.T @ scores),
        freedom=float(min(pieces - 1, estimate.freedom)),
        notes=(*estimate.notes, f"standard deviations from {pieces} pieces of time"),
    )


def piece_scores(problem: Problem, estimate: Estimate) -> Array:
    """(pieces, columns): sum of w_j W_j^T e_j over each piece."""
    towards = np.append(-estimate.values, 1.0)
    left = problem.factors @ towards
    each = np.einsum("kjrc,kjr,j->kc", problem.factors[..., :-1], left, estimate.weights)
    return np.asarray(each)


def _modelled(
    problem: Problem,
    estimate: Estimate,
    models: list[Array],
    given: Bread,
) -> tuple[Array, float]:
    """sum_j w_j^2 sigma_j^2 sum_kl rho_j(k - l) W_j(k)^T W_j(l), and by how much equations count less."""
    longest = max(len(rows.y) for rows in problem.rows)
    memories = [autocorrelation(model, lags_of(longest)) for model in models]

    def of_recording(rows: Rows) -> tuple[Array, float]:
        middle, inflation = np.zeros((len(given.free), len(given.free))), 1.0
        for j, memory in enumerate(memories):
            w, use = rows.w[:, j], rows.use[:, j]
            acting = np.flatnonzero(w[:, given.free].any(axis=0))
            x = np.where(use[:, None], w[:, given.free[acting]], 0.0)
            rho = memory[: lags_of(len(x)) + 1]
            half = np.empty_like(x)
            lagged_sums(x, np.concatenate([[0.5], rho[1:]]), half)
            product = x.T @ half
            towards = given.half[acting] * (estimate.weights[j] * estimate.noise[j])
            middle += towards.T @ (product + product.T) @ towards
            inflation = max(inflation, float(1.0 + 2.0 * rho[1:].sum()))
        return middle, inflation

    parts, inflations = zip(*in_threads(of_recording, problem.rows), strict=True)
    middle, inflation = np.sum(parts, axis=0), max(inflations)
    # Correlated noise follows the columns more than white noise does, and leaves that much less of itself behind.
    followed = (
        min(float(np.trace(middle)), 0.5 * problem.equations) if not estimate.informed else 0.0
    )
    return middle * max(1.0, estimate.freedom / (problem.equations - followed)), inflation


def lags_of(samples: int) -> int:
    """The most lags that so many samples can say something of."""
    return max(1, int(MOST_LAGS_SHARE * samples))


def _newey_west(
    problem: Problem,
    estimate: Estimate,
    given: Bread,
    lags: int | None,
) -> tuple[Array, int]:
    """Bartlett sums of the products of scores, and how many lags they took."""
    left = problem.residuals(estimate.values)
    scores = []
    for rows, e in zip(problem.rows, left, strict=True):
        weighted = np.nan_to_num(e) * estimate.weights
        scores.append(np.einsum("tjc,tj->tc", rows.w[..., given.free], weighted) @ given.half)
    longest = max(len(u) for u in scores)
    used = _andrews(scores, longest) if lags is None else min(lags, longest - 1)
    middle = np.zeros((len(given.free), len(given.free)))
    for u in scores:
        middle += u.T @ u
        for lag in range(1, min(used, len(u) - 1) + 1):
            product = (1.0 - lag / (used + 1.0)) * u[lag:].T @ u[:-lag]
            middle += product + product.T
    return middle * problem.equations / max(estimate.freedom, 1.0), used


def _andrews(scores: list[Array], longest: int) -> int:
    """1.1447 (alpha T)^(1/3) with alpha = 4 rho^2 / (1 - rho^2)^2, rho the largest first autocorrelation of a score."""
    total = sum(np.sum(u**2, axis=0) for u in scores)
    first = sum(np.sum(u[1:] * u[:-1], axis=0) for u in scores)
    rho = min(float(np.max(first / np.maximum(total, 1e-300))), 0.97)
    alpha = 4.0 * rho**2 / (1.0 - rho**2) ** 2
    return int(min(1.1447 * (alpha * longest) ** (1.0 / 3.0), MOST_LAGS_SHARE * longest))
