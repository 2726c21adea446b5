"""The physically consistent fit: every link a body that can exist, no friction that pushes. Spec 02.10, 07.9.

    min  sum_j |y_j - W_j M gamma|^2 / sigma_j^2  +  pull towards the prior
    subject to  P_i(gamma_i) positive definite for every link, gamma_k >= 0 for rotor inertias and friction

over the standard parameters gamma, of which the data see M gamma only. The pull decides what the data leave open:
per link the divergence of its pseudo-inertia from the prior's (Lee, Wensing and Park 2020), or the squared distance
in the coordinates in which the prior is the identity. Both mean: `spread` is the relative standard deviation of the
prior. Spread 1 says that a mass is known to about its own size and weighs as little as one such measurement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError, ShapeError
from jointwise.estimators.bodies import Bodies, Fitted, Waypoint, bodies, fit_bodies
from jointwise.estimators.estimate import CONVERGED, STOPPED, Estimate
from jointwise.estimators.problem import Problem
from jointwise.estimators.pseudo_inertia import link_places
from jointwise.estimators.solve import require_freedom, settled_weights, shortest

Array = NDArray[np.float64]

NOTHING_LEFT = 1e-10
"""Beside the squares of the torque: less is the rounding of noise-free data."""
INDEPENDENT = 1e-6
"""Share of a column beside those before it, above which solving by the triangle loses nothing."""
FIRM = 1e-3
"""Of a standard deviation: how far the closest body may miss given base parameters for the sake of its prior."""
MOST_NAMES = 8
"""Of parameters held at zero, in a note."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PhysicalEstimate(Estimate):
    """Base parameters as `values`, and the standard parameters behind them."""

    standard_names: tuple[str, ...]
    standard: Array
    standard_covariance: Array
    """that of Bayes; what the data leave open has the spread of the prior"""
    rms_ratio: float
    """weighted residual beside that of the fit without any condition, 1 or more"""
    thin_links: tuple[str, ...]
    """links at the border of what can exist"""
    waypoint: Waypoint
    """a point on the way to the answer, from which that of much the same data is near"""

    def link(self, label: str | int) -> Array:
        """The ten inertial parameters of one link."""
        return self.standard[link_places(self.standard_names)[str(label)]]

    def standard_value(self, name: str) -> float:
        """The value of one standard parameter."""
        return float(self.standard[self.standard_names.index(name)])


def physical(
    problem: Problem,
    *,
    prior: ArrayLike,
    columns: Sequence[str] | None = None,
    matrix: ArrayLike | None = None,
    nonnegative: Iterable[str] | None = None,
    regularisation: str = "entropic",
    spread: float = 1.0,
    reach: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    begin: Waypoint | None = None,
) -> PhysicalEstimate:
    """The physically consistent estimate.

    `columns` names the standard parameters and `matrix` (problem columns, standard parameters) says how the problem's
    parameters follow from them, as in `BaseParameters`; without them the problem's columns are the standard
    parameters. `prior` holds one value per standard parameter; 0 or NaN outside links means none. `nonnegative`
    names what must not be negative; without it everything that is not of a link is. `reach` holds standard deviations
    of parameters that are not of links around their prior, or around zero; NaN where only `spread` says something.
    `weights` (joints,) are inverse variances where they are known already. `begin` is the `waypoint` of an estimate
    from much the same data, which saves steps and does not change the answer.
    """
    names = problem.names if columns is None else columns
    given = bodies(problem.columns, names, matrix, prior, nonnegative, regularisation, spread)
    if reach is not None:
        given = given.reaching(reach)
    known = settled_weights(problem) if weights is None else np.array(weights, dtype=np.float64)
    if known.shape != (problem.joints,) or not (known > 0.0).all():
        raise ShapeError("weights", f"shape {known.shape}", f"{problem.joints} numbers above 0")
    factor = problem.weighted_factor(known)
    return _estimate(problem, known, factor, given, fit_bodies(given, factor, begin))


