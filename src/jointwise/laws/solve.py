"""Inverse of an increasing function, with a fixed number of steps."""

from __future__ import annotations

from jointwise.kernels.scalar import absolute, maximum, select
from jointwise.laws.compiled import leaf

STEPS = 52
"""Every step halves the bracket or is a Newton step that shrinks at least as fast; 52 halvings exhaust a double."""
FLATTEST = 1e-300
SETTLED = 1e-13
"""A Newton step this small against x is rounding; it does not count as failing to shrink."""


def increasing_root(value, slope):
    """A kernel that finds x in [low, high] with value(p, x) = target, by Newton steps inside a shrinking bracket.

    The count of steps is fixed, so that the course of the computation does not depend on the numbers.
    """

    @leaf
    def root(p, target, low, high, start):
        x = start
        step = high - low
        for _ in range(STEPS):
            rest = value(p, x) - target
            low = select(rest < 0.0, x, low)
            high = select(rest < 0.0, high, x)
            newton = -rest / maximum(slope(p, x), FLATTEST)
            middle = 0.5 * (high - low)
            allowed = maximum(0.5 * absolute(step), SETTLED * absolute(x))
            good = select(absolute(newton) <= allowed, 1.0, 0.0)
            good = select(x + newton >= low, good, 0.0)
            good = select(x + newton <= high, good, 0.0)
            step = select(good > 0.5, newton, middle)
            x = select(good > 0.5, x + newton, low + middle)
        return x

    return root
