"""The ladder of friction models as measured on real recordings: what each step leaves of recordings it has not seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
COLOURS = ("#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7")
KINDS = ("moving", "standing")
BESIDE = "viscous"
"""Errors are shown beside those of this step: Coulomb and viscous friction, what most packages identify."""


def ladder_on_real_arms() -> Figure:
    """Errors of each joint over the steps of the ladder, of an arm and of a linear drive."""
    figure = Figure(figsize=(10.6, 4.6), layout="constrained")
    axes = figure.subplots(1, 3, width_ratios=(1.0, 1.0, 1.0))
    arm, drive = (_measured(name) for name in ("ur10e", "emps"))
    for axis, kind in zip(axes, KINDS, strict=False):
        _lines(axis, arm, kind, [f"joint {j + 1}" for j in range(6)])
        axis.set_title(f"UR10e, {kind} joints", loc="left", fontweight="bold", fontsize=9)
    for kind, colour in zip(KINDS, COLOURS[::4], strict=False):
        _lines(axes[2], drive, kind, [kind], colour)
    axes[2].set_title("EMPS, linear drive", loc="left", fontweight="bold", fontsize=9)
    axes[0].set_ylabel(f"RMS error beside the step '{BESIDE}'")
    axes[1].legend(fontsize=7, frameon=False)
    axes[2].legend(fontsize=7, frameon=False)
    return figure


def _measured(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"memory_{name}.json").read_text())["results"]
    return found


def _lines(axis: Any, found: dict[str, Any], kind: str, labels: list[str], *one: str) -> None:
    """One line for each joint; a dot at the step that was taken."""
    names = [row["step"] for row in found["steps"]]
    errors = np.array([row[kind] for row in found["steps"]])
    shown = errors / errors[names.index(BESIDE)]
    taken = names.index(found["chosen"])
    for j, label in enumerate(labels):
        colour = (*one, *COLOURS)[j]
        axis.plot(shown[1:, j], color=colour, linewidth=1.4, label=label)
        axis.plot(taken - 1, shown[taken, j], "o", color=colour, markersize=4)
    axis.axvline(taken - 1, color="#b5b5b5", linewidth=0.8, zorder=0)
    axis.set_xticks(range(len(names) - 1), names[1:], rotation=60, ha="right", fontsize=7)
    axis.set_ylim(0.0, 1.5)
