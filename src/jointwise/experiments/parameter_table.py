"""The parameters of a solved design as a table: value, interval, unit, meaning, verdict."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from jointwise.estimators.estimate import Estimate
from jointwise.estimators.verdict import IDENTIFIED, NOT_IDENTIFIABLE, WEAK, verdicts
from jointwise.experiments.design import Design
from jointwise.experiments.fit import Parameter

Array = NDArray[np.float64]


def parameter_table(
    design: Design, values: Array, estimate: Estimate, hidden: Mapping[str, str]
) -> tuple[Parameter, ...]:
    """One row per parameter: the `values` of the fit, and what the data alone say of each.

    `hidden` maps parameters the data cannot tell to what they depend on.
    """
    rows = []
    for k, verdict in enumerate(verdicts(estimate, nonnegative=design.nonnegative)):
        kind, advice = verdict.kind, verdict.reason
        if verdict.name in hidden:
            kind, advice = NOT_IDENTIFIABLE, hidden[verdict.name]
        value = float(values[k])
        if kind in (IDENTIFIED, WEAK) and not verdict.interval[0] <= value <= verdict.interval[1]:
            advice += f"; the data alone say {verdict.value:.4g}, physics and the prior moved it"
        rows.append(
            Parameter(
                name=verdict.name,
                value=value,
                std=verdict.std,
                lower=verdict.interval[0],
                upper=verdict.interval[1],
                unit=unit_of(design, k),
                verdict=kind,
                meaning=meaning_of(design, k),
                advice=advice,
            )
        )
    return tuple(rows)


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
