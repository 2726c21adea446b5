"""Kinematic error and position-dependent backlash from slow strokes both ways. Spec 04.5, 04.6, 08.6.

    phi_+- = theta - q - deformation,   error = (phi_+ + phi_-)/2,   half backlash = (phi_+ - phi_-)/2      J1(30)-(32)

All samples of a stroke count once it has left its reversal behind, not its last one only: the scatter of encoders
averages out. A table over the turn comes from bins; the Fourier form from least squares on sine and cosine, the
number of harmonics being that of the least error on strokes left out.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.common import Read, need_both_encoders, read
from jointwise.experiments.joint.motions import strokes
from jointwise.experiments.joint.pose import ALIGNED, find_pose
from jointwise.experiments.joint.result import Outcome, Row, joint_fit, with_transmission
from jointwise.experiments.joint.samples import FILTER_HZ, JointSamples, joint_index
from jointwise.experiments.metrics import nrmse_percent, rmse
from jointwise.experiments.recordings import Recordings
from jointwise.laws.backlash_map import BacklashMap
from jointwise.laws.kinematic_error import FourierError
from jointwise.laws.transmissions import Transmission
from jointwise.motion.motion import Motion
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]
TURN = 2.0 * np.pi
KNOTS = 120
"""Of the table over one turn; J1 has 240."""
HARMONICS = (1, 2, 3, 4, 6, 8, 12)
"""Candidates for the output's family; the rotor's has two."""
ROTOR = 2
LEFT_BEHIND = 0.02
"""rad after a reversal that do not count: ten times a usual backlash."""
ACCELERATION = 0.08
"""rad/s^2; the links' inertia bends the gear by a few percent of its error, one way as often as the other."""
COVERED, GAPLESS = 0.9, 0.97
"""Share of the turn that must be seen for a function of the turn, and for one with many waves. A joint whose range is
one turn sees a little less than all of it, and will never be where the rest is."""
KEPT = 200
"""Samples of one stroke that are kept."""
FOLDS = 5
CYCLES = 30
BACK = 0.1
"""rad of a stroke backward; J1 has 0.1984. Ten half backlashes slide as steadily, in less time."""


class Strokes(NamedTuple):
    """Samples behind the reversals: rotor angle, deformation free of load, direction, number of the stroke."""

    theta: Array
    phi: Array
    direction: Array
    stroke: NDArray[np.int64]


def plan(robot: Robot, joint: str | int, *, cycles: int = CYCLES) -> Motion:
    """Slow strokes over one turn, or over as much as the joint has; a cycle advances by its share of the range."""
    j = joint_index(robot, joint)
    pose = find_pose(robot, j, "parallel", sweep=np.pi + 0.25, wide=0.999)
    width = pose.high - pose.low
    back = min(BACK, 0.2 * width)
    return strokes(
        robot,
        pose,
        j,
        cycles=cycles,
        net=(0.98 * width - back) / cycles,
        back=back,
        acceleration=ACCELERATION,
    )


