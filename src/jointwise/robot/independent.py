"""Which columns of a matrix are independent, and how the others follow from them: W = W[:, kept] matrix. Spec 02.7.

The matrix is first reduced to its triangular factor, which has the same dependencies. Columns are scaled to length
one and taken in order; a column is kept if something of it is left beside those kept before it (Khalil and Dombre,
Modeling, identification and control of robots, appendix 5). The order thereby decides which columns name the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import NumericalError, ParameterError, ShapeError, UnknownNameError

Array = NDArray[np.float64]

RANK_TOLERANCE = 1e-8
"""What may be left of a dependent column of length one; also the length, beside the longest, of a column without
influence. Rounding leaves about 1e-14 and finite differences about 1e-10; arms leave more than 1e-6 of an independent
one."""
COMFORTABLE = 1e-3
"""A column of which less than this is left waits until the others have been asked; it would need large coefficients."""
CLEAR_GAP = 100.0
"""Between what is left of the least independent and of the most nearly independent dropped column."""
ROUNDING = 64.0 * np.finfo(np.float64).eps
"""Times the condition number: scaled coefficients below this are rounding of zero."""
CACHED_NUMBERS = 30_000
"""Numbers per block of a factorisation, about 240 kB: the block stays in the processor's nearer cache."""


@dataclass(frozen=True, eq=False)
class IndependentColumns:
    """Independent columns of a matrix W and the relation W = W[:, kept] matrix."""

    names: tuple[str, ...]
    """names of all columns of W"""
    kept: NDArray[np.int64]
    """ascending indices of the kept columns"""
    zero: NDArray[np.int64]
    """indices of columns that are zero"""
    matrix: Array
    """(kept, columns); the identity in the kept columns, zero in the zero columns"""
    condition: float
    """condition number of the kept columns, each scaled to length one"""

    @property
    def kept_names(self) -> tuple[str, ...]:
        """Names of the kept columns."""
        return tuple(self.names[k] for k in self.kept)


def qr_factor(stack: Array) -> Array:
    """R of a QR decomposition."""
    factor: Any = np.linalg.qr(stack, mode="r")
    return np.asarray(factor, dtype=np.float64)


def triangular_factor(w: Array) -> Array:
    """Square R of a QR decomposition, block by block; rows of zeros where W has fewer rows than columns."""
    rows, columns = w.shape
    height = max(2 * columns, CACHED_NUMBERS // max(columns, 1))
    factor = np.zeros((columns, columns))
    for start in range(0, rows, height):
        factor = qr_factor(np.concatenate([factor, w[start : start + height]]))
    return factor


def independent_columns(
    w: Array,
    names: Sequence[str],
    *,
    prefer: Iterable[str] = (),
    tolerance: float = RANK_TOLERANCE,
) -> IndependentColumns:
    """Select the first independent columns, those named in `prefer` before all others.

    Raises NumericalError where the rank is not clear: no gap between the columns kept and those dropped.
    """
    names = tuple(names)
    w = _checked(w, names)
    if not 0.0 < tolerance < 1.0:
        raise ParameterError("tolerance", tolerance, "above 0 and below 1")
    factor = triangular_factor(w)
    lengths = np.linalg.norm(factor, axis=0)
    longest = lengths.max(initial=0.0)
    alive = np.flatnonzero(lengths > tolerance * longest)
    zero = np.flatnonzero(lengths <= tolerance * longest)
    first = column_indices(prefer, names)
    first = [k for k in first if k in alive]
    others = [int(k) for k in alive if k not in first]
    scaled = factor / np.where(lengths > 0.0, lengths, 1.0)
    kept = _first_independent(scaled, first, others, names, tolerance)
    relation, condition = _relation(scaled, kept, alive, names, tolerance)
    matrix = relation * lengths / lengths[kept][:, None]
    return IndependentColumns(names, kept, zero, matrix, condition)


def column_indices(wanted: Iterable[str], names: Sequence[str]) -> list[int]:
    """Places of names among the columns; each must exist and be given once."""
    wanted = list(wanted)
    places = {name: k for k, name in enumerate(names)}
    for name in wanted:
        if name not in places:
            raise UnknownNameError("column", name, names)
        if wanted.count(name) > 1:
            raise ParameterError("column", name, "given once")
    return [places[name] for name in wanted]


def _first_independent(
    scaled: Array,
    first: Sequence[int],
    others: Sequence[int],
    names: Sequence[str],
    tolerance: float,
) -> NDArray[np.int64]:
    """Gram-Schmidt, each column orthogonalised twice, which leaves errors of rounding only."""
    basis = np.zeros((len(scaled), len(scaled)))
    kept: list[int] = []
    least, most = (1.0, ""), (0.0, "")
    comfortable = max(COMFORTABLE, tolerance)
    for order, threshold in ((first, tolerance), (others, comfortable), (others, tolerance)):
        for k in order:
            directions = basis[:, : len(kept)]
            left = scaled[:, k]
            for _ in range(2):
                left = left - directions @ (directions.T @ left)
            size = float(np.linalg.norm(left))
            if size > threshold:
                basis[:, len(kept)] = left / size
                kept.append(k)
                least = min(least, (size, names[k]))
            elif threshold == tolerance and k not in kept:
                most = max(most, (size, names[k]))
    if least[0] < CLEAR_GAP * most[0]:
        raise NumericalError(
            f"the rank is not clear: column {least[1]} was kept because {least[0]:.1e} of it is independent of "
            f"others, column {most[1]} dropped with {most[0]:.1e}; choose a tolerance, now {tolerance:g}, with a gap "
            "around it, or round the geometry to what is known"
        )
    return np.array(sorted(kept), dtype=np.int64)


def _relation(
    scaled: Array,
    kept: NDArray[np.int64],
    alive: NDArray[np.int64],
    names: Sequence[str],
    tolerance: float,
) -> tuple[Array, float]:
    """Coefficients of every column in terms of the kept ones, rounding removed, and the condition number."""
    relation = np.zeros((len(kept), scaled.shape[1]))
    relation[:, kept] = np.eye(len(kept))
    rest = np.setdiff1d(alive, kept)
    if not len(kept):
        return relation, 1.0
    condition = float(np.linalg.cond(scaled[:, kept]))
    if condition * tolerance > 1.0:
        raise NumericalError(
            f"the columns {', '.join(names[k] for k in kept)} are nearly dependent: condition number {condition:.1e} "
            f"with a rank tolerance of {tolerance:g}"
        )
    rough = np.linalg.lstsq(scaled[:, kept], scaled[:, rest], rcond=None)[0]
    for k, coefficients in zip(rest, rough.T, strict=True):
        used = np.flatnonzero(np.abs(coefficients) > ROUNDING * condition)
        # Solved again with the coefficients that are not zero, which removes their share of the rounding.
        relation[used, k] = np.linalg.lstsq(scaled[:, kept[used]], scaled[:, k], rcond=None)[0]
    return relation, condition


def _checked(w: Array, names: Sequence[str]) -> Array:
    w = np.asarray(w, dtype=np.float64)
    if w.ndim != 2 or w.shape[1] != len(names):
        raise ShapeError("W", f"shape {w.shape}", f"shape (rows, {len(names)}), one name a column")
    if not np.isfinite(w).all():
        raise ShapeError("W", "NaN or infinity in it", "finite numbers")
    return w
