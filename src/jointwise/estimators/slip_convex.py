"""The convex form: torques on a dense grid of limits, so that no start is needed and none can be wrong.

Every hysteresis of Prandtl and Ishlinskii's kind is a measure over limits. On a fixed grid its weights are the answer
of a convex problem, W >= 0; its support says how many operators there are and where.
"""

from __future__ import annotations

import numpy as np

from jointwise.estimators.slip import DENSE, Array, Projected, SlipData, SlipFit, columns, solved

NEGLIGIBLE = 1e-6
"""Share of all torque below which a weight is left out of the result."""


def convex(data: SlipData, *, count: int = DENSE) -> SlipFit:
    """Non-negative torques on `count` limits; only limits that carry torque are returned."""
    grid = data.grid(count)
    projected = Projected(data)
    return thinned(solved(projected, grid, projected.at(columns(data, grid)), "convex"))


def thinned(fit: SlipFit) -> SlipFit:
    """Without operators that carry next to nothing."""
    kept = fit.torques > NEGLIGIBLE * max(float(fit.torques.sum()), 1e-300)
    return SlipFit(
        limits=fit.limits[kept], torques=fit.torques[kept], extra=fit.extra,
        rmse=fit.rmse, method=fit.method, status=fit.status, rounds=fit.rounds,
    )  # fmt: skip


def gathered(limits: Array, torques: Array, operators: int) -> Array:
    """At most `operators` limits that stand for many: what costs least (by logarithm) is merged first."""
    used = torques > NEGLIGIBLE * max(float(torques.sum()), 1e-300)
    place, weight = np.log(limits[used]), torques[used].copy()
    while len(place) > operators:
        # The cost of merging two point masses is their moment of inertia about the common centre.
        sums = weight[:-1] + weight[1:]
        k = int(np.argmin(np.diff(place) ** 2 * weight[:-1] * weight[1:] / sums))
        place[k] = (weight[k] * place[k] + weight[k + 1] * place[k + 1]) / sums[k]
        weight[k] = sums[k]
        place, weight = np.delete(place, k + 1), np.delete(weight, k + 1)
    return np.asarray(np.exp(place))
