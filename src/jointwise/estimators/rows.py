"""The rows of a linear problem, recording by recording, and their reduction to triangular factors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError, ShapeError
from jointwise.robot.independent import triangular_factor

Array = NDArray[np.float64]


class Rows(NamedTuple):
    """The equations of one recording, in the order of time."""

    w: Array
    """(samples, joints, columns)"""
    y: Array
    """(samples, joints)"""
    use: NDArray[np.bool_]
    """(samples, joints): which equations count"""


def checked_rows(
    names: Sequence[str],
    w: ArrayLike | Sequence[ArrayLike],
    y: ArrayLike | Sequence[ArrayLike],
    use: ArrayLike | Sequence[ArrayLike] | None,
) -> tuple[Rows, ...]:
    """Rows of each recording; one recording may be given without a list around it."""
    alone = isinstance(w, np.ndarray) and w.ndim == 3
    regressors = [w] if alone else list(w)  # type: ignore[arg-type]
    torques = [y] if alone else list(y)  # type: ignore[arg-type]
    masks = [None] * len(regressors) if use is None else [use] if alone else list(use)  # type: ignore[arg-type]
    if not regressors or not len(regressors) == len(torques) == len(masks):
        got = f"{len(regressors)} regressors, {len(torques)} torques, {len(masks)} masks"
        raise ShapeError("rows", got, "one of each per recording, at least one recording")
    rows = tuple(
        _one(f"recording {k + 1}", len(names), *given)
        for k, given in enumerate(zip(regressors, torques, masks, strict=True))
    )
    joints = {one.w.shape[1] for one in rows}
    if len(joints) > 1:
        raise ShapeError("rows", f"{sorted(joints)} joints", "the same joints in all recordings")
    return rows


def _one(label: str, columns: int, w: object, y: object, use: object) -> Rows:
    regressor, torque = np.asarray(w, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if regressor.ndim != 3 or regressor.shape[2] != columns:
        expected = f"shape (samples, joints, {columns}), one name a column"
        raise ShapeError(f"regressor of {label}", f"shape {regressor.shape}", expected)
    if torque.shape != regressor.shape[:2]:
        expected = f"shape {regressor.shape[:2]}"
        raise ShapeError(f"torque of {label}", f"shape {torque.shape}", expected)
    mask = np.ones(torque.shape, dtype=bool) if use is None else np.asarray(use)
    if mask.shape != torque.shape or mask.dtype != np.bool_:
        got = f"shape {mask.shape} of {mask.dtype}"
        raise ShapeError(f"use of {label}", got, f"shape {torque.shape} of truth values")
    # One joint after the other: the truth values of a long recording are large themselves.
    finite = all(np.isfinite(regressor[:, j]).all() for j in range(regressor.shape[1]))
    if not (finite and np.isfinite(torque).all()):
        raise ShapeError(label, "NaN or infinity in it", "finite numbers")
    return Rows(regressor, torque, mask)


def piece_starts(samples: int, piece_samples: int | None) -> Iterator[tuple[int, int]]:
    """Start and stop of each piece; all are about equally long, none is a small remainder."""
    if piece_samples is not None and piece_samples < 1:
        raise ParameterError("piece_samples", piece_samples, "1 or more")
    pieces = 1 if piece_samples is None else max(1, round(samples / piece_samples))
    edges = np.linspace(0, samples, pieces + 1).astype(int)
    yield from zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)


def piece_factors(rows: Rows, start: int, stop: int) -> tuple[Array, NDArray[np.int64]]:
    """Factor of [W_j y_j] for each joint of a piece, and its equations.

    Columns that are zero for a joint are left out of the factorisation: joint j of a serial arm does not feel the
    links before it, which saves most of the work.
    """
    joints, size = rows.w.shape[1], rows.w.shape[2] + 1
    out = np.zeros((joints, size, size))
    counts = np.zeros(joints, dtype=np.int64)
    for j in range(joints):
        stack, places = used_rows(rows, start, stop, j)
        places = np.append(places, size - 1)
        out[j, : len(places), places] = triangular_factor(stack).T
        counts[j] = len(stack)
    return out, counts


def used_rows(rows: Rows, start: int, stop: int, joint: int) -> tuple[Array, NDArray[np.int64]]:
    """[W_j y_j] of the equations of a piece that count, without columns that are zero, and which columns are left."""
    w, use = rows.w[start:stop, joint], rows.use[start:stop, joint]
    places = np.flatnonzero(w.any(axis=0))
    stack = np.empty((int(use.sum()), len(places) + 1))
    stack[:, :-1] = w[:, places] if use.all() else w[np.ix_(np.flatnonzero(use), places)]
    stack[:, -1] = rows.y[start:stop, joint][use]
    return stack, places
