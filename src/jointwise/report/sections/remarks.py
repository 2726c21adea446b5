"""What an experiment on one joint has to say in words, and its scores with their units."""

from __future__ import annotations

import math
from collections.abc import Mapping

from jointwise.experiments.fit import Fit
from jointwise.report.page import fragment
from jointwise.report.subject import Section, Subject
from jointwise.report.words import figure, position_unit, torque_unit

PERCENT, TORQUE, ANGLE, COUNT, DEGREES = "%", "torque", "angle", "count", "K"
WORDS: Mapping[str, tuple[str, str]] = {
    "nrmse_percent": ("fit, 100 % is perfect", PERCENT),
    "left_out_nrmse_percent": ("the same on what was left out", PERCENT),
    "nrmse_static_percent": ("the same without memory", PERCENT),
    "nrmse_linear_percent": ("fit of the linear law", PERCENT),
    "nrmse_quadratic_percent": ("fit of the quadratic law", PERCENT),
    "nrmse_bittencourt_percent": ("fit of Bittencourt's law", PERCENT),
    "nrmse_gauge_percent": ("fit of what the gauge showed", PERCENT),
    "nrmse_motor_percent": ("fit of what the motor showed", PERCENT),
    "nrmse_both_percent": ("fit of both", PERCENT),
    "rmse": ("RMS error", TORQUE),
    "left_out_rmse": ("RMS error on what was left out", TORQUE),
    "torque_span": ("range of torque", TORQUE),
    "largest_load": ("largest load", TORQUE),
    "amplitude": ("amplitude", ANGLE),
    "half_backlash": ("half backlash", ANGLE),
    "covered_percent": ("share of the turn that was seen", PERCENT),
    "link_share_percent": ("share of the friction on the link side", PERCENT),
    "spread_degc": ("range of temperature", DEGREES),
    "operators": ("slipping springs", COUNT),
    "reversals": ("reversals", COUNT),
    "speeds": ("speeds", COUNT),
    "extremes": ("extremes of the swing", COUNT),
}
OF_ANGLES = ("kinematic-error", "transmission")
"""Experiments whose errors are angles."""


def remarks(subject: Subject) -> Section | None:
    """The notes, and one row for each score."""
    fit = subject.fit
    html = fragment("remarks.html", notes=fit.notes, rows=score_rows(fit))
    return Section(anchor="remarks", title="Remarks and scores", html=html)


def score_rows(fit: Fit) -> list[tuple[str, str]]:
    """Each score in words, and its value with a unit; what could not be had is left out."""
    rows = []
    for name, value in (fit.joints[0] if fit.joints else {}).items():
        if isinstance(value, str) or math.isnan(float(value)):
            continue
        words, kind = WORDS.get(name, (name.replace("_", " "), ""))
        text = f"{value:.0f}" if kind == COUNT else figure(float(value), 4)
        rows.append((words, f"{text} {_unit(fit, name, kind)}".rstrip()))
    return rows


def _unit(fit: Fit, name: str, kind: str) -> str:
    joint = str(fit.joints[0]["joint"])
    if kind == ANGLE or (name.endswith("rmse") and fit.experiment in OF_ANGLES):
        return position_unit(fit.robot, joint)
    units = {TORQUE: torque_unit(fit.robot, joint), PERCENT: "%", DEGREES: "K"}
    return units.get(kind, "")
