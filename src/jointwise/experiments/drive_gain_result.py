"""From gains to a `Fit`: intervals, verdicts, and the robot with the gains that are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from jointwise.estimators.estimate import CONVERGED
from jointwise.estimators.verdict import POORLY_IDENTIFIED
from jointwise.experiments.fit import HIDDEN, IDENTIFIED, NOT_PHYSICAL, WEAK, Fit, Parameter
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot
from jointwise.units import Unknown

NAME = "torque_constant"
WORTH_SAYING = 0.01
"""Difference from the robot file, relative, from which a note names it."""


class Gain(NamedTuple):
    """N m/A [N/A] of one motor; `hidden` says why the recordings cannot tell, `doubt` why the interval is no proof."""

    value: float = 0.0
    std: float = 0.0
    reach: float = 0.0
    residual: float = 0.0
    hidden: str = ""
    doubt: str = ""


def gains_fit(
    robot: Robot,
    gains: Sequence[Gain],
    recordings: Mapping[str, Recording],
    *,
    settings: Mapping[str, Any],
    notes: Sequence[str] = (),
) -> Fit:
    """The fit of drive gains; the robot takes those that are identified."""
    rows = [_row(robot, j, gain) for j, gain in enumerate(gains)]
    known = {
        f"joints.{joint.name}.drive.torque_constant": row.value
        for joint, row in zip(robot.joints, rows, strict=True)
        if row.verdict == IDENTIFIED
    }
    return Fit(
        experiment="drive-gain",
        robot=robot.replace(known, source="drive-gain experiment") if known else robot,
        status=CONVERGED,
        parameters=tuple(rows),
        covariance=np.diag([gain.std**2 for gain in gains]),
        settings=settings,
        recordings=tuple(
            {"name": name, "samples": len(rec), "duration_s": rec.duration, "rate_hz": rec.rate_hz}
            for name, rec in recordings.items()
        ),
        joints=tuple(
            {"joint": joint.name, "residual_rms": gain.residual}
            for joint, gain in zip(robot.joints, gains, strict=True)
            if not gain.hidden
        ),
        notes=(*notes, *_changes(robot, rows)),
    )


def _row(robot: Robot, j: int, gain: Gain) -> Parameter:
    joint = robot.joints[j]
    verdict, advice = IDENTIFIED, ""
    if gain.hidden:
        verdict, advice = HIDDEN, gain.hidden
    elif gain.value <= 0.0:
        verdict, advice = (
            NOT_PHYSICAL,
            "torque and current have opposite signs: correct one at import",
        )
    elif gain.doubt or 100.0 * gain.std > POORLY_IDENTIFIED * gain.value:
        verdict, advice = WEAK, gain.doubt or "hold more poses under more load"
    return Parameter(
        name=f"{NAME}_{joint.name}",
        value=gain.value,
        std=gain.std,
        lower=gain.value - gain.reach * gain.std,
        upper=gain.value + gain.reach * gain.std,
        unit="N/A" if joint.kind == "prismatic" else "N m/A",
        verdict=verdict,
        meaning="torque at the output per ampere of the motor",
        advice=advice,
    )


def _changes(robot: Robot, rows: Sequence[Parameter]) -> list[str]:
    """Where the robot file says something else."""
    out = []
    for joint, row in zip(robot.joints, rows, strict=True):
        stated = joint.drive.torque_constant
        if row.verdict != IDENTIFIED or isinstance(stated, Unknown):
            continue
        if abs(row.value - float(stated)) > WORTH_SAYING * float(stated):
            out.append(
                f"{joint.name}: {row.value:.4g} {row.unit} found, {float(stated):.4g} stated by the robot file "
                f"({100.0 * (row.value / float(stated) - 1.0):+.1f} %)"
            )
    return out
