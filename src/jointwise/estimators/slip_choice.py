"""How many operators: the fewest whose error on left-out blocks is within one standard error of the best.

The one-standard-error rule of Breiman et al., Classification and Regression Trees (1984). Blocks are whole stretches
of time, since neighbouring samples know each other; operators move on through a left-out block with the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from jointwise.errors import ParameterError
from jointwise.estimators.slip import Array, SlipData, SlipFit, predict
from jointwise.estimators.variable_projection import variable_projection

BLOCKS = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """Scores of every candidate, and the fit of the chosen one to all samples."""

    operators: tuple[int, ...]
    errors: Array
    """(candidates, blocks): mean squared error on each block left out"""
    chosen: int
    fit: SlipFit

    @property
    def means(self) -> Array:
        """Mean over the blocks."""
        return np.asarray(self.errors.mean(axis=1))

    @property
    def standard_errors(self) -> Array:
        """Standard error of that mean."""
        return np.asarray(self.errors.std(axis=1, ddof=1) / np.sqrt(self.errors.shape[1]))


def choose_operators(
    data: SlipData,
    candidates: Sequence[int] = (1, 2, 3, 4, 5, 6),
    *,
    blocks: int = BLOCKS,
    fit: Callable[[SlipData, int], SlipFit] = variable_projection,
) -> Choice:
    """Cross-validate numbers of operators; `fit` is how limits and torques are found for a number."""
    if not 2 <= blocks <= len(data.shift) // 10:
        raise ParameterError("blocks", blocks, f"from 2 to {len(data.shift) // 10}")
    block = np.minimum(np.arange(len(data.shift)) * blocks // len(data.shift), blocks - 1)
    errors = np.empty((len(candidates), blocks))
    for b in range(blocks):
        away = block == b
        part = replace(data, used=data.used & ~away)
        left_out = data.used & away
        for k, count in enumerate(candidates):
            error = data.torque - predict(data, fit(part, count))
            errors[k, b] = float(np.mean(error[left_out] ** 2)) if left_out.any() else 0.0
    means = errors.mean(axis=1)
    best = int(np.argmin(means))
    # The blocks differ far more than the candidates do: what counts is the difference to the best on each block.
    excess = errors - errors[best]
    tolerance = excess.std(axis=1, ddof=1) / np.sqrt(blocks)
    good = [k for k in range(len(candidates)) if means[k] - means[best] <= tolerance[k] + 1e-12]
    chosen = min(good, key=lambda k: candidates[k])
    count = candidates[chosen]
    return Choice(operators=tuple(candidates), errors=errors, chosen=count, fit=fit(data, count))
