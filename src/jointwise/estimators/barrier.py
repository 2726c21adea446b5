"""Least squares over bodies that can exist: an interior-point method for small convex problems. Spec 02.10.

    min 1/2 |A x - b|^2 + sum_i strength * pull(X_i) + 1/2 sum_k ((x_k - x0_k) / reach_k)^2
    subject to X_i positive definite, x_k >= 0 for chosen k

X_i is the pseudo-inertia of link i in the coordinates in which its prior is the identity, X = L^-1 P L^-T with
P0 = L L^T. The pull is tr X - log det X - 4, the divergence from the prior, or 1/2 |X - E|^2. Every term is convex, so
the answer does not depend on the start. With multipliers Z_i and z_k the minimum has

    A^T (A x - b) + pulls - Z = 0,   X_i Z_i = mu E,   x_k z_k = mu,   mu -> 0,

where the logarithm of the divergence lets mu of the links stop at the strength. Newton's steps on these conditions, the
second made symmetric by the scaling of Nesterov and Todd (1998), follow the answer while mu falls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.kernels.interior_point import (
    link_balance,
    link_terms,
    multiplier_changes,
    newton_step,
)
from jointwise.robot.independent import qr_factor

Array = NDArray[np.float64]

LAST_MU = 1e-9
"""Beside the squares that are left or one: nothing of it can be seen in the answer."""
FALLS = ((0.9, 0.05), (0.5, 0.3), (0.1, 0.8), (0.0, 1.0))
"""How far mu falls after a step of at least this length: a short step means that the border is too near."""
TO_BORDER = 0.9
"""Of the way to the border a step may go."""
BALANCE = 0.1
"""Of mu: a product of a multiplier and its distance from the border may not be less, or later steps creep."""
SHORTEST = 1e-6
UNBALANCED = 10
CENTRED = 0.1
"""Times mu: decrement squared of an answer."""
FINISHED = 1e-7
"""Or this: a third of a thousandth of a standard deviation from the minimum."""
MOST_STEPS = 1000
WAYPOINT = 1.0
"""The last point with a heavier mu is where the path of much the same problem may begin."""


class Cone(NamedTuple):
    """The problem without its data: links first, ten numbers each, then the others."""

    links: int
    strength: float
    entropic: bool
    center: Array
    """x0 of the others"""
    reach: Array
    """standard deviation of the pull towards it"""
    positive: NDArray[np.bool_]
    """which of the others must not be negative"""


class Optimum(NamedTuple):
    """Where the method ended."""

    x: Array
    hessian_root: Array
    """R with R^T R = Hessian of the objective and of what holds the conditions"""
    multipliers: Array
    """force of the bound on each of the others"""
    steps: int
    converged: bool
    waypoint: Point


class Point(NamedTuple):
    """On the path: parameters, multipliers, and what their products should be."""

    x: Array
    z_links: Array
    """(links, 4, 4)"""
    z_others: Array
    mu: float


def minimise(a: Array, b: Array, cone: Cone, start: Array | Point) -> Optimum:
    """Path following from a start whose bodies exist and whose bounded parameters are positive, or from a point."""
    point = start if isinstance(start, Point) else _first(a, b, cone, start)
    waypoint = point
    for steps in range(MOST_STEPS):
        slope, scalings, root = _system(a, b, cone, point)
        change = np.empty_like(slope)
        decrement = newton_step(root, slope, change)
        if not np.isfinite(decrement):
            break
        last = point.mu <= LAST_MU * max(1.0, 0.5 * float(np.sum((a @ point.x - b) ** 2)))
        if last and decrement <= max(FINISHED, CENTRED * point.mu):
            return Optimum(point.x, root, point.z_others, steps, True, waypoint)
        point, length, most = _moved(cone, point, change, scalings)
        if not last and most <= UNBALANCED:
            if point.mu >= WAYPOINT:
                waypoint = point
            fall = next(fall for least, fall in FALLS if length >= least)
            point = point._replace(mu=fall * point.mu)
    return Optimum(point.x, root, point.z_others, MOST_STEPS, False, waypoint)


def _first(a: Array, b: Array, cone: Cone, start: Array) -> Point:
    """The start, with mu as heavy as the squares there, so that the first minimum is near."""
    mu = max(1.0, 0.5 * float(np.sum((a @ start - b) ** 2)) / max(1, len(start)))
    others = start[10 * cone.links :]
    z_others = np.where(cone.positive, mu / np.where(cone.positive, others, 1.0), 0.0)
    return Point(start, np.asarray(mu * np.linalg.inv(_matrices(start, cone))), z_others, mu)


def _target(cone: Cone, mu: float) -> float:
    """X Z of the links."""
    return max(cone.strength, mu) if cone.entropic else mu


def _system(a: Array, b: Array, cone: Cone, point: Point) -> tuple[Array, Array, Array]:
    """Slope of the objective with the barrier of mu, G^-1 of each link, and the root of the scaled Hessian.

    W = G G^T is the scaling with W Z W = X; the Hessian of a link is W^-1 (.) W^-1.
    """
    links, first, size = cone.links, 10 * cone.links, len(point.x)
    mu = point.mu
    others = point.x[first:]
    slope = a.T @ (a @ point.x - b)
    scalings, blocks = np.empty((links, 4, 4)), np.empty((links, 10, 10))
    pull = np.array([cone.strength, 0.0] if cone.entropic else [-cone.strength, cone.strength])
    link_terms(point.x, point.z_links, pull, _target(cone, mu), slope, scalings, blocks)
    safe = np.where(cone.positive, others, 1.0)
    slope[first:] += (others - cone.center) / cone.reach**2
    slope[first:] -= np.where(cone.positive, mu / safe, 0.0)
    spring = 0 if cone.entropic else first
    stack = np.zeros((len(a) + size + spring, size))
    stack[: len(a)] = a
    rows = stack[len(a) :]
    for i, block in enumerate(blocks):
        rows[10 * i : 10 * i + 10, 10 * i : 10 * i + 10] = block
    tail = np.arange(first, size)
    rows[tail, tail] = np.sqrt(1.0 / cone.reach**2 + point.z_others / safe)
    if spring:
        rows[size:, :first] = np.sqrt(cone.strength) * np.eye(first)
    return slope, scalings, qr_factor(stack)


def _moved(cone: Cone, point: Point, change: Array, scalings: Array) -> tuple[Point, float, float]:
    """The point after a step that stays inside, the length of the step, and how unbalanced the point is."""
    first, held, mu = 10 * cone.links, cone.positive, point.mu
    others, d_others = point.x[first:], change[first:]
    dzs = np.empty_like(point.z_links)
    room = multiplier_changes(point.x, point.z_links, change, scalings, _target(cone, mu), dzs)
    safe = np.where(held, others, 1.0)
    dz = np.where(held, (mu - point.z_others * d_others) / safe - point.z_others, 0.0)
    length = min(
        1.0,
        TO_BORDER * room,
        TO_BORDER * _room(others[held], d_others[held]),
        TO_BORDER * _room(point.z_others[held], dz[held]),
    )
    while True:
        after = Point(
            point.x + length * change,
            point.z_links + length * dzs,
            point.z_others + length * dz,
            mu,
        )
        least, most = _balance(cone, after)
        if length < SHORTEST or least >= BALANCE:
            return after, length, most
        length *= 0.7


def _balance(cone: Cone, point: Point) -> tuple[float, float]:
    """The smallest and largest eigenvalue of X Z and product x z beside what they should be."""
    held = cone.positive
    products = point.x[10 * cone.links :][held] * point.z_others[held] / point.mu
    least, most = link_balance(point.x, point.z_links, _target(cone, point.mu))
    return float(products.min(initial=least)), float(products.max(initial=most))


def _room(values: Array, changes: Array) -> float:
    """How many times the changes fit before a value ceases to be positive."""
    least = float((changes / values).min(initial=0.0))
    return -1.0 / least if least < 0.0 else float("inf")


def _matrices(x: Array, cone: Cone) -> Array:
    return np.asarray(np.tensordot(x[: 10 * cone.links].reshape(-1, 10), SYMMETRIC, axes=1))


def coordinates(matrix: Array) -> Array:
    """Ten coordinates of symmetric 4 x 4 matrices; lengths are Frobenius norms."""
    return np.asarray(np.tensordot(matrix, SYMMETRIC, axes=([-2, -1], [1, 2])))


def _symmetric_basis() -> Array:
    out = np.zeros((10, 4, 4))
    pairs = [(i, j) for i in range(4) for j in range(i, 4)]
    for k, (i, j) in enumerate(pairs):
        out[k, i, j] = out[k, j, i] = 1.0 if i == j else np.sqrt(0.5)
    return out


SYMMETRIC = _symmetric_basis()
"""(10, 4, 4): an orthonormal basis of symmetric matrices."""
