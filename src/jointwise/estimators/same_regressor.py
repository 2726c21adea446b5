"""Bounded, reweighted least squares of many torques beside one regressor, as a search over delays needs it.

In coordinates in which all equations together are orthonormal, W T with T = R^-1, the weighted normal equations

    [ sum_j w_j (W_j T)^T (W_j T) ] x = sum_j w_j (W_j T)^T y_j

are as well conditioned as the weights are alike, so they lose nothing beside a decomposition and cost far less.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointwise.estimators.bounded import solve_bounded
from jointwise.estimators.problem import Problem
from jointwise.estimators.solve import MOST_PASSES, SETTLED, inverse_variances, require_freedom
from jointwise.robot.independent import qr_factor

Array = NDArray[np.float64]


class SameRegressor:
    """Solves problems whose factors differ from those of `problem` in the column of the torque only."""

    def __init__(self, problem: Problem, kept: NDArray[np.int64], low: Array) -> None:
        """`kept` are columns that can be told apart, the others stay zero; `low` (columns,) are lower bounds."""
        self.kept, self.low, self.columns = kept, low[kept], problem.columns
        norms = problem.torque_norms
        even = 1.0 / np.where(norms > 0.0, norms, 1.0) ** 2
        self.root = qr_factor(problem.weighted_factor(even)[:, kept])
        self.parts = np.linalg.solve(
            self.root.T, np.swapaxes(problem.joint_factors[:, :, kept], 1, 2)
        )
        self.grams = self.parts @ np.swapaxes(self.parts, 1, 2)
        self.freedom = require_freedom(problem)
        self.even = even

    def values(self, problem: Problem) -> Array:
        """Parameters of least squares, weights settled without bounds and then kept."""
        z = problem.joint_factors[:, :, -1]
        towards = np.einsum("jcr,jr->jc", self.parts, z)
        weights = self.even
        for _ in range(MOST_PASSES):
            x = self._free(towards, weights)
            left = np.sum((z - x @ self.parts) ** 2, axis=1)
            new = inverse_variances(problem, np.sqrt(left / self.freedom))
            settled = float(np.abs(new / weights - 1.0).max()) <= SETTLED
            weights = new
            if settled:
                break
        return self._bounded(towards, weights)

    def _free(self, towards: Array, weights: Array) -> Array:
        return np.asarray(
            np.linalg.solve(np.tensordot(weights, self.grams, axes=1), weights @ towards)
        )

    def _bounded(self, towards: Array, weights: Array) -> Array:
        """The weighted minimum within the bounds; that without them where it satisfies them."""
        out = np.zeros(self.columns)
        out[self.kept] = np.linalg.solve(self.root, self._free(towards, weights))
        if (out[self.kept] < self.low).any():
            upper = np.linalg.cholesky(np.tensordot(weights, self.grams, axes=1)).T
            right = np.linalg.solve(upper.T, weights @ towards)
            factor = np.column_stack([upper @ self.root, right])
            out[self.kept] = solve_bounded(factor, self.low, np.full(len(self.low), np.inf)).values
        return out
