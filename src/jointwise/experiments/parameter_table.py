"""The parameters of a solved design as a table: value, interval, unit, meaning, verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jointwise.estimators.estimate import student_reach
from jointwise.experiments.design import Design
from jointwise.experiments.fit import AT_BOUND, HIDDEN, IDENTIFIED, WEAK, Parameter

if TYPE_CHECKING:
    from jointwise.experiments.robot_fit import Solved

Array = NDArray[np.float64]

POORLY_KNOWN = 10.0
"""Relative standard deviation in percent above which a parameter counts as weak; spec 07.4, Khalil."""
LEVEL = 0.95


def parameter_table(
    solved: Solved, covariance: Array, hidden: dict[str, str]
) -> tuple[Parameter, ...]:
    """One row per parameter; `hidden` maps parameters the data cannot tell to what they depend on."""
    design, estimate = solved.equations.design, solved.estimate
    reach = student_reach(LEVEL, estimate.freedom)
    rows = []
    for k, name in enumerate(estimate.names):
        value, std = float(estimate.values[k]), float(np.sqrt(max(covariance[k, k], 0.0)))
        verdict, advice = _verdict(name, value, std, estimate.active, hidden)
        rows.append(
            Parameter(
                name=name,
                value=value,
                std=std,
                lower=value - reach * std,
                upper=value + reach * std,
                unit=unit_of(design, k),
                verdict=verdict,
                meaning=meaning_of(design, k),
                advice=advice,
            )
        )
    return tuple(rows)


def _verdict(
    name: str, value: float, std: float, active: tuple[str, ...], hidden: dict[str, str]
) -> tuple[str, str]:
    if name in hidden:
        return HIDDEN, hidden[name]
    if name in active:
        return (
            AT_BOUND,
            "the data would rather have it beyond its bound: another term may be missing",
        )
    if value == 0.0 or 100.0 * std > POORLY_KNOWN * abs(value):
        return WEAK, "move the joint more, or trust the interval only"
    return IDENTIFIED, ""


def unit_of(design: Design, k: int) -> str:
    """Unit of parameter k."""
    if k >= design.base.count:
        u, column, _ = design.friction_places[k - design.base.count]
        return design.uses[u].term.units[column]
    name = design.base.names[k]
    if name.startswith("J"):
        return "kg m^2 [kg]"
    if name.startswith("m"):
        return "kg m" if name[1] in "XYZ" else "kg"
    return "kg m^2"


def meaning_of(design: Design, k: int) -> str:
    """What parameter k collects, or what its friction term is."""
    if k < design.base.count:
        return design.base.groupings[k]
    u, _, motor = design.friction_places[k - design.base.count]
    term = design.uses[u].term
    return f"{term.meaning} of {design.robot.joints[motor].name}"
