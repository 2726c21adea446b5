"""Ridge regression for a design: drawn towards the links of the robot file and towards no friction. Spec 07.9.

Unlike the physical solver it asks for no body that could exist; its prior is the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from jointwise.estimators.estimate import Estimate
from jointwise.estimators.generic_prior import link_prior
from jointwise.estimators.problem import Problem
from jointwise.estimators.ridge import CHOICES, ridge
from jointwise.experiments.design import Design
from jointwise.experiments.physical import friction_reach, prior_values, standard_matrix

Array = NDArray[np.float64]

STRETCHES = 5
LEAST = 1e-3
"""Standard deviation beside the largest of the same kind: the file's zero is no proof that a value is zero."""


def ridge_solver(
    design: Design, strength: float | str | None = None
) -> Callable[[Problem], Estimate]:
    """Solver; without a `strength` it is chosen by leaving out one recording, or stretch of a single one, in turn."""
    links = link_prior(design.robot)
    standard = prior_values(design, links)
    prior = standard_matrix(design) @ standard
    spread = links.spread * base_spread(design, standard)

    def find(problem: Problem) -> Estimate:
        reach = friction_reach(design, problem, prior[: design.base.count])
        reach = np.where(np.isfinite(reach) & (reach > 0.0), reach, 1.0)
        std = np.concatenate([spread, reach])
        parts = stretches(problem)
        choice = CHOICES[0] if len(parts.recordings) > 1 else CHOICES[1]
        return ridge(
            parts, prior=prior, prior_std=std, strength=choice if strength is None else strength
        )

    return find


def stretches(problem: Problem) -> Problem:
    """A single recording as several: equations follow each other, so single ones left out would prove nothing."""
    if len(problem.recordings) > 1 or not problem.rows:
        return problem
    rows = problem.rows[0]
    edges = np.linspace(0, len(rows.y), STRETCHES + 1).astype(int)
    cuts = [slice(a, b) for a, b in itertools.pairwise(edges)]
    return Problem.from_rows(
        problem.names,
        [rows.w[cut] for cut in cuts],
        [rows.y[cut] for cut in cuts],
        use=[rows.use[cut] for cut in cuts],
    )


def base_spread(design: Design, standard: Array) -> Array:
    """Standard deviation of each base parameter when every standard parameter is uncertain by its own size.

    Products of inertia and centres that the file has as zero are uncertain by what the link's size makes likely.
    """
    base, n = design.base, design.robot.n
    links = np.abs(standard[: 10 * n].reshape(n, 10))
    inertia = links[:, [0, 3, 5]].max(axis=1)
    links[:, :6] = np.maximum(links[:, :6], inertia[:, None])
    links[:, 6:9] = np.maximum(links[:, 6:9], np.sqrt(inertia * links[:, 9])[:, None])
    rotors = np.abs(standard[10 * n : len(base.columns)])
    rotors = np.where(rotors > 0.0, rotors, float(inertia.max()))
    squares = base.matrix**2 @ np.concatenate([links.ravel(), rotors]) ** 2
    out = np.sqrt(squares)
    return np.asarray(np.maximum(out, LEAST * float(out.max())))
