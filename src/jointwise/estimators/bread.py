"""The part that all corrections for correlated residuals share: how an estimate answers a score.

A small score u moves the parameters by H H^T u, with H H^T = (W^T G W)^-1 for least squares and the covariance of Bayes
where a prior has a part. If B is the true covariance of the score, that of the parameters is

    H (H^T B H + I - H^T W^T G W H) H^T

in which the last two terms are the share of the prior, nothing for least squares.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import NumericalError, ParameterError
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.problem import Problem
from jointwise.estimators.solve import solve_factor
from jointwise.robot.independent import qr_factor

Array = NDArray[np.float64]


class Bread(NamedTuple):
    """H for the parameters that are not held at a bound."""

    free: NDArray[np.int64]
    half: Array
    prior_share: Array
    """I - H^T W^T G W H"""


def bread(problem: Problem, estimate: Estimate) -> Bread:
    """H of an estimate; refuses one whose scores are not those of weighted squares."""
    if estimate.names != problem.names:
        raise ParameterError("names", ", ".join(estimate.names), "those of the problem")
    if estimate.clipped:
        raise ParameterError(
            "estimate",
            estimate.method,
            "one of weighted squares: it gives single samples less weight",
            "use wls or maximum_likelihood where residuals are correlated",
        )
    free = np.flatnonzero(np.diag(estimate.covariance) > 0.0)
    if not len(free):
        raise NumericalError("every parameter is at a bound, so there is no spread to correct")
    factor = qr_factor(problem.weighted_factor(estimate.weights)[:, [*free, -1]])
    if not estimate.informed:
        names = tuple(problem.names[k] for k in free)
        inverse = solve_factor(factor, names).inverse
        return Bread(free, inverse, np.zeros((len(free), len(free))))
    std = estimate.std[free]
    values, vectors = np.linalg.eigh(estimate.covariance[np.ix_(free, free)] / np.outer(std, std))
    half = std[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
    seen = factor[:, :-1] @ half
    return Bread(free, half, np.eye(len(free)) - seen.T @ seen)


def widened(problem: Problem, given: Bread, middle: Array) -> Array:
    """The covariance of all parameters from H^T B H; zero for those at a bound."""
    covariance = given.half @ (middle + given.prior_share) @ given.half.T
    out = np.zeros((problem.columns, problem.columns))
    out[np.ix_(given.free, given.free)] = 0.5 * (covariance + covariance.T)
    return out
