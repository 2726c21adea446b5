"""The parameters with value, interval, unit and verdict; doubtful ones say what they hide behind."""

from __future__ import annotations

from collections import Counter
from typing import Any

from jointwise.experiments.fit import HIDDEN, IDENTIFIED, VERDICTS, Parameter
from jointwise.report.page import fragment
from jointwise.report.subject import Section, Subject
from jointwise.report.words import figure, own_unit


def parameters(subject: Subject) -> Section | None:
    """One row per parameter."""
    found = subject.fit.parameters
    if not found:
        return None
    counts = Counter(p.verdict for p in found)
    html = fragment(
        "parameters.html",
        counts=[(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]],
        rows=[_row(p, own_unit(subject.fit.robot, p.unit)) for p in found],
        links=not subject.fit.settings.get("joint"),
    )
    return Section(anchor="parameters", title="Parameters", html=html)


def _row(p: Parameter, unit: str) -> dict[str, Any]:
    known = p.verdict != HIDDEN
    relative = 100.0 * p.std / abs(p.value) if p.value and known else float("nan")
    return {
        "name": p.name,
        "value": figure(p.value, 4) if known else "-",
        "interval": f"{figure(p.lower)} to {figure(p.upper)}" if known else "-",
        "unit": unit,
        "relative": "-"
        if relative != relative
        else "> 100"
        if relative > 100.0
        else figure(relative, 2),
        "verdict": p.verdict,
        "sure": p.verdict == IDENTIFIED,
        "meaning": p.meaning,
        "advice": p.advice,
    }
