"""Figures as SVG text, drawn without a display and the same on every run."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Okabe and Ito's colours: told apart with every kind of colour vision.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text: small, searchable, selectable
    "svg.hashsalt": "jointwise",  # element names do not change from run to run
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
}


def torque_parts(
    time: Array, parts: Mapping[str, Array], total: Array, joint_names: Sequence[str]
) -> str:
    """One panel per joint: its torque along a motion and the parts it is the sum of.

    Args:
        time: (samples,) s.
        parts: name of a part to its torque (samples, joints) N m.
        total: (samples, joints) N m.
        joint_names: one per joint.
    """
    count = len(joint_names)
    columns = 2 if count > 1 else 1
    rows = -(-count // columns)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.5, 2.0 * rows + 0.5), layout="constrained")
        axes = figure.subplots(rows, columns, sharex=True, squeeze=False).ravel()
        for joint, axis in enumerate(axes[:count]):
            axis.plot(time, total[:, joint], color="#222222", linewidth=2.4, alpha=0.35)
            for (_, torque), colour in zip(parts.items(), COLOURS, strict=False):
                axis.plot(time, torque[:, joint], color=colour, linewidth=1.2)
            axis.set_title(joint_names[joint], loc="left", fontsize=9, fontweight="bold")
            axis.set_ylabel("torque (N m)")
        for axis in axes[count:]:
            axis.set_visible(False)
        for axis in axes[max(0, count - columns) : count]:
            axis.set_xlabel("time (s)")
            axis.tick_params(labelbottom=True)
        figure.legend(axes[0].get_lines(), ["sum", *parts], loc="outside upper center", ncols=5)
        return _svg(figure)


def _svg(figure: Figure) -> str:
    """The figure as an <svg> element to put into a page."""
    stream = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(stream, format="svg", metadata=nothing)
    text = stream.getvalue()
    return text[text.index("<svg") :]
