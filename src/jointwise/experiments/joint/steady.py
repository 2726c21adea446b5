"""Pieces of constant velocity in a recording, averaged over bins of position. Spec 08.5.

Only samples at constant speed and after settling count. Averages over bins of position rather than of time, so that
the same places count in both directions and gravity falls out of the half difference (spec 09.3).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.experiments.joint.samples import JointSamples

Array = NDArray[np.float64]
CHANGE = 0.2
"""1/s; largest relative change of speed that counts as constant: 5 % in a quarter of a second."""
SETTLED = 0.15
"""s after the ramp and before the next in which the servo still swings."""
SHORTEST = 0.3
"""s"""
SLOWEST = 1e-3
"""rad/s [m/s] below which a joint does not slide steadily."""
BINS = 12
"""Bins of position in one piece."""


class Plateau(NamedTuple):
    """One piece of constant velocity."""

    recording: int
    start: int
    stop: int
    omega: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Steady:
    """Averages (rows,) over bins of position within pieces of constant velocity; `piece` says which."""

    piece: NDArray[np.int64]
    time: Array
    theta: Array
    omega: Array
    torque: Array
    gauge: Array
    temperature: Array
    pieces: tuple[Plateau, ...]
    saturated: float
    names: tuple[str, ...]

    @property
    def speeds(self) -> Array:
        """Absolute speeds that differ by more than a tenth, in increasing order."""
        ordered = np.sort(np.abs([p.omega for p in self.pieces]))
        kept = [float(ordered[0])]
        for value in ordered[1:]:
            if value > 1.1 * kept[-1]:
                kept.append(float(value))
        return np.array(kept)

    @property
    def directions(self) -> int:
        """1 or 2."""
        return len({np.sign(p.omega) for p in self.pieces})

    def means(self, values: Array) -> Array:
        """Mean of values (rows,) in each piece."""
        total = np.bincount(self.piece, values, minlength=len(self.pieces))
        return np.asarray(total / np.bincount(self.piece, minlength=len(self.pieces)))


def plateaus(samples: JointSamples, index: int = 0) -> list[Plateau]:
    """Pieces of constant velocity of one recording."""
    noise = 4.0 * 1.4826 * float(np.median(np.abs(samples.alpha)))
    slow = np.abs(samples.omega) < SLOWEST
    calm = np.abs(samples.alpha) < np.maximum(CHANGE * np.abs(samples.omega), noise)
    good = calm & ~slow
    kept = samples.inside
    good[: kept.start] = False
    good[kept.stop :] = False
    edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(np.int8)))
    cut = int(np.ceil(SETTLED * samples.rate_hz))
    found = []
    for start, stop in itertools.pairwise(edges):
        if not good[start] or stop - start - 2 * cut < SHORTEST * samples.rate_hz:
            continue
        part = slice(int(start) + cut, int(stop) - cut)
        found.append(Plateau(index, part.start, part.stop, float(samples.omega[part].mean())))
    return found


def steady(parts: Sequence[JointSamples]) -> Steady:
    """Averages of all pieces of constant velocity of the recordings."""
    pieces: list[Plateau] = []
    rows: list[Array] = []
    for index, samples in enumerate(parts):
        for piece in plateaus(samples, index):
            rows.append(_binned(samples, piece, len(pieces)))
            pieces.append(piece)
    if not pieces:
        raise ParameterError(
            "recordings", "without a piece of constant velocity", "sweeps at constant velocity",
            f"hold each speed for at least {SHORTEST + 2 * SETTLED:.1f} s",
        )  # fmt: skip
    table = np.concatenate(rows)
    return Steady(
        piece=table[:, 0].astype(np.int64),
        time=table[:, 1], theta=table[:, 2], omega=table[:, 3], torque=table[:, 4],
        gauge=table[:, 5], temperature=table[:, 6],
        pieces=tuple(pieces),
        saturated=max(s.saturated for s in parts),
        names=tuple(s.name for s in parts),
    )  # fmt: skip


def _binned(samples: JointSamples, piece: Plateau, number: int) -> Array:
    part = slice(piece.start, piece.stop)
    bins = min(BINS, max(1, (piece.stop - piece.start) // 20))
    which = np.minimum(
        np.arange(piece.stop - piece.start) * bins // (piece.stop - piece.start), bins - 1
    )
    count = np.bincount(which)
    none = np.full(len(samples), np.nan)
    columns = [np.full(bins, float(number))]
    for values in (
        samples.time, samples.theta, samples.omega, samples.torque,
        none if samples.gauge is None else samples.gauge,
        none if samples.temperature is None else samples.temperature,
    ):  # fmt: skip
        columns.append(np.bincount(which, values[part]) / count)
    return np.column_stack(columns)
