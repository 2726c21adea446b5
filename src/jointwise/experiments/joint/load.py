"""Friction against load: one slow sweep each way through the range of gravity. Spec 09.3, 05.4.

    F = (tau_forward - tau_backward)/2 = F_0 + F_1 abs(g)   or   F_0 + F_2 g^2,     g = (tau_forward + tau_backward)/2

Forward and backward torque at the same place give friction and load at once, whatever masses the model assumes: an
error of gravity falls out of the difference. J1(27), J3(19), J3(20). Both forms are fitted, the better one is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.estimators.estimate import student_reach
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.common import read
from jointwise.experiments.joint.motions import sweeps
from jointwise.experiments.joint.pose import ALIGNED, find_pose
from jointwise.experiments.joint.result import (
    Outcome,
    Row,
    covariance,
    joint_fit,
    saturation_note,
    with_friction,
)
from jointwise.experiments.joint.samples import FILTER_HZ, JointSamples, joint_index
from jointwise.experiments.joint.steady import Plateau, plateaus
from jointwise.experiments.metrics import nrmse_percent, rmse
from jointwise.experiments.recordings import Recordings
from jointwise.laws.load import LinearLoad, QuadraticLoad
from jointwise.motion.motion import Motion
from jointwise.robot.description import Robot

Array = NDArray[np.float64]
SPEED = 0.1
"""rad/s; J3 5.1 has 0.05. At the doubled speed the sweep takes half as long and is still creeping."""
PLACES = 40
SAME_SPEED = 0.1
"""Relative difference of two speeds that count as one."""
RANGE = 0.25
"""Share of the largest load that the loads must cover."""
SURE = 0.997
"""Confidence with which the growth must be above zero; of two forms the better one was taken."""
SMALLEST = 1.0
"""N m; loads that cover less than this tell nothing."""


def plan(robot: Robot, joint: str | int, *, speed: float = SPEED) -> Motion:
    """A slow sweep forward and backward, axis normal to gravity, through as much gravity torque as the arm gives."""
    j = joint_index(robot, joint)
    pose = find_pose(robot, j, "normal")
    return sweeps(robot, pose, j, [speed], longest=1e3)


def fit(
    robot: Robot,
    recordings: Recordings,
    joint: str | int,
    *,
    torque: str | None = None,
    filter_hz: float = FILTER_HZ,
) -> Fit:
    """How friction grows with load, from sweeps both ways through the same places."""
    given = read(robot, recordings, joint, torque=torque, filter_hz=filter_hz)
    load, friction, group = load_and_friction(given.parts)
    size = np.abs(load)
    covered = float(np.ptp(size))
    enough = covered > max(RANGE * float(size.max()), SMALLEST)
    columns = {"load_linear": size, "load_quadratic": size**2}
    fits = {name: _line(column, friction, enough) for name, column in columns.items()}
    best = min(fits, key=lambda name: float(np.sum(fits[name][1] ** 2)))
    (level, slope), residual = fits[best]
    why = "" if enough else (
        f"the load covers {covered:.2g} N m only: friction and its growth cannot be told apart at one load"
    )  # fmt: skip
    jacobian = np.column_stack(
        [np.ones_like(size), columns[best] if enough else np.zeros_like(size)]
    )
    few = student_reach(SURE, max(len(np.unique(group)) - 2, 1))
    doubt = few * float(np.sqrt(covariance(jacobian, residual, group)[1, 1]))
    if enough and 0.0 < slope < doubt:
        most = (slope + doubt) * float(columns[best].max())
        why = (
            f"up to {size.max():.2g} N m of load friction grows by {most:.2g} N m at most, too little beside its "
            "scatter to be known: load the joint more"
        )
    bound = "friction does not grow with load here" if enough and slope <= 0.0 else ""
    unit = "1" if best == "load_linear" else "1/(N m)"
    rows = (
        Row(name="friction_without_load", value=level, unit="N m [N]", meaning="at this speed"),
        Row(name=best, value=slope, unit=unit, meaning="growth with load", hidden=why, bound=bound),
    )
    changes: dict[str, Any] = {}
    if not why:
        law = (
            LinearLoad(load_linear=slope)
            if best == "load_linear"
            else QuadraticLoad(load_quadratic=slope)
        )
        other = {"load_linear", "load_quadratic"} - {best}
        changes["friction"] = with_friction(robot, given.joint, [law], without=tuple(other))
    notes = list(saturation_note(max(s.saturated for s in given.parts)))
    if given.angle < 0.5 * np.pi - ALIGNED:
        notes.append(
            f"the axis is {np.degrees(given.angle):.0f} deg from gravity, not normal to it"
        )
    outcome = Outcome(
        experiment="load",
        joint=given.joint,
        rows=rows,
        jacobian=jacobian,
        residual=residual,
        groups=group,
        scores={
            "nrmse_percent": nrmse_percent(friction, friction - residual),
            "nrmse_linear_percent": nrmse_percent(friction, friction - fits["load_linear"][1]),
            "nrmse_quadratic_percent": nrmse_percent(
                friction, friction - fits["load_quadratic"][1]
            ),
            "rmse": rmse(residual),
            "largest_load": float(size.max()),
        },
        settings={"model": best},
        notes=tuple(notes),
        arrays={
            "load": load,
            "friction": friction,
            "fitted": friction - residual,
            **{f"{name}_fit": np.array(found) for name, (found, _) in fits.items()},
        },
    )
    return joint_fit(outcome, robot, changes, given.recordings)


def load_and_friction(parts: list[JointSamples]) -> tuple[Array, Array, NDArray[np.int64]]:
    """Load and friction at places passed both ways at one speed; the group says in which pair of sweeps."""
    loads, frictions, groups = [], [], []
    number = 0
    for index, samples in enumerate(parts):
        pieces = plateaus(samples, index)
        ahead = [p for p in pieces if p.omega > 0.0]
        for back in [p for p in pieces if p.omega < 0.0]:
            pairs = [p for p in ahead if abs(p.omega + back.omega) < SAME_SPEED * p.omega]
            for front in pairs[:1]:
                found = _pair(samples, front, back)
                if found is not None:
                    loads.append(found[0])
                    frictions.append(found[1])
                    # Neighbouring places share what is wrong with them: eight groups to a sweep.
                    groups.append(8 * number + np.arange(len(found[0])) * 8 // len(found[0]))
                    number += 1
    if not loads:
        raise ParameterError(
            "recordings", "without a sweep both ways at one speed", "sweeps forward and backward",
            "friction and load cannot be told apart from one direction",
        )  # fmt: skip
    return np.concatenate(loads), np.concatenate(frictions), np.concatenate(groups)


def _pair(samples: JointSamples, front: Plateau, back: Plateau) -> tuple[Array, Array] | None:
    one, two = slice(front.start, front.stop), slice(back.start, back.stop)
    low = max(float(samples.theta[one].min()), float(samples.theta[two].min()))
    high = min(float(samples.theta[one].max()), float(samples.theta[two].max()))
    if high - low < 0.02:
        return None
    edges = np.linspace(low, high, PLACES + 1)
    means = []
    for part in (one, two):
        which = np.digitize(samples.theta[part], edges) - 1
        inside = (which >= 0) & (which < PLACES)
        count = np.bincount(which[inside], minlength=PLACES)
        total = np.bincount(which[inside], samples.torque[part][inside], minlength=PLACES)
        means.append(np.where(count > 0, total / np.maximum(count, 1), np.nan))
    good = np.isfinite(means[0]) & np.isfinite(means[1])
    return 0.5 * (means[0] + means[1])[good], 0.5 * (means[0] - means[1])[good]


def _line(column: Array, friction: Array, sloped: bool) -> tuple[tuple[float, float], Array]:
    """Level and slope (not below zero), and the residual."""
    if not sloped:
        level = float(friction.mean())
        return (level, 0.0), friction - level
    design = np.column_stack([np.ones_like(column), column])
    level, slope = (float(v) for v in np.linalg.lstsq(design, friction, rcond=None)[0])
    if slope < 0.0:
        level, slope = float(friction.mean()), 0.0
    return (level, slope), friction - level - slope * column