def _estimate(
    problem: Problem, weights: Array, factor: Array, given: Bodies, found: Fitted
) -> PhysicalEstimate:
    values, base = given.matrix @ found.gamma, given.matrix @ found.half
    nothing = NOTHING_LEFT * float(np.sum(factor[:, -1] ** 2))
    squares = max(_squares(factor, values), nothing)
    decided = float(np.sum((factor[:, :-1] @ base) ** 2))
    size = len(given.names)
    notes = [f"the data decide {decided:.1f} of {size} directions, the prior the others"]
    notes += [f"link {label} is at the border of what a body can be" for label in found.thin_links]
    if found.active:
        named = list(found.active[:MOST_NAMES])
        if len(found.active) > MOST_NAMES:
            named.append(f"{len(found.active) - MOST_NAMES} more")
        notes.append(f"held at zero, below which they would not be physical: {', '.join(named)}")
    return PhysicalEstimate(
        method="physical",
        names=problem.names,
        values=values,
        covariance=base @ base.T,
        weights=weights,
        noise=np.sqrt(problem.squares(values) / require_freedom(problem)),
        equations=problem.equations,
        freedom=max(problem.equations - decided, 1.0),
        status=CONVERGED if found.converged else STOPPED,
        iterations=found.steps,
        active=found.active,
        informed=True,
        notes=tuple(notes),
        standard_names=given.names,
        standard=found.gamma,
        standard_covariance=found.half @ found.half.T,
        rms_ratio=float(np.sqrt(squares / max(_least_squares(factor), nothing))),
        thin_links=found.thin_links,
        waypoint=found.waypoint,
    )


def _least_squares(factor: Array) -> float:
    """Squares that are left without any condition: where all columns are independent, the last entry of the factor."""
    r = factor[:-1, :-1]
    if (np.abs(np.diag(r)) > INDEPENDENT * np.linalg.norm(r, axis=0)).all():
        return float(factor[-1, -1] ** 2)
    return _squares(factor, shortest(factor))


def _squares(factor: Array, values: Array) -> float:
    return float(np.sum((factor @ np.append(-values, 1.0)) ** 2))


@dataclass(frozen=True, eq=False, kw_only=True)
class ClosestBodies:
    """Standard parameters that can exist and come closest to given base parameters."""

    standard: Array
    values: Array
    """the base parameters they have"""
    moved: Array
    """how far each base parameter had to move, in its standard deviations"""
    active: tuple[str, ...]
    thin_links: tuple[str, ...]
    converged: bool

    @property
    def feasible(self) -> bool:
        """Whether the given base parameters are those of bodies, to a hundredth of a standard deviation."""
        return bool(self.converged and (np.abs(self.moved) < 0.01).all())


def closest_bodies(
    values: ArrayLike,
    covariance: ArrayLike,
    *,
    columns: Sequence[str],
    matrix: ArrayLike,
    prior: ArrayLike,
    nonnegative: Iterable[str] | None = None,
    spread: float = 1.0,
) -> ClosestBodies:
    """Of all bodies those with the base parameters closest to `values` in the metric of their covariance.

    Among bodies equally close, the ones closest to the prior.
    """
    beta, spreads = np.asarray(values, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
    if spreads.shape != (*beta.shape, *beta.shape) or beta.ndim != 1:
        raise ShapeError("covariance", f"shape {spreads.shape}", f"shape {(*beta.shape,) * 2}")
    std = np.sqrt(np.diag(spreads))
    if not (std > 0.0).all():
        raise ParameterError("variance", float(np.diag(spreads).min()), "above 0")
    try:
        root = np.linalg.cholesky(spreads / np.outer(std, std))
    except np.linalg.LinAlgError:
        raise ParameterError(
            "covariance", "not positive definite", "that of parameters which are all free"
        ) from None
    metric = np.linalg.solve(root, np.diag(1.0 / (FIRM * std)))
    given = bodies(len(beta), columns, matrix, prior, nonnegative, "entropic", spread)
    found = fit_bodies(given, np.column_stack([metric, metric @ beta]))
    reached = given.matrix @ found.gamma
    return ClosestBodies(
        standard=found.gamma,
        values=reached,
        moved=(reached - beta) / std,
        active=found.active,
        thin_links=found.thin_links,
        converged=found.converged,
    )
