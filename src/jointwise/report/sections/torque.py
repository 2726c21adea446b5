"""Measured against predicted torque, one chart per recording, the worst one open."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.validate import Validated
from jointwise.report.chart import BLUE, INK, ORANGE, Panel, chart
from jointwise.report.marks import Line
from jointwise.report.page import fragment
from jointwise.report.subject import Section, Subject

Array = NDArray[np.float64]

MOST_CHARTS = 12
"""Recordings drawn; of more, the worst ones."""


def torque(subject: Subject) -> Section | None:
    """The torque of each joint along each recording."""
    if not subject.scores:
        return None
    ranked = sorted(subject.scores, key=lambda one: worst_share(one, subject), reverse=True)
    charts = [
        {
            "name": one.name,
            "used": subject.used(one.name),
            "svg": torque_chart(one, subject),
        }
        for one in ranked[:MOST_CHARTS]
    ]
    html = fragment(
        "torque.html",
        charts=charts,
        left=len(ranked) - len(charts),
        filter_hz=subject.fit.settings["filter_hz"],
    )
    return Section(anchor="torque", title="Measured and predicted torque", html=html)


def worst_share(one: Validated, subject: Subject) -> float:
    """Largest error of a moving joint beside the spread of its torque."""
    spreads = [j.spread for j in subject.judgement.joints]
    shares = [
        score.rmse_moving / spread
        for score, spread in zip(one.filtered, spreads, strict=True)
        if spread > 0.0 and not math.isnan(score.rmse_moving)
    ]
    return max(shares, default=0.0)


def torque_chart(one: Validated, subject: Subject) -> str:
    """One panel per joint: measured and predicted torque, and the residual."""
    time = broken(one, "time")
    time = time - time[0]
    measured, predicted = broken(one, "measured"), broken(one, "predicted")
    panels = [
        Panel(
            title=name,
            x_label="time (s)",
            y_label=f"torque ({subject.torque_unit(j)})",
            marks=(
                Line(x=time, y=measured[:, j] - predicted[:, j], colour=ORANGE, width=0.8),
                Line(x=time, y=measured[:, j], colour=INK, width=2.6, opacity=0.35),
                Line(x=time, y=predicted[:, j], colour=BLUE, width=1.1),
            ),
        )
        for j, name in enumerate(subject.joints)
    ]
    legend = (("measured", "#b5b5b5"), ("predicted", BLUE), ("measured - predicted", ORANGE))
    label = f"Measured and predicted torque of each joint along {one.name}"
    return chart(panels, panel_height=180.0, legend=legend, label=label)


def broken(one: Validated, field: str) -> Array:
    """A field of all pieces of a recording, with a NaN between pieces that interrupts curves."""
    parts = []
    for part in one.parts:
        values = getattr(part, field)
        parts += [values, np.full_like(values[:1], np.nan)]
    return np.concatenate(parts[:-1])
