"""From the name of a method to a solver for the equations of a design.

Every method works on the columns the recordings can tell apart; a parameter the data say nothing about is left at
zero with the columns it depends on named, instead of stopping the whole fit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import NumericalError, UnknownNameError
from jointwise.estimators.bodies import Waypoint
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.problem import Problem
from jointwise.estimators.registry import estimator
from jointwise.experiments.design import Design
from jointwise.experiments.method_options import parsed

Array = NDArray[np.float64]
Solver = Callable[[Problem], Estimate]

FREE = ("ols", "wls", "huber", "liu", "kovincic", "kovincic_constrained", "maximum_likelihood")
"""Without bounds on single parameters, as their sources have them."""
SIMULATED = ("idim_iv", "didim", "cloe")
"""Compare the arm with its simulation, see `simulated`."""
METHODS = ("physical", "bounded", "ridge", *FREE, *SIMULATED)
INDEPENDENT = 1e-7
"""Share of a column, scaled to length one, that must be left beside the others to be told apart in recordings."""
MOST_INDEPENDENT = 1e-3
"""The largest such share that is asked for before a solver's refusal counts."""


def solver(
    method: str, design: Design, weights: Array | None = None, begin: Waypoint | None = None
) -> Solver:
    """The solver of this name, with its options, for a design.

    `weights` of the joints and a point to begin at, where a first fit has them.
    """
    method, options = checked(method)
    if method in ("physical", *SIMULATED):
        from jointwise.experiments.physical import physical_solver

        return physical_solver(design, weights=weights, begin=begin, **options)
    if method == "ridge":
        from jointwise.experiments.ridge_prior import ridge_solver

        return ridge_solver(design, **options)
    if method == "bounded":
        return lambda problem: on_independent(
            replace(problem, rows=()), lambda part: _bounded(part, design)
        )
    find = functools.partial(estimator(method), **options)
    return find if method == "kovincic" else lambda problem: on_independent(problem, find)


def checked(method: str) -> tuple[str, dict[str, Any]]:
    """Name and options of a method, refused where there is none of that name or without such options."""
    name, options = parsed(method)
    if name not in METHODS:
        raise UnknownNameError("method", name, METHODS)
    return name, dict(options)


def _bounded(part: Problem, design: Design) -> Estimate:
    return estimator("bounded")(
        part, nonnegative=[name for name in design.nonnegative if name in part.names]
    )


def on_independent(problem: Problem, find: Solver) -> Estimate:
    """Solve for the columns that can be told apart; the others are zero with zero covariance.

    Many columns that nearly follow from each other, such as springs of friction, can pass one by one and fail together,
    or with the weights the solver finds: then a larger share of each must be its own.
    """
    share = INDEPENDENT
    while True:
        kept = independent_places(problem, share)
        if not len(kept):
            raise NumericalError(
                "no parameter acts on the recorded torque; check that joints move and torque is recorded"
            )
        try:
            if len(kept) == problem.columns:
                return find(problem)
            part = find(problem.select([problem.names[k] for k in kept]))
            break
        except NumericalError:
            if share >= MOST_INDEPENDENT:
                raise
            share *= 10.0
    values, covariance = np.zeros(problem.columns), np.zeros((problem.columns, problem.columns))
    values[kept] = part.values
    covariance[np.ix_(kept, kept)] = part.covariance
    return replace(part, names=problem.names, values=values, covariance=covariance)


def independent_places(problem: Problem, share: float = INDEPENDENT) -> NDArray[np.int64]:
    """Columns in their order, without those that follow from the ones before; each joint weighs the same."""
    norms = problem.torque_norms
    weights = 1.0 / np.where(norms > 0.0, norms, 1.0) ** 2
    factor = problem.weighted_factor(weights)[:, :-1]
    lengths = np.linalg.norm(factor, axis=0)
    basis = np.zeros((len(factor), problem.columns))
    kept: list[int] = []
    for k in np.flatnonzero(lengths > 0.0):
        left = factor[:, k] / lengths[k]
        for _ in range(2):
            left = left - basis[:, : len(kept)] @ (basis[:, : len(kept)].T @ left)
        size = float(np.linalg.norm(left))
        if size > share:
            basis[:, len(kept)] = left / size
            kept.append(int(k))
    return np.array(kept, dtype=np.int64)


def hidden_parameters(problem: Problem) -> dict[str, str]:
    """Parameters the data cannot tell apart, each with what it follows from."""
    kept = independent_places(problem)
    factor = problem.weighted_factor(np.ones(problem.joints))[:, :-1]
    out = {}
    for k in sorted(set(range(problem.columns)) - set(kept.tolist())):
        name, column = problem.names[k], factor[:, k]
        if not column.any():
            out[name] = "nothing in these recordings depends on it; move its joint"
            continue
        mix = np.linalg.lstsq(factor[:, kept], column, rcond=None)[0]
        share = np.abs(mix) * np.linalg.norm(factor[:, kept], axis=0)
        others = [
            problem.names[kept[i]] for i in np.argsort(-share) if share[i] > 0.05 * share.max()
        ]
        out[name] = f"acts only together with {', '.join(others[:4])}"
    return out


def standard_parameters(design: Design, estimate: Estimate) -> Array:
    """Standard parameters of bodies that can exist, behind an estimate or as close to it as bodies come."""
    from jointwise.estimators.physical import PhysicalEstimate
    from jointwise.experiments.physical import nearest_bodies

    if isinstance(estimate, PhysicalEstimate):
        return estimate.standard
    return nearest_bodies(design, estimate)
