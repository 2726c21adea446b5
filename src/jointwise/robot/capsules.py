"""Capsules: the shape of a link for collision checks, and exact distances between capsules.

A capsule is everything within `radius` of a straight segment. The distance of two capsules is that of their segments
minus both radii; negative where they overlap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from jointwise.robot.frames import Vector
from jointwise.units import Unit, check_fields

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Capsule:
    """All points within a radius of a segment, in the frame of its link."""

    start: Annotated[Vector, Unit("m", lower=-100.0, upper=100.0)]
    end: Annotated[Vector, Unit("m", lower=-100.0, upper=100.0)]
    radius: Annotated[float, Unit("m", lower=0.0, open_lower=True)]

    def __post_init__(self) -> None:
        check_fields(self, "capsule")


def segment_distance(a0: Array, a1: Array, b0: Array, b1: Array) -> Array:
    """Distance of the segments a0-a1 and b0-b1, arrays (..., 3).

    The closest points are either both inside, where the connection is perpendicular to both segments, or one of them
    is an end point; the smallest of these five distances is the distance.
    """
    d, e, r = a1 - a0, b1 - b0, a0 - b0
    dd, ee, de = _dot(d, d), _dot(e, e), _dot(d, e)
    dr, er = _dot(d, r), _dot(e, r)
    determinant = dd * ee - de * de
    crossing = determinant > 1e-12 * dd * ee
    safe = np.where(crossing, determinant, 1.0)
    s, t = (de * er - ee * dr) / safe, (dd * er - de * dr) / safe
    inside = crossing & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    between = r + s[..., None] * d - t[..., None] * e
    found = np.where(inside, _dot(between, between), np.inf)
    for point, origin, along, length in (
        (a0, b0, e, ee), (a1, b0, e, ee), (b0, a0, d, dd), (b1, a0, d, dd),
    ):  # fmt: skip
        found = np.minimum(found, _squared_to_segment(point - origin, along, length))
    return np.asarray(np.sqrt(found))


def _squared_to_segment(point: Array, along: Array, length: Array) -> Array:
    """Squared distance of a point, given from the segment's start, to the segment."""
    share = np.clip(_dot(point, along) / np.where(length > 0.0, length, 1.0), 0.0, 1.0)
    left = point - share[..., None] * along
    return _dot(left, left)


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", a, b))
