"""Instrumental variables: least squares that noise in the regressor does not bias. Spec 07.9.

    gamma = (Z^T G W)^-1 Z^T G y

Positions are measured with noise, so W is noisy too, and least squares then leans towards zero. Instruments Z follow
the true regressor but not its noise: the regressor at simulated states (Janot, Vandanjon and Gautier 2014). Whether
least squares was wrong is decided by the test of Durbin, Wu and Hausman: if what of W the instruments do not explain
helps to explain y, then noise has come into W.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import NumericalError
from jointwise.estimators.estimate import CONVERGED, STOPPED, Estimate
from jointwise.estimators.problem import Problem
from jointwise.estimators.rows import checked_rows
from jointwise.estimators.solve import (
    MOST_PASSES,
    SETTLED,
    SMALLEST_SHARE,
    dependent,
    freedom_of,
    inverse_variances,
    require_freedom,
)
from jointwise.robot.independent import qr_factor

Array = NDArray[np.float64]

UNRELATED = 1e-6
"""Singular value, beside the largest, of the share of W the instruments explain: below, they do not explain it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class InstrumentalEstimate(Estimate):
    """The estimate and the test of Durbin, Wu and Hausman."""

    exogeneity_p_value: float
    """probability of so large a difference from least squares if W is free of noise; small: W is noisy"""
    tested_directions: int


def instrumental(
    z: ArrayLike | Sequence[ArrayLike],
    w: ArrayLike | Sequence[ArrayLike],
    y: ArrayLike | Sequence[ArrayLike],
    names: Sequence[str],
    *,
    use: ArrayLike | Sequence[ArrayLike] | None = None,
) -> InstrumentalEstimate:
    """Instruments, regressor and torque, each as `Problem.from_rows` takes them; weights per joint are iterated.

    Covariance (Z^T G W)^-1 Z^T G Z (W^T G Z)^-1 with G = 1/sigma_j^2.
    """
    problem = Problem.from_rows(names, w, y, use=use)
    both = _both(z, problem)
    freedom = require_freedom(problem)
    weights, status, passes = np.ones(problem.joints), STOPPED, 0
    while status == STOPPED and passes < MOST_PASSES:
        passes += 1
        values, half = _solve(both, weights, problem)
        noise = np.sqrt(problem.squares(values) / freedom)
        new = inverse_variances(problem, noise)
        status = CONVERGED if np.abs(new / weights - 1.0).max() <= SETTLED else STOPPED
        weights = new
    values, half = _solve(both, weights, problem)
    p_value, directions = _durbin_wu_hausman(both, weights, problem.equations)
    return InstrumentalEstimate(
        method="instrumental",
        names=problem.names,
        values=values,
        covariance=half @ half.T,
        weights=weights,
        noise=noise,
        equations=problem.equations,
        freedom=freedom_of(problem, problem.columns),
        status=status,
        iterations=passes,
        exogeneity_p_value=p_value,
        tested_directions=directions,
    )


def _both(z: ArrayLike | Sequence[ArrayLike], problem: Problem) -> Array:
    """(joints, 2 columns + 1, ...): R of [Z_j W_j y_j] over all recordings."""
    masks = [r.use for r in problem.rows]
    instruments = checked_rows(problem.names, z, [r.y for r in problem.rows], masks)
    names = tuple(f"{part} {n}" for part in ("instrument", "column") for n in problem.names)
    wide = [
        np.concatenate([i.w, r.w], axis=2) for i, r in zip(instruments, problem.rows, strict=True)
    ]
    stacked = Problem.from_rows(names, wide, [r.y for r in problem.rows], use=masks)
    return stacked.joint_factors


def _solve(both: Array, weights: Array, problem: Problem) -> tuple[Array, Array]:
    """(Z^T G W)^-1 Z^T G y from the factor of [Z W y], and half of the covariance."""
    count = problem.columns
    roots = np.sqrt(weights)[:, None, None]
    r = qr_factor((both * roots).reshape(-1, both.shape[2]))
    # Z = Q R_zz and Q^T W = R_zw: Z^T G W = R_zz^T R_zw, and R_zz drops out.
    share, target = r[:count, count : 2 * count], r[:count, 2 * count]
    lengths = np.linalg.norm(r[:, count : 2 * count], axis=0)
    scaled = share / np.where(lengths > 0.0, lengths, 1.0)
    _, singular, right = np.linalg.svd(scaled)
    instruments = np.linalg.norm(r[:count, :count], axis=0)
    own = np.linalg.svd(
        r[:count, :count] / np.where(instruments > 0.0, instruments, 1.0), compute_uv=False
    )
    if singular[-1] <= UNRELATED * singular[0] or own[-1] <= SMALLEST_SHARE * own[0]:
        raise NumericalError(
            f"the instruments do not explain {dependent(right[-1], problem.names)}; "
            "simulate the same motion with a model close to the arm, on base parameters"
        )
    half = np.asarray(np.linalg.solve(share, np.eye(count)), dtype=np.float64)
    return half @ target, half


def _durbin_wu_hausman(both: Array, weights: Array, equations: int) -> tuple[float, int]:
    """P-value of the test: y on W and on what of W the instruments leave, against y on W alone."""
    from scipy.special import fdtrc

    count = (both.shape[2] - 1) // 2
    r = qr_factor((both * np.sqrt(weights)[:, None, None]).reshape(-1, both.shape[2]))
    w, left, y = r[:, count:-1], r[:, count:-1].copy(), r[:, -1:]
    left[:count] = 0.0
    lengths = np.linalg.norm(w, axis=0)
    scale = np.where(lengths > 0.0, lengths, 1.0)
    plain = qr_factor(np.concatenate([w / scale, left / scale, y], axis=1))
    tested = plain[count : 2 * count, count : 2 * count]
    directions = int(np.linalg.matrix_rank(tested, tol=SMALLEST_SHARE))
    if directions == 0:
        return 1.0, 0
    fitted = _explained(tested, plain[count : 2 * count, -1], directions)
    rest = float(np.sum(plain[count:, -1] ** 2)) - fitted
    free = equations - count - directions
    statistic = (fitted / directions) / max(rest / free, 1e-300)
    return float(fdtrc(directions, free, statistic)), directions


def _explained(block: Array, target: Array, directions: int) -> float:
    """Squares of the target along the leading directions of a block."""
    left = np.linalg.svd(block)[0][:, :directions]
    return float(np.sum((left.T @ target) ** 2))
