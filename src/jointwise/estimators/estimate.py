"""What every estimator returns: values with their covariance, and how they came about. Spec 07.4."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError

Array = NDArray[np.float64]

CONVERGED = "converged"
STOPPED = "stopped at the limit of iterations"


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimate:
    """Parameters of a linear model, their covariance, and the noise seen by each joint."""

    method: str
    names: tuple[str, ...]
    values: Array
    covariance: Array
    """(columns, columns), under the assumptions the method states; zero for a parameter held at a bound"""
    weights: Array
    """(joints,): what the squares of each joint counted, in 1/(N m)^2 where they are inverse variances"""
    noise: Array
    """(joints,): standard deviation of the residual"""
    equations: int
    freedom: float
    """degrees of freedom of the residual, for Student's distribution"""
    status: str = CONVERGED
    iterations: int = 1
    active: tuple[str, ...] = ()
    """parameters at a bound"""
    informed: bool = False
    """whether a prior has a part in the values, and in the covariance, which then is that of Bayes"""
    clipped: bool = False
    """whether single samples lost weight"""
    notes: tuple[str, ...] = ()
    """what the user must know about this result, one sentence each"""

    def __post_init__(self) -> None:
        for array in (self.values, self.covariance, self.weights, self.noise):
            array.setflags(write=False)

    @property
    def converged(self) -> bool:
        """Whether the method reached its answer."""
        return self.status == CONVERGED

    @property
    def std(self) -> Array:
        """Standard deviations."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))

    @property
    def relative_std_percent(self) -> Array:
        """100 std / |value|, J2 Table 4; above 10 a parameter counts as poorly identified."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.values != 0.0, 100.0 * self.std / np.abs(self.values), np.inf)

    def intervals(self, level: float = 0.95) -> Array:
        """(columns, 2): confidence intervals by Student's distribution."""
        reach = student_reach(level, self.freedom) * self.std
        return np.stack([self.values - reach, self.values + reach], axis=1)

    def value(self, name: str) -> float:
        """The value of one parameter."""
        return float(self.values[self.names.index(name)])


def student_reach(level: float, freedom: float) -> float:
    """How many standard deviations an interval reaches to each side."""
    from scipy.special import stdtrit

    if not 0.0 < level < 1.0:
        raise ParameterError("level", level, "above 0 and below 1")
    return float(stdtrit(max(freedom, 1.0), 0.5 * (1.0 + level)))
