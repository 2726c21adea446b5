"""A linear problem y = W gamma + noise, kept apart by joint, recording and piece of time. Spec 07.1.

For each piece of a recording and each joint the problem holds the triangular factor R of [W_j y_j] and the number
of equations behind it. Weights per joint, selections of recordings, residual sums of squares and block bootstrap
follow from the factors as from the rows, so an hour of data needs no more memory than its pieces. The rows
themselves are kept only where they are given; methods that look at single samples ask for them.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError, ShapeError
from jointwise.estimators.rows import Rows, checked_rows, piece_factors, piece_starts
from jointwise.robot.independent import column_indices, qr_factor
from jointwise.robot.samples import in_threads

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Factors per piece and joint, with names for the columns; make one by `from_rows` or `from_factors`."""

    names: tuple[str, ...]
    """one per column of W"""
    factors: Array
    """(pieces, joints, columns + 1, columns + 1): R of [W_j y_j]"""
    counts: NDArray[np.int64]
    """(pieces, joints): equations behind each factor"""
    recording: NDArray[np.int64]
    """(pieces,): which recording each piece belongs to"""
    recordings: tuple[str, ...]
    rows: tuple[Rows, ...] = ()
    """one per recording, or nothing where only factors are known"""

    def __post_init__(self) -> None:
        columns, pieces = len(self.names), len(self.recording)
        expected = (pieces, *self.factors.shape[1:2], columns + 1, columns + 1)
        if self.factors.ndim != 4 or self.factors.shape != expected or not self.factors.shape[1]:
            raise ShapeError(
                "factors", f"shape {self.factors.shape}", f"shape {expected}, at least one joint"
            )
        if self.counts.shape != self.factors.shape[:2]:
            raise ShapeError(
                "counts", f"shape {self.counts.shape}", f"shape {self.factors.shape[:2]}"
            )
        if not np.isfinite(self.factors).all():
            raise ShapeError("factors", "NaN or infinity in it", "finite numbers")
        if len(set(self.names)) != columns:
            twice = next(n for n in self.names if self.names.count(n) > 1)
            raise ParameterError("column", twice, "given once")
        for array in (self.factors, self.counts, self.recording):
            array.setflags(write=False)

    # ---- ways to make one -------------------------------------------------------------------

    @classmethod
    def from_rows(
        cls,
        names: Sequence[str],
        w: ArrayLike | Sequence[ArrayLike],
        y: ArrayLike | Sequence[ArrayLike],
        *,
        use: ArrayLike | Sequence[ArrayLike] | None = None,
        recordings: Sequence[str] | None = None,
        piece_samples: int | None = None,
    ) -> Problem:
        """From the regressor (samples, joints, columns) and torque (samples, joints) of each recording.

        `use` (samples, joints) leaves out equations without disturbing the order in time. `piece_samples` cuts each
        recording into pieces of about that many samples, the blocks of a block bootstrap.
        """
        rows = checked_rows(names, w, y, use)
        labels = _labels(recordings, len(rows))
        pieces = [
            (r, *edges)
            for r, one in enumerate(rows)
            for edges in piece_starts(len(one.y), piece_samples)
        ]
        found = in_threads(lambda piece: piece_factors(rows[piece[0]], *piece[1:]), pieces)
        factors, counts = zip(*found, strict=True)
        owner = [piece[0] for piece in pieces]
        return cls(
            names=tuple(names),
            factors=np.array(factors),
            counts=np.array(counts, dtype=np.int64),
            recording=np.array(owner, dtype=np.int64),
            recordings=labels,
            rows=rows,
        )

    @classmethod
    def from_factors(
        cls,
        names: Sequence[str],
        factors: ArrayLike,
        counts: ArrayLike,
        *,
        recording: Sequence[int] | None = None,
        recordings: Sequence[str] | None = None,
    ) -> Problem:
        """From triangular factors (pieces, joints, columns + 1, columns + 1) of [W_j y_j] and their equations.

        `recording` gives the number of the recording each piece comes from; without it each piece is one.
        """
        blocks = np.array(factors, dtype=np.float64)
        owner = np.arange(len(blocks)) if recording is None else np.asarray(recording)
        count = int(owner.max(initial=-1)) + 1 if recordings is None else len(recordings)
        if owner.ndim != 1 or (owner < 0).any() or (owner >= count).any():
            raise ShapeError("recording", recording, f"one number per piece, from 0 to {count - 1}")
        return cls(
            names=tuple(names),
            factors=blocks,
            counts=np.array(counts, dtype=np.int64),
            recording=owner.astype(np.int64),
            recordings=_labels(recordings, count),
        )

    # ---- sizes ------------------------------------------------------------------------------

    @property
    def joints(self) -> int:
        """Number of joints, the groups of equations with a noise of their own."""
        return int(self.factors.shape[1])

    @property
    def columns(self) -> int:
        """Number of parameters."""
        return len(self.names)

    @functools.cached_property
    def joint_equations(self) -> NDArray[np.int64]:
        """Equations of each joint."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.int64)

    @property
    def equations(self) -> int:
        """All equations."""
        return int(self.counts.sum())

    @functools.cached_property
    def joint_factors(self) -> Array:
        """(joints, columns + 1, columns + 1): R of [W_j y_j] over all pieces."""
        if len(self.factors) == 1:
            return np.asarray(self.factors[0])
        return np.array([_stacked(self.factors[:, j]) for j in range(self.joints)])

    @functools.cached_property
    def used_columns(self) -> NDArray[np.int64]:
        """b_j: columns that are not zero in the equations of each joint, spec 07.3."""
        return np.asarray(np.count_nonzero(self.column_squares[:, :-1], axis=1), dtype=np.int64)

    @functools.cached_property
    def column_squares(self) -> Array:
        """(joints, columns + 1): sum of squares of each column of [W_j y_j]."""
        return np.asarray(np.einsum("kjrc,kjrc->jc", self.factors, self.factors))

    @functools.cached_property
    def torque_norms(self) -> Array:
        """Length of the torque vector of each joint."""
        return np.asarray(np.sqrt(self.column_squares[:, -1]))

    # ---- algebra ----------------------------------------------------------------------------

    def weighted_factor(self, weights: ArrayLike) -> Array:
        """R of all equations stacked, the squares of joint j counted `weights`[j] times."""
        given = np.asarray(weights, dtype=np.float64)
        known = self._weighted.get(given.tobytes())
        if known is not None:
            return known
        return _stacked(self.joint_factors * np.sqrt(given)[:, None, None])

    @functools.cached_property
    def _weighted(self) -> dict[bytes, Array]:
        """Factors that were found together with those of other parts of the data, by their weights."""
        return {}

    def squares(self, values: Array) -> Array:
        """Sum of squared residuals of each joint."""
        left = self.factors @ np.append(-values, 1.0)
        return np.asarray(np.sum(left**2, axis=(0, 2)))

    def residuals(self, values: Array) -> tuple[Array, ...]:
        """y - W gamma of each recording, (samples, joints), NaN where an equation is not used; needs the rows."""
        self.require_rows("residuals of single samples")
        return tuple(np.where(r.use, r.y - r.w @ values, np.nan) for r in self.rows)

    def require_rows(self, needed_for: str) -> None:
        """Raise ParameterError where only factors are known."""
        if not self.rows:
            raise ParameterError(
                "problem", "made of factors", f"made from rows: {needed_for} looks at every sample"
            )

    # ---- parts ------------------------------------------------------------------------------

    def only(self, chosen: Iterable[int]) -> Problem:
        """The recordings with these numbers."""
        kept = sorted(set(chosen))
        if not kept or kept[0] < 0 or kept[-1] >= len(self.recordings):
            raise ParameterError("chosen", kept, f"numbers from 0 to {len(self.recordings) - 1}")
        pieces = np.isin(self.recording, kept)
        return replace(
            self,
            factors=self.factors[pieces],
            counts=self.counts[pieces],
            recording=np.searchsorted(kept, self.recording[pieces]).astype(np.int64),
            recordings=tuple(self.recordings[k] for k in kept),
            rows=tuple(self.rows[k] for k in kept) if self.rows else (),
        )

    def without(self, recording: int) -> Problem:
        """All recordings but one."""
        return self.only(k for k in range(len(self.recordings)) if k != recording)

    def each_left_out(self, weights: Array) -> list[Problem]:
        """For each recording all others, with their factor for these weights: found from both ends inwards."""
        roots = np.sqrt(weights)[:, None, None]
        whole = range(len(self.recordings))
        each = [_stacked(self.factors[self.recording == k] * roots) for k in whole]
        out = [self.without(k) for k in whole]
        nothing = np.zeros_like(each[0])
        before = list(itertools.accumulate(each, _both, initial=nothing))
        after = list(itertools.accumulate(each[::-1], _both, initial=nothing))[::-1]
        for k, part in enumerate(out):
            part._weighted[weights.tobytes()] = _both(before[k], after[k + 1])
        return out

    def drawn(self, pieces: ArrayLike) -> Problem:
        """The pieces with these numbers, each as often as it is named; without rows."""
        chosen = np.asarray(pieces, dtype=np.int64)
        return replace(
            self,
            factors=self.factors[chosen],
            counts=self.counts[chosen],
            recording=self.recording[chosen],
            rows=(),
        )

    def cut(self, piece_samples: int) -> Problem:
        """The same problem in pieces of about `piece_samples`; needs the rows."""
        self.require_rows("cutting into pieces")
        return Problem.from_rows(
            self.names,
            [r.w for r in self.rows],
            [r.y for r in self.rows],
            use=[r.use for r in self.rows],
            recordings=self.recordings,
            piece_samples=piece_samples,
        )

    def select(self, names: Sequence[str]) -> Problem:
        """The same equations with some of the columns; what the others did goes into the residual."""
        places = np.array(column_indices(names, self.names), dtype=np.int64)
        chosen = self.factors[..., [*places, -1]]
        flat = chosen.reshape(-1, *chosen.shape[2:])
        small = np.array([_stacked(block[None]) for block in flat])
        return replace(
            self,
            names=tuple(names),
            factors=small.reshape(*self.factors.shape[:2], *small.shape[1:]),
            rows=tuple(Rows(r.w[..., places], r.y, r.use) for r in self.rows),
        )


def _both(a: Array, b: Array) -> Array:
    return _stacked(np.stack([a, b]))


def _stacked(blocks: Array) -> Array:
    """Square R of factors on top of each other, (count, rows, columns)."""
    stack = blocks.reshape(-1, blocks.shape[-1])
    missing = stack.shape[1] - len(stack)
    if missing > 0:
        stack = np.concatenate([stack, np.zeros((missing, stack.shape[1]))])
    used = np.flatnonzero(stack.any(axis=1))
    if len(used) > stack.shape[1]:
        stack = stack[used]
    return qr_factor(stack)


def _labels(recordings: Sequence[str] | None, count: int) -> tuple[str, ...]:
    labels = (
        tuple(f"recording {k + 1}" for k in range(count))
        if recordings is None
        else tuple(recordings)
    )
    if len(labels) != count:
        raise ShapeError("recordings", f"{len(labels)} names", f"{count}, one per recording")
    return labels
