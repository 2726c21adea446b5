"""What a fit of an arm may claim: noise floor and what the residual still follows. Spec 07.4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jointwise.estimators.correlated import clustered, corrected
from jointwise.estimators.estimate import Estimate
from jointwise.recording import filters
from jointwise.recording.signals import Signals

if TYPE_CHECKING:
    from jointwise.experiments.robot_fit import Solved

Array = NDArray[np.float64]


MOST_MODELLED = 20_000
"""Equations of a joint up to which the residual's memory is modelled; beyond, pieces of time are compared."""
PIECE_SECONDS = 4.0


def honest(solved: Solved) -> Estimate:
    """The estimate with a covariance that allows for residuals which follow each other."""
    estimate, problem = solved.estimate, solved.problem
    if estimate.clipped:
        return estimate
    if max(len(rows.y) for rows in problem.rows) <= MOST_MODELLED:
        return corrected(problem, estimate)
    rate = solved.equations.rate_hz(0)
    return clustered(problem.cut(max(2, round(PIECE_SECONDS * rate))), estimate)


def noise_floor(solved: Solved) -> Array:
    """What measurement noise alone would leave of each joint's filtered torque, RMS.

    White noise shows in third differences, where motion does not; the low-pass lets its share of the power through.
    """
    system = solved.equations
    squares, count = np.zeros(system.design.robot.n), 0
    for piece in system.pieces:
        third = np.diff(piece.torque, n=3, axis=0)
        white = np.median(np.abs(third), axis=0) / 0.6745 / np.sqrt(20.0)
        share = passed_share(piece, system.filter_hz)
        squares += len(piece) * share * white**2
        count += len(piece)
    return np.asarray(np.sqrt(squares / count))


def passed_share(piece: Signals, filter_hz: float) -> float:
    """Share of white noise's power that the zero-phase low-pass lets through."""
    length = 8 * filters.settling_samples(piece.rate_hz, filter_hz) + 1
    impulse = np.zeros(length)
    impulse[length // 2] = 1.0
    return float(np.sum(filters.zero_phase(impulse, filter_hz, piece.rate_hz) ** 2))


FOLLOWS = ("speed", "acceleration", "load", "position")


def correlations(solved: Solved, j: int) -> dict[str, float]:
    """Correlation of a joint's residual with what could still be missing from the model."""
    system = solved.equations
    residuals = solved.problem.residuals(solved.estimate.values)
    columns: dict[str, list[Array]] = {name: [] for name in FOLLOWS}
    errors = []
    for k, piece in enumerate(system.pieces):
        keep = np.isfinite(residuals[k][:, j])
        errors.append(residuals[k][keep, j])

        def at(values: Array, k: int = k, keep: NDArray[np.bool_] = keep) -> Array:
            return np.asarray(values[:: system.steps[k]][system.kept[k]][keep])

        columns["speed"].append(at(piece.dtheta[:, j]))
        columns["acceleration"].append(at(piece.ddtheta[:, j]))
        columns["position"].append(at(piece.theta[:, j]))
        columns["load"].append(at(np.abs(piece.torque[:, j])))
    error = np.concatenate(errors)
    return {name: _correlation(error, np.concatenate(parts)) for name, parts in columns.items()}


def _correlation(a: Array, b: Array) -> float:
    if len(a) < 3 or a.std() == 0.0 or b.std() == 0.0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def honesty(solved: Solved) -> list[dict[str, Any]]:
    """Per joint: what the residual correlates with most."""
    out = []
    for j in range(solved.problem.joints):
        found = correlations(solved, j)
        most = max(found, key=lambda name: abs(found[name]))
        out.append({"residual_follows": most, "correlation": found[most]})
    return out
