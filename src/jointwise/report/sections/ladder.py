"""Which friction models were tried, what each left of recordings it had not seen, and which one was taken."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.robot_result import LADDER, LADDER_ERRORS
from jointwise.report.chart import BLUE, ORANGE, Panel, chart
from jointwise.report.marks import Line
from jointwise.report.page import fragment
from jointwise.report.subject import Section, Subject
from jointwise.report.words import figure


def ladder(subject: Subject) -> Section | None:
    """Scores and errors of every step, where friction was chosen on the ladder."""
    fit = subject.fit
    scores, errors = fit.arrays.get(LADDER), fit.arrays.get(LADDER_ERRORS)
    if scores is None or errors is None:
        return None
    names = [str(name) for name in fit.settings["ladder"]]
    pooled = np.sqrt(np.nanmean(errors**2, axis=1))
    rows = [
        {
            "name": name,
            "score": figure(float(fit.settings["ladder_score"][k])),
            "excess": figure(float(fit.settings["ladder_excess"][k])),
            "error": figure(float(fit.settings["ladder_excess_error"][k])),
            "cells": [f"{figure(float(m))} / {figure(float(s))}" for m, s in pooled[k]],
            "taken": name == fit.settings["ladder_chosen"],
        }
        for k, name in enumerate(names)
    ]
    html = fragment("ladder.html", rows=rows, joints=subject.joints, svg=_picture(pooled, subject))
    return Section(anchor="ladder", title="Friction models tried", html=html)


def _picture(pooled: NDArray[np.float64], subject: Subject) -> str:
    """Errors of each joint over the steps."""
    steps = np.arange(1.0, len(pooled) + 1.0)
    panels = [
        Panel(
            title=str(joint),
            x_label="model",
            y_label=f"RMS error, {subject.torque_unit(j)}",
            marks=tuple(
                Line(x=steps, y=pooled[:, j, i], colour=colour, width=2.0)
                for i, colour in enumerate((BLUE, ORANGE))
            ),
            y_range=(0.0, 1.1 * float(np.nanmax(pooled[1:, j]))) if len(pooled) > 1 else None,
        )
        for j, joint in enumerate(subject.joints)
    ]
    return chart(
        panels,
        columns=3,
        legend=(("moving", BLUE), ("standing", ORANGE)),
        label="errors of each friction model, by joint",
    )
