"""From the solved equations of an arm to a `Fit`: scores, uncertainty, verdicts, and the robot with its new numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.estimators.physical import PhysicalEstimate
from jointwise.estimators.problem import Problem
from jointwise.experiments import mass_matrix
from jointwise.experiments.design import Design
from jointwise.experiments.fit import Fit
from jointwise.experiments.friction_ladder import Ladder
from jointwise.experiments.memory_start import (
    START_SECONDS,
    at_joints,
    independent,
    started,
    without_start,
)
from jointwise.experiments.methods import hidden_parameters, solver, standard_parameters
from jointwise.experiments.parameter_table import parameter_table
from jointwise.experiments.physical import standard_behind
from jointwise.experiments.prediction import STANDARD
from jointwise.experiments.robot_fit import RobotFitOptions, Solved
from jointwise.experiments.trim import Trim
from jointwise.experiments.uncertainty import honest, honesty, noise_floor
from jointwise.experiments.update import updated_robot
from jointwise.robot.description import Robot
from jointwise.robot.samples import in_threads

Array = NDArray[np.float64]
Progress = Callable[[str, int, int], None]
MOST_LEFT_OUT = 40
"""Recordings left out one after the other; of more, every n-th."""
LEFT_OUT = "left_out_rmse"
"""Name of the array (recordings left out, joints, moving and standing) in the fit."""
STARTED = "left_out_started_rmse"
"""The same with the start of friction with memory read off the first second of each recording."""
LADDER, LADDER_ERRORS = "ladder_scores", "ladder_rmse"
"""Of the ladder, starts read off: (steps, recordings), and (steps, recordings, joints, moving and standing)."""


def result(
    robot: Robot,
    solved: Solved,
    chosen: RobotFitOptions,
    trim: Trim,
    ladder: Ladder | None,
    progress: Progress | None,
) -> Fit:
    """The fit of an arm; with the ladder its friction was chosen on."""
    design, estimate = solved.equations.design, solved.estimate
    floor = noise_floor(solved.equations)
    careful = honest(solved, floor)
    hidden = {} if careful.informed else hidden_parameters(solved.problem)
    parameters = parameter_table(design, estimate.values, careful, hidden)
    left_out, with_start = leave_one_out(solved, chosen, progress)
    arm, notes = updated_robot(
        robot, design, estimate.values, standard_parameters(design, estimate)
    )
    mass = mass_matrix.audited(design, estimate.values)
    status = "converged" if estimate.converged and solved.settled else "not converged"
    return Fit(
        experiment="robot",
        robot=arm,
        status=status,
        parameters=parameters,
        covariance=careful.covariance,
        settings={
            **{k: v for k, v in asdict(chosen).items() if k not in ("delay", "trim")},
            "friction": list(design.friction),
            "rotors": design.rotors,
            "moving": list(solved.equations.moving),
            "zone": list(design.zones),
            "torque": torque_kind(chosen),
            "compliance": list(design.compliances),
            "tilt": [list(row) for row in design.tilt],
            "delay_s": list(solved.equations.delay),
            "slope": list(trim.slope),
            "zero": list(trim.zero),
            "gain": list(trim.gain),
            "rounds": solved.rounds,
            **mass_matrix.to_settings(mass),
            **({} if ladder is None else ladder.to_settings()),
        },
        recordings=tuple(_recording(solved, k) for k in range(len(solved.equations.pieces))),
        joints=_joints(solved, floor, left_out, with_start),
        notes=(
            *careful.notes,
            mass_matrix.sentence(mass),
            *notes,
            *_windup_notes(solved),
            *trim.notes(),
        ),
        arrays={
            LEFT_OUT: left_out,
            STARTED: with_start,
            STANDARD: standard_behind(design, estimate.values[: design.base.count]),
            **({} if ladder is None else {LADDER: ladder.scores, LADDER_ERRORS: ladder.errors}),
        },
    )


def torque_kind(chosen: RobotFitOptions) -> str:
    """The torque column that was explained, empty where the recordings have only one."""
    return chosen.torque or ""


def _recording(solved: Solved, k: int) -> dict[str, Any]:
    piece = solved.equations.pieces[k]
    return {
        "name": piece.name,
        "duration_s": float(piece.time[-1] - piece.time[0]),
        "rate_hz": 1.0 / piece.stamp_period,
        "equations": int(solved.problem.rows[k].use.sum()),
    }


def _windup_notes(solved: Solved) -> tuple[str, ...]:
    design = solved.equations.design
    if not design.has_memory or all(piece.rotor_measured for piece in solved.equations.pieces):
        return ()
    sizes = ", ".join(f"{1e6 * value:.3g}" for value in design.compliances)
    return (
        f"friction with memory follows rotors that wind up their gears by {sizes} urad per N m of load",
    )


def leave_one_out(
    solved: Solved, chosen: RobotFitOptions, progress: Progress | None = None
) -> tuple[Array, Array]:
    """RMS error (recordings, joints, moving and standing) of each recording by the fit to all others.

    The second has the start of friction with memory read off the first second, which it does not count. With a
    single recording its halves take turns.
    """
    problem, estimate = solved.problem, solved.estimate
    begin = estimate.waypoint if isinstance(estimate, PhysicalEstimate) else None
    find = solver(chosen.method, solved.equations.design, estimate.weights, begin)
    count = len(problem.recordings)
    if count == 1:
        return _halves(solved, find)
    chosen_ones = range(0, count, -(-count // MOST_LEFT_OUT))
    parts = problem.each_left_out(estimate.weights)
    done = 0

    def one(k: int) -> Array:
        nonlocal done
        out = np.full((2, problem.joints, 2), np.nan)
        if _enough(parts[k]):
            out = _errors(solved, k, find(parts[k]).values)
        done += 1
        if progress is not None:
            progress("leave one out", done, len(chosen_ones))
        return out

    both = np.array(in_threads(one, chosen_ones))
    return both[:, 0], both[:, 1]


def _enough(problem: Problem) -> bool:
    """Whether every joint has more equations than parameters that act on it."""
    count = problem.joint_equations
    return bool(((count > problem.used_columns) | (count == 0)).all())


def _halves(solved: Solved, find: Any) -> tuple[Array, Array]:
    rows, span = solved.plain.rows[0], solved.spans[0]
    middle = len(rows.y) // 2
    out = np.full((2, 2, solved.problem.joints, 2), np.nan)
    for i, (train, test) in enumerate(
        ((slice(0, middle), slice(middle, None)), (slice(middle, None), slice(0, middle)))
    ):
        part = Problem.from_rows(
            solved.plain.names, [rows.w[train]], [rows.y[train]], use=[rows.use[train]]
        )
        if not _enough(part):
            continue
        seen = part
        if span is not None and solved.noise is not None:
            seen = without_start(part, (span[train],), [solved.turning[0][train]], solved.noise)
        out[:, i] = _errors(solved, 0, find(seen).values, test)
    return out[0], out[1]


def _errors(solved: Solved, k: int, values: Array, part: slice = slice(None)) -> Array:
    """Errors of part of recording k, without and with the start read off, (2, joints, moving and standing)."""
    rows, moving = solved.plain.rows[k], solved.equations.turning(k)[part]
    error = (rows.y - rows.w @ values)[part]
    first, span = solved.equations.first(k, START_SECONDS), solved.spans[k]
    left = error
    if span is not None:
        design = solved.equations.design
        torques = at_joints(design, span[part] * values[design.base.count :])
        scale = independent(solved.equations.rate_hz(k), solved.equations.filter_hz)
        left = error - started(torques, error, first, solved.estimate.noise * scale)
    return np.array([_split_error(error, moving), _split_error(left[first:], moving[first:])])


def _split_error(error: Array, moving: NDArray[np.bool_]) -> Array:
    """RMS of moving and of standing samples of each joint, (joints, 2)."""
    out = np.full((error.shape[1], 2), np.nan)
    for j in range(error.shape[1]):
        for i, mask in enumerate((moving[:, j], ~moving[:, j])):
            if mask.any():
                out[j, i] = np.sqrt(np.mean(error[mask, j] ** 2))
    return out


def _spread(solved: Solved, j: int) -> float:
    """Standard deviation of a joint's measured torque over the equations used: what there is to explain."""
    used = np.concatenate([r.y[r.use[:, j], j] for r in solved.problem.rows])
    return float(used.std()) if len(used) else 0.0


