"""A function of the joint angle, stored at equally spaced angles of one turn, linear in between."""

from __future__ import annotations

import math

from jointwise.kernels.scalar import floor, minimum, pick, select
from jointwise.laws.compiled import leaf

TURN = 2.0 * math.pi


@leaf
def cell(count, theta):
    """Left knot, right knot and place between them (0 to 1) of an angle, as floats."""
    u = theta / TURN
    y = (u - floor(u)) * count
    left = minimum(floor(y), count - 1.0)
    right = select(left + 1.0 < count, left + 1.0, 0.0)
    return left, right, y - left


@leaf
def periodic_value(p, k, theta):
    """Value at theta of the table p[k] = number of knots, p[k+1], ... = values at 0, 2 pi / n, ..."""
    if p[k] == 1.0:
        return p[k + 1]
    left, right, part = cell(p[k], theta)
    low = pick(p, k + 1, left)
    return low + part * (pick(p, k + 1, right) - low)


@leaf
def periodic_slope(p, k, theta):
    """Derivative by theta of the same table; at a knot, the one to its right."""
    if p[k] == 1.0:
        return 0.0
    left, right, _ = cell(p[k], theta)
    return (pick(p, k + 1, right) - pick(p, k + 1, left)) * p[k] / TURN
