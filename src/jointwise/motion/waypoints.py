"""Moves from rest to rest between poses, all joints starting and stopping together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from jointwise.errors import ParameterError
from jointwise.motion.bounds import Bounds
from jointwise.motion.path import Array
from jointwise.motion.polynomial import SEPTIC, Writer, largest
from jointwise.units import Unit

LAWS = {"trapezoid": 1, "septic": 3}
"""Law of time -> continuous derivatives: speed that rises and falls evenly, spec 08.4 and 08.8; or spec 08.9."""


def poses(name: str, given: ArrayLike, n: int, bounds: Bounds) -> Array:
    """Poses (count, n) within the range of every joint."""
    array = np.asarray(given, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != n or not np.isfinite(array).all():
        raise ParameterError(name, f"of shape {array.shape}", f"poses of {n} finite numbers each")
    outside = np.argwhere((array < bounds.lower) | (array > bounds.upper))
    if len(outside):
        row, k = outside[0]
        allowed = f"from {bounds.lower[k]:g} to {bounds.upper[k]:g} for joint {k + 1}"
        raise ParameterError(f"{name} {row + 1}", float(array[row, k]), allowed)
    return array


def visit(
    start: Array, goals: Sequence[Array], bounds: Bounds, *, law: str, dwell: float = 0.0
) -> Writer:
    """A writer that went from pose to pose by the law, and stood still for `dwell` seconds at each."""
    writer = Writer(start)
    for goal in goals:
        move(writer, goal, bounds, law)
        writer.dwell(dwell)
    if writer.time == 0.0:
        raise ParameterError("waypoints", "all the same", "different poses")
    return writer


def move(writer: Writer, goal: Array, bounds: Bounds, law: str) -> None:
    """Go to a pose as fast as the bounds allow."""
    by = goal - writer.q
    if not np.any(by):
        return
    with np.errstate(divide="ignore"):
        speed, push, jerk = (
            float(np.min(limit / np.abs(by)))
            for limit in (bounds.velocity, bounds.acceleration, bounds.jerk)
        )
    if law == "septic":
        seconds = max(
            largest(SEPTIC, 1) / speed,
            (largest(SEPTIC, 2) / push) ** 0.5,
            (largest(SEPTIC, 3) / jerk) ** (1.0 / 3.0),
        )
        writer.shaped(seconds * (1.0 + 1e-9), by, SEPTIC)
    else:
        trapezoid(writer, by, speed, push)
    writer.q = goal.copy()


def trapezoid(writer: Writer, by: Array, speed: float, push: float) -> None:
    """A move with even acceleration, constant speed and even deceleration; spec 08.4.

    `speed` and `push` are shares of the way per second and per second squared. For a way D = 1:
    if 1 >= v^2 / a: t_a = v / a, t_c = 1 / v - v / a, else t_a = sqrt(1 / a), t_c = 0.
    """
    Unit("1", lower=0.0, open_lower=True).check("acceleration", push)
    if push >= speed**2:
        ramp, coast = speed / push, 1.0 / speed - speed / push
    else:
        ramp, coast = push**-0.5, 0.0
    top = push * ramp
    writer.piece(ramp, 0.0 * by, 0.5 * push * by)
    writer.piece(coast, top * by)
    writer.piece(ramp, top * by, -0.5 * push * by)
