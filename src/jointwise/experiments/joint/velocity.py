"""Friction against velocity: steady sweeps of both signs, the law of seven parameters. Spec 09.2, 05.3.

    K_tau i = s(omega) + offset [+ a cos q + b sin q]          J1(24), J3(10), C1(14)

The last two are gravity about a fixed axis, exact for any masses; they are left out where the axis is parallel to
gravity. For given Stribeck velocity and exponent all other parameters are linear (variable projection); the quasi-
Newton search over all of them, as in the sources, is kept to compare with. Of six models from Coulomb alone to all
seven parameters the simplest within one standard error of the best on speeds left out is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import UnknownNameError
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.common import read
from jointwise.experiments.joint.motions import sweeps
from jointwise.experiments.joint.pose import ALIGNED, find_pose
from jointwise.experiments.joint.result import (
    MEMORY,
    SLIDING,
    Outcome,
    Row,
    joint_fit,
    numeric_jacobian,
    saturation_note,
    with_friction,
)
from jointwise.experiments.joint.samples import FILTER_HZ, joint_index
from jointwise.experiments.joint.steady import Steady, steady
from jointwise.experiments.joint.stribeck_search import METHODS, Found, curve
from jointwise.experiments.metrics import nrmse_percent, rmse
from jointwise.experiments.recordings import Recordings
from jointwise.laws.velocity import VelocityLaw
from jointwise.motion.bounds import bounds_of
from jointwise.motion.motion import Motion
from jointwise.robot.description import Robot

Array = NDArray[np.float64]
SPEEDS = 14
NEGLIGIBLE = 3e-3
"""Error beside the friction at a speed below which models are as good as each other."""
SLOWEST = 0.008
"""rad/s; slow enough to see the Stribeck peak of gears."""
NAMES = (
    "coulomb",
    "breakaway",
    "stribeck_velocity",
    "stribeck_exponent",
    "viscous_1",
    "viscous_2",
    "viscous_3",
)
UNITS = ("N m [N]", "N m [N]", "rad/s [m/s]", "1", "N m s/rad", "N m s^2/rad^2", "N m s^3/rad^3")
MEANINGS = (
    "friction at creeping speed without the Stribeck excess", "friction at standstill", "where the excess has fallen",
    "how sharply it falls", "proportional to speed", "abs(speed) times speed", "third power of speed",
)  # fmt: skip
LADDER = ((0,), (0, 4), (0, 4, 5), (0, 4, 5, 6), (0, 1, 2, 4), (0, 1, 2, 3, 4, 5, 6))
"""Models by the parameters they have; the fifth has a Gaussian peak."""
NEEDED = (1, 2, 4, 5, 5, 8)
"""Different speeds each model of the ladder needs."""


def plan(robot: Robot, joint: str | int, *, speeds: Sequence[float] | None = None) -> Motion:
    """Sweeps forward and backward at speeds evenly spaced by logarithm, axis parallel to gravity where possible."""
    j = joint_index(robot, joint)
    pose = find_pose(robot, j, "parallel")
    if speeds is None:
        top = 0.9 * float(bounds_of(robot, share=0.95).velocity[j])
        # A sweep must still hold its speed for a while within the room there is.
        top = min(top, 0.8 * (pose.high - pose.low))
        speeds = [float(v) for v in np.geomspace(SLOWEST, top, SPEEDS)]
    return sweeps(robot, pose, j, speeds)


def fit(
    robot: Robot,
    recordings: Recordings,
    joint: str | int,
    *,
    torque: str | None = None,
    filter_hz: float = FILTER_HZ,
    method: str = "variable projection",
) -> Fit:
    """The velocity law of a joint from sweeps at constant velocity; `method` is how V_S and mu are searched."""
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    given = read(robot, recordings, joint, torque=torque, filter_hz=filter_hz)
    data = steady(given.parts)
    plain, notes = nuisances(data, given.angle)
    notes += data.remarks()
    scores, chosen = _choose(data, plain, method)
    found = METHODS[method](data.omega, data.torque, LADDER[chosen], plain)
    outcome = _outcome(data, plain, found, chosen, scores, given.joint, method)
    law = velocity_law(found)
    changes = {"friction": with_friction(robot, outcome.joint, [law], without=SLIDING + MEMORY)}
    every = (*notes, *outcome.notes, *saturation_note(data.saturated))
    return joint_fit(replace(outcome, notes=every), robot, changes, given.recordings)


def nuisances(data: Steady, angle: float) -> tuple[Array, tuple[str, ...]]:
    """Plain columns beside the law: an offset where both directions were run, gravity where the axis feels it."""
    columns, notes = [], []
    if data.directions == 2:
        columns.append(np.ones_like(data.omega))
    else:
        notes.append(
            "only one direction was run: an offset of the torque measurement is part of the Coulomb torque"
        )
    if angle > ALIGNED:
        notes.append(
            f"the axis is {np.degrees(angle):.0f} deg from gravity, not parallel to it; gravity was fitted as "
            "a cos q + b sin q and taken out"
        )
        columns += [np.cos(data.theta), np.sin(data.theta)]
    return np.column_stack(columns) if columns else np.zeros((len(data.omega), 0)), tuple(notes)


def velocity_law(found: Found) -> VelocityLaw:
    """The law of a result."""
    values = dict(zip(NAMES, (float(v) for v in found.values), strict=True))
    return VelocityLaw(**values)


def predicted(law: VelocityLaw, omega: Array) -> Array:
    """Friction torque of the law at velocities."""
    return curve(np.array([getattr(law, name) for name in NAMES]), np.asarray(omega))


def _choose(data: Steady, plain: Array, method: str) -> tuple[Array, int]:
    """Mean squared error of every model on each speed left out, (models, speeds), and the model taken."""
    speeds = data.speeds
    # By pieces, not by their bins: a bin may be nearer to another speed, and a speed must not be left without any.
    pieces = np.abs([piece.omega for piece in data.pieces])
    level = np.argmin(np.abs(pieces[:, None] - speeds), axis=1)[data.piece]
    allowed = [k for k, need in enumerate(NEEDED) if len(speeds) >= need]
    if len(speeds) < 4:
        return np.full((len(LADDER), len(speeds)), np.nan), allowed[-1]
    scores = np.full((len(LADDER), len(speeds)), np.nan)
    for k in [k for k in allowed if len(speeds) - 1 >= NEEDED[k] - 1]:
        for s in range(len(speeds)):
            rest, out = level != s, level == s
            found = METHODS[method](data.omega[rest], data.torque[rest], LADDER[k], plain[rest])
            error = data.torque - curve(found.values, data.omega) - plain @ found.plain
            # What friction does along a piece is no business of a law of speed: its mean is judged.
            piece = np.unique(data.piece[out])
            scores[k, s] = float(np.mean(data.means(error)[piece] ** 2))
    # Speeds differ in error by orders of magnitude (the fastest must be extrapolated to): logarithms are compared, and
    # errors too small to matter count the same.
    sizes = np.log(scores / _levels(data, level) ** 2 + NEGLIGIBLE**2)
    means = np.array([np.inf if np.isnan(row).all() else row.mean() for row in sizes])
    best = int(np.argmin(means))
    for k in range(best):
        if np.isfinite(means[k]):
            excess = sizes[k] - sizes[best]
            if excess.mean() <= excess.std(ddof=1) / np.sqrt(len(speeds)):
                return scores, k
    return scores, best


def _levels(data: Steady, level: NDArray[np.int64]) -> Array:
    """Friction at each speed, beside which errors are seen."""
    total = np.bincount(level, data.torque * np.sign(data.omega))
    return np.asarray(np.maximum(np.abs(total / np.bincount(level)), 1e-9))


def _outcome(
    data: Steady, plain: Array, found: Found, chosen: int, scores: Array, joint: str, method: str
) -> Outcome:
    used = LADDER[chosen]
    model = np.concatenate([found.values, found.plain])

    def torque(values: Array) -> Array:
        return curve(values[:7], data.omega) + plain @ values[7:]

    residual = data.torque - torque(model)
    jacobian = numeric_jacobian(torque, model)
    for k in set(range(7)) - set(used):
        jacobian[:, k] = 0.0
    if 1 not in used:  # breakaway equals Coulomb
        jacobian[:, 0] = np.sign(data.omega)
    count = len(data.speeds)
    rows = []
    for k in range(7):
        hidden = bound = ""
        if k not in used:
            hidden = _why_hidden(k, chosen, count)
        elif k == 1 and found.values[1] <= found.values[0]:
            bound = "no Stribeck excess was found: breakaway equals the Coulomb torque"
        elif k == 0 and found.values[0] <= 0.0:
            bound = "no friction is left at medium speed once the Stribeck part is taken out; trust the curve only"
        elif k in found.bounds:
            bound = "the search ended at the edge of its range"
        rows.append(Row(name=NAMES[k], value=float(found.values[k]), unit=UNITS[k], meaning=MEANINGS[k],
                        hidden=hidden, bound=bound))  # fmt: skip
    labels = ["offset"] * (data.directions == 2) + ["gravity_cosine", "gravity_sine"]
    for name, value in zip(labels, found.plain, strict=False):
        rows.append(
            Row(name=name, value=float(value), unit="N m [N]", meaning="taken out beside friction")
        )
    at_speed = data.means(data.omega)
    measured = data.means(data.torque - plain @ found.plain)
    expected = data.means(curve(found.values, data.omega))
    left_out = scores[chosen]
    temperature = data.temperature[np.isfinite(data.temperature)]
    settings: dict[str, Any] = {"method": method, "model": [NAMES[k] for k in used]}
    if temperature.size:
        settings["temperature_degc"] = float(temperature.mean())
    return Outcome(
        experiment="velocity",
        joint=joint,
        rows=tuple(rows),
        jacobian=jacobian,
        residual=residual,
        groups=data.piece,
        scores={
            "nrmse_percent": nrmse_percent(measured, expected),
            "rmse": rmse(measured - expected),
            "left_out_rmse": float(np.sqrt(np.nanmean(left_out)))
            if np.isfinite(left_out).any()
            else float("nan"),
            "speeds": float(count),
        },
        settings=settings,
        notes=()
        if count > 1
        else ("one speed only: friction is known at this speed and no other",),
        arrays={"velocity": at_speed, "friction": measured, "fitted": expected, "left_out": scores},
    )


def _why_hidden(k: int, chosen: int, count: int) -> str:
    needed = next(NEEDED[m] for m, used in enumerate(LADDER) if k in used)
    if count < needed:
        return f"needs {needed} different speeds, there are {count}; its part is in the other parameters"
    return "left out: the data predict speeds left out as well without it"
