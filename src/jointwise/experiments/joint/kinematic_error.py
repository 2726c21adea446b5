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

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.common import need_both_encoders, read
from jointwise.experiments.joint.kinematic_error_choice import (
    HARMONICS,
    PLAIN,
    ROTOR,
    Chosen,
    choose,
    columns,
    least,
    solved,
)
from jointwise.experiments.joint.kinematic_error_strokes import TURN, Strokes, strokes_of
from jointwise.experiments.joint.motions import strokes
from jointwise.experiments.joint.pose import ALIGNED, find_pose
from jointwise.experiments.joint.result import (
    Outcome,
    Row,
    joint_fit,
    saturation_note,
    with_transmission,
)
from jointwise.experiments.joint.samples import FILTER_HZ, joint_index
from jointwise.experiments.metrics import nrmse_percent, rmse
from jointwise.experiments.recordings import Recordings
from jointwise.laws.backlash_map import BacklashMap
from jointwise.laws.kinematic_error import FourierError
from jointwise.motion.motion import Motion
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]
KNOTS = 120
"""Of the table over one turn; J1 has 240."""
ACCELERATION, TOP = 0.08, 0.04
"""rad/s^2 and rad/s. At this speed eight waves per turn of the rotor stay far below the resonance of the links on the
gear, which would make them look larger."""
COVERED, GAPLESS = 0.9, 0.97
"""Share of the turn that must be seen for a function of the turn, and for one with many waves. A joint whose range is
one turn sees a little less than all of it, and will never be where the rest is."""
LEAST = 0.25
"""Share of the turn below which not even the curve over the range seen is worth keeping."""
TAME = 1e-5
"""Weight of (n a_n)^2 beside the mean square of the error: it decides only what the range seen leaves open."""
CYCLES = 30
BENT = ("inertia", "deformation beside acceleration")
BACK = 0.1
"""rad of a stroke backward; J1 has 0.1984. Ten half backlashes slide as steadily, in less time."""


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
        top=TOP,
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
    chosen, errors = choose(data, orders, rotor, base, tame)
    order, rotor, wave = chosen
    design = columns(data, chosen, base)
    values = solved(data, design, order, tame)
    residual = data.phi - design @ values
    angle, table, widths = tables(data)
    gravity = given.angle > ALIGNED and isinstance(robot.joints[given.place].transmission, Unknown)
    rows = _rows(
        values, chosen, "" if whole else f"only {100 * covered:.0f} % of the turn was seen", gravity
    )
    law = _law(values, chosen, base)
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
    if given.angle > ALIGNED:
        notes = (*notes, *saturation_note(max(s.saturated for s in given.parts)))
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
            "left_out": np.array([least(errors, n) for n in orders]),
        },
    )
    return joint_fit(outcome, robot, changes, given.recordings)


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


def _covered(theta: Array) -> float:
    which = np.floor(theta / TURN * KNOTS).astype(int) % KNOTS
    return float(len(np.unique(which)) / KNOTS)


def _rows(values: Array, chosen: Chosen, why: str, gravity: bool) -> tuple[Row, ...]:
    """Rows in the order of the columns; `why` says what hides functions of the turn."""
    order, rotor, wave = chosen
    names = [("mean", "zero of the encoders"), ("half_backlash", "mean over the turn"), BENT]
    for family, count, meaning in (
        ("output", order, "of the output turn"),
        ("rotor", rotor, "of the wave generator"),
    ):
        names += [
            (f"{family}_{w}_{n}", meaning) for n in range(1, count + 1) for w in ("cosine", "sine")
        ]
    if wave:
        names += [(f"encoder_{w}_{wave}", "of the link's encoder") for w in ("cosine", "sine")]
    rows = []
    for (name, meaning), value in zip(names, values, strict=True):
        hidden = why if name == "mean" or name.startswith(("output", "rotor")) else ""
        if gravity and name.startswith("output_") and name.endswith("_1"):
            hidden = "deformation under gravity looks the same: fit stiffness first"
        unit = "s^2" if name == BENT[0] else "rad [m]"
        rows.append(Row(name=name, value=float(value), unit=unit, meaning=meaning, hidden=hidden))
    return tuple(rows)


def _law(values: Array, chosen: Chosen, ratio: float) -> FourierError:
    families = np.split(values[PLAIN:], [2 * chosen.order, 2 * (chosen.order + chosen.rotor)])
    output, rotor = (tuple(float(v) for v in family) for family in families[:2])
    return FourierError(
        mean=float(np.clip(values[0], -1.0, 1.0)),
        gear_ratio=ratio,
        output_cosine=output[0::2],
        output_sine=output[1::2],
        rotor_cosine=rotor[0::2],
        rotor_sine=rotor[1::2],
    )
