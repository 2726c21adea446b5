"""Piecewise polynomials: moves from rest to rest, dwells, constant speed, joined at knots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from jointwise.motion.path import ORDERS, Array, Path

SEPTIC = (0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0)
"""s(u) = 35 u^4 - 84 u^5 + 70 u^6 - 20 u^7: velocity, acceleration and jerk zero at both ends; spec 08.9."""
RAMP = (0.0, 0.0, 0.0, 0.0, 2.5, -3.0, 1.0)
"""Integral of 10 u^3 - 15 u^4 + 6 u^5: from rest to constant speed, acceleration and jerk zero at both ends."""


class PolynomialPath(Path):
    """Polynomials in the time since the last knot: `knots` (pieces + 1,), `coefficients` (pieces, degree + 1, n)."""

    form = "polynomial"

    def __init__(self, *, knots: ArrayLike, coefficients: ArrayLike) -> None:
        self.knots = np.asarray(knots, dtype=np.float64)
        self.coefficients = np.asarray(coefficients, dtype=np.float64)
        self.duration = float(self.knots[-1])
        self.n = self.coefficients.shape[2]

    def inside(self, time: Array) -> Array:
        """See `Path`."""
        last = len(self.coefficients) - 1
        which = np.clip(np.searchsorted(self.knots, time, side="right") - 1, 0, last)
        local = (time - self.knots[which])[:, None]
        values = np.zeros((ORDERS, len(time), self.n))
        c = self.coefficients
        for k in range(ORDERS):
            for power in range(c.shape[1] - 1, -1, -1):
                values[k] = values[k] * local + c[which, power]
            if c.shape[1] == 1:
                break
            c = c[:, 1:] * np.arange(1, c.shape[1])[:, None]
        return values

    def numbers(self) -> dict[str, Any]:
        """See `Path`."""
        return {"knots": self.knots.tolist(), "coefficients": self.coefficients.tolist()}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Path:
        """See `Path`."""
        return cls(knots=data["knots"], coefficients=data["coefficients"])


class Writer:
    """Writes a piecewise polynomial piece by piece; each piece begins where the last one ended."""

    def __init__(self, start: ArrayLike) -> None:
        self.q = np.array(start, dtype=np.float64)
        self.time = 0.0
        self._pieces: list[tuple[float, Array]] = []

    def piece(self, duration: float, *coefficients: ArrayLike) -> None:
        """q + c1 t + c2 t^2 + ... for `duration` seconds; nothing where the duration is zero."""
        if duration <= 0.0:
            return
        rows = np.array([self.q, *(np.broadcast_to(c, self.q.shape) for c in coefficients)])
        self._pieces.append((duration, rows))
        self.q = np.asarray(duration ** np.arange(len(rows)) @ rows)
        self.time += duration

    def dwell(self, duration: float) -> None:
        """Stand still."""
        self.piece(duration)

    def shaped(self, duration: float, by: ArrayLike, shape: Sequence[float]) -> None:
        """Move by `by` times a shape in u = t / duration from 0 to 1."""
        end = self.q + np.asarray(by) * sum(shape)
        self.piece(duration, *(s / duration**k * np.asarray(by) for k, s in enumerate(shape) if k))
        self.q = end

    def path(self) -> PolynomialPath:
        """What was written."""
        most = max(len(rows) for _, rows in self._pieces)
        shape = (len(self._pieces), most, len(self.q))
        coefficients = np.zeros(shape)
        for k, (_, rows) in enumerate(self._pieces):
            coefficients[k, : len(rows)] = rows
        knots = np.cumsum([0.0] + [d for d, _ in self._pieces])
        return PolynomialPath(knots=knots, coefficients=coefficients)


def largest(shape: Sequence[float], order: int) -> float:
    """Largest absolute derivative of a shape on 0 <= u <= 1."""
    derived = np.polynomial.Polynomial(shape).deriv(order)
    stops = derived.deriv().roots() if derived.degree() > 0 else np.zeros(0)
    real = stops.real[(np.abs(stops.imag) < 1e-9) & (stops.real > 0.0) & (stops.real < 1.0)]
    return float(np.abs(derived(np.concatenate([[0.0, 1.0], real]))).max())


def mirrored(shape: Sequence[float]) -> tuple[float, ...]:
    """A shape run backwards: s(1) - s(1 - u)."""
    polynomial = np.polynomial.Polynomial(shape)
    back = polynomial(1.0) - polynomial(np.polynomial.Polynomial([1.0, -1.0]))
    return tuple(float(c) for c in back.coef)
