"""Pieces of constant velocity in a recording, averaged over bins of position. Spec 08.5.

Only samples at constant speed and after settling count. Averages over bins of position rather than of time, so that
the same places count in both directions and gravity falls out of the half difference (spec 09.3).

A joint asked to creep may stick and slip: its speed never stands still, but over many jerks its mean torque is its mean
friction, since what speeds the rotor up it gives back. Such a recording counts as one piece, and is named.
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
SAME_SPEED = 0.1
"""Relative change of speed within which noise, not a ramp, interrupted a piece."""
SLOWEST = 1e-3
"""rad/s [m/s] below which a joint does not slide steadily."""
BINS = 12
"""Bins of position in one piece."""
JERKS_S, JERKY_SHARE, JERKY_S = 0.75, 0.3, 2.0
"""s that hold whole jerks of a joint that sticks and slips, change of their mean speed, and s of them it takes."""


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
    jerky: tuple[str, ...] = ()
    """recordings in which the joint stuck and slipped"""
    empty: tuple[str, ...] = ()
    """recordings without any piece"""

    def remarks(self) -> tuple[str, ...]:
        """What has to be said about recordings that are not all steady sliding."""
        found = []
        if self.jerky:
            found.append(
                f"in {', '.join(self.jerky)} the joint sticks and slips: the mean over its jerks stands for the "
                "friction at its mean speed"
            )
        if self.empty:
            found.append(f"no piece of constant velocity in {', '.join(self.empty)}: not used")
        return tuple(found)

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
    good = _bridged(good, samples)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(np.int8)))
    cut = int(np.ceil(SETTLED * samples.rate_hz))
    found = []
    for start, stop in itertools.pairwise(edges):
        if not good[start] or stop - start - 2 * cut < SHORTEST * samples.rate_hz:
            continue
        part = slice(int(start) + cut, int(stop) - cut)
        found.append(Plateau(index, part.start, part.stop, float(samples.omega[part].mean())))
    return found


def _bridged(good: NDArray[np.bool_], samples: JointSamples) -> NDArray[np.bool_]:
    """Gaps too short for a ramp, throughout at one speed, closed: noise alone looked like acceleration there."""
    out = good.copy()
    edges = np.flatnonzero(np.diff(good.astype(np.int8)))
    for end, start in itertools.pairwise(edges):
        speed, inside = samples.omega[end], samples.omega[end : start + 2]
        if good[end] and start - end < SETTLED * samples.rate_hz:
            out[end + 1 : start + 1] = bool(np.abs(inside - speed).max() < SAME_SPEED * abs(speed))
    return out


def creeping(samples: JointSamples, index: int = 0) -> Plateau | None:
    """The longest piece in which the joint sticks and slips at a steady mean speed; None where there is none."""
    window = round(JERKS_S * samples.rate_hz)
    if len(samples) < 3 * window:
        return None
    mean = (samples.theta[window:] - samples.theta[:-window]) * samples.rate_hz / window
    typical = float(np.median(mean))
    if abs(typical) < SLOWEST:
        return None
    good = np.abs(mean - typical) < JERKY_SHARE * abs(typical)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(np.int8)))
    runs = [(int(a), int(b) + window) for a, b in itertools.pairwise(edges) if good[a]]
    start, stop = max(runs, key=lambda run: run[1] - run[0], default=(0, 0))
    part = slice(start, min(stop, len(samples)))
    stops = np.abs(samples.omega[part]).min(initial=np.inf) < 0.5 * abs(typical)
    if part.stop - part.start < JERKY_S * samples.rate_hz or not stops:
        return None
    return Plateau(index, part.start, part.stop, float(samples.omega[part].mean()))


def steady(parts: Sequence[JointSamples]) -> Steady:
    """Averages of all pieces of constant velocity of the recordings."""
    pieces: list[Plateau] = []
    rows: list[Array] = []
    jerky, empty = [], []
    for index, samples in enumerate(parts):
        own = plateaus(samples, index)
        for piece in own:
            rows.append(_binned(samples, piece, len(pieces)))
            pieces.append(piece)
        creep = None if own else creeping(samples, index)
        if creep is not None:
            # Its jerks are no speeds of their own: the mean counts as often as the bins of another piece.
            rows.append(np.repeat(_binned(samples, creep, len(pieces), most=1), BINS, axis=0))
            pieces.append(creep)
            jerky.append(samples.name)
        elif not own:
            empty.append(samples.name)
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
        jerky=tuple(jerky),
        empty=tuple(empty),
    )  # fmt: skip


def _binned(samples: JointSamples, piece: Plateau, number: int, most: int = BINS) -> Array:
    part = slice(piece.start, piece.stop)
    bins = min(most, max(1, (piece.stop - piece.start) // 20))
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
