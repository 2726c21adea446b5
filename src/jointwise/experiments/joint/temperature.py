"""Friction against temperature: the same speeds at several temperatures. Spec 09.4, 05.5.

    sgn(omega) f = level(speed) + sqrt(abs omega) (F_T1 (T - T0) + F_T2 (T^-3 - T0^-3))        J1(28), J3(11)

A level of its own for each speed stands for the velocity law, so that the temperature part does not inherit its
errors. Bittencourt's form, two parameters of which are nonlinear, is fitted beside it to compare with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.common import read
from jointwise.experiments.joint.motions import sweeps
from jointwise.experiments.joint.pose import find_pose
from jointwise.experiments.joint.result import (
    Outcome,
    Row,
    joint_fit,
    saturation_note,
    with_friction,
)
from jointwise.experiments.joint.samples import FILTER_HZ, joint_index
from jointwise.experiments.joint.steady import Steady, steady
from jointwise.experiments.joint.velocity import nuisances
from jointwise.experiments.metrics import nrmse_percent, rmse
from jointwise.experiments.recordings import Recordings
from jointwise.laws.temperature import TemperatureChange
from jointwise.motion.bounds import bounds_of
from jointwise.motion.motion import Motion
from jointwise.robot.description import Robot

Array = NDArray[np.float64]
SPEEDS = (0.05, 0.3, 0.8, 1.6)
"""rad/s, where the arm allows them."""
REFERENCE_DEGC = 20.0
"""T0 of J3(11)."""
SPREAD = 3.0
"""K; a smaller range of temperatures tells nothing beside a sensor's noise."""
CURVED, FEWEST_CURVED = 12.0, 3
"""K; over a smaller range, or with fewer different temperatures, T^-3 cannot be told from a straight line."""


def plan(robot: Robot, joint: str | int, *, speeds: Sequence[float] = SPEEDS) -> Motion:
    """Sweeps at a few speeds, to be recorded again and again while the joint warms up."""
    j = joint_index(robot, joint)
    pose = find_pose(robot, j, "parallel")
    top = min(0.9 * float(bounds_of(robot, share=0.95).velocity[j]), 0.8 * (pose.high - pose.low))
    return sweeps(robot, pose, j, [min(v, top) for v in speeds])


def fit(
    robot: Robot,
    recordings: Recordings,
    joint: str | int,
    *,
    torque: str | None = None,
    filter_hz: float = FILTER_HZ,
    reference_degc: float = REFERENCE_DEGC,
) -> Fit:
    """The change of friction with temperature from recordings at several temperatures."""
    given = read(robot, recordings, joint, torque=torque, filter_hz=filter_hz)
    data = steady(given.parts)
    plain, notes = nuisances(data, given.angle)
    notes += data.remarks()
    temperature = np.clip(data.temperature, 1.0, 200.0)
    spread = float(np.ptp(data.temperature)) if np.isfinite(data.temperature).all() else 0.0
    known = spread >= SPREAD
    apart = levels_of(data.temperature) if known else 1
    curved = spread >= CURVED and apart >= FEWEST_CURVED
    own = temperature_columns(data.omega, temperature, reference_degc)[:, : 2 if curved else 1]
    base = np.column_stack([levels(data), plain])
    design = np.column_stack([own, base]) if known else base
    values = np.linalg.lstsq(design, data.torque, rcond=None)[0]
    residual = data.torque - design @ values
    slope = float(values[0]) if known else 0.0
    cube = float(values[1]) if known and curved else 0.0
    why = "" if known else (
        f"the temperature changed by {spread:.2g} K only, at least {SPREAD:g} K are needed: warm the joint up"
    )  # fmt: skip
    why_cube = why or (
        ""
        if curved
        else f"over {spread:.2g} K, at {apart} temperatures, it cannot be told from the slope"
    )
    rows = (
        Row(name="slope", value=slope, unit="N m (s/rad)^0.5 / degC", meaning="change by temperature", hidden=why),
        Row(name="cube", value=cube, unit="N m (s/rad)^0.5 degC^3", meaning="change when cold", hidden=why_cube),
    )  # fmt: skip
    jacobian = np.zeros((len(residual), 2))
    if known:
        jacobian[:, : own.shape[1]] = own
    # The levels are estimated beside: what of the columns they could explain does not count.
    basis = np.linalg.qr(base)[0]
    jacobian -= basis @ (basis.T @ jacobian)
    changes: dict[str, Any] = {}
    if known:
        low, high = float(data.temperature.min()), float(data.temperature.max())
        law = TemperatureChange(
            slope=slope, cube=cube, reference=reference_degc,
            temperature_low=max(low - 5.0, 1.0), temperature_high=high + 5.0,
        )  # fmt: skip
        changes["friction"] = with_friction(robot, given.joint, [law])
    other = data.torque * np.nan
    if known:
        place = bittencourt(data, plain, temperature)
        theirs = bittencourt_columns(place, data, plain, temperature)
        other = data.torque - theirs @ np.linalg.lstsq(theirs, data.torque, rcond=None)[0]
    sign = data.means(np.sign(data.omega))
    measured = sign * data.means(data.torque - plain @ values[len(values) - plain.shape[1] :])
    expected = measured - sign * data.means(residual)
    outcome = Outcome(
        experiment="temperature",
        joint=given.joint,
        rows=rows,
        jacobian=jacobian,
        residual=residual,
        groups=data.piece,
        scores={
            "nrmse_percent": nrmse_percent(measured, expected),
            "nrmse_bittencourt_percent": nrmse_percent(
                measured, measured - sign * data.means(other)
            ),
            "rmse": rmse(residual),
            "spread_degc": spread,
        },
        settings={"reference_degc": reference_degc},
        notes=(*notes, *saturation_note(data.saturated)),
        arrays={
            "velocity": data.means(data.omega),
            "temperature": data.means(data.temperature),
            "friction": measured,
            "fitted": expected,
        },
    )
    return joint_fit(outcome, robot, changes, given.recordings)


