"""Repairs of single values: garbage rows, numbers that are missing, encoders that wrap.

Only what leaves no doubt is repaired: a row that no sensor can report is dropped, a short hole in an otherwise
complete column is interpolated, a step of a full turn is taken back. Everything else is refused.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jointwise.recording.check_case import POSITIONS, Case
from jointwise.recording.check_clock import MOST_DROPPED, kept_rows
from jointwise.recording.check_finding import Finding
from jointwise.recording.columns import KINDS

Array = NDArray[np.float64]

LARGEST = {"rad": 200.0, "rad/s": 100.0, "rad/s^2": 1e5, "A": 1e5, "N m": 1e7, "degC": 1e4}
"""Beyond these no joint of an arm reports, in whatever unit; used for rows that are garbage in several columns."""
ABSURD = 1e7
"""No sensor of an arm reports this in any unit."""
DENORMAL = 1e-200
"""Smaller numbers that are not 0 are bits that never were a number."""
LONGEST_HOLE = 5
"""Samples that may be interpolated; a notebook of failures of other tools led to this number (L1)."""
LONGEST_HOLE_S = 0.05
TURN = 2.0 * np.pi


def garbage(case: Case) -> tuple[Case, list[Finding]]:
    """Rows of uninitialised memory: dropped while they are few, with all rows between them at an end."""
    bad = _garbage_rows(case)
    count = int(bad.sum())
    if count == 0:
        return case, []
    where = np.flatnonzero(bad)
    rows = case.rows_of(int(where[0]), int(where[-1]))
    name, worst = _worst(case, int(where[0]))
    # At the ends, what stands between two garbage rows was written by the same accident.
    edge = len(bad) // 20
    for a, b in itertools.pairwise(where):
        if b - a <= LONGEST_HOLE and (b < edge or a >= len(bad) - edge):
            bad[a:b] = True
    runs = int(np.sum(np.diff(np.flatnonzero(bad)) > 1)) + 1
    longest = _longest_run(bad)
    at_ends = _longest_run(bad[LONGEST_HOLE:-LONGEST_HOLE]) <= LONGEST_HOLE or _only_at_ends(bad)
    share = float(bad.mean())
    more = {"column": name, "value": worst, **rows}
    if share > 5.0 * MOST_DROPPED or (longest > LONGEST_HOLE and not at_ends):
        text = (
            f"{int(bad.sum())} rows hold values no sensor can report, such as {worst:.3g} in {name}; "
            "export the log again"
        )
        return case, [case.finding("uninitialised_rows", "refused", text, **more)]
    text = (
        f"{int(bad.sum())} rows in {runs} places hold values no sensor can report, such as {worst:.3g} in {name}; "
        "they were dropped"
    )
    finding = case.finding("uninitialised_rows", "repaired", text, **more)
    return kept_rows(case, ~bad), [finding]


def not_finite(case: Case) -> tuple[Case, list[Finding]]:
    """Missing numbers: interpolated where the hole is short, cut off at the ends, refused otherwise."""
    cut, findings = _cut_ends(case)
    columns = dict(cut.recording.columns)
    count = len(cut.time)
    longest = min(LONGEST_HOLE, max(1, int(LONGEST_HOLE_S / max(cut.step, 1e-9))))
    for name, j, values in cut.each(tuple(columns)):
        bad = ~np.isfinite(values)
        if not bad.any():
            continue
        number, run = int(bad.sum()), _longest_run(bad)
        where = np.flatnonzero(bad)
        rows = cut.rows_of(int(where[0]), int(where[-1]))
        more = {"column": name, "value": float(number), "unit": "samples", **rows}
        place = f"{name} of joint {cut.names[j]}"
        if run > longest or number > MOST_DROPPED * count:
            text = (
                f"{number} values of {place} are not numbers, up to {run} in a row from row {rows['first']}; "
                "cut the recording there, or export it again"
            )
            findings.append(cut.finding("not_finite", "refused", text, j, **more))
            continue
        fixed = columns[name].copy()
        fixed[bad, j] = np.interp(cut.time[bad], cut.time[~bad], values[~bad])
        columns[name] = fixed
        text = f"{number} values of {place} are not numbers, at most {run} in a row; interpolated"
        findings.append(cut.finding("not_finite", "repaired", text, j, **more))
    if not any(f.kind == "not_finite" for f in findings):
        return cut, findings
    return replace(cut, recording=replace(cut.recording, columns=columns)), findings


def wraps(case: Case) -> tuple[Case, list[Finding]]:
    """Steps of a full turn within one sample are taken back."""
    columns = dict(case.recording.columns)
    findings = []
    for name, j, values in case.each(POSITIONS):
        if case.robot.joints[j].kind != "revolute":
            continue
        steps = np.diff(values)
        turns = np.round(steps / TURN)
        usual = float(np.quantile(np.abs(steps), 0.9))
        near = np.abs(steps - turns * TURN) < 0.2 + 3.0 * min(usual, 1.0)
        jumps = (turns != 0.0) & near & (usual < 1.0)
        if not jumps.any():
            continue
        if name == "q_ref" and not _other_wraps(case, j):
            continue
        fixed = columns[name].copy()
        fixed[1:, j] -= TURN * np.cumsum(np.where(jumps, turns, 0.0))
        columns[name] = fixed
        where = np.flatnonzero(jumps)
        number = len(where)
        rows = case.rows_of(int(where[0]), int(where[-1]) + 1)
        text = f"{name} of joint {case.names[j]} wraps {number} times; steps of a full turn were taken back"
        more = {"column": name, "value": float(number), "unit": "wraps", **rows}
        findings.append(case.finding("wrapped_encoder", "repaired", text, j, **more))
    if not findings:
        return case, []
    return replace(case, recording=replace(case.recording, columns=columns)), findings


def _garbage_rows(case: Case) -> NDArray[np.bool_]:
    """Rows with an absurd number or denormal bits, or with several columns beyond any joint's reach."""
    bad = np.zeros(len(case.time), dtype=bool)
    beyond = np.zeros(len(case.time), dtype=np.int64)
    for name, values in case.recording.columns.items():
        size = np.where(np.isfinite(values), np.abs(values), 0.0)
        bad |= np.any((size > ABSURD) | ((size > 0.0) & (size < DENORMAL)), axis=1)
        largest = LARGEST.get(KINDS[name].unit.split(" [")[0], ABSURD)
        usual = np.median(size, axis=0)
        beyond += np.sum(size > np.maximum(largest, 50.0 * usual), axis=1)
    time = case.time - np.median(case.time)
    spread = np.median(np.abs(time))
    bad |= np.abs(time) > max(1e3 * spread, 1e6)
    return bad | (beyond >= 2)


