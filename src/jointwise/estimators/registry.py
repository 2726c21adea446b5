"""The list of estimators: being in it is what the contract tests go by.

Each takes a `Problem` first and its options by keyword, and returns an `Estimate`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jointwise.errors import UnknownNameError
from jointwise.estimators.bounded import bounded
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.huber import huber
from jointwise.estimators.kovincic import kovincic, kovincic_constrained
from jointwise.estimators.liu import liu
from jointwise.estimators.maximum_likelihood import maximum_likelihood
from jointwise.estimators.ordinary import ols
from jointwise.estimators.physical import physical
from jointwise.estimators.ridge import ridge
from jointwise.estimators.weighted import wls

Estimator = Callable[..., Estimate]

ESTIMATORS: Mapping[str, Estimator] = {
    "ols": ols,
    "wls": wls,
    "huber": huber,
    "ridge": ridge,
    "liu": liu,
    "kovincic": kovincic,
    "kovincic_constrained": kovincic_constrained,
    "bounded": bounded,
    "maximum_likelihood": maximum_likelihood,
    "physical": physical,
}


def estimator(name: str) -> Estimator:
    """The estimator of this name."""
    if name not in ESTIMATORS:
        raise UnknownNameError("estimator", name, ESTIMATORS)
    return ESTIMATORS[name]
