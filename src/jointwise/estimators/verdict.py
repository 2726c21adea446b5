"""What may be said of each parameter: identified, weak, not identifiable, at its bound, not physical. Design 4."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError, ShapeError
from jointwise.estimators.estimate import Estimate
from jointwise.robot.independent import column_indices

Array = NDArray[np.float64]

IDENTIFIED = "identified"
WEAK = "weak"
NOT_IDENTIFIABLE = "not identifiable"
AT_BOUND = "at its bound"
NOT_PHYSICAL = "not physical"
VERDICTS = (IDENTIFIED, WEAK, NOT_IDENTIFIABLE, AT_BOUND, NOT_PHYSICAL)

POORLY_IDENTIFIED = 10.0
"""Percent: relative standard deviation above which a parameter counts as poorly identified, spec 07.4."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One parameter."""

    name: str
    kind: str
    """one of VERDICTS"""
    value: float
    std: float
    interval: tuple[float, float]
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.kind}; {self.reason}"


def verdicts(
    estimate: Estimate,
    *,
    nonnegative: Iterable[str] = (),
    groupings: Sequence[str] | None = None,
    threshold_percent: float = POORLY_IDENTIFIED,
    level: float = 0.95,
) -> tuple[Verdict, ...]:
    """A verdict for each parameter of an estimate.

    `nonnegative` names parameters that nature does not allow below zero: one whose whole interval is below is not
    physical. `groupings` says what each parameter collects, as `BaseParameters.groupings` does.
    """
    if not threshold_percent > 0.0:
        raise ParameterError("threshold_percent", threshold_percent, "above 0 %")
    if groupings is not None and len(groupings) != len(estimate.names):
        raise ShapeError("groupings", f"{len(groupings)} texts", f"{len(estimate.names)}")
    held = set(estimate.active)
    natural = set(column_indices(nonnegative, estimate.names))
    intervals = estimate.intervals(level)
    out = []
    for k, name in enumerate(estimate.names):
        value, std = float(estimate.values[k]), float(estimate.std[k])
        low, high = (float(v) for v in intervals[k])
        relative = float(estimate.relative_std_percent[k])
        kind, reason = _judged(
            name, value, (low, high), relative, threshold_percent, held, natural, k
        )
        if groupings is not None and groupings[k] != name and kind in (IDENTIFIED, WEAK):
            reason += f"; only as {groupings[k]}"
        out.append(
            Verdict(name=name, kind=kind, value=value, std=std, interval=(low, high), reason=reason)
        )
    return tuple(out)


def _judged(
    name: str,
    value: float,
    interval: tuple[float, float],
    relative: float,
    threshold: float,
    held: set[str],
    natural: set[int],
    place: int,
) -> tuple[str, str]:
    low, high = interval
    if name in held:
        return AT_BOUND, f"held at {value:.6g}; the data ask for a value beyond"
    if not np.isfinite([value, low, high]).all():
        return NOT_IDENTIFIABLE, "no finite interval"
    if place in natural and high < 0.0:
        return NOT_PHYSICAL, f"{low:.4g} to {high:.4g} lies below zero, which it cannot be"
    shown = f"between {low:.4g} and {high:.4g}"
    if relative > threshold:
        if low <= 0.0 <= high:
            return WEAK, f"not told apart from zero, {shown}"
        return WEAK, f"known to {relative:.0f} %, {shown}"
    return IDENTIFIED, f"known to {relative:.2g} %, {shown}"


def unidentified(
    standard_names: Sequence[str],
    matrix: ArrayLike,
    base_names: Sequence[str],
    *,
    values: ArrayLike | None = None,
) -> tuple[Verdict, ...]:
    """Verdicts for standard parameters that no motion tells alone, each with the combination it is seen in.

    `matrix` (base parameters, standard parameters) as in `BaseParameters`. A standard parameter is identifiable where
    it is a base parameter by itself; those get no verdict here. `values` are shown where a prior gave some.
    """
    grouping = np.asarray(matrix, dtype=np.float64)
    expected = (len(base_names), len(standard_names))
    if grouping.shape != expected:
        raise ShapeError("matrix", f"shape {grouping.shape}", f"shape {expected}")
    given = np.full(expected[1], np.nan) if values is None else np.asarray(values, np.float64)
    alone = np.count_nonzero(grouping, axis=1) == 1
    out = []
    for k, name in enumerate(standard_names):
        rows = np.flatnonzero(grouping[:, k])
        if any(alone[r] for r in rows):
            continue
        seen = ", ".join(base_names[r] for r in rows[:4]) + (", ..." if len(rows) > 4 else "")
        reason = f"seen only in {seen}" if len(rows) else "without influence on the torque"
        out.append(
            Verdict(
                name=name,
                kind=NOT_IDENTIFIABLE,
                value=float(given[k]),
                std=float("inf"),
                interval=(-float("inf"), float("inf")),
                reason=reason,
            )
        )
    return tuple(out)