def fit(
    robot: Robot,
    recordings: Recordings,
    joint: str | int,
    *,
    torque: str | None = None,
    filter_hz: float = FILTER_HZ,
) -> Fit:
    """Kinematic error and half backlash of a joint from slow strokes with both encoders."""
    given = read(robot, recordings, joint, torque=torque, filter_hz=filter_hz)
    need_both_encoders("kinematic error", given.parts)
    data, notes = strokes_of(robot, given)
    covered = _covered(data.theta)
    whole = covered >= COVERED
    ratio = robot.joints[given.place].drive.gear_ratio
    rotor = 0 if isinstance(ratio, Unknown) else ROTOR
    base = 1.0 if isinstance(ratio, Unknown) else float(ratio)
    orders = (
        HARMONICS if covered >= GAPLESS else HARMONICS[: 5 if whole else max(1, int(3 * covered))]
    )
    errors = [_left_out(data, order, rotor, base) for order in orders]
    order = orders[int(np.argmin(errors))]
    design = columns(data, order, rotor, base)
    values: Array = np.asarray(np.linalg.lstsq(design, data.phi, rcond=1e-12)[0])
    residual = data.phi - design @ values
    angle, table, widths = tables(data)
    gravity = given.angle > ALIGNED and isinstance(robot.joints[given.place].transmission, Unknown)
    rows = _rows(values, order, rotor, whole, covered, gravity)
    law = _law(values, order, rotor, base)
    size = float(np.ptp(law.error(np.linspace(0.0, TURN, 2000)))) / 2.0
    notes = (
        *notes,
        f"an error of the link's own encoder with up to {order} cycles a turn looks the same as one of the gear",
    )
    if not whole:
        notes = (*notes, f"{100 * covered:.0f} % of the turn was seen: outside it nothing is known, and nothing was "
                 "put into the robot")  # fmt: skip
    changes: dict[str, Any] = {}
    known = robot.joints[given.place].transmission
    if whole and not isinstance(known, Unknown):
        parts: dict[str, Any] = {"kinematic_error": law}
        if np.nanmin(widths) > 0.0:
            whole_turn = closed(angle, widths)
            parts["backlash"] = BacklashMap(half_backlash=tuple(float(v) for v in whole_turn))
        changes["transmission"] = with_transmission(robot, given.joint, **parts)
    elif whole:
        notes = (
            *notes,
            "the robot has no stiffness for this joint yet, so the error stays in this fit alone",
        )
    outcome = Outcome(
        experiment="kinematic-error",
        joint=given.joint,
        rows=rows,
        jacobian=design,
        residual=residual,
        groups=data.stroke,
        scores={
            "nrmse_percent": nrmse_percent(data.phi, data.phi - residual),
            "rmse": rmse(residual),
            "amplitude": size,
            "half_backlash": float(np.nanmean(widths)),
            "covered_percent": 100.0 * covered,
        },
        settings={"harmonics": order, "rotor_harmonics": rotor},
        notes=notes,
        arrays={
            "angle": angle,
            "error_table": table,
            "error_fitted": np.asarray(law.error(angle)),
            "half_backlash": widths,
            "left_out": np.array(errors),
        },
    )
    return joint_fit(outcome, robot, changes, given.recordings)


def strokes_of(robot: Robot, given: Read) -> tuple[Strokes, tuple[str, ...]]:
    """Samples far enough behind their reversals, with the deformation under load taken out where it is known."""
    known = robot.joints[given.place].transmission
    spring = None if isinstance(known, Unknown) else Transmission.from_law(known).stiffness
    notes: tuple[str, ...] = ()
    if given.angle > ALIGNED:
        words = "deformation under gravity was taken out" if spring is not None else (
            "deformation under gravity is part of the first harmonic: fit stiffness first"
        )  # fmt: skip
        notes = (
            f"the axis is {np.degrees(given.angle):.0f} deg from gravity, not parallel to it; {words}",
        )
    found = []
    first = 0
    for samples in given.parts:
        pieces, count = _behind_reversals(samples, first)
        first += count
        load = _load(samples) if given.angle > ALIGNED else np.zeros(len(samples))
        bent = np.zeros(len(samples)) if spring is None else np.asarray(spring.deformation(load))
        link = samples.q if samples.q is not None else samples.theta
        for part, number in pieces:
            way = float(np.sign(samples.theta[part][-1] - samples.theta[part][0]))
            values = (samples.theta - link - bent)[part]
            found.append(
                (
                    samples.theta[part],
                    values,
                    np.full(len(values), way),
                    np.full(len(values), number),
                )
            )
    theta, phi, direction, stroke = (np.concatenate(v) for v in zip(*found, strict=True))
    return Strokes(theta, phi, direction, stroke.astype(np.int64)), notes


def _load(samples: JointSamples) -> Array:
    """Joint torque as the motor sees it: gravity about a fixed axis, a cos + b sin, beside friction by direction."""
    sign = np.tanh(samples.omega / 1e-3)
    gravity = np.column_stack([np.cos(samples.theta), np.sin(samples.theta)])
    design = np.column_stack([gravity, sign, samples.omega, np.ones_like(sign)])
    values = np.linalg.lstsq(design, samples.smooth_torque, rcond=1e-10)[0]
    return np.asarray(gravity @ values[:2])


