"""Least squares drawn towards a prior: what the recording cannot tell stays where the prior has it. Spec 07.9.

    min sum_j |y_j - W_j gamma|^2 / sigma_j^2  +  strength * sum_k ((gamma_k - prior_k) / prior_std_k)^2

With strength 1 and normal noise this is the Bayesian answer to a prior of these standard deviations. The strength
can be chosen by the data instead: by leaving out one recording after the other, or by generalised cross-validation
(Golub, Heath and Wahba 1979).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError, ShapeError, UnknownNameError
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.problem import Problem
from jointwise.estimators.solve import require_freedom, settled_weights
from jointwise.robot.independent import qr_factor

Array = NDArray[np.float64]

CHOICES = ("leave-one-recording-out", "gcv")
STRENGTHS = np.logspace(-8.0, 8.0, 65)
"""Tried by cross-validation: four a decade."""


class _Scaled(NamedTuple):
    """The problem in units of the prior: y - W prior = (W D) x with x = (gamma - prior) / prior_std."""

    factors: Array
    """(recordings, columns + 1, columns + 1): weighted, R of [W D, y - W prior]"""
    equations: NDArray[np.int64]


def ridge(
    problem: Problem,
    *,
    prior: ArrayLike,
    prior_std: ArrayLike,
    strength: float | str = 1.0,
) -> Estimate:
    """Ridge regression to a prior; `strength` is a number, "leave-one-recording-out" or "gcv".

    The covariance is that of Bayes, (A + strength D^-2)^-1 with D = diag(prior_std): it covers the distance from the
    truth if the prior is as good as it says.
    """
    start, std = _prior(problem, prior, prior_std)
    weights = settled_weights(problem)
    scaled = _scaled(problem, weights, start, std)
    chosen = _chosen(scaled, strength)
    x, inverse = _solve(_stack(scaled.factors), chosen)
    half = std[:, None] * inverse
    values = start + std * x
    hat = problem.columns - chosen * float(np.sum(inverse**2))
    return Estimate(
        method="ridge",
        names=problem.names,
        values=values,
        covariance=half @ half.T,
        weights=weights,
        noise=np.sqrt(problem.squares(values) / require_freedom(problem)),
        equations=problem.equations,
        freedom=max(problem.equations - hat, 1.0),
        informed=True,
        notes=(
            f"drawn towards a prior with strength {chosen:.3g}; "
            f"the data decide {hat:.1f} of {problem.columns} directions",
        ),
    )


def _prior(problem: Problem, prior: ArrayLike, prior_std: ArrayLike) -> tuple[Array, Array]:
    start = np.array(prior, dtype=np.float64)
    std = np.array(np.broadcast_to(np.asarray(prior_std, dtype=np.float64), start.shape))
    for name, array in (("prior", start), ("prior_std", std)):
        if array.shape != (problem.columns,) or not np.isfinite(array).all():
            got = f"shape {array.shape}"
            raise ShapeError(name, got, f"{problem.columns} finite numbers, one per parameter")
    if not (std > 0.0).all():
        raise ParameterError("prior_std", float(std.min()), "above 0")
    return start, std


def _scaled(problem: Problem, weights: Array, start: Array, std: Array) -> _Scaled:
    change = np.eye(problem.columns + 1)
    change[:-1, :-1] = np.diag(std)
    change[:-1, -1] = -start
    roots = np.sqrt(weights)[None, :, None, None]
    pieces = problem.factors @ change * roots
    owners = range(len(problem.recordings))
    factors = np.array([_stack(pieces[problem.recording == r]) for r in owners])
    counts = [int(problem.counts[problem.recording == r].sum()) for r in owners]
    return _Scaled(factors, np.array(counts, dtype=np.int64))


def _stack(factors: Array) -> Array:
    return qr_factor(factors.reshape(-1, factors.shape[-1]))


def _solve(factor: Array, strength: float) -> tuple[Array, Array]:
    """Solution and R^-1 of the factor with strength * |x|^2 added."""
    count = factor.shape[1] - 1
    below = np.concatenate([np.sqrt(strength) * np.eye(count), np.zeros((count, 1))], axis=1)
    r = qr_factor(np.concatenate([factor, below]))
    inverse = np.asarray(np.linalg.solve(r[:count, :count], np.eye(count)), dtype=np.float64)
    return inverse @ r[:count, count], inverse


def _chosen(scaled: _Scaled, strength: float | str) -> float:
    if isinstance(strength, str):
        if strength not in CHOICES:
            raise UnknownNameError("way to choose the strength", strength, CHOICES)
        score = _left_out if strength == CHOICES[0] else _generalised
        return float(STRENGTHS[int(np.argmin(score(scaled)))])
    if not 0.0 < strength < np.inf:
        raise ParameterError("strength", strength, "above 0 and finite, or a way to choose it")
    return float(strength)


def _left_out(scaled: _Scaled) -> Array:
    """Squares left in each recording by the fit to all others, summed; one entry per strength."""
    count = len(scaled.factors)
    if count < 2:
        raise ParameterError(
            "recordings", count, "2 or more to leave one out", 'choose strength="gcv" or a number'
        )
    total = np.zeros(len(STRENGTHS))
    for r in range(count):
        others = _stack(np.delete(scaled.factors, r, axis=0))
        for k, x in enumerate(_path(others)):
            total[k] += np.sum((scaled.factors[r] @ np.append(-x, 1.0)) ** 2)
    return total


def _generalised(scaled: _Scaled) -> Array:
    """Residual squares over (equations - effective parameters)^2."""
    factor = _stack(scaled.factors)
    equations = int(scaled.equations.sum())
    singular = np.linalg.svd(factor[:-1, :-1], compute_uv=False)
    scores = []
    for strength, x in zip(STRENGTHS, _path(factor), strict=True):
        squares = np.sum((factor @ np.append(-x, 1.0)) ** 2)
        effective = np.sum(singular**2 / (singular**2 + strength))
        scores.append(squares / (equations - effective) ** 2)
    return np.array(scores)


def _path(factor: Array) -> list[Array]:
    """Solutions for all strengths from one singular value decomposition."""
    left, singular, right = np.linalg.svd(factor[:-1, :-1])
    along = left.T @ factor[:-1, -1]
    return [right.T @ (singular * along / (singular**2 + s)) for s in STRENGTHS]
