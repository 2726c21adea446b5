"""Errors per recording and joint: left out of the fit one after the other, and given to the report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from jointwise.experiments.robot_result import LEFT_OUT
from jointwise.experiments.validate import Validated
from jointwise.report.page import fragment
from jointwise.report.subject import Section, Subject
from jointwise.report.words import figure, own_unit

STRONGEST = 0.5
"""Opacity of a cell whose error is as large as DARK of the torque's spread."""
DARK = 0.25


def scores(subject: Subject) -> Section | None:
    """Left-out errors, errors on recordings not used, and how they change for standing joints and raw torque."""
    tables = [t for t in (_left_out(subject), *_validated(subject)) if t is not None]
    if not tables:
        return None
    html = fragment(
        "scores.html",
        tables=tables,
        joints=subject.joints,
        unit=own_unit(subject.fit.robot, "N m [N]"),
    )
    return Section(anchor="scores", title="Errors by recording and joint", html=html)


def _left_out(subject: Subject) -> dict[str, Any] | None:
    errors = subject.fit.arrays.get(LEFT_OUT)
    if errors is None or not np.isfinite(errors).any():
        return None
    names = [str(r["name"]) for r in subject.fit.recordings]
    if len(names) == 1:
        names = [f"{names[0]}, {half} half" for half in ("first", "second")]
    names = names[:: -(-len(names) // len(errors))]
    rows = [_row(name, errors[k, :, 0], subject) for k, name in enumerate(names)]
    return {
        "title": "Left out one after the other, predicted by the fit to all others",
        "note": "RMS error of moving joints against filtered torque.",
        "rows": rows,
        "standing": _row("standing", _rms(errors[:, :, 1]), subject),
    }


def _validated(subject: Subject) -> list[dict[str, Any]]:
    tables = []
    for title, chosen in (
        ("Recordings the fit has not seen", subject.unseen),
        (
            "Recordings the fit was made from: no proof, shown to be complete",
            [one for one in subject.scores if subject.used(one.name)],
        ),
    ):
        if chosen:
            tables.append(_table(title, chosen, subject))
    return tables


def _table(title: str, chosen: Sequence[Validated], subject: Subject) -> dict[str, Any]:
    rows = [_row(one.name, [s.rmse_moving for s in one.filtered], subject) for one in chosen]
    return {
        "title": title,
        "note": "RMS error of moving joints against filtered torque.",
        "rows": rows,
        "standing": _row(
            "standing", _rms([[s.rmse_standing for s in one.filtered] for one in chosen]), subject
        ),
        "raw": _row("raw torque", _rms([[s.rmse for s in one.raw] for one in chosen]), subject),
    }


def _rms(values: Any) -> list[float]:
    """Root mean square of each column, without NaN."""
    columns = np.asarray(values, dtype=np.float64).T
    kept = [column[np.isfinite(column)] for column in columns]
    return [float(np.sqrt(np.mean(c**2))) if c.size else math.nan for c in kept]


def _row(name: str, errors: Sequence[float] | Any, subject: Subject) -> dict[str, Any]:
    cells = []
    for error, joint in zip(errors, subject.judgement.joints, strict=True):
        share = float(error) / joint.spread if joint.spread > 0.0 else 0.0
        shade = 0.0 if math.isnan(share) else STRONGEST * min(1.0, share / DARK)
        cells.append({"text": figure(float(error)), "shade": f"{shade:.2f}"})
    return {"name": name, "cells": cells}