def _behind_reversals(
    samples: JointSamples, first: int
) -> tuple[list[tuple[NDArray[np.int64], int]], int]:
    """Samples of each stroke that are far behind its reversal, at most KEPT, and the number of strokes."""
    sign = np.sign(samples.omega)
    moving = np.abs(samples.omega) > 1e-3
    edges = np.flatnonzero(np.diff(np.where(moving, sign, 0.0), prepend=0.0, append=0.0) != 0)
    found: list[tuple[NDArray[np.int64], int]] = []
    for start, stop in itertools.pairwise(edges):
        if not moving[start]:
            continue
        way = np.abs(samples.theta[start:stop] - samples.theta[start])
        behind = start + np.flatnonzero(way > min(LEFT_BEHIND, 0.5 * float(way.max())))
        if len(behind) > 10 and way.max() > 2e-3:
            step = max(1, len(behind) // KEPT)
            found.append((behind[::step], first + len(found)))
    return found, len(found)


def columns(data: Strokes, order: int, rotor: int, ratio: float) -> Array:
    """Offset, output family, rotor family, direction and its first harmonics: the half backlash."""
    parts = [np.ones_like(data.theta)]
    for n in range(1, order + 1):
        parts += [np.cos(n * data.theta), np.sin(n * data.theta)]
    for n in range(1, rotor + 1):
        parts += [np.cos(2 * n * ratio * data.theta), np.sin(2 * n * ratio * data.theta)]
    parts.append(data.direction)
    return np.column_stack(parts)


def tables(data: Strokes) -> tuple[Array, Array, Array]:
    """Angles of the knots, error and half backlash there, NaN where no stroke came by."""
    angle = TURN * np.arange(KNOTS) / KNOTS
    means = []
    for way in (1.0, -1.0):
        chosen = data.direction == way
        # A knot stands for the cell around it.
        which = np.floor(data.theta[chosen] / TURN * KNOTS + 0.5).astype(int) % KNOTS
        count = np.bincount(which, minlength=KNOTS)
        total = np.bincount(which, data.phi[chosen], minlength=KNOTS)
        means.append(np.where(count > 0, total / np.maximum(count, 1), np.nan))
    return angle, 0.5 * (means[0] + means[1]), 0.5 * (means[0] - means[1])


def closed(angle: Array, values: Array) -> Array:
    """A table over the turn whose few missing knots are bridged by straight lines."""
    seen = np.isfinite(values)
    return np.asarray(np.interp(angle, angle[seen], values[seen], period=TURN))


def _left_out(data: Strokes, order: int, rotor: int, ratio: float) -> float:
    """Mean squared error on every fifth pair of strokes left out."""
    design = columns(data, order, rotor, ratio)
    total = 0.0
    for fold in range(FOLDS):
        out = (data.stroke // 2) % FOLDS == fold
        if not out.any() or out.all():
            continue
        values = np.linalg.lstsq(design[~out], data.phi[~out], rcond=1e-12)[0]
        total += float(np.sum((data.phi[out] - design[out] @ values) ** 2))
    return total / len(data.phi)


def _covered(theta: Array) -> float:
    which = np.floor(theta / TURN * KNOTS).astype(int) % KNOTS
    return float(len(np.unique(which)) / KNOTS)


def _rows(
    values: Array, order: int, rotor: int, whole: bool, covered: float, gravity: bool
) -> tuple[Row, ...]:
    why = "" if whole else f"only {100 * covered:.0f} % of the turn was seen"
    names = [("mean", "zero of the encoders")]
    names += [
        (f"output_{w}_{n}", "of the output turn")
        for n in range(1, order + 1)
        for w in ("cosine", "sine")
    ]
    names += [
        (f"rotor_{w}_{n}", "of the wave generator")
        for n in range(1, rotor + 1)
        for w in ("cosine", "sine")
    ]
    names.append(("half_backlash", "mean over the turn"))
    rows = []
    for (name, meaning), value in zip(names, values, strict=True):
        hidden = why if name != "half_backlash" else ""
        if gravity and name.startswith("output_") and name.endswith("_1"):
            hidden = "deformation under gravity looks the same: fit stiffness first"
        rows.append(
            Row(name=name, value=float(value), unit="rad [m]", meaning=meaning, hidden=hidden)
        )
    return tuple(rows)


def _law(values: Array, order: int, rotor: int, ratio: float) -> FourierError:
    output = values[1 : 1 + 2 * order]
    wave = values[1 + 2 * order : 1 + 2 * order + 2 * rotor]
    return FourierError(
        mean=float(np.clip(values[0], -1.0, 1.0)),
        gear_ratio=ratio,
        output_cosine=tuple(float(v) for v in output[0::2]),
        output_sine=tuple(float(v) for v in output[1::2]),
        rotor_cosine=tuple(float(v) for v in wave[0::2]),
        rotor_sine=tuple(float(v) for v in wave[1::2]),
    )