def _joints(
    solved: Solved, floor: Array, left_out: Array, with_start: Array
) -> tuple[dict[str, Any], ...]:
    """Per joint: residual, noise floor, leave-one-out score with its standard error."""
    design: Design = solved.equations.design
    follows = honesty(solved)
    out = []
    for j, joint in enumerate(design.robot.joints):
        moving = left_out[:, j, 0]
        seen = moving[np.isfinite(moving)]
        entry: dict[str, Any] = {
            "joint": joint.name,
            "residual_rms": float(solved.estimate.noise[j]),
            "noise_floor": float(floor[j]),
            "torque_spread": _spread(solved, j),
            **follows[j],
        }
        if len(seen):
            entry["left_out_rmse_moving"] = float(np.sqrt(np.mean(seen**2)))
            entry["left_out_standard_error"] = float(seen.std() / np.sqrt(len(seen)))
        standing = left_out[:, j, 1]
        standing = standing[np.isfinite(standing)]
        if len(standing):
            entry["left_out_rmse_standing"] = float(np.sqrt(np.mean(standing**2)))
        known = with_start[:, j, 1][np.isfinite(with_start[:, j, 1])]
        if solved.equations.design.has_memory and len(known):
            entry["left_out_rmse_standing_started"] = float(np.sqrt(np.mean(known**2)))
        out.append(entry)
    return tuple(out)