def _worst(case: Case, row: int) -> tuple[str, float]:
    """The column with the largest value in a row."""
    sizes = {
        n: float(np.nanmax(np.abs(v[row]), initial=0.0)) for n, v in case.recording.columns.items()
    }
    name = max(sizes, key=lambda n: sizes[n])
    return name, sizes[name]


def _cut_ends(case: Case) -> tuple[Case, list[Finding]]:
    """Up to five incomplete rows at the end are cut off."""
    filled = [v for name in case.recording.columns for n, _, v in case.each((name,)) if n == name]
    complete = np.ones(len(case.time), dtype=bool)
    for values in filled:
        complete &= np.isfinite(values)
    if complete.all() or not complete.any():
        return case, []
    first, last = int(np.argmax(complete)), int(len(complete) - 1 - np.argmax(complete[::-1]))
    missing = first + len(complete) - 1 - last
    if missing == 0 or max(first, len(complete) - 1 - last) > LONGEST_HOLE:
        return case, []
    keep = np.arange(first, last + 1)
    kind = "truncated" if last < len(complete) - 1 else "not_finite"
    text = f"{missing} incomplete rows at the ends were cut off"
    rows = case.rows_of(min(last + 1, len(complete) - 1) if kind == "truncated" else 0, -1)
    finding = case.finding(kind, "repaired", text, value=float(missing), unit="rows", **rows)
    return kept_rows(case, keep), [finding]


def _other_wraps(case: Case, joint: int) -> bool:
    """True where a measured position of the joint does not follow the command over a full turn."""
    for name in ("q", "theta"):
        if case.filled(name, joint):
            return bool(np.nanmax(np.abs(np.diff(case.recording[name][:, joint]))) < 0.5 * TURN)
    return False


def _longest_run(bad: NDArray[np.bool_]) -> int:
    """Length of the longest run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], bad.astype(np.int8), [0]))))
    return int(np.max(edges[1::2] - edges[::2], initial=0))


def _only_at_ends(bad: NDArray[np.bool_]) -> bool:
    """True where every run longer than a hole lies within the first or the last twentieth."""
    edge = len(bad) // 20
    return _longest_run(bad[edge : len(bad) - edge]) <= LONGEST_HOLE
