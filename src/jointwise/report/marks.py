"""What a panel shows: curves, clouds and bands, each as one short SVG path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointwise.report.thinning import cells_by_count, thin_line

Array = NDArray[np.float64]

FINE = 10
"""Steps per pixel: coordinates of a path are whole numbers, which keeps the file short."""
CELL = 3.0
"""Pixels of a cell of a cloud."""
DENSITY = ((0.0, 0.25), (0.03, 0.45), (0.12, 0.7), (0.35, 1.0))
"""Points in a cell beside the fullest one, from which on it is drawn with this opacity."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Line:
    """A curve through points in order; a NaN interrupts it."""

    x: Array
    y: Array
    colour: str
    width: float = 1.2
    opacity: float = 1.0

    @property
    def heights(self) -> tuple[Array, ...]:
        """What the vertical axis must hold."""
        return (self.y,)

    def svg(self, scale: Scale) -> str:
        """The curve as a path."""
        x, y = thin_line(scale.across(self.x), scale.up(self.y))
        return _path(_through(x, y), self.colour, width=self.width, opacity=self.opacity)


@dataclass(frozen=True, kw_only=True, eq=False)
class Cloud:
    """Points as a picture of their density: the more of them in a cell, the darker."""

    x: Array
    y: Array
    colour: str

    @property
    def heights(self) -> tuple[Array, ...]:
        """What the vertical axis must hold."""
        return (self.y,)

    def svg(self, scale: Scale) -> str:
        """One path of runs of cells for each level of density."""
        levels = tuple(share for share, _ in DENSITY)
        found = cells_by_count(scale.across(self.x), scale.up(self.y), CELL, levels)
        return "".join(
            _path(_runs(x, y), self.colour, width=CELL, opacity=opacity, cap="butt")
            for (x, y), (_, opacity) in zip(found, DENSITY, strict=False)
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Band:
    """The area between two curves; where one is NaN, nothing."""

    x: Array
    lower: Array
    upper: Array
    colour: str
    opacity: float = 0.25

    @property
    def heights(self) -> tuple[Array, ...]:
        """What the vertical axis must hold."""
        return (self.lower, self.upper)

    def svg(self, scale: Scale) -> str:
        """The area as a filled path."""
        seen = np.isfinite(self.lower) & np.isfinite(self.upper)
        x = scale.across(self.x[seen])
        if not len(x):
            return ""
        around = np.concatenate([scale.up(self.lower[seen]), scale.up(self.upper[seen])[::-1]])
        d = _through(np.concatenate([x, x[::-1]]), around) + "z"
        return f'<path transform="scale({1 / FINE:g})" d="{d}" fill="{self.colour}" fill-opacity="{self.opacity:g}"/>'


@dataclass(frozen=True, kw_only=True, eq=False)
class Dots:
    """A few points, each a dot of its own."""

    x: Array
    y: Array
    colour: str
    size: float = 4.5

    @property
    def heights(self) -> tuple[Array, ...]:
        """What the vertical axis must hold."""
        return (self.y,)

    def svg(self, scale: Scale) -> str:
        """Lines of no length, whose round ends are the dots."""
        seen = np.isfinite(self.x) & np.isfinite(self.y)
        places = _whole(scale.across(self.x[seen]), scale.up(self.y[seen]))
        d = "".join(f"M{x} {y}h0" for x, y in np.unique(places, axis=0))
        return _path(d, self.colour, width=self.size, opacity=0.7)


Mark = Line | Cloud | Band | Dots


@dataclass(frozen=True, kw_only=True)
class Scale:
    """From values to pixels of a panel."""

    x: tuple[float, float]
    y: tuple[float, float]
    left: float
    top: float
    wide: float
    high: float

    def across(self, values: Array) -> Array:
        """Pixels from the left; values outside the range lie on its edge."""
        low, high = self.x
        return np.asarray(self.left + (np.clip(values, low, high) - low) / (high - low) * self.wide)

    def up(self, values: Array) -> Array:
        """Pixels from the top; values outside the range lie on its edge."""
        low, high = self.y
        return np.asarray(self.top + (high - np.clip(values, low, high)) / (high - low) * self.high)


def _whole(x: Array, y: Array) -> NDArray[np.int64]:
    return np.round(FINE * np.column_stack([x, y])).astype(np.int64)


def _through(x: Array, y: Array) -> str:
    """Path data through points; begins anew behind a NaN."""
    finite = np.isfinite(x) & np.isfinite(y)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], finite, [False]]).astype(np.int8)))
    parts = []
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        places = _whole(x[start:stop], y[start:stop])
        parts.append("M{} {}".format(*places[0]))
        parts += ["l{} {}".format(*step) for step in np.diff(places, axis=0).tolist()]
    return "".join(parts)


def _runs(x: Array, y: Array) -> str:
    """Path data of columns of cells; cells above each other are one stroke."""
    parts = []
    for column in np.unique(x):
        mine = y[x == column]
        starts = np.flatnonzero(np.diff(mine, prepend=-np.inf) > 1.5 * CELL)
        stops = np.append(starts[1:], len(mine)) - 1
        for start, stop in zip(starts, stops, strict=True):
            low, high = FINE * (mine[start] - CELL / 2.0), FINE * (mine[stop] + CELL / 2.0)
            parts.append(f"M{FINE * column:.0f} {low:.0f}v{high - low:.0f}")
    return "".join(parts)


def _path(d: str, colour: str, *, width: float, opacity: float, cap: str = "round") -> str:
    if not d:
        return ""
    return (
        f'<path transform="scale({1 / FINE:g})" d="{d}" fill="none" stroke="{colour}" stroke-width="{FINE * width:g}" '
        f'stroke-opacity="{opacity:g}" stroke-linecap="{cap}" stroke-linejoin="round"/>'
    )
