"""What a fit of an arm may claim: noise floor and what the residual still follows. Spec 07.4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import NumericalError
from jointwise.estimators.correlated import clustered, corrected
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.model_error import with_model_error
from jointwise.estimators.problem import Problem
from jointwise.estimators.solve import weighted
from jointwise.experiments.equations import Equations
from jointwise.experiments.methods import independent_places
from jointwise.recording import filters
from jointwise.recording.signals import ANTI_ALIAS, Signals

if TYPE_CHECKING:
    from jointwise.experiments.robot_fit import Solved

Array = NDArray[np.float64]


MOST_MODELLED = 20_000
"""Equations of a joint up to which the residual's memory is modelled; beyond, pieces of time are compared."""
PIECE_SECONDS = 4.0
MOST_PIECES = 150
"""Enough for the covariance; of a long recording the pieces are longer."""
FLOOR_KNOWN = 1.25
"""Times the noise floor: a residual below may be noise alone, since that of the positions is not in the floor."""


def honest(solved: Solved, floor: Array) -> Estimate:
    """What the data alone say, with a covariance that allows for residuals that follow each other.

    A prior has a part in the values of a physical fit but not in its intervals: they would hold only as far as the
    prior is right, and an arm that carries a tool nobody mentioned is far from its data sheet. Where the data do not
    tell all parameters apart, the prior is all there is, and the intervals are those of Bayes.
    """
    estimate, problem = solved.estimate, solved.problem
    if estimate.clipped:
        return estimate
    if estimate.informed and (told := _from_data_alone(problem, estimate)) is not None:
        estimate = told
    if max(len(rows.y) for rows in problem.rows) <= MOST_MODELLED:
        estimate = corrected(problem, estimate)
    else:
        rate = solved.equations.rate_hz(0)
        longest = sum(len(rows.y) for rows in problem.rows) // MOST_PIECES
        pieces = problem.cut(max(2, round(PIECE_SECONDS * rate), longest))
        estimate = clustered(pieces, estimate)
    return _allowing_for_model_error(solved, estimate, floor)


def _from_data_alone(problem: Problem, estimate: Estimate) -> Estimate | None:
    """Weighted least squares in place of a fit with a prior; None where the data do not tell all parameters apart."""
    if len(independent_places(problem)) < problem.columns:
        return None
    try:
        free = weighted(problem, estimate.weights, estimate.method, status=estimate.status)
    except NumericalError:
        return None
    return replace(free, active=estimate.active, notes=estimate.notes)


def _allowing_for_model_error(solved: Solved, estimate: Estimate, floor: Array) -> Estimate:
    """Wider intervals where the residual of a joint stands above the noise floor."""
    excess = np.maximum(estimate.noise**2 - (FLOOR_KNOWN * floor) ** 2, 0.0)
    if not excess.any():
        return estimate
    names = [joint.name for joint in solved.equations.design.robot.joints]
    above = [
        f"{names[j]} {estimate.noise[j] / floor[j]:.1f} times" if floor[j] > 0.0 else names[j]
        for j in np.flatnonzero(excess)
    ]
    note = f"the residual stands above the noise ({', '.join(above)}); the intervals allow for what the model lacks"
    wider = with_model_error(solved.problem, estimate, _states(solved), excess)
    return replace(wider, notes=(*wider.notes, note))


def _states(solved: Solved) -> list[Array]:
    """(samples, joints, 3) of each piece: position, speed and torque, which friction and gears depend on."""
    system = solved.equations
    out = []
    for k, (piece, rows) in enumerate(zip(system.pieces, solved.problem.rows, strict=True)):
        motion = [v[system.kept[k]] for v in (piece.q, piece.dq)]
        out.append(np.stack([*motion, rows.y], axis=-1))
    return out


def noise_floor(system: Equations) -> Array:
    """What measurement noise alone would leave of each joint's filtered torque, RMS.

    White noise shows in third differences, where motion does not; the low-pass lets its share of the power through.
    """
    squares, count = np.zeros(system.design.robot.n), 0
    for piece in system.pieces:
        third = np.diff(piece.torque, n=3, axis=0)
        white = np.median(np.abs(third), axis=0) / 0.6745 / np.sqrt(third_difference_gain(piece))
        share = passed_share(piece, system.filter_hz)
        squares += len(piece) * share * white**2
        count += len(piece)
    return np.asarray(np.sqrt(squares / count))


def third_difference_gain(piece: Signals) -> float:
    """Variance of the third difference of white noise of variance one, less what thinning took away before.

    20 for a recording at its own rate; where samples were dropped the anti-alias filter has removed the highest
    frequencies, of which third differences mostly consist.
    """
    if piece.stamp_period * piece.rate_hz > 0.99:
        return 20.0
    share = np.linspace(0.0, 1.0, 2001)  # of the Nyquist frequency
    passed = 1.0 / (1.0 + (share / ANTI_ALIAS) ** (2 * filters.ORDER)) ** 2
    return float(np.mean((2.0 * np.sin(0.5 * np.pi * share)) ** 6 * passed))


def passed_share(piece: Signals, filter_hz: float) -> float:
    """Share of white noise's power that the zero-phase low-pass lets through."""
    length = 8 * filters.settling_samples(piece.rate_hz, filter_hz) + 1
    impulse = np.zeros(length)
    impulse[length // 2] = 1.0
    return float(np.sum(filters.zero_phase(impulse, filter_hz, piece.rate_hz) ** 2))


FOLLOWS = ("speed", "acceleration", "load", "position")


def correlations(system: Equations, residuals: Sequence[Array], j: int) -> dict[str, float]:
    """Correlation of a joint's residual with what could still be missing from the model."""
    columns: dict[str, list[Array]] = {name: [] for name in FOLLOWS}
    errors = []
    for k, piece in enumerate(system.pieces):
        keep = np.isfinite(residuals[k][:, j])
        errors.append(residuals[k][keep, j])

        def at(values: Array, k: int = k, keep: NDArray[np.bool_] = keep) -> Array:
            return np.asarray(values[system.kept[k]][keep])

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
    residuals, out = solved.problem.residuals(solved.estimate.values), []
    for j in range(solved.problem.joints):
        found = correlations(solved.equations, residuals, j)
        most = max(found, key=lambda name: abs(found[name]))
        out.append({"residual_follows": most, "correlation": found[most]})
    return out
