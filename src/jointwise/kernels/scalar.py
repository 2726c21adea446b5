"""Scalar functions that kernels use instead of `math` and of `if` on data.

Compiled, they are the plain functions. The tracer (`kernels.trace`) runs the same kernel source on symbolic scalars
and replaces this one file, so a kernel that keeps to these functions can be turned into straight-line code for one
given arm: `if` and `for` may depend on the description of the arm, never on its state.
"""

from __future__ import annotations

import math

from jointwise.kernels.jit import inline


@inline
def cos(x):
    """Cosine."""
    return math.cos(x)


@inline
def sin(x):
    """Sine."""
    return math.sin(x)


@inline
def exp(x):
    """Exponential."""
    return math.exp(x)


@inline
def tanh(x):
    """Hyperbolic tangent."""
    return math.tanh(x)


@inline
def sqrt(x):
    """Square root."""
    return math.sqrt(x)


@inline
def power(x, y):
    """X to the power y, x >= 0."""
    return math.pow(x, y)


@inline
def floor(x):
    """Largest whole number not above x, as a float."""
    return float(math.floor(x))


@inline
def absolute(x):
    """Absolute value."""
    return abs(x)


@inline
def sgn(x):
    """Sign, zero at zero: J1 and J2 notation."""
    return (1.0 if x > 0.0 else 0.0) - (1.0 if x < 0.0 else 0.0)


@inline
def select(condition, yes, no):
    """One of two numbers; both are evaluated."""
    return yes if condition else no


@inline
def minimum(a, b):
    """The smaller of two numbers."""
    return a if a < b else b


@inline
def maximum(a, b):
    """The larger of two numbers."""
    return a if a > b else b


@inline
def pick(values, start, place):
    """The number at `start` plus a whole number held as a float, such as a place in a table."""
    return values[start + int(place)]


@inline
def asinh(x):
    """Inverse of the hyperbolic sine."""
    return math.asinh(x)


@inline
def sinh(x):
    """Hyperbolic sine."""
    return math.sinh(x)
