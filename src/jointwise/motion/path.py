"""Paths: functions of time with exact derivatives, so that a motion can be sampled as finely as anybody wants.

A path is made of few numbers, which travel in the header of a motion file. Each form is one subclass.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import UnknownNameError

Array = NDArray[np.float64]
ORDERS = 5
"""Position and four derivatives."""


class Path(ABC):
    """Positions of n joints from 0 to `duration`, with four derivatives; before and after, the arm stands still."""

    form: ClassVar[str]
    forms: ClassVar[dict[str, type[Path]]] = {}
    duration: float
    """s"""
    n: int

    def __init_subclass__(cls) -> None:
        Path.forms[cls.form] = cls

    def at(self, time: ArrayLike) -> Array:
        """Position and four derivatives at times (samples,), shape (5, samples, n).

        Where a derivative jumps, the value is that after the jump, and at the end that before it.
        """
        stamps = np.asarray(time, dtype=np.float64)
        values = self.inside(np.clip(stamps, 0.0, self.duration))
        # A stamp beyond the end by rounding belongs to the path.
        slack = 1e-9 * max(1.0, self.duration)
        values[1:, (stamps < -slack) | (stamps > self.duration + slack)] = 0.0
        return values

    @abstractmethod
    def inside(self, time: Array) -> Array:
        """The same for times that are not outside."""

    @abstractmethod
    def numbers(self) -> dict[str, Any]:
        """What the path is made of, as plain data."""

    @classmethod
    @abstractmethod
    def of(cls, data: Mapping[str, Any]) -> Path:
        """The path made of these numbers."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the form and its numbers."""
        return {"form": self.form, **self.numbers()}


def path_of(data: Mapping[str, Any]) -> Path:
    """The path stored by `Path.to_dict`."""
    # A form is known once its module is loaded, and whoever reads a motion need not have planned one.
    from jointwise.motion import lemniscate, polynomial, series  # noqa: F401

    form = data["form"]
    if form not in Path.forms:
        raise UnknownNameError("form of path", str(form), Path.forms)
    return Path.forms[form].of(data)


class Chain(Path):
    """Paths one after the other; each begins where the one before ends."""

    form = "chain"

    def __init__(self, parts: Sequence[Path]) -> None:
        self.parts = tuple(parts)
        self.starts = tuple(float(v) for v in np.cumsum([0.0] + [p.duration for p in self.parts]))
        self.duration = self.starts[-1]
        self.n = self.parts[0].n

    def inside(self, time: Array) -> Array:
        """See `Path`."""
        values = np.empty((ORDERS, len(time), self.n))
        last = len(self.parts) - 1
        which = np.clip(np.searchsorted(self.starts, time, side="right") - 1, 0, last)
        for k in np.unique(which):
            chosen = which == k
            part = self.parts[k]
            local = np.clip(time[chosen] - self.starts[k], 0.0, part.duration)
            values[:, chosen] = part.inside(local)
        return values

    def numbers(self) -> dict[str, Any]:
        """See `Path`."""
        return {"parts": [p.to_dict() for p in self.parts]}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Path:
        """See `Path`."""
        return cls([path_of(p) for p in data["parts"]])
