"""How well a torque is predicted, exactly as the sources define it. Spec 07.5.

NRMSE is the fit in percent, C1(15), J1(9): 100 is perfect, 0 is no better than the mean. The relative residual is
norm(y - y_hat) / norm(y), the error of the EMPS benchmark and of Janot's papers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def rmse(error: Array) -> float:
    """Root mean square, L(23); NaN where there is no sample."""
    return float(np.sqrt(np.mean(error**2))) if error.size else float("nan")


def nrmse_percent(measured: Array, predicted: Array) -> float:
    """100 (1 - norm(y - y_hat) / norm(y - mean y)), C1(15), J1(9)."""
    spread = float(np.linalg.norm(measured - measured.mean())) if measured.size else 0.0
    if spread == 0.0:
        return float("nan")
    return 100.0 * (1.0 - float(np.linalg.norm(measured - predicted)) / spread)


def relative_residual_percent(measured: Array, predicted: Array) -> float:
    """100 norm(y - y_hat) / norm(y)."""
    size = float(np.linalg.norm(measured)) if measured.size else 0.0
    return 100.0 * float(np.linalg.norm(measured - predicted)) / size if size else float("nan")


def nmse(measured: Array, predicted: Array, *, mean: bool = False) -> float:
    """Sum over joints of squared errors over the average torque magnitude, N m; J2(22), erratum 14.

    As printed the squares are summed over samples, so values compare only at equal sample counts; `mean` divides by
    their number, as the text says.
    """
    squares = np.sum((measured - predicted) ** 2, axis=0)
    typical = np.mean(np.abs(measured), axis=0)
    total = float(np.sum(squares[typical > 0.0] / typical[typical > 0.0]))
    return total / len(measured) if mean else total


def e_n(measured: Array, predicted: Array) -> float:
    """(1/m) sqrt(e^T e) over all joints and m time samples, N m; K(22)."""
    return float(np.linalg.norm(measured - predicted)) / len(measured)


class Score(NamedTuple):
    """Errors of one joint in one recording; N m [N], NaN where there is no such sample."""

    rmse: float
    rmse_moving: float
    rmse_standing: float
    nrmse: float
    relative_residual: float
    samples: int
    samples_moving: int


def score(measured: Array, predicted: Array, moving: Mask) -> Score:
    """All errors of one joint; `moving` says which samples it moved in."""
    error = measured - predicted
    return Score(
        rmse=rmse(error),
        rmse_moving=rmse(error[moving]),
        rmse_standing=rmse(error[~moving]),
        nrmse=nrmse_percent(measured, predicted),
        relative_residual=relative_residual_percent(measured, predicted),
        samples=len(error),
        samples_moving=int(moving.sum()),
    )
