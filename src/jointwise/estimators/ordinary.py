"""Ordinary least squares: min |y - W gamma|^2. Spec 07.2 step 5, T(2.42)."""

from __future__ import annotations

import numpy as np

from jointwise.estimators.estimate import Estimate
from jointwise.estimators.problem import Problem
from jointwise.estimators.solve import weighted


def ols(problem: Problem) -> Estimate:
    """All equations count the same, whatever the noise of their joint.

    The covariance allows each joint its own noise; with the same noise everywhere it is sigma^2 (W^T W)^-1.
    """
    return weighted(problem, np.ones(problem.joints), "ols")
