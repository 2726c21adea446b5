"""What the figures share."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

MRAD = 1e3


def panels(count: int, height: float = 3.1) -> tuple[Figure, Any]:
    """A figure with panels side by side."""
    figure = Figure(figsize=(4.1 * count + 0.6, height), layout="constrained")
    return figure, figure.subplots(1, count, squeeze=False)[0]


def name(axis: Any, title: str, x: str, y: str) -> None:
    """Title and labels of a panel."""
    axis.set_title(title, loc="left", fontweight="bold", fontsize=9)
    axis.set_xlabel(x)
    axis.set_ylabel(y)
