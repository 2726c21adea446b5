"""Maximum likelihood for normal noise with a variance per joint, and with a memory where asked. Spec 07.9.

Given the variances the most likely parameters are those of weighted least squares, and given the parameters the
variances follow from the residual; the two steps are repeated until nothing changes. With `order` the noise of each
joint is autoregressive: its model is a third step, and the rows are made white by it (feasible generalised least
squares), which both sharpens the parameters and makes their standard deviations true.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.estimators.estimate import CONVERGED, STOPPED, Estimate
from jointwise.estimators.problem import Problem
from jointwise.estimators.solve import inverse_variances, joint_noise, solve_factor, weighted
from jointwise.estimators.whitening import noise_models, whitened

Array = NDArray[np.float64]

SMALLEST_CHANGE = 1e-9
"""Relative, of the weights: a smaller change ends the iteration."""
MOST_ITERATIONS = 100
SMALLEST_COLOUR_CHANGE = 1e-6
"""Of the noise model's coefficients."""
MOST_COLOURS = 20


def maximum_likelihood(problem: Problem, *, order: int = 0) -> Estimate:
    """Iterated weights to convergence; with `order` above 0 for noise that remembers as many samples.

    Variances are divided by equations less parameters, not by equations, which removes their bias.
    """
    if order < 0:
        raise ParameterError("order", order, "0 for white noise, or the samples noise remembers")
    white = _iterated(problem)
    if order == 0:
        return white
    problem.require_rows("noise correlated in time")
    models = [np.zeros(order)] * problem.joints
    values, status, iterations = white.values, STOPPED, 0
    while status == STOPPED and iterations < MOST_COLOURS:
        iterations += 1
        new = noise_models(problem, values, order)
        change = max(float(np.abs(a - b).max()) for a, b in zip(new, models, strict=True))
        models = new
        fit = _iterated(whitened(problem, models))
        values = fit.values
        if change <= SMALLEST_COLOUR_CHANGE:
            status = CONVERGED
    shown = ", ".join("/".join(f"{a:.2f}" for a in model) for model in models)
    note = f"noise of each joint modelled with a memory of {order} samples, coefficients {shown}"
    return replace(fit, status=status, iterations=iterations, notes=(note,))


def _iterated(problem: Problem) -> Estimate:
    weights, status, iterations = np.ones(problem.joints), STOPPED, 0
    while status == STOPPED and iterations < MOST_ITERATIONS:
        iterations += 1
        values = solve_factor(problem.weighted_factor(weights), problem.names).values
        new = inverse_variances(problem, joint_noise(problem, values))
        change = float(np.abs(new / weights - 1.0).max())
        weights = new
        if change <= SMALLEST_CHANGE:
            status = CONVERGED
    return weighted(problem, weights, "maximum_likelihood", status=status, iterations=iterations)
