"""How the kernels of laws are compiled: without reference counts.

A law reads slices of arrays and returns numbers. Counting the references of every slice and of every array handed on
costs ten times what the law itself computes (128 ns of 146 for E-GMS), and nothing needs the count: whoever calls
holds the arrays. For that reason a function compiled like this must not make, keep or return an array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from jointwise.kernels.jit import inline, kernel

F = TypeVar("F", bound=Callable[..., Any])


def leaf(function: F) -> F:
    """An inline kernel that returns numbers only, without reference counts; plain Python where nothing is compiled."""
    return _uncounted(inline(function))


def shared(function: F) -> F:
    """The same for a long function with several callers: compiled once, kept on disk, and called."""
    return _uncounted(kernel(function))


def _uncounted(compiled: F) -> F:
    options = getattr(compiled, "targetoptions", None)
    if options is not None:
        options["_nrt"] = False
    return compiled
