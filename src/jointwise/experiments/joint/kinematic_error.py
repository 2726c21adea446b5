"""Kinematic error and position-dependent backlash from slow strokes both ways. Spec 04.5, 04.6, 08.6.

    phi_+- = theta - q - deformation,   error = (phi_+ + phi_-)/2,   half backlash = (phi_+ - phi_-)/2      J1(30)-(32)

All samples of a stroke count once it has left its reversal behind, not its last one only: the scatter of encoders
averages out. Each place counts the same, however slowly it was passed, or waves of many cycles would look like few. A
table over the turn comes from bins; the Fourier form from least squares on sine and cosine, the number of harmonics
being that of the least error on strokes left out. Errors of a gear begin with the turn itself; a lone wave of many
cycles is taken for the scale of the link's encoder. Where a joint cannot turn all the way, harmonics are held small by
their steepness: the curve is known where it was seen, and stays tame where it was not.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
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
"""Candidates for the output's family; the rotor's has three."""
ROTOR = 3
LEFT_BEHIND = 0.02
"""rad after a reversal that do not count: ten times a usual backlash."""
ACCELERATION = 0.08
"""rad/s^2; the links' inertia bends the gear by a few percent of its error, one way as often as the other."""
COVERED, GAPLESS = 0.9, 0.97
"""Share of the turn that must be seen for a function of the turn, and for one with many waves. A joint whose range is
one turn sees a little less than all of it, and will never be where the rest is."""
LEAST = 0.25
"""Share of the turn below which not even the curve over the range seen is worth keeping."""
TAME = 1e-5
"""Weight of (n a_n)^2 beside the mean square of the error: it decides only what the range seen leaves open."""
SMALL_GAIN = 0.15
"""Share of the mean squared error by which more harmonics must be better than fewer."""
KEPT = 200
"""Samples of one stroke that are kept."""
FOLDS = 5
CYCLES = 30
BACK = 0.1
"""rad of a stroke backward; J1 has 0.1984. Ten half backlashes slide as steadily, in less time."""


LONE, WORTH = 64, 0.03
"""Most cycles a turn of a lone wave, and share of the error on strokes left out that it must take away."""
CELLS = 480
"""Of the turn; samples of one cell together count as much as those of another."""


class Strokes(NamedTuple):
    """Samples behind the reversals: rotor angle, deformation free of load, direction, number of the stroke."""

    theta: Array
    phi: Array
    direction: Array
    stroke: NDArray[np.int64]

    @property
    def weight(self) -> Array:
        """Of each sample, by how many there are at its place; mean square one."""
        cell = np.floor(self.theta / TURN * CELLS).astype(np.int64)
        cell -= cell.min()
        share = 1.0 / np.bincount(cell)[cell]
        return np.asarray(np.sqrt(share / share.mean()))


