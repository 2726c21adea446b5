"""Essential parameters: the base parameters a recording can tell apart from zero. Spec 02.9.

Least squares gives every base parameter a value and a standard deviation. One after the other, the parameter whose
standard deviation is largest beside its value is dropped and the rest fitted again, until all that remain are known
better than a threshold. What is dropped acts too little on the torque of this recording, which says nothing about
its true value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import NumericalError, ParameterError, ShapeError
from jointwise.robot.independent import qr_factor

Array = NDArray[np.float64]

SMALLEST_PIVOT = 1e-10
"""Of a column of length one: with less left beside the others a fit has no unique answer."""


@dataclass(frozen=True, eq=False, kw_only=True)
class EssentialParameters:
    """The parameters that remain, their fit, and what leaving out the others costs."""

    names: tuple[str, ...]
    kept: NDArray[np.int64]
    """their places among the parameters given"""
    values: Array
    relative_std_percent: Array
    eliminated: tuple[str, ...]
    """in the order they were dropped"""
    residual_rms: float
    """root mean square of what the essential parameters leave of the torque"""
    residual_rms_all: float
    """the same with all parameters"""

    @property
    def loss_of_fit(self) -> float:
        """By which fraction the residual grew: 0.01 means one percent."""
        if self.residual_rms_all == 0.0:
            return 0.0 if self.residual_rms == 0.0 else float("inf")
        return self.residual_rms / self.residual_rms_all - 1.0


@dataclass(frozen=True, eq=False)
class _Fit:
    values: Array
    relative_std_percent: Array
    residual_rms: float


def essential_parameters(
    factor: ArrayLike, names: Sequence[str], *, equations: int, threshold_percent: float = 10.0
) -> EssentialParameters:
    """Backward elimination by relative standard deviation.

    `factor` is the factor R of the stacked [W tau] with one column per name and the torque last, for example
    `accumulator.factor[:, [*base.kept, -1]]`; it need not be triangular after such a choice. `equations` is the
    number of rows that were stacked, samples times joints. Standard deviations follow from the residual, so they
    hold for residuals that are as independent as the weights of the accumulation assume.
    """
    stack = _checked(factor, names, equations)
    if not threshold_percent > 0.0:
        raise ParameterError("threshold_percent", threshold_percent, "above 0 %")
    kept = list(range(len(names)))
    eliminated: list[str] = []
    fit = first = _fit(stack, kept, names, equations)
    while kept:
        worst = int(np.argmax(fit.relative_std_percent))
        if fit.relative_std_percent[worst] <= threshold_percent:
            break
        eliminated.append(names[kept.pop(worst)])
        fit = _fit(stack, kept, names, equations)
    return EssentialParameters(
        names=tuple(names[k] for k in kept),
        kept=np.array(kept, dtype=np.int64),
        values=fit.values,
        relative_std_percent=fit.relative_std_percent,
        eliminated=tuple(eliminated),
        residual_rms=fit.residual_rms,
        residual_rms_all=first.residual_rms,
    )


def _fit(stack: Array, kept: Sequence[int], names: Sequence[str], equations: int) -> _Fit:
    """Least squares with some columns: values, relative standard deviations, residual."""
    used = qr_factor(stack[:, [*kept, -1]])
    count = len(kept)
    r, z = used[:count, :count], used[:count, count]
    squares = float(np.sum(used[count:, count] ** 2))
    lengths = np.linalg.norm(r, axis=0)
    for k, left, length in zip(kept, np.abs(np.diag(r)), lengths, strict=True):
        if left <= SMALLEST_PIVOT * length:
            raise NumericalError(
                f"parameter {names[k]} has no effect of its own in this recording; fit base parameters, "
                "and record a motion that moves all joints"
            )
    inverse = np.linalg.solve(r, np.eye(count))
    values = inverse @ z
    deviation = np.sqrt(squares / (equations - count)) * np.linalg.norm(inverse, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(values != 0.0, 100.0 * deviation / np.abs(values), np.inf)
    return _Fit(values, relative, float(np.sqrt(squares / equations)))


def _checked(factor: ArrayLike, names: Sequence[str], equations: int) -> Array:
    stack = np.asarray(factor, dtype=np.float64)
    columns = len(names) + 1
    if stack.ndim != 2 or stack.shape[1] != columns:
        expected = f"shape (rows, {columns}): a column per name, then the torque"
        raise ShapeError("factor", f"shape {stack.shape}", expected)
    if not np.isfinite(stack).all():
        raise ShapeError("factor", "NaN or infinity in it", "finite numbers")
    if equations <= len(names):
        allowed = f"more than the {len(names)} parameters"
        raise ParameterError("equations", equations, allowed)
    if len(stack) < columns:
        # A short recording's factor has fewer rows; rows of zeros change nothing.
        stack = np.concatenate([stack, np.zeros((columns - len(stack), columns))])
    return stack
