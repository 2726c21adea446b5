"""Finite Fourier series, the form of excitation motions, with any number of derivatives zero at both ends.

    q_j(t)  = q_j0 + sum_l a_jl / (w l) sin(w l t) - b_jl / (w l) cos(w l t)        L(24), K(25), spec 08.2
    dq_j(t) = sum_l a_jl cos(w l t) + b_jl sin(w l t)

with one base frequency w in rad/s; a and b are velocities, rad/s. After whole periods the path is where it began, so
conditions at t = 0 hold at both ends. They are linear in a and b, L(26)(d)-(f):

    dq(0) = 0: sum a_l = 0        ddq(0) = 0: sum l b_l = 0        d3q(0) = 0: sum l^2 a_l = 0    and so on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from jointwise.motion.path import ORDERS, Array, Path


class FourierPath(Path):
    """A finite Fourier series: `center` (n,) in rad, `sine` a and `cosine` b (n, harmonics) in rad/s."""

    form = "fourier"

    def __init__(
        self,
        *,
        center: ArrayLike,
        sine: ArrayLike,
        cosine: ArrayLike,
        period: float,
        duration: float,
    ) -> None:
        self.center = np.asarray(center, dtype=np.float64)
        self.sine = np.asarray(sine, dtype=np.float64)
        self.cosine = np.asarray(cosine, dtype=np.float64)
        self.period, self.duration = float(period), float(duration)
        self.n = len(self.center)

    def inside(self, time: Array) -> Array:
        """See `Path`."""
        waves = basis(time, self.period, self.sine.shape[1])
        values = np.empty((ORDERS, len(time), self.n))
        for k in range(ORDERS):
            values[k] = waves[k, 0] @ self.sine.T + waves[k, 1] @ self.cosine.T
        values[0] += self.center
        return values

    def shrunk(self, about: Array, share: ArrayLike) -> FourierPath:
        """The same path with the distance of each joint from `about` times `share`."""
        by = np.broadcast_to(np.asarray(share, dtype=np.float64), (self.n,))
        return FourierPath(
            center=about + by * (self.center - about),
            sine=self.sine * by[:, None],
            cosine=self.cosine * by[:, None],
            period=self.period,
            duration=self.duration,
        )

    def lasting(self, duration: float) -> FourierPath:
        """The same series for another time."""
        return FourierPath(
            center=self.center,
            sine=self.sine,
            cosine=self.cosine,
            period=self.period,
            duration=duration,
        )

    def numbers(self) -> dict[str, Any]:
        """See `Path`."""
        return {
            "center": self.center.tolist(),
            "sine": self.sine.tolist(),
            "cosine": self.cosine.tolist(),
            "period": self.period,
            "duration": self.duration,
        }

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> FourierPath:
        """See `Path`."""
        return cls(**{k: v for k, v in data.items() if k != "form"})


def basis(time: Array, period: float, harmonics: int) -> Array:
    """What multiplies a and b in each derivative: (5, 2, samples, harmonics)."""
    w = 2.0 * np.pi / period * np.arange(1, harmonics + 1)
    angle = np.outer(time, w)
    sine, cosine = np.sin(angle), np.cos(angle)
    waves = np.empty((ORDERS, 2, *angle.shape))
    a, b = sine / w, -cosine / w
    for k in range(ORDERS):
        waves[k] = a, b
        a, b = (cosine, sine) if k == 0 else (-b * w, a * w)
    return waves


def resting(harmonics: int, rest: int) -> tuple[Array, Array]:
    """Orthonormal columns that span all a, and all b, whose first `rest` derivatives are zero at t = 0."""
    order = np.arange(1, harmonics + 1, dtype=np.float64) / harmonics
    on_sine = [order ** (k - 1) for k in range(1, rest + 1) if k % 2 == 1]
    on_cosine = [order ** (k - 1) for k in range(1, rest + 1) if k % 2 == 0]
    return _orthogonal_to(on_sine, harmonics), _orthogonal_to(on_cosine, harmonics)


def _orthogonal_to(rows: list[Array], size: int) -> Array:
    if not rows:
        return np.eye(size)
    full = np.linalg.qr(np.column_stack(rows), mode="complete")[0]
    return full[:, len(rows) :]
