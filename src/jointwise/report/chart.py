"""Charts as SVG text, written directly: small, the same on every run, and drawn in milliseconds.

A chart is a grid of panels, a panel holds marks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from jointwise.report.marks import Mark, Scale

Array = NDArray[np.float64]
Range = tuple[float, float]

# Okabe and Ito's colours: told apart with every kind of colour vision.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
BLUE, ORANGE, GREEN, PINK, RED, SKY = COLOURS
INK, GREY, PALE = "#333333", "#8a8a8a", "#e8e8e8"

WIDTH = 960.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 14.0, 26.0, 36.0
LEGEND = 24.0
LETTER = 6.2
"""Width of a letter in pixels, about."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Panel:
    """One pair of axes; ranges follow from the marks unless given."""

    title: str
    x_label: str
    y_label: str
    marks: tuple[Mark, ...]
    x_range: Range | None = None
    y_range: Range | None = None


def chart(
    panels: Sequence[Panel],
    *,
    columns: int = 2,
    panel_height: float = 165.0,
    legend: Sequence[tuple[str, str]] = (),
    label: str = "",
) -> str:
    """The panels in rows of `columns`; `legend` pairs names with colours, `label` is for those who cannot see."""
    columns = min(columns, max(1, len(panels)))
    top = LEGEND if legend else 0.0
    height = top - (-len(panels) // columns) * panel_height
    width = WIDTH / columns
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height:g}" role="img" '
        f'aria-label="{escape(label)}" font-family="system-ui, Helvetica, Arial, sans-serif" '
        f'font-size="11" fill="{INK}">',
        *_legend(legend),
    ]
    for k, panel in enumerate(panels):
        x, y = (k % columns) * width, top + (k // columns) * panel_height
        parts.append(
            f'<g transform="translate({x:g} {y:g})">{_panel(panel, width, panel_height)}</g>'
        )
    return "\n".join([*parts, "</svg>"])


def _legend(entries: Sequence[tuple[str, str]]) -> list[str]:
    parts, x = [], LEFT
    for name, colour in entries:
        parts.append(f'<path d="M{x:g} 11h18" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="{x + 24:g}" y="15">{escape(name)}</text>')
        x += 44.0 + LETTER * len(name)
    return parts


def _panel(panel: Panel, width: float, height: float) -> str:
    scale = Scale(
        x=panel.x_range or spread([m.x for m in panel.marks], 0.0),
        y=panel.y_range or spread([v for m in panel.marks for v in m.heights], 0.06),
        left=LEFT,
        top=TOP,
        wide=width - LEFT - RIGHT,
        high=height - TOP - BOTTOM,
    )
    middle = f"translate(12 {TOP + scale.high / 2:g}) rotate(-90)"
    return "".join(
        [
            f'<text x="{LEFT:g}" y="{TOP - 9:g}" font-weight="600">{escape(panel.title)}</text>',
            f'<text x="{LEFT + scale.wide / 2:g}" y="{height - 4:g}" text-anchor="middle" fill="#555">'
            f"{escape(panel.x_label)}</text>",
            f'<text transform="{middle}" text-anchor="middle" fill="#555">{escape(panel.y_label)}</text>',
            *_grid(scale),
            *(mark.svg(scale) for mark in panel.marks),
        ]
    )


def _grid(scale: Scale) -> list[str]:
    parts, foot = [], TOP + scale.high
    for value in ticks(*scale.y, most=5):
        y = float(scale.up(np.array(value)))
        colour = "#b5b5b5" if value == 0.0 else PALE
        parts.append(f'<path d="M{LEFT:g} {y:.1f}h{scale.wide:.1f}" stroke="{colour}"/>')
        parts.append(
            f'<text x="{LEFT - 6:g}" y="{y + 3.5:.1f}" text-anchor="end">{number(value)}</text>'
        )
    for value in ticks(*scale.x, most=8):
        x = float(scale.across(np.array(value)))
        parts.append(f'<path d="M{x:.1f} {foot:.1f}v4" stroke="{GREY}"/>')
        parts.append(
            f'<text x="{x:.1f}" y="{foot + 15:.1f}" text-anchor="middle">{number(value)}</text>'
        )
    return parts


def spread(values: Sequence[Array], margin: float) -> Range:
    """From the smallest to the largest finite value, wider by a share of that; never empty."""
    seen = [finite for v in values if (finite := v[np.isfinite(v)]).size]
    if not seen:
        return 0.0, 1.0
    low, high = min(float(v.min()) for v in seen), max(float(v.max()) for v in seen)
    if high - low <= 1e-9 * max(abs(low), abs(high), 1e-9):
        half = 0.5 * max(abs(low), abs(high), 1e-9)
        return low - half, high + half
    return low - margin * (high - low), high + margin * (high - low)


def ticks(low: float, high: float, *, most: int) -> list[float]:
    """Round numbers within a range, 1, 2 or 5 times a power of ten apart, at most `most` steps."""
    raw = (high - low) / most
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(f * size for f in (1.0, 2.0, 5.0, 10.0) if f * size >= raw * (1.0 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def number(value: float) -> str:
    """The number at a tick, with no more digits than it needs."""
    return f"{value:.6g}" if value else "0"
