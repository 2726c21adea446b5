"""Static stiffness from known loads: deformation against joint torque, by gauge and by motor torque. Spec 09.1.

    tau = alpha_1 (phi - phi_0) + alpha_2 (phi - phi_0)^3,   phi = theta - q         J1(18)-(22), C1(7)

Gauge and motor rows are solved together, each side weighted by its own scatter: the motor's rows hold static friction
of the gear, which loading both ways averages out. phi_0 collects encoder zeros and the kinematic error of the pose;
columns are scaled, since phi^3 is a millionth of phi.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.common import need_both_encoders, read
from jointwise.experiments.joint.motions import held
from jointwise.experiments.joint.pose import find_pose
from jointwise.experiments.joint.result import Outcome, Row, joint_fit, with_transmission
from jointwise.experiments.joint.samples import FILTER_HZ, JointSamples, joint_index
from jointwise.experiments.metrics import nrmse_percent, rmse
from jointwise.experiments.recordings import Recordings
from jointwise.laws.odd_polynomial import OddPolynomial
from jointwise.motion.motion import Motion
from jointwise.robot.description import Robot

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
ROUNDS = 20


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
) -> Fit:
    """Linear and cubic stiffness of a joint from recordings at rest under known loads."""
    given = read(robot, recordings, joint, torque=torque, filter_hz=filter_hz)
    need_both_encoders("stiffness", given.parts)
    points = points_of(given.parts)
    notes = []
    gauge = np.isfinite(points.gauge)
    if gauge.any() and np.corrcoef(points.gauge[gauge], points.motor[gauge])[0, 1] < -0.5:
        notes.append(
            "the gauge has the opposite sign of the motor torque: its rows were left out; turn the sign of joint_torque"
        )
        gauge[:] = False
    values, bound, rows, weights = _solved(points, gauge)
    phi, y, group, source = rows
    centre = phi - values[2]
    jacobian = np.column_stack([centre, centre**3, -(values[0] + 3.0 * values[1] * centre**2)])
    extra = (source == 1).astype(float)
    jacobian = np.column_stack([jacobian, extra]) * np.sqrt(weights)[:, None]
    error = y - torque_at(values, phi) - values[3] * extra
    span = float(np.ptp(y))
    law = OddPolynomial(coefficients=(float(values[0]), float(values[1])))
    table = (
        Row(name="stiffness", value=float(values[0]), unit="N m/rad", meaning="at no load"),
        Row(name="stiffness_cubic", value=float(values[1]), unit="N m/rad^3", meaning="stiffening", bound=bound),
        Row(name="zero", value=float(values[2]), unit="rad", meaning="encoder zeros and kinematic error of the pose"),
        Row(name="motor_offset", value=float(values[3]), unit="N m [N]", meaning="zero of the motor torque",
            hidden="" if gauge.any() else "there is no gauge to compare with"),
    )  # fmt: skip
    outcome = Outcome(
        experiment="stiffness",
        joint=given.joint,
        rows=table,
        jacobian=jacobian,
        residual=error * np.sqrt(weights),
        groups=group,
        scores={
            "nrmse_percent": nrmse_percent(y, y - error),
            "nrmse_gauge_percent": _score(y, error, source == 0),
            "nrmse_motor_percent": _score(y, error, source == 1),
            "rmse": rmse(error),
            "torque_span": span,
        },
        settings={"points": len(points.phi)},
        notes=tuple(notes),
        arrays={
            "deformation": phi,
            "torque": y,
            "fitted": y - error,
            "source": source.astype(float),
        },
    )
    changes: dict[str, Any] = {"transmission": with_transmission(robot, given.joint, stiffness=law)}
    return joint_fit(outcome, robot, changes, given.recordings)


def torque_at(values: Array, phi: Array) -> Array:
    """alpha_1 (phi - phi_0) + alpha_2 (phi - phi_0)^3."""
    centre = phi - values[2]
    return np.asarray(values[0] * centre + values[1] * centre**3)


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


def _solved(
    points: Points, gauge: NDArray[np.bool_]
) -> tuple[Array, str, tuple[Array, Array, NDArray[np.int64], NDArray[np.int64]], Array]:
    """alpha_1, alpha_2, phi_0 and motor offset; rows of both sources and their weights."""
    phi = np.concatenate([points.phi[gauge], points.phi])
    y = np.concatenate([points.gauge[gauge], points.motor])
    group = np.concatenate([points.group[gauge], points.group])
    source = np.repeat([0, 1], [int(gauge.sum()), len(points.phi)])
    if float(np.ptp(y)) < 1e-9 or float(np.ptp(phi)) < 1e-12:
        raise ParameterError("loads", "all the same", "different, in both directions")
    has_offset = bool(gauge.any())
    offset = (source == 1).astype(float) if has_offset else np.zeros(len(y))
    scale = float(np.abs(phi - phi.mean()).max())
    weights = np.ones(len(y))
    values = np.array([0.0, 0.0, float(phi.mean()), 0.0])
    cubic, bound = True, ""
    for _ in range(ROUNDS):
        root = np.sqrt(weights)
        centre = (phi - values[2]) / scale
        slope = -(values[0] * scale + 3.0 * values[1] * scale**3 * centre**2)
        columns = [
            centre,
            centre**3 if cubic else np.zeros_like(centre),
            slope / max(np.abs(slope).max(), 1.0),
            offset,
        ]
        x = np.column_stack(columns) * root[:, None]
        solved = np.linalg.lstsq(x, y * root, rcond=1e-12)[0]
        shift = solved[2] / max(np.abs(slope).max(), 1.0) * scale
        values = np.array([solved[0] / scale, solved[1] / scale**3, values[2] + shift, solved[3]])
        if values[1] < 0.0 and cubic:
            cubic, bound = (
                False,
                "the joint does not stiffen within these loads: the cubic term is zero",
            )
            values[1] = 0.0
        error = y - torque_at(values, phi) - values[3] * offset
        for s in (0, 1):
            if (source == s).any():
                weights[source == s] = 1.0 / max(float(np.mean(error[source == s] ** 2)), 1e-12)
        weights /= weights.max()
        if abs(shift) < 1e-12:
            break
    if values[0] <= 0.0:
        raise ParameterError(
            "stiffness",
            float(values[0]),
            "above 0 N m/rad",
            "check the signs of theta, q and torque",
        )
    return values, bound, (phi, y, group, source), weights


def _score(y: Array, error: Array, which: NDArray[np.bool_]) -> float:
    return nrmse_percent(y[which], (y - error)[which]) if which.any() else float("nan")
