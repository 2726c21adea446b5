"""Liu's weighting by torque, and his split of the columns. Spec 07.6, 02.7, L(9)-(22)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import NumericalError, ShapeError
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.problem import Problem
from jointwise.estimators.solve import weighted
from jointwise.robot.independent import independent_columns

Array = NDArray[np.float64]

LIU_MASS = 10.0
"""kg: what Liu gives a mass that the data leave open, L section 5.2."""


def liu(problem: Problem) -> Estimate:
    """Residuals divided by the length of the torque vector of their joint, L(19)-(22): weights 1/|tau_j|^2."""
    if (problem.torque_norms == 0.0).any():
        joint = int(np.argmin(problem.torque_norms)) + 1
        raise NumericalError(
            f"joint {joint} has no torque at all, so it cannot be weighed by its torque; use wls"
        )
    return weighted(problem, 1.0 / problem.torque_norms**2, "liu")


class Split(NamedTuple):
    """Independent columns W1 and how the others follow: W2 = W1 relation, beta = beta' + relation beta''."""

    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    relation: Array
    """(independent, dependent); L(15)-(18) corrected, K = R1^-1 R2"""


def liu_split(factor: ArrayLike, names: Sequence[str]) -> Split:
    """The split of a stack of regressors, or of its factor; columns without influence are in neither part."""
    found = independent_columns(np.asarray(factor, dtype=np.float64), names)
    others = [k for k in range(len(found.names)) if k not in found.kept and k not in found.zero]
    return Split(found.kept_names, tuple(found.names[k] for k in others), found.matrix[:, others])


def liu_standard(split: Split, values: ArrayLike) -> dict[str, float]:
    """Liu's choice among all standard parameters: dependent ones 0, masses among them 10 kg. Not physical."""
    base = np.asarray(values, dtype=np.float64)
    if base.shape != (len(split.independent),):
        raise ShapeError("values", f"shape {base.shape}", f"shape ({len(split.independent)},)")
    chosen = np.array([LIU_MASS if _is_mass(name) else 0.0 for name in split.dependent])
    kept = base - split.relation @ chosen
    names = (*split.independent, *split.dependent)
    return dict(zip(names, np.concatenate([kept, chosen]).tolist(), strict=True))


def _is_mass(name: str) -> bool:
    return name[:1] == "m" and name[1:].isdigit()
