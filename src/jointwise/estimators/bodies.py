"""From standard parameters with names to the coordinates of the interior-point method, and back. Spec 02.10."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError, ShapeError, UnknownNameError
from jointwise.estimators.barrier import SYMMETRIC, Cone, Point, coordinates, minimise
from jointwise.estimators.pseudo_inertia import inertial_parameters, link_places, pseudo_inertia
from jointwise.robot.independent import column_indices, qr_factor

Array = NDArray[np.float64]

REGULARISATIONS = ("entropic", "euclidean")
WEAK = 1e4
"""Standard deviations of the data: reach of the pull on a parameter without a prior, there only to make it unique."""
LEAST_DEFINITE = 1e-9
"""Smallest eigenvalue of a prior, each axis scaled to one: below, the prior itself is not a body."""
THIN = 1e-3
"""Smallest eigenvalue of a link beside its prior: below, the data push the link to the border of what can exist."""
HELD = 0.5
"""Share of the barrier in what is known about a parameter: above, the bound holds it and not the data."""


class Bodies(NamedTuple):
    """What is asked for: standard parameters, their prior, and the conditions on them."""

    names: tuple[str, ...]
    matrix: Array
    """(problem columns, standard parameters)"""
    prior: Array
    nonnegative: tuple[str, ...] | None
    """None for all that are not of a link"""
    regularisation: str
    spread: float
    reach: Array | None = None
    """standard deviations of what is not of a link, NaN where the spread alone counts"""

    def reaching(self, reach: ArrayLike) -> Bodies:
        """With standard deviations for parameters that are not of links."""
        given = np.array(reach, dtype=np.float64)
        if given.shape != (len(self.names),):
            raise ShapeError("reach", f"shape {given.shape}", f"{len(self.names)} values")
        if (given <= 0.0).any():
            raise ParameterError("reach", float(np.nanmin(given)), "above 0, or NaN for none")
        return self._replace(reach=given)


class Fitted(NamedTuple):
    """Standard parameters that satisfy the conditions."""

    gamma: Array
    half: Array
    """covariance of gamma = half half^T, that of Bayes"""
    active: tuple[str, ...]
    thin_links: tuple[str, ...]
    steps: int
    converged: bool
    waypoint: Waypoint


class Waypoint(NamedTuple):
    """A point on the path of the interior-point method, in units that do not depend on the data."""

    links: Array
    others: Array
    z_links: Array
    z_others: Array
    mu: float


def bodies(
    columns: int,
    names: Sequence[str],
    matrix: ArrayLike | None,
    prior: ArrayLike,
    nonnegative: Iterable[str] | None,
    regularisation: str,
    spread: float,
) -> Bodies:
    """Checked; `columns` is the number of parameters the data see."""
    grouping = np.eye(columns) if matrix is None else np.asarray(matrix, dtype=np.float64)
    if grouping.shape != (columns, len(names)):
        raise ShapeError("matrix", f"shape {grouping.shape}", f"shape {(columns, len(names))}")
    given = np.array(prior, dtype=np.float64)
    if given.shape != (len(names),):
        raise ShapeError("prior", f"shape {given.shape}", f"{len(names)} values, one a parameter")
    if regularisation not in REGULARISATIONS:
        raise UnknownNameError("regularisation", regularisation, REGULARISATIONS)
    if not 0.0 < spread < np.inf:
        raise ParameterError("spread", spread, "above 0 and finite")
    held = None if nonnegative is None else tuple(nonnegative)
    return Bodies(tuple(names), grouping, given, held, regularisation, float(spread))


def fit_bodies(given: Bodies, factor: Array, begin: Waypoint | None = None) -> Fitted:
    """The minimum for the factor R of [W y], rows in units of their noise; `begin` on the way of much the same."""
    links = link_places(given.names)
    inside = {k for places in links.values() for k in places}
    others = [k for k in range(len(given.names)) if k not in inside]
    count = 10 * len(links)
    w = factor[:, :-1] @ given.matrix
    change = np.zeros((len(given.names), len(given.names)))
    for i, (label, places) in enumerate(links.items()):
        change[places, 10 * i : 10 * i + 10] = _link_change(label, given.prior[places])
    lengths = np.linalg.norm(w[:, others], axis=0)
    scale = 1.0 / np.where(lengths > 0.0, lengths, 1.0)
    change[others, range(count, len(given.names))] = scale
    cone, start = _cone(given, len(links), others, scale)
    if begin is not None:
        x = np.concatenate([begin.links, begin.others / scale])
        start = Point(x, begin.z_links, begin.z_others * scale, begin.mu)
    reduced = qr_factor(np.column_stack([w @ change, factor[:, -1]]))[: len(change)]
    found = minimise(reduced[:, :-1], reduced[:, -1], cone, start)
    inverse = np.linalg.solve(found.hessian_root, np.eye(len(change)))
    distance = np.where(cone.positive, found.x[count:], 1.0)
    held = np.sum(inverse[count:] ** 2, axis=1) * found.multipliers / distance > HELD
    x = found.x.copy()
    x[count:][held] = 0.0
    return Fitted(
        gamma=change @ x,
        half=change @ inverse,
        active=tuple(given.names[k] for k, h in zip(others, held, strict=True) if h),
        thin_links=tuple(label for i, label in enumerate(links) if _thin(x[10 * i : 10 * i + 10])),
        steps=found.steps,
        converged=found.converged,
        waypoint=Waypoint(
            found.waypoint.x[:count],
            found.waypoint.x[count:] * scale,
            found.waypoint.z_links,
            found.waypoint.z_others / scale,
            found.waypoint.mu,
        ),
    )


def _cone(given: Bodies, links: int, others: list[int], scale: Array) -> tuple[Cone, Array | Point]:
    """The conditions in scaled coordinates, and the prior as a start inside them."""
    wanted = given.nonnegative
    held = others if wanted is None else column_indices(wanted, given.names)
    for k in held:
        if k not in others:
            raise ParameterError("nonnegative", given.names[k], "a rotor inertia or friction name")
    known = given.prior[others]
    center = np.where(np.isfinite(known), known, 0.0) / scale
    positive = np.array([k in held for k in others], dtype=bool)
    reach = np.where(center != 0.0, given.spread * np.abs(center), WEAK)
    if given.reach is not None:
        stated = given.reach[others] / scale
        reach = np.where(np.isfinite(stated), np.minimum(stated, WEAK), reach)
    cone = Cone(
        links=links,
        strength=given.spread**-2,
        entropic=given.regularisation == "entropic",
        center=center,
        reach=reach,
        positive=positive,
    )
    begin = np.where(positive, np.maximum(center, 1.0), center)
    return cone, np.concatenate([np.tile(coordinates(np.eye(4)), links), begin])


def _link_change(label: str, prior: Array) -> Array:
    """(10, 10): inertial parameters from coordinates of X, P = L X L^T with P0 = L L^T."""
    if not is_body(prior):
        raise ParameterError(
            f"prior of link {label}",
            np.round(prior, 6).tolist(),
            "that of a body with mass and volume",
            "generic_link makes one from the size of the arm",
        )
    root = np.linalg.cholesky(pseudo_inertia(prior))
    return inertial_parameters(root @ SYMMETRIC @ root.T).T


def is_body(gamma: ArrayLike) -> bool:
    """Whether ten inertial parameters are those of a body with mass and volume."""
    p = pseudo_inertia(gamma)
    size = np.sqrt(np.maximum(np.diag(p), 0.0))
    if not np.isfinite(p).all() or not (size > 0.0).all():
        return False
    return bool(np.linalg.eigvalsh(p / np.outer(size, size))[0] >= LEAST_DEFINITE)


def _thin(x: Array) -> bool:
    return bool(np.linalg.eigvalsh(np.tensordot(x, SYMMETRIC, axes=1))[0] < THIN)
