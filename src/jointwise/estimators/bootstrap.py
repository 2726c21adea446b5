"""Block bootstrap: the spread of an estimate over data drawn again from the data, in pieces of time. Spec 07.4.

Pieces longer than the memory of the noise are drawn with replacement, each with all its joints, and the parameters
fitted again (Kuensch 1989, Davison and Hinkley 1997). Drawing whole recordings shows how much the parameters change
from motion to motion. Only factors are needed: each draw adds up the normal equations of its pieces, in coordinates
in which those of all data are about the identity, so nothing is lost to their squared condition number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import NumericalError, ParameterError, UnknownNameError
from jointwise.estimators.bread import Bread, bread, widened
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.problem import Problem

Array = NDArray[np.float64]

UNITS = ("pieces", "recordings")
LEAST_SHARE = 1e-3
"""Smallest eigenvalue of a draw's normal equations, one for all data: below, the draw lacks a direction."""
LARGEST_FAILED_SHARE = 0.05


def bootstrap(
    problem: Problem,
    estimate: Estimate,
    *,
    seed: int,
    replicates: int = 500,
    unit: str = "pieces",
) -> Estimate:
    """The same estimate with the covariance of weighted least squares over redrawn pieces or recordings."""
    if unit not in UNITS:
        raise UnknownNameError("unit of the bootstrap", unit, UNITS)
    if replicates < 10:
        raise ParameterError("replicates", replicates, "10 or more")
    given = bread(problem, estimate)
    owners = problem.recording if unit == "recordings" else np.arange(len(problem.recording))
    count = int(owners.max()) + 1
    if count < 2:
        raise ParameterError(unit, count, "2 or more to draw from")
    grams, scores = _pieces(problem, estimate, given, owners, count)
    draws = _draws(grams, scores, given.prior_share, replicates, np.random.default_rng(seed))
    if len(draws) < (1.0 - LARGEST_FAILED_SHARE) * replicates:
        raise NumericalError(
            f"{replicates - len(draws)} of {replicates} draws of {count} {unit} do not determine all parameters; "
            "use more and shorter pieces, or another correction"
        )
    away = draws - draws.mean(axis=0)
    middle = away.T @ away / (len(draws) - 1.0) * count / (count - 1.0)
    note = f"standard deviations from {len(draws)} draws of {count} {unit}"
    freedom = float(min(estimate.freedom, count - 1))
    return replace(
        estimate,
        covariance=widened(problem, given, middle),
        freedom=freedom,
        notes=(*estimate.notes, note),
    )


def redrawn(
    problem: Problem,
    fit: Callable[[Problem], Estimate],
    *,
    seed: int,
    replicates: int = 200,
) -> Array:
    """(replicates, columns): values of any estimator that factors are enough for, refitted to redrawn pieces.

    Slower than `bootstrap`, and right for bounds and physical conditions too, whose spread is not normal.
    """
    count = len(problem.recording)
    if count < 2:
        raise ParameterError("pieces", count, "2 or more to draw from")
    if replicates < 1:
        raise ParameterError("replicates", replicates, "1 or more")
    rng = np.random.default_rng(seed)
    return np.array(
        [fit(problem.drawn(rng.integers(0, count, count))).values for _ in range(replicates)]
    )


def _pieces(
    problem: Problem, estimate: Estimate, given: Bread, owners: NDArray[np.int64], count: int
) -> tuple[Array, Array]:
    """Normal equations and scores of each unit, H^T A H and H^T u."""
    size = len(given.free)
    blocks = problem.factors * np.sqrt(estimate.weights)[None, :, None, None]
    left = (blocks @ np.append(-estimate.values, 1.0)).reshape(len(owners), -1)
    turned = (blocks[..., given.free] @ given.half).reshape(len(owners), -1, size)
    grams, scores = np.zeros((count, size, size)), np.zeros((count, size))
    for owner, x, e in zip(owners, turned, left, strict=True):
        grams[owner] += x.T @ x
        scores[owner] += x.T @ e
    return grams, scores


def _draws(
    grams: Array, scores: Array, prior_share: Array, replicates: int, rng: np.random.Generator
) -> Array:
    """Steps from the estimate, in coordinates of H, of the draws that determine all parameters."""
    count, total = len(grams), scores.sum(axis=0)
    times = rng.multinomial(count, np.full(count, 1.0 / count), replicates).astype(np.float64)
    found = []
    for drawn in times:
        gram = np.tensordot(drawn, grams, axes=1) + prior_share
        if np.linalg.eigvalsh(gram)[0] > LEAST_SHARE:
            found.append(np.linalg.solve(gram, drawn @ scores - total))
    return np.array(found).reshape(-1, scores.shape[1])
