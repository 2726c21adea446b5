"""E-GMS: hysteresis, load, speed and temperature of a joint's friction at once, on a backlash that depends on position.

    tau = (F_C0 + F_l abs(g) + F_q g^2 + excess exp(-(abs omega / V_S)^mu)) H + (c_0 + c_T (T - T0)) root(omega)
          + c_1 omega + b alpha + offset + g,           H of J3(15)-(18) with Bl(theta) = exp(b_0 + waves)

Strokes over the turn show H and Bl, slow sweeps under gravity the load, sweeps at several temperatures the rest; all
recordings are solved together. For given exponents, backlash, V_S and mu everything else is linear with F >= 0
(variable projection); offset, inertia and gravity belong to each recording. What a set of recordings cannot show is
left out and said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.common import pose_angle, read
from jointwise.experiments.joint.e_gms_model import (
    Model,
    Rows,
    Solution,
    columns_of,
    rows_of,
    solve,
)
from jointwise.experiments.joint.e_gms_result import laws_of, table_of
from jointwise.experiments.joint.kinematic_error import plan
from jointwise.experiments.joint.result import (
    MEMORY,
    SLIDING,
    Outcome,
    joint_fit,
    saturation_note,
    with_friction,
)
from jointwise.experiments.metrics import nrmse_percent, rmse
from jointwise.experiments.recordings import Recordings
from jointwise.robot.description import Robot

Array = NDArray[np.float64]
FILTER_HZ = 30.0
REFERENCE_DEGC = 20.0
OPERATORS = 4
BLOCK_S = 2.0
__all__ = ["fit", "plan"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """Torque without what is no friction, and what the model and its static counterpart expect."""

    measured: Array
    expected: Array
    static: Array


def fit(
    robot: Robot,
    recordings: Recordings,
    joint: str | int,
    *,
    torque: str | None = None,
    filter_hz: float = FILTER_HZ,
    operators: int = OPERATORS,
    reference_degc: float = REFERENCE_DEGC,
) -> Fit:
    """Everything friction of a joint depends on, from all its recordings together."""
    given = read(robot, recordings, joint, torque=torque, filter_hz=filter_hz)
    angles = [pose_angle(robot, rec, given.place) for rec in given.recordings.values()]
    rows = rows_of(robot, given.parts, given.place, angles, reference_degc)
    model = Model.for_rows(rows, operators)
    found = solve(model, rows)
    compared = _compared(found, rows)
    parameters, jacobian = table_of(found, rows)
    used = rows.used
    notes = list(saturation_note(max(s.saturated for s in given.parts)))
    notes += model.notes
    changes: dict[str, Any] = {}
    if model.memory:
        laws = laws_of(found, rows, reference_degc)
        gone = (*SLIDING, *MEMORY, "load_linear", "load_quadratic", "temperature_change")
        changes["friction"] = with_friction(robot, given.joint, laws, without=gone)
    outcome = Outcome(
        experiment="e-gms",
        joint=given.joint,
        rows=parameters,
        jacobian=jacobian[used],
        residual=found.residual[used],
        groups=np.cumsum(
            np.diff(np.floor(rows.time / BLOCK_S) + 1e6 * rows.part, prepend=-1.0) != 0
        )[used],
        scores={
            "nrmse_percent": nrmse_percent(compared.measured, compared.expected),
            "nrmse_static_percent": nrmse_percent(compared.measured, compared.static),
            "rmse": rmse(compared.measured - compared.expected),
            "reversals": float(rows.reversals),
            "largest_load": float(np.abs(found.load[used]).max()),
            "spread_degc": rows.spread,
        },
        settings={"operators": operators, "reference_degc": reference_degc},
        notes=tuple(notes),
        arrays={"half_backlash": found.width_table(), **_curves(rows, compared)},
    )
    return joint_fit(outcome, robot, changes, given.recordings)


def _compared(found: Solution, rows: Rows) -> Compared:
    """Friction as measured, by the model, and by the same model whose hysteresis is the sign of motion."""
    used = rows.used
    plain = found.plain
    columns = found.columns[:, :plain]
    nuisance = found.columns[:, plain:] @ found.linear[plain:]
    measured = (rows.torque - nuisance)[used]
    static = columns_of(found.model, rows, found.place, found.load, memory=False)
    x = np.column_stack([static[:, :plain], found.columns[:, plain:]])[used]
    best = np.linalg.lstsq(x, rows.torque[used], rcond=None)[0]
    expected = static[used][:, :plain] @ best[:plain] + x[:, plain:] @ best[plain:]
    return Compared(
        measured=measured,
        expected=(columns @ found.linear[:plain])[used],
        static=expected - nuisance[used],
    )


def _curves(rows: Rows, compared: Compared, most: int = 1500) -> dict[str, Array]:
    """A stretch of the recording with most reversals: place, measured, modelled and static friction."""
    number, omega = rows.part[rows.used], rows.omega[rows.used]
    turned = np.bincount(number[1:], np.diff(np.sign(omega)) != 0)
    own = np.flatnonzero(number == int(np.argmax(turned)))
    part = own[len(own) // 2 : len(own) // 2 + most]
    return {
        "place": rows.theta[rows.used][part],
        "measured": compared.measured[part],
        "fitted": compared.expected[part],
        "static": compared.static[part],
    }
