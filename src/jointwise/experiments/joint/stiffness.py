"""Static stiffness from known loads: deformation against joint torque, by gauge and by motor torque. Spec 09.1.

    tau = tau_E(phi - phi_0),   phi = theta - q         J1(18)-(22), C1(7)

tau_E is a cubic or the three segments of makers of strain-wave gears (`stiffness_models`). Gauge and motor rows are
solved together, each side weighted by its own scatter: the motor's rows hold static friction of the gear, which
loading both ways averages out. phi_0 collects encoder zeros and the kinematic error of the pose; how that error changes
while the rotor turns under load is taken out where the robot knows it: fit once more after `kinematic-error`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.common import Read, need_both_encoders, read
from jointwise.experiments.joint.motions import held
from jointwise.experiments.joint.pose import find_pose
from jointwise.experiments.joint.result import (
    Outcome,
    Row,
    joint_fit,
    saturation_note,
    with_transmission,
)
from jointwise.experiments.joint.samples import FILTER_HZ, JointSamples, joint_index
from jointwise.experiments.joint.stiffness_models import GAUGE, MODELS, MOTOR, LoadRows, Stiff
from jointwise.experiments.metrics import nrmse_percent, rmse
from jointwise.experiments.recordings import Recordings
from jointwise.laws.transmissions import Transmission
from jointwise.motion.motion import Motion
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]
LEVELS = (0.1, 0.25, 0.45, 0.7, 1.0, 0.7, 0.45, 0.25, 0.1)
"""Shares of the largest load, up and down again, in both directions."""
STEP = 1.2
"""s each load is held"""
WINDOW = 0.2
"""s averaged into one point"""
STEADY = 0.02
"""Change of a load within a window, beside the largest, above which it is not a point of rest."""
FASTEST = 0.01
"""rad/s of the rotor; what a servo still corrects while the load stands costs next to no torque."""
FEWEST = 4
FOLDS = 5


class Points(NamedTuple):
    """Windows at rest: deformation [rad], torque of the gauge (NaN without one) and of the motor."""

    phi: Array
    gauge: Array
    motor: Array
    group: NDArray[np.int64]


def plan(robot: Robot, joint: str | int, *, duration: float | None = None) -> Motion:
    """The arm standing still, axis parallel to gravity where possible, while loads are put on by hand or lever."""
    j = joint_index(robot, joint)
    pose = find_pose(robot, j, "parallel", sweep=0.2)
    return held(robot, pose, j, (2 * len(LEVELS) + 2) * STEP if duration is None else duration)


def load_steps(ticks: int, largest: float, period: float = 1e-3) -> Array:
    """Joint torque of the load at every tick: zero, the levels one way, zero, the levels the other way."""
    shares = np.array([0.0, *LEVELS, 0.0, *(-v for v in LEVELS)])
    place = np.minimum((np.arange(ticks) * period / STEP).astype(int), len(shares) - 1)
    wanted = largest * shares[place]
    ramp = max(1, int(0.2 / period))
    padded = np.concatenate([np.full(ramp, wanted[0]), wanted])
    smooth = np.convolve(padded, np.ones(ramp) / ramp, mode="valid")[1:]
    return np.asarray(smooth)


def fit(
    robot: Robot,
    recordings: Recordings,
    joint: str | int,
    *,
    torque: str | None = None,
    filter_hz: float = FILTER_HZ,
    model: str | None = None,
) -> Fit:
    """Stiffness of a joint from recordings at rest under known loads; without a model the better one is taken."""
    if model is not None and model not in MODELS:
        raise UnknownNameError("stiffness model", model, MODELS)
    given = read(robot, recordings, joint, torque=torque, filter_hz=filter_hz)
    need_both_encoders("stiffness", given.parts)
    points = points_of(moved_error_out(robot, given))
    notes = list(saturation_note(max(s.saturated for s in given.parts)))
    gauge = np.isfinite(points.gauge)
    if gauge.any() and np.corrcoef(points.gauge[gauge], points.motor[gauge])[0, 1] < -0.5:
        notes.append(
            "the gauge has the opposite sign of the motor torque: its rows were left out; turn the sign of joint_torque"
        )
        gauge[:] = False
    elif not gauge.any():
        notes.append(
            "without a gauge the motor's torque stands for the load, static friction and all"
        )
    rows = rows_of(points, gauge)
    left_out = {name: _left_out(rows, name) for name in MODELS}
    chosen = model or min(MODELS, key=lambda name: left_out[name])
    found = MODELS[chosen](rows)
    outcome = _outcome(rows, found, given.joint, bool(gauge.any()))
    scores = {**outcome.scores} | {
        f"left_out_{name.replace(' ', '_')}_rmse": value for name, value in left_out.items()
    }
    settings = {"points": len(points.phi), "model": chosen}
    outcome = replace(outcome, notes=tuple(notes), scores=scores, settings=settings)
    changes: dict[str, Any] = {
        "transmission": with_transmission(robot, given.joint, stiffness=found.law)
    }
    return joint_fit(outcome, robot, changes, given.recordings)


def _outcome(rows: LoadRows, found: Stiff, joint: str, has_gauge: bool) -> Outcome:
    """Rows, scores and curve of a model."""
    expected = found.expected(rows)
    error = rows.torque - expected
    weights = np.sqrt(found.weights)[:, None]
    judge = rows.source == (GAUGE if has_gauge else MOTOR)
    table = [
        *found.rows,
        Row(name="zero", value=found.zero, unit="rad", meaning="encoder zeros and kinematic error of the pose"),
        Row(name="motor_offset", value=found.offset, unit="N m [N]", meaning="zero of the motor torque",
            hidden="" if has_gauge else "there is no gauge to compare with"),
    ]  # fmt: skip
    return Outcome(
        experiment="stiffness",
        joint=joint,
        rows=tuple(table),
        jacobian=found.jacobian(rows) * weights,
        residual=error * weights[:, 0],
        groups=rows.group,
        scores={
            # Motor rows hold static friction, which no stiffness explains: the gauge judges where there is one.
            "nrmse_percent": _score(rows.torque, error, judge),
            "nrmse_both_percent": nrmse_percent(rows.torque, expected),
            "nrmse_gauge_percent": _score(rows.torque, error, rows.source == GAUGE),
            "nrmse_motor_percent": _score(rows.torque, error, rows.source == MOTOR),
            "rmse": rmse(error),
            "torque_span": float(np.ptp(rows.torque)),
        },
        arrays={
            "deformation": rows.phi,
            "torque": rows.torque,
            "fitted": expected,
            "source": rows.source.astype(float),
        },
    )


def _left_out(rows: LoadRows, name: str) -> float:
    """Error of a model on load steps left out, every fifth at a time; the gauge is what counts where there is one."""
    judged = GAUGE if (rows.source == GAUGE).any() else MOTOR
    squares, count = 0.0, 0
    for fold in range(FOLDS):
        out = rows.group % FOLDS == fold
        judge = out & (rows.source == judged)
        if not judge.any() or len(np.unique(rows.group[~out])) < FEWEST:
            continue
        error = (rows.torque - MODELS[name](rows.only(~out)).expected(rows))[judge]
        squares += float(error @ error)
        count += len(error)
    return float(np.sqrt(squares / count)) if count else float("inf")


def moved_error_out(robot: Robot, given: Read) -> list[JointSamples]:
    """The samples, deformation free of the kinematic error as far as the robot knows it.

    A servo that holds the link turns the rotor by the deformation, and the kinematic error with it: its steep waves
    look like a percent of stiffness.
    """
    known = robot.joints[given.place].transmission
    error = None if isinstance(known, Unknown) else Transmission.from_law(known).kinematic_error
    if error is None:
        return given.parts
    return [replace(s, theta=s.theta - np.asarray(error.error(s.theta))) for s in given.parts]


def points_of(parts: list[JointSamples]) -> Points:
    """Windows in which the load stands still."""
    found = []
    number = 0
    for samples in parts:
        if samples.q is None:
            continue
        size = max(2, round(WINDOW * samples.rate_hz))
        count = len(samples) // size
        motor = samples.smooth_torque[: count * size].reshape(count, size)
        known = samples.gauge if samples.gauge is not None else np.full(len(samples), np.nan)
        gauge = known[: count * size].reshape(count, size)
        phi = (samples.theta - samples.q)[: count * size].reshape(count, size).mean(axis=1)
        guide = gauge if np.isfinite(gauge).all() else motor
        largest = float(np.abs(guide).max())
        calm = np.ptp(guide, axis=1) < STEADY * largest
        still = np.abs(samples.omega[: count * size].reshape(count, size)).max(axis=1) < FASTEST
        use = np.flatnonzero(calm & still)
        step = np.cumsum(np.diff(use, prepend=-9) > 1)
        found.append((phi[use], gauge.mean(axis=1)[use], motor.mean(axis=1)[use], number + step))
        number += int(step.max(initial=0)) + 1
    phi, gauge_all, motor_all, group = (np.concatenate(v) for v in zip(*found, strict=True))
    if len(np.unique(group)) < FEWEST:
        raise ParameterError(
            "loads",
            f"{len(np.unique(group))} steps at rest",
            f"at least {FEWEST} different ones, both ways",
        )
    return Points(phi, gauge_all, motor_all, group)


def rows_of(points: Points, gauge: NDArray[np.bool_]) -> LoadRows:
    """Rows of the gauge where it counts, then rows of the motor."""
    torque = np.concatenate([points.gauge[gauge], points.motor])
    phi = np.concatenate([points.phi[gauge], points.phi])
    if float(np.ptp(torque)) < 1e-9 or float(np.ptp(phi)) < 1e-12:
        raise ParameterError("loads", "all the same", "different, in both directions")
    return LoadRows(
        phi=phi,
        torque=torque,
        source=np.repeat([GAUGE, MOTOR], [int(gauge.sum()), len(points.phi)]),
        group=np.concatenate([points.group[gauge], points.group]),
    )


def _score(y: Array, error: Array, which: NDArray[np.bool_]) -> float:
    return nrmse_percent(y[which], (y - error)[which]) if which.any() else float("nan")
