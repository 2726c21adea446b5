"""From values and their Jacobian to parameters with intervals and verdicts, and to a `Fit` of one joint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.estimators.estimate import CONVERGED, student_reach
from jointwise.experiments.fit import AT_BOUND, HIDDEN, IDENTIFIED, WEAK, Fit, Parameter
from jointwise.laws.base import FrictionLaw
from jointwise.laws.friction import FrictionModel
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot
from jointwise.robot.parts import Law
from jointwise.units import Unknown

Array = NDArray[np.float64]
POORLY_KNOWN = 0.1
"""Relative standard deviation above which a parameter counts as weak; spec 07.4."""
LEVEL = 0.95
STEP = 1e-6
MEMORY = ("maxwell_slip", "e_gms", "gms", "slip_bank", "lugre")
"""Laws that hold the Coulomb level together with what happens at reversals."""
SLIDING = (
    "viscous", "coulomb", "offset", "stiction", "stribeck", "coulomb_tanh", "coulomb_sigmoid", "coulomb_zone",
    "velocity", "viscous_degressive", "bittencourt", "liu", "directional", "stribeck_grid", "rested_grid",
)  # fmt: skip
"""Laws of steady sliding at any speed: a new law of that kind stands in place of all of them."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One parameter before its verdict; `hidden` says why the data cannot know it, `bound` that it is at a bound."""

    name: str
    value: float
    unit: str
    meaning: str
    hidden: str = ""
    bound: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """What an experiment found about one joint, before it becomes a `Fit`.

    `jacobian` (rows, parameters) and `residual` (rows,) give the covariance; rows of one `group` (a piece of constant
    velocity, a load step) may be off together.
    """

    experiment: str
    joint: str
    rows: tuple[Row, ...]
    jacobian: Array
    residual: Array
    groups: NDArray[np.int64]
    scores: Mapping[str, float]
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    arrays: Mapping[str, Array] = field(default_factory=dict)
    status: str = CONVERGED
    doubt: Array | None = None
    """covariance (parameters, parameters) from what was taken as known, beside that of the residuals"""


def covariance(jacobian: Array, residual: Array, groups: NDArray[np.int64]) -> Array:
    """Covariance that allows the residuals of a group to agree with each other: the clustered sandwich.

    (J^T J)^-1 (sum_g J_g^T e_g e_g^T J_g) (J^T J)^-1 G/(G - 1), Liang and Zeger (1986). Columns the data do not see
    get no variance here; their verdict says that they are not known.
    """
    count = jacobian.shape[1]
    scale = np.linalg.norm(jacobian, axis=0)
    seen = scale > 0.0
    out = np.zeros((count, count))
    if not seen.any():
        return out
    x = jacobian[:, seen] / scale[seen]
    inverse = np.linalg.pinv(x.T @ x, rcond=1e-12, hermitian=True)
    labels, index = np.unique(groups, return_inverse=True)
    sums = np.zeros((len(labels), x.shape[1]))
    np.add.at(sums, index, x * residual[:, None])
    meat = sums.T @ sums * (len(labels) / max(len(labels) - 1, 1))
    place = np.ix_(np.flatnonzero(seen), np.flatnonzero(seen))
    out[place] = (inverse @ meat @ inverse) / np.outer(scale[seen], scale[seen])
    return np.asarray(0.5 * (out + out.T))


def numeric_jacobian(model: Callable[[Array], Array], values: Array) -> Array:
    """Derivative of model(values) by each value, central differences."""
    columns = []
    for k in range(len(values)):
        step = STEP * max(abs(float(values[k])), 1e-3)
        ahead, behind = values.copy(), values.copy()
        ahead[k] += step
        behind[k] -= step
        columns.append((model(ahead) - model(behind)) / (2.0 * step))
    return np.column_stack(columns)


def parameters(outcome: Outcome) -> tuple[tuple[Parameter, ...], Array]:
    """Parameters with intervals and verdicts, and their covariance."""
    cov = covariance(outcome.jacobian, outcome.residual, outcome.groups)
    if outcome.doubt is not None:
        cov = cov + outcome.doubt
    freedom = max(len(np.unique(outcome.groups)) - len(outcome.rows), 1)
    reach = student_reach(LEVEL, freedom)
    found = []
    for k, row in enumerate(outcome.rows):
        std = float(np.sqrt(max(cov[k, k], 0.0)))
        verdict, advice = IDENTIFIED, ""
        if row.hidden:
            verdict, advice = HIDDEN, row.hidden
        elif row.bound:
            verdict, advice = AT_BOUND, row.bound
        elif row.value == 0.0 or std > POORLY_KNOWN * abs(row.value):
            verdict, advice = (
                WEAK,
                "trust the interval only, or record more of what this depends on",
            )
        found.append(
            Parameter(
                name=row.name,
                value=row.value,
                std=std,
                lower=row.value - reach * std,
                upper=row.value + reach * std,
                unit=row.unit,
                verdict=verdict,
                meaning=row.meaning,
                advice=advice,
            )
        )
    return tuple(found), cov


def joint_fit(
    outcome: Outcome, robot: Robot, changes: Mapping[str, Any], recordings: Mapping[str, Recording]
) -> Fit:
    """The fit of one joint with its changes put into the robot."""
    rows, cov = parameters(outcome)
    place = f"joints.{outcome.joint}."
    updated = robot
    if changes:
        updated = robot.replace(
            {place + key: value for key, value in changes.items()},
            source=f"{outcome.experiment} experiment",
        )
    return Fit(
        experiment=outcome.experiment,
        robot=updated,
        status=outcome.status,
        parameters=rows,
        covariance=cov,
        settings={"joint": outcome.joint, **outcome.settings},
        recordings=tuple(
            {
                "name": name,
                "samples": len(rec),
                "duration_s": rec.duration,
                "rate_hz": rec.rate_hz,
            }
            for name, rec in recordings.items()
        ),
        joints=({"joint": outcome.joint, **outcome.scores},),
        notes=outcome.notes,
        arrays=outcome.arrays,
    )


def with_friction(
    robot: Robot, joint: str, laws: Sequence[FrictionLaw], *, without: Sequence[str] = ()
) -> Law:
    """The joint's friction with these laws in place of those of the same names and of `without`."""
    known = robot.joint(joint).friction
    old = () if isinstance(known, Unknown) else FrictionModel.from_law(known).terms
    gone = {law.name for law in laws} | set(without)
    kept = [law for law in old if law.name not in gone]
    return FrictionModel(terms=[*laws, *kept]).to_law()


def saturation_note(share: float) -> tuple[str, ...]:
    """A sentence where the drive was at its limit."""
    if share <= 0.0:
        return ()
    return (
        f"the drive was at its torque limit in {100.0 * share:.2g} % of the samples: what it would have needed there "
        "is not known",
    )


def with_transmission(robot: Robot, joint: str, **parts: Any) -> Law:
    """The joint's transmission with these parts replaced: stiffness, damping, kinematic_error, backlash."""
    from jointwise.laws.transmissions import Transmission

    known = robot.joint(joint).transmission
    if isinstance(known, Unknown):
        if "stiffness" not in parts:
            raise ParameterError(
                f"joints.{joint}.transmission",
                known,
                "known before its other parts",
                "fit stiffness first",
            )
        return Transmission(**parts).to_law()
    return replace(Transmission.from_law(known), **parts).to_law()
