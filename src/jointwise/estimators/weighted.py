"""Weighted least squares with one weight per joint, as in the thesis. Spec 07.3, T(2.55), J2(19)-(20)."""

from __future__ import annotations

import numpy as np

from jointwise.errors import ParameterError
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.problem import Problem
from jointwise.estimators.solve import inverse_variances, joint_noise, solve_factor, weighted

POWERS = (1, 2)


def wls(problem: Problem, *, power: int = 2, passes: int = 1) -> Estimate:
    """gamma = (W^T G W)^-1 W^T G y with G = 1/sigma_j^2, sigma_j from the residual of the pass before.

    The first pass takes sigma_j from ordinary least squares; further `passes` take it from the weighted solution.
    `power=1` weighs by 1/sigma_j, the printed text; 2 has the smaller variance.
    """
    if power not in POWERS:
        raise ParameterError("power", power, "1, as printed, or 2, of minimum variance")
    if passes < 1:
        raise ParameterError("passes", passes, "1 or more")
    weights = np.ones(problem.joints)
    for _ in range(passes):
        values = solve_factor(problem.weighted_factor(weights), problem.names).values
        weights = inverse_variances(problem, joint_noise(problem, values)) ** (power / 2)
    return weighted(problem, weights, "wls", iterations=passes)
