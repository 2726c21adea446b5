"""Least squares over bodies that can exist: an interior-point method for small convex problems. Spec 02.10.

    min 1/2 |A x - b|^2 + sum_i strength * pull(X_i) + 1/2 sum_k ((x_k - x0_k) / reach_k)^2
    subject to X_i positive definite, x_k >= 0 for chosen k

X_i is the pseudo-inertia of link i in the coordinates in which its prior is the identity, X = L^-1 P L^-T with
P0 = L L^T. The pull is tr X - log det X - 4, the divergence from the prior, or 1/2 |X - E|^2. Every term is convex, so
the answer does not depend on the start. Newton's steps follow the minima of the objective plus mu times a
logarithmic barrier while mu falls to nothing (Boyd and Vandenberghe, Convex Optimization, chapter 11); the divergence
is a barrier by itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.robot.independent import qr_factor

Array = NDArray[np.float64]

FIRST_MU, LAST_MU, FALL = 1.0, 1e-9, 0.03
"""Of the barrier, beside an objective in squares of standard deviations: 1e-9 moves nothing that can be seen."""
CENTRED = 0.1
"""Times mu: decrement squared at which mu may fall."""
FINISHED = 1e-7
"""Decrement squared of an answer: a third of a thousandth of a standard deviation from the minimum."""
MOST_STEPS = 400
SMALLEST_STEP = 1e-12
SUFFICIENT = 0.1
"""Of the decrease the slope promises."""


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
    """R with R^T R = Hessian of the objective and the last barrier"""
    multipliers: Array
    """force of the barrier on each of the others"""
    steps: int
    converged: bool


def minimise(a: Array, b: Array, cone: Cone, start: Array) -> Optimum:
    """Path following from a start that lies inside."""
    x, mu, steps = start, FIRST_MU, 0
    while True:
        x, root, decrement, taken = _centre(a, b, cone, x, mu, MOST_STEPS - steps)
        steps += taken
        if mu <= LAST_MU or steps >= MOST_STEPS:
            break
        mu = max(LAST_MU, mu * FALL)
    others = x[10 * cone.links :]
    forces = np.where(cone.positive, mu / np.where(cone.positive, others, 1.0), 0.0)
    return Optimum(x, root, forces, steps, mu <= LAST_MU and decrement <= FINISHED)


def _centre(
    a: Array, b: Array, cone: Cone, x: Array, mu: float, most: int
) -> tuple[Array, Array, float, int]:
    """Newton's method for one mu: point, root of the Hessian there, decrement squared, steps taken."""
    steps = 0
    while True:
        gradient, roots = _barrier(x, cone, mu)
        root = qr_factor(np.concatenate([a, roots]))
        slope = a.T @ (a @ x - b) + gradient
        step = -_solve(root, slope)
        decrement = float(-slope @ step)
        if decrement <= CENTRED * mu or steps >= most:
            return x, root, decrement, steps
        size = _step_size(a, b, cone, x, step, mu, decrement)
        if size == 0.0:  # what is left of the decrement is rounding
            return x, root, decrement, steps
        x = x + size * step
        steps += 1


def _solve(root: Array, slope: Array) -> Array:
    """(R^T R)^-1 slope."""
    return np.asarray(np.linalg.solve(root, np.linalg.solve(root.T, slope)))


def _step_size(
    a: Array, b: Array, cone: Cone, x: Array, step: Array, mu: float, decrement: float
) -> float:
    """Backtracking until the point is inside and the objective falls as the slope promises."""
    here, residual, change = _value(x, cone, mu), a @ x - b, a @ step
    size = 1.0
    while size > SMALLEST_STEP:
        # The change of the squares is computed directly: the difference of two large sums would be rounding.
        data = size * float(change @ residual) + 0.5 * size**2 * float(change @ change)
        if data + _value(x + size * step, cone, mu) - here <= -SUFFICIENT * size * decrement:
            return size
        size *= 0.5
    return 0.0


def _value(x: Array, cone: Cone, mu: float) -> float:
    """Pulls and barrier; infinite outside."""
    xs, others = _matrices(x, cone), x[10 * cone.links :]
    held = others[cone.positive]
    if (held <= 0.0).any():
        return float("inf")
    total = 0.5 * float(np.sum(((others - cone.center) / cone.reach) ** 2))
    total -= mu * float(np.log(held).sum())
    if cone.links:
        eigenvalues = np.linalg.eigvalsh(xs)
        if eigenvalues[:, 0].min() <= 0.0:
            return float("inf")
        logs = np.log(eigenvalues)
        if cone.entropic:
            total += cone.strength * float((eigenvalues - 1.0 - logs).sum())
        else:
            total += 0.5 * cone.strength * float(((eigenvalues - 1.0) ** 2).sum())
            total -= mu * float(logs.sum())
    return total


def _barrier(x: Array, cone: Cone, mu: float) -> tuple[Array, Array]:
    """Gradient of pulls and barrier, and C with C^T C their Hessian."""
    size = len(x)
    gradient, roots = np.zeros(size), np.zeros((size, size))
    for i, matrix in enumerate(_matrices(x, cone)):
        part = slice(10 * i, 10 * i + 10)
        inverse = np.linalg.inv(matrix)
        logs = cone.strength if cone.entropic else mu
        slope = -logs * inverse
        slope = slope + cone.strength * (np.eye(4) if cone.entropic else matrix - np.eye(4))
        gradient[part] = np.tensordot(SYMMETRIC, slope)
        turned = inverse @ SYMMETRIC  # tr(X^-1 S_k X^-1 S_l)
        hessian = logs * np.einsum("kab,lba->kl", turned, turned)
        if not cone.entropic:
            hessian = hessian + cone.strength * np.eye(10)
        roots[part, part] = np.linalg.cholesky(hessian).T
    others = x[10 * cone.links :]
    inverse_held = np.where(cone.positive, 1.0 / np.where(cone.positive, others, 1.0), 0.0)
    gradient[10 * cone.links :] = (others - cone.center) / cone.reach**2 - mu * inverse_held
    tail = np.sqrt(1.0 / cone.reach**2 + mu * inverse_held**2)
    roots[range(10 * cone.links, size), range(10 * cone.links, size)] = tail
    return gradient, roots


def _matrices(x: Array, cone: Cone) -> Array:
    return np.asarray(np.tensordot(x[: 10 * cone.links].reshape(-1, 10), SYMMETRIC, axes=1))


def coordinates(matrix: Array) -> Array:
    """Ten coordinates of a symmetric 4 x 4 matrix; lengths are Frobenius norms."""
    return np.asarray(np.tensordot(matrix, SYMMETRIC, axes=([-2, -1], [1, 2])))


def _symmetric_basis() -> Array:
    out = np.zeros((10, 4, 4))
    pairs = [(i, j) for i in range(4) for j in range(i, 4)]
    for k, (i, j) in enumerate(pairs):
        out[k, i, j] = out[k, j, i] = 1.0 if i == j else np.sqrt(0.5)
    return out


SYMMETRIC = _symmetric_basis()
"""(10, 4, 4): an orthonormal basis of symmetric matrices."""