class Chosen(NamedTuple):
    """Harmonics of the output, cycles of the lone wave (0: none), and the errors of all orders on strokes left out."""

    order: int
    wave: int
    errors: tuple[float, ...]


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
    orders = HARMONICS if covered >= GAPLESS else HARMONICS[:5]
    tame = 0.0 if whole else TAME
    order, wave, errors = _chosen(data, orders, rotor, base, tame)
    design = columns(data, order, rotor, base, wave)
    values = _solved(design, data.phi, order, tame, data.weight)
    residual = data.phi - design @ values
    angle, table, widths = tables(data)
    gravity = given.angle > ALIGNED and isinstance(robot.joints[given.place].transmission, Unknown)
    rows = _rows(values, order, rotor, wave, whole, covered, gravity)
    law = _law(values, order, rotor, base)
    reach = np.linspace(data.theta.min(), data.theta.max(), 2000)
    size = float(np.ptp(law.error(np.linspace(0.0, TURN, 2000) if whole else reach))) / 2.0
    notes = (
        *notes,
        f"an error of the link's own encoder with up to {order} cycles a turn looks the same as one of the gear",
    )
    if wave:
        notes = (*notes, f"a lone wave of {wave} cycles a turn was taken for the link encoder's own: it is in this "
                 "fit, not in the robot")  # fmt: skip
    if not whole:
        seen = (
            f"{100 * covered:.0f} % of the turn was seen, {reach[0]:.2f} to {reach[-1]:.2f} rad: outside it nothing is "
            "known"
        )
        notes = (
            *notes,
            seen if covered >= LEAST else f"{seen}, and nothing was put into the robot",
        )
    changes: dict[str, Any] = {}
    known = robot.joints[given.place].transmission
    if covered >= LEAST and not isinstance(known, Unknown):
        parts: dict[str, Any] = {"kinematic_error": law}
        if whole and np.nanmin(widths) > 0.0:
            whole_turn = closed(angle, widths)
            parts["backlash"] = BacklashMap(half_backlash=tuple(float(v) for v in whole_turn))
        changes["transmission"] = with_transmission(robot, given.joint, **parts)
    elif covered >= LEAST:
        notes = (
            *notes,
            "the robot has no stiffness for this joint yet, so the error stays in this fit alone",
        )
    outcome = Outcome(
        experiment="kinematic-error",
        joint=given.joint,
        rows=rows,
        jacobian=design * data.weight[:, None],
        residual=residual * data.weight,
        groups=data.stroke,
        scores={
            "nrmse_percent": nrmse_percent(data.phi, data.phi - residual),
            "rmse": rmse(residual),
            "amplitude": size,
            "half_backlash": float(np.nanmean(widths)),
            "covered_percent": 100.0 * covered,
        },
        settings={"harmonics": order, "rotor_harmonics": rotor, "encoder_cycles": wave},
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


def columns(data: Strokes, order: int, rotor: int, ratio: float, wave: int = 0) -> Array:
    """Offset, output family, rotor family, direction (half the backlash), and a lone wave of so many cycles a turn."""
    parts = [np.ones_like(data.theta)]
    for n in range(1, order + 1):
        parts += [np.cos(n * data.theta), np.sin(n * data.theta)]
    for n in range(1, rotor + 1):
        parts += [np.cos(2 * n * ratio * data.theta), np.sin(2 * n * ratio * data.theta)]
    parts.append(data.direction)
    if wave:
        parts += [np.cos(wave * data.theta), np.sin(wave * data.theta)]
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


def _chosen(data: Strokes, orders: Sequence[int], rotor: int, ratio: float, tame: float) -> Chosen:
    """The order, with or without a lone wave, that predicts strokes left out best."""
    errors, best = [], Chosen(orders[0], 0, ())
    least = np.inf
    for order in orders:
        design = columns(data, order, rotor, ratio)
        alone = _left_out(data, design, order, tame)
        errors.append(alone)
        wave = _lone(data, design, order, tame)
        beside = _left_out(data, columns(data, order, rotor, ratio, wave), order, tame)
        if beside > (1.0 - WORTH) ** 2 * alone:
            wave, beside = 0, alone
        if beside < least * (1.0 - SMALL_GAIN):
            least, best = beside, Chosen(order, wave, ())
    return best._replace(errors=tuple(errors))


def _lone(data: Strokes, design: Array, order: int, tame: float) -> int:
    """Cycles a turn of the wave that is largest in what the design leaves, at least one apart from its harmonics."""
    rest = data.phi - design @ _solved(design, data.phi, order, tame, data.weight)
    share = data.weight**2 * rest
    cycles = np.arange(order + 2, LONE)
    sizes = [abs(np.sum(share * np.exp(1j * n * data.theta))) for n in cycles]
    return int(cycles[int(np.argmax(sizes))])


def _solved(design: Array, phi: Array, order: int, tame: float, weight: Array) -> Array:
    """Weighted least squares, harmonics of the output held small by `tame`."""
    design, phi = design * weight[:, None], phi * weight
    if tame > 0.0:
        steepness = np.zeros(design.shape[1])
        steepness[1 : 1 + 2 * order] = np.repeat(np.arange(1, order + 1), 2)
        hold = np.diag(np.sqrt(tame * len(phi)) * steepness)
        design = np.concatenate([design, hold])
        phi = np.concatenate([phi, np.zeros(len(hold))])
    return np.asarray(np.linalg.lstsq(design, phi, rcond=1e-12)[0])


def _left_out(data: Strokes, design: Array, order: int, tame: float) -> float:
    """Mean squared error on every fifth pair of strokes left out."""
    total, weight = 0.0, data.weight
    for fold in range(FOLDS):
        out = (data.stroke // 2) % FOLDS == fold
        if not out.any() or out.all():
            continue
        values = _solved(design[~out], data.phi[~out], order, tame, weight[~out])
        total += float(np.sum((weight * (data.phi - design @ values))[out] ** 2))
    return total / len(data.phi)


def _covered(theta: Array) -> float:
    which = np.floor(theta / TURN * KNOTS).astype(int) % KNOTS
    return float(len(np.unique(which)) / KNOTS)


def _rows(
    values: Array, order: int, rotor: int, wave: int, whole: bool, covered: float, gravity: bool
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
    if wave:
        names += [(f"encoder_{w}_{wave}", "of the link's encoder") for w in ("cosine", "sine")]
    rows = []
    for (name, meaning), value in zip(names, values, strict=True):
        hidden = "" if name == "half_backlash" or name.startswith("encoder") else why
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
