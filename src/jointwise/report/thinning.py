"""Fewer points, same picture: what a curve or a cloud needs at a given size, and no more."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def thin_line(x: Array, y: Array, pixel: float = 1.0) -> tuple[Array, Array]:
    """The first, last, lowest and highest point of every pixel column, in order; points in pixels.

    A NaN is kept, one per column at most: it interrupts the curve.
    """
    if len(x) < 4:
        return x, y
    column = np.floor(x / pixel)
    starts = np.flatnonzero(np.diff(column, prepend=np.nan) != 0.0)
    low = np.minimum.reduceat(np.where(np.isnan(y), np.inf, y), starts)
    high = np.maximum.reduceat(np.where(np.isnan(y), -np.inf, y), starts)
    mine = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(x))))
    kept = np.zeros(len(x), dtype=bool)
    kept[starts] = True
    kept[np.append(starts[1:], len(x)) - 1] = True
    for extreme in (low, high):
        places = np.flatnonzero(y == extreme[mine])
        kept[places[np.unique(mine[places], return_index=True)[1]]] = True
    gaps = np.flatnonzero(np.isnan(y))
    kept[gaps[np.unique(mine[gaps], return_index=True)[1]]] = True
    return x[kept], y[kept]


def cells_by_count(
    x: Array, y: Array, cell: float, levels: tuple[float, ...]
) -> list[tuple[Array, Array]]:
    """Middles of the square cells that hold points, for each level those that hold less than the next one.

    Levels are shares of the fullest cell, the first of them 0; points in pixels.
    """
    finite = np.isfinite(x) & np.isfinite(y)
    if not finite.any():
        return []
    column = np.floor(x[finite] / cell).astype(np.int64)
    row = np.floor(y[finite] / cell).astype(np.int64)
    left, top = int(column.min()), int(row.min())
    wide, high = int(np.ptp(column)) + 1, int(np.ptp(row)) + 1
    flat = (column - left) * high + row - top
    counts = np.bincount(flat, minlength=wide * high).reshape(wide, high)
    edges = [*(max(1.0, share * float(counts.max())) for share in levels), np.inf]
    found: list[tuple[Array, Array]] = []
    for low, above in itertools.pairwise(edges):
        place = np.argwhere((counts >= low) & (counts < above)) + np.array([left, top])
        middles: Array = cell * (place.astype(np.float64) + 0.5)
        found.append((middles[:, 0], middles[:, 1]))
    return found
