"""The search of the thesis for free limits, kept to compare with: a genetic algorithm, then Nelder and Mead's simplex.

NLR of J1 4.4.3, J1(42), (43): the outer problem in the limits, least squares in the torques inside. The sources name
neither operators nor rates of the genetic algorithm; here: tournaments of two, blended crossover, normal mutation of
log Delta, the best one kept. The simplex moves p with Delta_i = sum over j <= i of exp p_j, which keeps their order.
"""

from __future__ import annotations

import numpy as np

from jointwise.estimators.slip import (
    Array,
    Projected,
    SlipData,
    SlipFit,
    columns,
    nonnegative,
    solved,
)
from jointwise.units import check_seed

POPULATION = 40
GENERATIONS = 30
MUTATION = 0.3
"""Standard deviation of a mutation of log Delta."""
SIMPLEX_STEPS = 200
"""Evaluations of the simplex for each operator."""


def genetic(
    data: SlipData,
    operators: int,
    *,
    seed: int,
    population: int = POPULATION,
    generations: int = GENERATIONS,
) -> SlipFit:
    """Limits by a genetic algorithm and a simplex from its best; the answer depends on the seed."""
    from scipy.optimize import minimize

    check_seed(seed)
    rng = np.random.default_rng([seed, 42])
    projected = Projected(data)
    grid = data.grid()
    low, high = float(np.log(grid[0])), float(np.log(grid[-1]))
    genes = np.sort(rng.uniform(low, high, (population, operators)), axis=1)
    costs = _costs(projected, genes)
    for _ in range(generations):
        children = _children(rng, genes, costs, low, high)
        children[0] = genes[int(np.argmin(costs))]
        genes, costs = children, _costs(projected, children)
    best = np.exp(genes[int(np.argmin(costs))])
    found = minimize(
        lambda p: _costs(projected, np.log(np.cumsum(np.exp(p)))[None])[0],
        np.log(np.maximum(np.diff(best, prepend=0.0), 1e-6 * best[0])),
        method="Nelder-Mead",
        options={"maxfev": SIMPLEX_STEPS * operators, "xatol": 1e-8, "fatol": 1e-14},
    )
    limits = np.cumsum(np.exp(found.x))
    x = projected.at(columns(data, limits))
    return solved(projected, limits, x, "genetic", population * (generations + 1) + found.nfev)


def _costs(projected: Projected, genes: Array) -> Array:
    """Mean squared error of every individual; the states of the whole population are one sweep."""
    count, operators = genes.shape
    x = projected.without(projected.at(columns(projected.data, np.exp(genes).ravel())))
    costs = np.empty(count)
    for k in range(count):
        own = x[:, k * operators : (k + 1) * operators]
        error = projected.torque - own @ nonnegative(own, projected.torque)
        costs[k] = float(np.mean(error**2))
    return costs


def _children(
    rng: np.random.Generator, genes: Array, costs: Array, low: float, high: float
) -> Array:
    size = len(genes)
    pairs = rng.integers(0, size, (2, size, 2))
    first, second = (genes[np.where(costs[p[:, 0]] < costs[p[:, 1]], *p.T)] for p in pairs)
    share = rng.uniform(-0.25, 1.25, genes.shape)
    mixed = first + share * (second - first)
    mutated = mixed + MUTATION * rng.standard_normal(genes.shape) * (rng.random(genes.shape) < 0.3)
    return np.sort(np.clip(mutated, low, high), axis=1)
