"""Kovincic's two solutions: the pseudo-inverse, and least squares with all parameters positive. Spec 07.7, K(17)-(21).

All equations count the same. The standard deviations carry the residual factor that K(21) lacks.
"""

from __future__ import annotations

import numpy as np

from jointwise.errors import ParameterError
from jointwise.estimators.bounded import within_bounds
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.problem import Problem
from jointwise.estimators.solve import SMALLEST_SHARE, freedom_of, require_freedom, spread


def kovincic(problem: Problem, *, smallest_share: float = SMALLEST_SHARE) -> Estimate:
    """The pseudo-inverse solution K(20): of all least-squares solutions the shortest, columns scaled to length one.

    Directions with a singular value below `smallest_share` of the largest are left at zero, with a note; their
    standard deviation says nothing about them.
    """
    if not 0.0 < smallest_share < 1.0:
        raise ParameterError("smallest_share", smallest_share, "above 0 and below 1")
    factor = problem.weighted_factor(np.ones(problem.joints))
    r, z = factor[: problem.columns, :-1], factor[: problem.columns, -1]
    lengths = np.linalg.norm(r, axis=0)
    lengths = np.where(lengths > 0.0, lengths, 1.0)
    left, singular, right = np.linalg.svd(r / lengths)
    rank = int(np.count_nonzero(singular > smallest_share * singular[0])) if len(singular) else 0
    inverse = (right[:rank].T / singular[:rank]) / lengths[:, None]
    values = inverse @ (left[:, :rank].T @ z)
    noise = np.sqrt(problem.squares(values) / require_freedom(problem, rank))
    open_directions = problem.columns - rank
    note = (
        f"{open_directions} of {problem.columns} directions have no influence on the data and "
        "were left at zero: values of single parameters mean nothing by themselves",
    )
    return Estimate(
        method="kovincic",
        names=problem.names,
        values=values,
        covariance=spread(problem, inverse, np.ones(problem.joints), noise),
        weights=np.ones(problem.joints),
        noise=noise,
        equations=problem.equations,
        freedom=freedom_of(problem, rank),
        notes=note if open_directions else (),
    )


def kovincic_constrained(problem: Problem) -> Estimate:
    """Least squares with every parameter positive, sensible only for K's vector of 33; spec 02.10."""
    low, high = np.zeros(problem.columns), np.full(problem.columns, np.inf)
    return within_bounds(problem, np.ones(problem.joints), low, high, "kovincic_constrained")
