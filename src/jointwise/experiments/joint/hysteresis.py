"""Hysteresis of a joint's friction from slow strokes: slipping springs, found by six methods. Spec 09.6, 09.8.

    K_tau i = sum_i W_i h_i(Delta_i) + c omega + d root(omega) + e alpha + offset [+ gravity]          J1(34)-(43)

Even slow strokes feel oil, root(omega) = sgn(omega) sqrt(abs omega) beside the proportional part, and inertia. The
angle is corrected by the kinematic error where the robot knows one. Operators start relaxed and are not judged before
the first reversal, by when all of them slip (condition C0).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.estimators import slip
from jointwise.estimators.slip import SlipData, SlipFit
from jointwise.estimators.slip_choice import choose_operators
from jointwise.estimators.slip_convex import convex
from jointwise.estimators.slip_genetic import genetic
from jointwise.estimators.variable_projection import variable_projection
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.common import read
from jointwise.experiments.joint.motions import strokes
from jointwise.experiments.joint.pose import ALIGNED, find_pose
from jointwise.experiments.joint.result import (
    MEMORY,
    Outcome,
    Row,
    joint_fit,
    saturation_note,
    with_friction,
)
from jointwise.experiments.joint.samples import JointSamples, joint_index
from jointwise.experiments.metrics import nrmse_percent
from jointwise.experiments.recordings import Recordings
from jointwise.laws.friction import FrictionModel
from jointwise.laws.slip_bank import SlipBank
from jointwise.laws.transmissions import Transmission
from jointwise.laws.velocity import VelocityLaw
from jointwise.motion.motion import Motion
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]
FILTER_HZ = 30.0
"""Of the positions: their noise must stay below the smallest limit."""
CYCLES, NET = 12, 0.052
"""A cycle advances by 3 degrees, J3(21)."""
THINNED_HZ = 125.0
SLOW_HZ = 8.0
"""Of the acceleration, whose noise must stay below that of slow strokes."""
FEWEST = 4
"""Reversals below which the memory cannot be seen."""
BLOCK_S = 2.0
"""s; residuals within a block may agree with each other."""


def _polynomial(data: SlipData, operators: int) -> SlipFit:
    return slip.regression(
        data, slip.polynomial_limits(operators, 4.0, _largest(data)), method="polynomial"
    )


def _linear(data: SlipData, operators: int) -> SlipFit:
    return slip.regression(data, slip.linear_limits(operators, _largest(data)), method="linear")


def _preassigned(data: SlipData, operators: int) -> SlipFit:
    unit = replace(data, width=data.width * _largest(data))
    fit = slip.preassigned(unit, operators, level=slip.sliding_level(unit))
    return replace(fit, limits=fit.limits * _largest(data))


def _largest(data: SlipData) -> float:
    """The limit that counts as one: of a map of the backlash itself; else where the convex form ends (99 %)."""
    if not np.all(data.width == 1.0):
        return 1.0
    found = convex(data)
    share = np.cumsum(found.torques) / max(float(found.torques.sum()), 1e-300)
    return float(found.limits[int(np.searchsorted(share, 0.99))])


METHODS: Mapping[str, Callable[[SlipData, int], SlipFit]] = {
    "variable projection": variable_projection,
    "convex": lambda data, _: convex(data),
    "polynomial": _polynomial,
    "linear": _linear,
    "preassigned": _preassigned,
    "genetic": lambda data, operators: genetic(data, operators, seed=0),
}


def plan(robot: Robot, joint: str | int, *, cycles: int = CYCLES) -> Motion:
    """Slow strokes back and forth, axis parallel to gravity where possible."""
    j = joint_index(robot, joint)
    pose = find_pose(robot, j, "parallel")
    width = pose.high - pose.low
    back = min(0.1984, 0.25 * width)
    net = min(NET, (0.98 * width - back) / cycles)
    return strokes(robot, pose, j, cycles=cycles, net=net, back=back)


def fit(
    robot: Robot,
    recordings: Recordings,
    joint: str | int,
    *,
    torque: str | None = None,
    filter_hz: float = FILTER_HZ,
    method: str = "variable projection",
    operators: int | None = None,
) -> Fit:
    """The slipping springs of a joint; without a number of operators, cross-validation finds it."""
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    given = read(robot, recordings, joint, torque=torque, filter_hz=filter_hz)
    if len(given.parts) > 1:
        raise ParameterError(
            "recordings", len(given.parts), "one: operators remember through all of it"
        )
    data, turns = slip_samples(robot, given.parts[0], given.place, given.angle)
    notes = list(saturation_note(given.parts[0].saturated))
    if given.angle > ALIGNED:
        notes.append(
            f"the axis is {np.degrees(given.angle):.0f} deg from gravity, not parallel to it; gravity was fitted as "
            "a cos q + b sin q and taken out"
        )
    if turns < FEWEST:
        notes.append(
            f"{turns} reversals are too few, at least {FEWEST} are needed: only the sliding level is known"
        )
    scores: dict[str, float] = {}
    arrays: dict[str, Array] = {}
    if operators is None and method not in ("convex",) and turns >= FEWEST:
        choice = choose_operators(data, fit=METHODS[method])
        operators = choice.chosen
        arrays["left_out"] = choice.errors
    found = METHODS[method](data, operators or 1).sorted()
    expected = slip.predict(data, found)
    used = data.used
    scores |= {
        "nrmse_percent": nrmse_percent(data.torque[used], expected[used]),
        "rmse": found.rmse,
        "operators": float(len(found.limits)),
        "reversals": float(turns),
    }
    arrays |= {"limits": found.limits, "torques": found.torques, "extra": found.extra}
    arrays |= _loops(data, expected)
    rows, jacobian = _rows(data, found, turns)
    bank = SlipBank(
        limits=tuple(float(v) for v in found.limits * float(np.median(data.width))),
        torques=tuple(float(v) for v in found.torques),
        load_shares=(0.0,) * len(found.limits),
    )
    changes: dict[str, Any] = {}
    if turns >= FEWEST:
        changes["friction"] = _friction(robot, given.joint, bank)
    rate = given.parts[0].rate_hz / _thinning(given.parts[0])
    outcome = Outcome(
        experiment="hysteresis",
        joint=given.joint,
        rows=rows,
        jacobian=jacobian[used],
        residual=(data.torque - expected)[used],
        groups=(np.flatnonzero(used) / (BLOCK_S * rate)).astype(np.int64),
        scores=scores,
        settings={"method": method, "operators": len(found.limits)},
        notes=tuple(notes),
        arrays=arrays,
        status=found.status,
    )
    return joint_fit(outcome, robot, changes, given.recordings)


def _loops(data: SlipData, expected: Array, most: int = 1500) -> dict[str, Array]:
    """A stretch with reversals for the figure, beside what only knows the sign of motion."""
    used = data.used
    torque = data.torque[used]
    static = np.column_stack([np.sign(data.shift)[used], data.extra[used]])
    best = static @ np.linalg.lstsq(static, torque, rcond=None)[0]
    part = slice(len(torque) // 2, len(torque) // 2 + most)
    return {
        "place": np.cumsum(data.shift)[used][part],
        "measured": torque[part],
        "fitted": expected[used][part],
        "static": best[part],
    }


def slip_samples(
    robot: Robot, samples: JointSamples, j: int, angle: float, *, width: Array | float | None = None
) -> tuple[SlipData, int]:
    """Thinned samples for the estimators, and the number of reversals; limits are in widths where those are given."""
    step = _thinning(samples)
    theta, omega = samples.theta, samples.omega
    known = robot.joints[j].transmission
    gear = None if isinstance(known, Unknown) else Transmission.from_law(known)
    if gear is not None and gear.kinematic_error is not None:
        theta = theta - gear.kinematic_error.error(theta)
    from jointwise.recording.filters import zero_phase

    place = zero_phase(theta, samples.filter_hz, samples.rate_hz)
    count = len(place) // step * step
    mean = samples.torque[:count].reshape(-1, step).mean(axis=1)
    middle = np.arange(step // 2, count, step)
    root = np.sign(omega) * np.sqrt(np.abs(omega))
    alpha = zero_phase(samples.alpha, SLOW_HZ, samples.rate_hz)
    extra = [omega[middle], root[middle], alpha[middle], np.ones(len(middle))]
    if angle > ALIGNED:
        extra += [np.cos(samples.theta[middle]), np.sin(samples.theta[middle])]
    turns = np.flatnonzero(
        np.diff(np.sign(np.where(np.abs(omega) > 1e-3, omega, 0.0))[middle]) != 0
    )
    moving = np.abs(omega[middle]) > 1e-3
    sign = np.sign(omega[middle])[moving]
    flips = np.flatnonzero(np.diff(sign) != 0)
    first = (
        int(np.flatnonzero(moving)[flips[0]]) if len(flips) else int(turns[0]) if len(turns) else 0
    )
    used = np.zeros(len(middle), dtype=bool)
    used[first:] = True
    wide: Array | float = 1.0
    if width is not None:
        wide = np.asarray(width)[middle] if np.ndim(width) else width
    data = slip.slip_data(place[middle], mean, width=wide, extra=np.column_stack(extra), used=used)
    return data, len(flips)


def _thinning(samples: JointSamples) -> int:
    """Samples averaged into one: about 125 a second, between which a slow stroke moves by microns at its reversal."""
    return max(1, round(samples.rate_hz / THINNED_HZ))


def _rows(data: SlipData, found: SlipFit, turns: int) -> tuple[tuple[Row, ...], Array]:
    count = len(found.limits)
    why = "" if turns >= FEWEST else "too few reversals: only the sum of all torques is known"
    rows, columns = [], []
    h, slopes = slip.columns_and_slopes(data, found.limits)
    edge = data.grid()[[0, -1]]
    for i in range(count):
        limit, torque = float(found.limits[i]), float(found.torques[i])
        bound = ""
        if limit <= edge[0] * 1.01 or limit >= edge[1] * 0.99:
            bound = "the limit ended at the edge of what this motion can show"
        empty = "" if torque > 0.0 else "the data want no operator here"
        rows.append(Row(name=f"limit_{i + 1}", value=limit, unit="rad [m]", meaning="way until it slips",
                        hidden=why or empty, bound=bound))  # fmt: skip
        rows.append(Row(name=f"torque_{i + 1}", value=torque, unit="N m [N]", meaning="when it slips",
                        hidden=why, bound=empty))  # fmt: skip
        columns += [slopes[:, i] * torque / limit, h[:, i]]
    names = ("viscous", "viscous_root", "inertia", "offset", "gravity_cosine", "gravity_sine")
    units = ("N m s/rad", "N m (s/rad)^0.5", "kg m^2 [kg]", "N m [N]", "N m [N]", "N m [N]")
    for k, value in enumerate(found.extra):
        unit = units[k]
        rows.append(
            Row(name=names[k], value=float(value), unit=unit, meaning="beside the hysteresis")
        )
        columns.append(data.extra[:, k])
    return tuple(rows), np.column_stack(columns)


def _friction(robot: Robot, joint: str, bank: SlipBank) -> Any:
    """The bank in place of Coulomb friction, whose level it carries; a velocity law keeps its other parts."""
    known = robot.joint(joint).friction
    terms = () if isinstance(known, Unknown) else FrictionModel.from_law(known).terms
    laws: list[Any] = [bank]
    for term in terms:
        if isinstance(term, VelocityLaw):
            excess = term.breakaway - term.coulomb
            laws.append(replace(term, coulomb=0.0, breakaway=excess))
    return with_friction(robot, joint, laws, without=("coulomb", *MEMORY))
