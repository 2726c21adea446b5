"""What the recordings asked of the joints: how far, how fast, under how much load."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.report.chart import BLUE, Panel, chart
from jointwise.report.marks import Cloud
from jointwise.report.page import fragment
from jointwise.report.subject import Section, Subject
from jointwise.report.words import figure
from jointwise.units import Unknown

Array = NDArray[np.float64]


def excitation(subject: Subject) -> Section | None:
    """A row per joint, and where speed and load have been."""
    if not subject.scores:
        return None
    rows = [_row(subject, j) for j in range(len(subject.joints))]
    speed, load = subject.samples("speed"), subject.samples("rigid")
    panels = [
        Panel(
            title=name,
            x_label=f"speed ({subject.position_unit(j)}/s)",
            y_label=f"load ({subject.torque_unit(j)})",
            marks=(Cloud(x=speed[:, j], y=load[:, j], colour=BLUE),),
        )
        for j, name in enumerate(subject.joints)
    ]
    svg = chart(
        panels, columns=3, panel_height=150.0, label="Load of the links against speed of each joint"
    )
    html = fragment("excitation.html", rows=rows, svg=svg)
    return Section(anchor="excitation", title="Excitation", html=html)


def _row(subject: Subject, j: int) -> dict[str, Any]:
    q, speed = subject.samples("q")[:, j], subject.samples("speed")[:, j]
    torque = subject.samples("measured")[:, j]
    moves = np.abs(speed) > subject.moving[j]
    fastest = float(np.abs(speed).max())
    return {
        "joint": subject.joints[j],
        "range": f"{figure(float(q.min()))} to {figure(float(q.max()))} {subject.position_unit(j)}",
        "speed": f"{figure(fastest)} {subject.position_unit(j)}/s",
        "share": _share_of_limit(subject, j, fastest),
        "moving": f"{100.0 * float(moves.mean()):.0f} %",
        "reversals": reversals(speed, float(subject.moving[j])),
        "torque": f"{figure(float(torque.min()))} to {figure(float(torque.max()))} {subject.torque_unit(j)}",
    }


def _share_of_limit(subject: Subject, j: int, fastest: float) -> str:
    limit = subject.fit.robot.joints[j].limits.velocity
    if isinstance(limit, Unknown) or not math.isfinite(limit) or limit <= 0.0:
        return "limit not known"
    return f"{100.0 * fastest / limit:.0f} % of the limit"


def reversals(speed: Array, moving: float) -> int:
    """How often the joint turned round: changes of sign from one moving sample to the next."""
    signs = np.sign(speed[np.abs(speed) > moving])
    return int(np.count_nonzero(np.diff(signs)))
