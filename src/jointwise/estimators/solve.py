"""Least squares from a triangular factor, and the covariance that goes with weights per joint. Spec 07.3-07.4."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import NumericalError, ParameterError
from jointwise.estimators.estimate import CONVERGED, Estimate
from jointwise.estimators.problem import Problem

Array = NDArray[np.float64]

SMALLEST_SHARE = 1e-10
"""Singular value, beside the largest, of a direction the data say nothing about; columns are scaled to length one."""
LARGEST_SHARE = 0.05
"""Of a direction of length one: entries above this name the parameters in it."""
FLOOR = 1e-7
"""Beside the torque of the joint: residuals below this count as this, so that noise-free data have finite weights."""

SETTLED = 1e-6
"""Relative change of the weights that no longer matters."""
MOST_PASSES = 50


class Solution(NamedTuple):
    """Minimum of the weighted squares, and the inverse of its triangular factor."""

    values: Array
    inverse: Array
    """R^-1 with W^T G W = R^T R"""


def solve_factor(factor: Array, names: tuple[str, ...]) -> Solution:
    """Least squares from the factor R of [W y]; refuses columns that are not independent and names them."""
    count = len(names)
    r, z = factor[:count, :count], factor[:count, count]
    lengths = np.linalg.norm(r, axis=0)
    zero = [n for n, length in zip(names, lengths, strict=True) if length == 0.0]
    if zero:
        raise NumericalError(
            f"parameter {', '.join(zero)} has no influence on this recording; leave it out, "
            "or record a motion that excites it"
        )
    scaled = r / lengths
    if count:
        _, singular, right = np.linalg.svd(scaled)
        if singular[-1] <= SMALLEST_SHARE * singular[0]:
            raise NumericalError(
                f"the data do not tell {dependent(right[-1], names)} apart; fit base parameters, "
                "give a prior, or record a motion that moves all joints"
            )
    inverse = np.linalg.solve(scaled, np.eye(count)) / lengths[:, None]
    return Solution(inverse @ z, inverse)


def dependent(direction: Array, names: tuple[str, ...]) -> str:
    """The parameters that take part in a direction, the first few by name."""
    share = np.abs(direction) / np.abs(direction).max()
    listed = [names[k] for k in np.argsort(-share) if share[k] > LARGEST_SHARE]
    more = f" and {len(listed) - 6} more" if len(listed) > 6 else ""
    return ", ".join(listed[:6]) + more


def joint_noise(problem: Problem, values: Array) -> Array:
    """Standard deviation of the residual of each joint, J2(20): sqrt(|y_j - W_j gamma|^2 / (M_j - b_j)).

    b_j counts the columns that are not zero for joint j.
    """
    return _noise(problem, values, require_freedom(problem))


def require_freedom(problem: Problem, rank: int | None = None) -> Array:
    """M_j - b_j of each joint, b_j at most `rank`; refuses a joint with fewer equations than parameters."""
    used = np.minimum(problem.used_columns, problem.columns if rank is None else rank)
    freedom = problem.joint_equations - used
    for j in np.flatnonzero((freedom <= 0) & (problem.joint_equations > 0)):
        raise ParameterError(
            f"equations of joint {j + 1}",
            int(problem.joint_equations[j]),
            f"more than the {int(used[j])} parameters that act on it",
            "record longer, and motions that move the joints",
        )
    return np.asarray(np.maximum(freedom, 1.0))


def _noise(problem: Problem, values: Array, freedom: Array) -> Array:
    return np.asarray(np.sqrt(problem.squares(values) / freedom))


def inverse_variances(problem: Problem, noise: Array) -> Array:
    """Weights 1/sigma_j^2; a residual of nothing but rounding counts as FLOOR of the torque."""
    typical = problem.torque_norms / np.sqrt(np.maximum(problem.joint_equations, 1))
    floor = FLOOR * np.where(typical > 0.0, typical, max(float(typical.max()), 1.0))
    return np.asarray(1.0 / np.maximum(noise, floor) ** 2)


def settled_weights(problem: Problem) -> Array:
    """Weights 1/sigma_j^2 repeated until the residual they lead to has these sigma_j.

    One pass from equal weights is not enough where joints differ much: the noise of a large joint moves the
    parameters it shares with a small one, whose residual then says nothing about its own noise. The residual is
    unique even where the parameters are not, so dependent columns do no harm.
    """
    weights = np.ones(problem.joints)
    freedom = require_freedom(problem)
    for _ in range(MOST_PASSES):
        values = shortest(problem.weighted_factor(weights))
        new = inverse_variances(problem, _noise(problem, values, freedom))
        settled = float(np.abs(new / weights - 1.0).max()) <= SETTLED
        weights = new
        if settled:
            break
    return weights


def shortest(factor: Array) -> Array:
    """Of all least-squares solutions the shortest, columns scaled to length one."""
    r, z = factor[:-1, :-1], factor[:-1, -1]
    lengths = np.linalg.norm(r, axis=0)
    lengths = np.where(lengths > 0.0, lengths, 1.0)
    return np.asarray(np.linalg.lstsq(r / lengths, z, rcond=SMALLEST_SHARE)[0] / lengths)


def spread(problem: Problem, inverse: Array, weights: Array, noise: Array) -> Array:
    """Covariance of weighted least squares whose joints have independent noise of standard deviation `noise`.

    A^-1 (sum_j w_j^2 sigma_j^2 W_j^T W_j) A^-1 with A = sum_j w_j W_j^T W_j. With w_j = 1/sigma_j^2 it is
    (W^T G W)^-1 and with equal noise sigma^2 (W^T W)^-1, the two forms of spec 07.4.
    """
    columns = problem.joint_factors[:, :, :-1] @ (inverse @ inverse.T)
    half = (columns * (weights * noise)[:, None, None]).reshape(-1, problem.columns)
    return np.asarray(half.T @ half)


def freedom_of(problem: Problem, parameters: int) -> float:
    """Equations less parameters."""
    left = problem.equations - parameters
    if left <= 0:
        raise ParameterError(
            "equations",
            problem.equations,
            f"more than the {parameters} parameters",
            "record longer, and motions that move the joints",
        )
    return float(left)


def weighted(
    problem: Problem,
    weights: Array,
    method: str,
    *,
    status: str = CONVERGED,
    iterations: int = 1,
    notes: tuple[str, ...] = (),
) -> Estimate:
    """Least squares with given weights per joint, its covariance from the residual of each joint."""
    freedom = freedom_of(problem, problem.columns)
    values, inverse = solve_factor(problem.weighted_factor(weights), problem.names)
    noise = joint_noise(problem, values)
    return Estimate(
        method=method,
        names=problem.names,
        values=values,
        covariance=spread(problem, inverse, weights, noise),
        weights=weights,
        noise=noise,
        equations=problem.equations,
        freedom=freedom,
        status=status,
        iterations=iterations,
        notes=notes,
    )
