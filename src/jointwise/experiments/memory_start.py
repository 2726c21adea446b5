"""What happened before a recording: its effect on friction with memory is taken out of a fit, or read off. Spec 09.6.

A spring that has not yet slipped since the first sample carries h = h_mid + a h_half, where h_mid and h_half are half
the sum and half the difference of springs that began slipping forward and backward, and a in [-1, 1] is unknown. With
a equally likely anywhere, torque W h has a random part of covariance (W^2 / 3) h_half h_half^T. Equations of a fit are
whitened against it (generalised least squares), so a standing joint still teaches how its friction changes, but not
the level it happens to begin with. What is left of standing joints is larger than of moving ones and counts less, by
its own size. A prediction may read the a of its recording off the first second of torque.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointwise.estimators.problem import Problem
from jointwise.experiments.design import Design
from jointwise.experiments.equations import Spans

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

START_SECONDS = 1.0
"""Of a recording from which the start is read; they are not scored."""
WIDE = 3.0
"""Beside the noise of a joint: spread of each spring's unknown torque before torques are known."""
LEAST = 0.02
"""Beside the noise of a joint: spread below which no spring is taken to be known."""


def start_spreads(design: Design, values: Array | None, noise: Array) -> Array:
    """(friction parameters, n): standard deviation at each joint of the torque each spring may begin with."""
    size = np.abs(design.friction_at_joints)
    memory = np.array([design.uses[u].term.memory for u, _, _ in design.friction_places])
    if values is None:
        return np.asarray(WIDE * noise * (size > 0.0) * memory[:, None])
    torques = np.abs(values[design.base.count :])[:, None] * size / np.sqrt(3.0)
    return np.asarray(np.maximum(torques, LEAST * noise * (size > 0.0)) * memory[:, None])


@dataclass(frozen=True, kw_only=True, eq=False)
class Noise:
    """What equations are whitened with."""

    moving: Array
    """(n,): residual of each joint while it moves, N m"""
    standing: Array
    """(n,): of a standing joint's residual beside that, 1 or more"""
    spreads: Array
    """(friction parameters, n): standard deviation of the torque each spring begins with, N m"""


def noise_of(
    design: Design, problem: Problem, turning: Sequence[Mask], values: Array, before: Noise | None
) -> Noise:
    """Noise of each joint, moving and standing, from the residual of a problem whitened with the noise `before`."""
    left = problem.residuals(values)
    size = np.full((2, problem.joints), np.nan)
    for j in range(problem.joints):
        for i, state in enumerate((True, False)):
            parts = [e[t[:, j] == state, j] for e, t in zip(left, turning, strict=True)]
            error = np.concatenate(parts)
            if np.isfinite(error).any():
                size[i, j] = np.sqrt(np.nanmean(error**2))
    if before is not None:
        size[1] *= before.standing
    moving = np.where(np.isfinite(size[0]), size[0], size[1])
    return Noise(
        moving=moving,
        standing=np.fmax(size[1] / moving, 1.0),
        spreads=start_spreads(design, None if before is None else values, moving),
    )


def without_start(problem: Problem, spans: Spans, turning: Sequence[Mask], noise: Noise) -> Problem:
    """The problem whitened against the unknown start; the same where nothing has memory."""
    if all(span is None for span in spans):
        return problem
    ws, ys = [], []
    for rows, span, moves in zip(problem.rows, spans, turning, strict=True):
        count = np.where(moves, 1.0, 1.0 / noise.standing)
        w, y = rows.w * count[..., None], rows.y * count
        for j in range(problem.joints):
            use = rows.use[:, j]
            loose = noise.spreads[:, j] > 0.0
            if span is None or not loose.any() or not use.any():
                continue
            size = noise.spreads[loose, j] / noise.moving[j]
            moved = whitened(
                span[use][:, loose] * count[use, j, None] * size,
                np.column_stack([w[use, j], y[use, j]]),
            )
            w[use, j], y[use, j] = moved[:, :-1], moved[:, -1]
        ws.append(w)
        ys.append(y)
    return Problem.from_rows(
        problem.names, ws, ys, use=[r.use for r in problem.rows], recordings=problem.recordings
    )


def whitened(spread: Array, rows: Array) -> Array:
    """(E + N N^T)^(-1/2) rows, for N = spread (samples, causes)."""
    left, size, _ = np.linalg.svd(spread, full_matrices=False)
    shrink = 1.0 - 1.0 / np.sqrt(1.0 + size**2)
    return np.asarray(rows - left @ (shrink[:, None] * (left.T @ rows)))


def log_determinant(spread: Array) -> float:
    """log det (E + N N^T)."""
    return float(np.sum(np.log1p(np.linalg.svd(spread, compute_uv=False) ** 2)))


def at_joints(design: Design, torques: Array) -> list[Array]:
    """Torques (samples, friction parameters) at their motors, as each joint feels them; zero columns left out."""
    used = torques.any(axis=0)
    return [
        torques[:, used & (column != 0.0)] * column[used & (column != 0.0)]
        for column in design.friction_at_joints.T
    ]


def independent(rate_hz: float, filter_hz: float) -> float:
    """By how much samples at this rate are noisier than independent ones as informative: sqrt(f_S / (2 f_c))."""
    return float(np.sqrt(max(1.0, rate_hz / (2.0 * filter_hz))))


def starts(torques: Sequence[Array], error: Array, first: int, noise: Array) -> list[Array]:
    """Most likely share a of each spring's torque at the start, of each joint, from the error of the first samples.

    `torques` (n arrays of (samples, springs)) are W h_half at each joint. Bayes with variance 1/3 for each share, cut
    at [-1, 1].
    """
    out = []
    for j, mine in enumerate(torques):
        seen, wrong = mine[:first] / noise[j], error[:first, j] / noise[j]
        normal = 3.0 * np.eye(mine.shape[1]) + seen.T @ seen
        out.append(np.clip(np.linalg.solve(normal, seen.T @ wrong), -1.0, 1.0))
    return out


def started(torques: Sequence[Array], error: Array, first: int, noise: Array) -> Array:
    """What the start adds to the predicted torque of each joint, (samples, n)."""
    found = starts(torques, error, first, noise)
    return np.column_stack([mine @ shares for mine, shares in zip(torques, found, strict=True)])
