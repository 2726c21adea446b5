"""Two searches for the velocity law: variable projection, and the quasi-Newton search of the sources.

A Stribeck excess that has fallen before the slowest speed was run cannot be seen, and what it was at standstill could
be anything: V_S is looked for from the slowest speed upward. Models without mu have the Gaussian peak, mu = 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

VELOCITIES = (2e-3, 1.0)
"""rad/s between which a Stribeck velocity is looked for."""
EXPONENTS = (0.3, 4.0)
"""Spec 05.3 has 0.1 to 4; below 0.3 the factor is a power of speed that viscous terms describe better."""
GAUSSIAN = 2.0
"""Exponent of models in which it is not free, as in LuGre's g(v)."""
GRID = (14, 6)
STARTS = ((0.01, 1.0), (0.05, 1.0), (0.2, 1.0), (0.05, 2.0))


@dataclass(frozen=True, kw_only=True, eq=False)
class Found:
    """The seven values in the order of the law, the plain coefficients, the cost, and what ended at a bound."""

    values: Array
    plain: Array
    cost: float
    bounds: tuple[int, ...] = ()


Search = Callable[[Array, Array, Sequence[int], Array], Found]


def curve(values: Array, omega: Array) -> Array:
    """The static curve s(omega), C1(14), of many velocities."""
    size = np.abs(omega)
    dry = values[0] + (values[1] - values[0]) * np.exp(-((size / values[2]) ** values[3]))
    return np.asarray(
        np.sign(omega) * dry + omega * (values[4] + size * values[5] + omega**2 * values[6])
    )


def projected(omega: Array, torque: Array, used: Sequence[int], plain: Array) -> Found:
    """Least squares for given V_S and mu on a grid, the best refined by a simplex in two variables."""
    from scipy.optimize import minimize

    if 1 not in used:
        return _linear(omega, torque, used, plain, 1.0, 1.0)

    shape = Shape.of(omega, used)

    def cost(place: Array) -> float:
        return _linear(omega, torque, used, plain, *shape.inside(place)).cost

    grid = [
        np.array([v, m])
        for v in np.log(np.geomspace(*shape.velocities, GRID[0]))
        for m in np.log(np.geomspace(*shape.exponents, GRID[1] if 3 in used else 1))
    ]
    best = min(grid, key=cost)
    refined = minimize(cost, best, method="Nelder-Mead", options={"maxfev": 120, "xatol": 1e-4}).x
    v, mu = shape.inside(refined)
    found = _linear(omega, torque, used, plain, v, mu)
    return replace(found, bounds=shape.edges(v, mu))


def quasi_newton(omega: Array, torque: Array, used: Sequence[int], plain: Array) -> Found:
    """BFGS over all parameters at once from several starts, as C1 and J1 do; V_S and mu by their logarithms."""
    from scipy.optimize import minimize

    if 1 not in used:
        return _linear(omega, torque, used, plain, 1.0, 1.0)
    scale = float(np.sqrt(np.mean(torque**2))) or 1.0
    shape = Shape.of(omega, used)
    free = np.ones(7, dtype=bool)
    free[[k for k in range(4, 7) if k not in used]] = False
    best: Found | None = None
    for v, mu in STARTS:
        first = _linear(omega, torque, used, plain, v, mu)
        start = np.concatenate([first.values, first.plain])
        start[2:4] = np.log(start[2:4])

        def cost(place: Array) -> float:
            values = place.copy()
            values[:7][~free] = 0.0
            values[2], values[3] = shape.inside(place[2:4])
            values[1] = max(values[1], values[0])
            error = torque - curve(values[:7], omega) - plain @ values[7:]
            return float(np.mean(error**2)) / scale**2

        found = minimize(cost, start, method="BFGS", options={"maxiter": 300}).x
        v_end, mu_end = shape.inside(found[2:4])
        values = np.concatenate([found[:2], [v_end, mu_end], found[4:7]])
        values[~free] = 0.0
        values[0] = max(values[0], 0.0)
        values[1] = max(values[1], values[0])
        error = torque - curve(values, omega) - plain @ found[7:]
        candidate = Found(
            values=values,
            plain=found[7:],
            cost=float(error @ error),
            bounds=shape.edges(v_end, mu_end),
        )
        if best is None or candidate.cost < best.cost:
            best = candidate
    return best if best is not None else _linear(omega, torque, used, plain, 1.0, 1.0)


METHODS: Mapping[str, Search] = {"variable projection": projected, "bfgs": quasi_newton}


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Where V_S and mu are looked for."""

    velocities: tuple[float, float]
    exponents: tuple[float, float]

    @classmethod
    def of(cls, omega: Array, used: Sequence[int]) -> Shape:
        """V_S from the slowest speed upward; mu where the model has it."""
        slowest = float(np.abs(omega).min())
        low = min(max(VELOCITIES[0], slowest), 0.5 * VELOCITIES[1])
        exponents = EXPONENTS if 3 in used else (GAUSSIAN, GAUSSIAN)
        return cls(velocities=(low, VELOCITIES[1]), exponents=exponents)

    def inside(self, place: Array) -> tuple[float, float]:
        """V_S and mu of two logarithms, not beyond the edges."""
        v = float(np.exp(np.clip(place[0], *np.log(self.velocities))))
        return v, float(np.exp(np.clip(place[1], *np.log(self.exponents))))

    def edges(self, v: float, mu: float) -> tuple[int, ...]:
        """Which of the two ended at an edge."""
        found = []
        for k, value, (low, high) in ((2, v, self.velocities), (3, mu, self.exponents)):
            if low < high and (value <= low * 1.001 or value >= high * 0.999):
                found.append(k)
        return tuple(found)


def _linear(
    omega: Array, torque: Array, used: Sequence[int], plain: Array, v: float, mu: float
) -> Found:
    """Least squares with F_C >= 0 and F_S >= F_C; a bound that is met is kept and the rest solved again."""
    size, sign = np.abs(omega), np.sign(omega)
    powers = {4: omega, 5: size * omega, 6: omega**3}
    columns = {0: sign}
    if 1 in used:
        columns[1] = sign * np.exp(-((size / v) ** mu))
    columns |= {k: powers[k] for k in used if k >= 4}
    active = list(columns)
    while True:
        x = np.column_stack([*(columns[k] for k in active), plain])
        scale = np.linalg.norm(x, axis=0)
        scale[scale == 0.0] = 1.0
        solved = np.linalg.lstsq(x / scale, torque, rcond=1e-10)[0] / scale
        negative = [k for i, k in enumerate(active) if k < 2 and solved[i] < 0.0]
        if not negative:
            break
        active.remove(negative[0])
    values = np.zeros(7)
    for i, k in enumerate(active):
        values[k] = solved[i]
    values[1] += values[0]
    values[2], values[3] = v, mu
    error = torque - x @ solved
    return Found(values=values, plain=solved[len(active) :], cost=float(error @ error))
