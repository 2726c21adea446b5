"""The page of a calibration: every stage, what the whole predicts, and the figure of each experiment."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from jointwise.experiments.calibrate.chain import Calibration
from jointwise.experiments.calibrate.folder import REPORT
from jointwise.experiments.calibrate.proof import Proof
from jointwise.experiments.calibrate.stages import FAILED, StageResult, experiment_of
from jointwise.report.chart import BLUE, INK, ORANGE, Panel, chart
from jointwise.report.judgement import USABLE, judge
from jointwise.report.marks import Line
from jointwise.report.page import fragment, render, write_page
from jointwise.report.sections.curves import ABOUT, curve_chart
from jointwise.report.sections.parameters import parameters
from jointwise.report.subject import Section, Subject
from jointwise.report.words import figure, torque_unit


def write_calibration(folder: Any, done: Calibration) -> Path:
    """Write the page into the folder of the calibration, and return where it is."""
    from jointwise import __version__

    sections = [_stages(done)]
    if done.after is not None:
        sections.append(_proof(done, done.after))
    sections += [_joint(done, joint.name) for joint in done.robot.joints if _of(done, joint.name)]
    html = render(
        "calibration.html",
        title=f"{done.robot.name}: calibration of every joint",
        version=__version__,
        sections=sections,
        stages=len(done.stages),
    )
    return write_page(Path(folder) / REPORT, html)


def _of(done: Calibration, joint: str) -> list[StageResult]:
    return [stage for stage in done.stages if stage.joint == joint and stage.fit is not None]


def _stages(done: Calibration) -> Section:
    rows = []
    for stage in done.stages:
        counts, score, css = "", "", "care"
        if stage.fit is not None:
            found = Counter(p.verdict for p in stage.fit.parameters)
            counts = ", ".join(f"{n} {verdict}" for verdict, n in found.items())
            value = (
                stage.fit.joints[0].get("nrmse_percent", float("nan"))
                if stage.joint
                else float("nan")
            )
            score = "" if value != value else figure(float(value), 3)
            css = "good" if judge(stage.fit).level == USABLE else "care"
        rows.append(
            {
                "joint": stage.joint or "all", "experiment": stage.experiment, "status": stage.status,
                "score": score, "css": "bad" if stage.status == FAILED else css, "words": stage.message or counts,
            }
        )  # fmt: skip
    html = fragment("stages.html", rows=rows, written=done.written)
    return Section(anchor="stages", title="Stages", html=html)


def _proof(done: Calibration, after: Proof) -> Section:
    panels, rows = [], []
    time = after.time - after.time[0]
    for j, joint in enumerate(done.robot.joints):
        measured, predicted = after.measured[:, j], after.predicted[:, j]
        panels.append(
            Panel(
                title=joint.name, x_label="time (s)", y_label=f"torque ({torque_unit(done.robot, joint.name)})",
                marks=(
                    Line(x=time, y=measured - predicted, colour=ORANGE, width=0.8),
                    Line(x=time, y=measured, colour=INK, width=2.6, opacity=0.35),
                    Line(x=time, y=predicted, colour=BLUE, width=1.1),
                ),
            )
        )  # fmt: skip
        old = "" if done.before is None else figure(done.before.nrmse_percent[j], 3)
        rows.append({"joint": joint.name, "old": old, "new": figure(after.nrmse_percent[j], 3)})
    legend = (("measured", INK), ("predicted", BLUE), ("measured - predicted", ORANGE))
    label = "Motor torque of each joint along a motion that no stage has seen"
    svg = chart(panels, panel_height=180.0, legend=legend, label=label)
    html = fragment("proof.html", rows=rows, svg=svg)
    return Section(anchor="proof", title="A motion that no stage has seen", html=html)


def _joint(done: Calibration, joint: str) -> Section:
    parts = []
    for stage in _of(done, joint):
        if stage.fit is None:
            continue
        table = parameters(Subject(fit=stage.fit))
        parts.append(
            {
                "name": stage.experiment,
                "about": ABOUT.get(experiment_of(stage.experiment), ""),
                "notes": stage.fit.notes,
                "svg": curve_chart(stage.fit),
                "table": "" if table is None else table.html,
            }
        )
    html = fragment("joint.html", parts=parts)
    return Section(anchor=f"joint-{joint}", title=joint, html=html)