def levels_of(temperature: Array) -> int:
    """How many temperatures there are, SPREAD apart."""
    last, count = -np.inf, 0
    for value in np.sort(temperature):
        if value - last >= SPREAD:
            last, count = float(value), count + 1
    return count


def temperature_columns(omega: Array, temperature: Array, reference: float) -> Array:
    """The two columns of J3(11)."""
    root = np.sign(omega) * np.sqrt(np.abs(omega))
    cube = temperature**-3 - reference**-3
    return np.column_stack([root * (temperature - reference), root * cube])


def bittencourt(data: Steady, plain: Array, temperature: Array) -> Array:
    """The two nonlinear numbers of Bittencourt's term, with the same levels: J1 4.2.3, reconstructed in spec 05.5."""
    from scipy.optimize import minimize

    def cost(place: Array) -> float:
        design = bittencourt_columns(place, data, plain, temperature)
        rest = data.torque - design @ np.linalg.lstsq(design, data.torque, rcond=None)[0]
        return float(rest @ rest)

    starts = [np.array([np.log(v), s]) for v in (0.02, 0.2, 1.0) for s in (0.0, 0.01)]
    runs = [
        minimize(cost, start, method="Nelder-Mead", options={"maxfev": 150}) for start in starts
    ]
    return np.asarray(min(runs, key=lambda run: float(run.fun)).x)


def bittencourt_columns(
    place: Array, data: Steady, plain: Array, temperature: Array, speeds: Array | None = None
) -> Array:
    """(F_s0 + F_sT T) exp(-abs(omega / (omega_0 + omega_T T))^1.3) beside levels and plain columns."""
    width = np.maximum(np.exp(place[0]) + place[1] * temperature, 1e-4)
    factor = np.sign(data.omega) * np.exp(-((np.abs(data.omega) / width) ** 1.3))
    return np.column_stack([factor, factor * temperature, levels(data, speeds), plain])


def levels(data: Steady, speeds: Array | None = None) -> Array:
    """A column for each speed, those of the data unless others are given: the sign of motion at that speed."""
    speeds = data.speeds if speeds is None else speeds
    level = np.argmin(np.abs(np.abs(data.omega)[:, None] - speeds), axis=1)
    return np.asarray(np.sign(data.omega)[:, None] * (level[:, None] == np.arange(len(speeds))))
