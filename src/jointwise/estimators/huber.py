"""Iteratively reweighted least squares after Huber: single bad samples lose their pull. Spec 07.9.

    weight of an equation = min(1, c sigma_j / |e|),  c = 1.345

Residuals within c standard deviations count as in least squares, others by their size only. sigma_j is the scale
of the joint, 1.4826 times the median of |e|, which outliers do not move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.estimators.estimate import CONVERGED, STOPPED, Estimate
from jointwise.estimators.problem import Problem
from jointwise.estimators.solve import (
    freedom_of,
    inverse_variances,
    require_freedom,
    solve_factor,
)
from jointwise.robot.independent import qr_factor, triangular_factor

Array = NDArray[np.float64]

MEDIAN_TO_STD = 1.4826
"""Standard deviation of a normal distribution over its median absolute value."""
SMALLEST_CHANGE = 1e-10
"""Of the fitted torque, in its noise: a smaller step ends the iteration."""
MOST_ITERATIONS = 200


def huber(problem: Problem, *, c: float = 1.345) -> Estimate:
    """Huber's M-estimator with a scale per joint; needs the rows.

    The covariance is Huber's: with psi the clipped residual and m_j the share not clipped, A^-1 B A^-1,
    A = sum m_j W_j^T W_j / sigma_j^2 and B = sum mean(psi^2) W_j^T W_j / sigma_j^2.
    """
    if not c > 0.0:
        raise ParameterError("c", c, "above 0")
    problem.require_rows("huber")
    require_freedom(problem)
    stacks = [_stack(problem, j) for j in range(problem.joints)]
    values = solve_factor(problem.weighted_factor(np.ones(problem.joints)), problem.names).values
    status, iterations = STOPPED, 0
    while status == STOPPED and iterations < MOST_ITERATIONS:
        iterations += 1
        scale = _scale(problem, stacks, values)
        factor = _factor(stacks, values, scale, c)
        new = solve_factor(factor, problem.names).values
        step = float(np.linalg.norm(factor[: len(new), : len(new)] @ (new - values)))
        values = new
        if step <= SMALLEST_CHANGE * np.sqrt(problem.equations):
            status = CONVERGED
    return _estimate(problem, stacks, values, c, status, iterations)


def _stack(problem: Problem, joint: int) -> Array:
    """[W_j y_j] of all recordings."""
    parts = [
        np.column_stack([r.w[r.use[:, joint], joint], r.y[r.use[:, joint], joint]])
        for r in problem.rows
    ]
    return np.concatenate(parts)


def _scale(problem: Problem, stacks: list[Array], values: Array) -> Array:
    """Robust standard deviation of the residual of each joint, never nothing."""
    towards = np.append(-values, 1.0)
    spreads = [float(np.median(np.abs(s @ towards))) if len(s) else 0.0 for s in stacks]
    scale = MEDIAN_TO_STD * np.array(spreads)
    return np.asarray(1.0 / np.sqrt(inverse_variances(problem, scale)))


def _factor(stacks: list[Array], values: Array, scale: Array, c: float) -> Array:
    """R of all equations divided by the scale of their joint and weighed by their residual."""
    towards = np.append(-values, 1.0)
    parts = []
    for stack, sigma in zip(stacks, scale, strict=True):
        size = np.abs(stack @ towards)
        weight = np.minimum(1.0, c * sigma / np.maximum(size, 1e-300))
        parts.append(triangular_factor(stack * (np.sqrt(weight) / sigma)[:, None]))
    return qr_factor(np.concatenate(parts))


def _estimate(
    problem: Problem, stacks: list[Array], values: Array, c: float, status: str, iterations: int
) -> Estimate:
    scale = _scale(problem, stacks, values)
    towards = np.append(-values, 1.0)
    share, power = np.ones(problem.joints), np.ones(problem.joints)
    for j, (stack, freedom) in enumerate(zip(stacks, require_freedom(problem), strict=True)):
        standard = stack @ towards / scale[j]
        if len(standard):
            share[j] = max(float(np.mean(np.abs(standard) <= c)), 1.0 / len(standard))
            power[j] = float(np.sum(np.clip(standard, -c, c) ** 2)) / freedom
    bread = problem.weighted_factor(share / scale**2)
    inverse = solve_factor(bread, problem.names).inverse
    columns = problem.joint_factors[:, :, :-1] @ (inverse @ inverse.T)
    half = (columns * (np.sqrt(power) / scale)[:, None, None]).reshape(-1, problem.columns)
    return Estimate(
        method="huber",
        names=problem.names,
        values=values,
        covariance=half.T @ half,
        weights=1.0 / scale**2,
        noise=scale,
        equations=problem.equations,
        freedom=freedom_of(problem, problem.columns),
        status=status,
        iterations=iterations,
        clipped=True,
    )
