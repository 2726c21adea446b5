"""Checks of the clock: stamps that can be sorted out, and those that cannot be trusted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jointwise.recording.check_case import MOVING, Case
from jointwise.recording.check_finding import Finding

Array = NDArray[np.float64]

MOST_DROPPED = 0.01
"""Share of the rows that may be dropped before the recording is no longer the one that was made."""
SLOWEST_HZ, FASTEST_HZ = 10.0, 20_000.0
"""Rates arms are recorded at."""
CRAWLING = 0.05
"""rad/s [0.005 m/s]; an excitation that never gets faster was not made in seconds."""
SHORTEST = 1.0
"""s"""
UNITS = ((1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def stamps(case: Case) -> tuple[Case, list[Finding]]:
    """Rows without a stamp are dropped while they are few."""
    bad = ~np.isfinite(case.time)
    count = int(bad.sum())
    if count == 0:
        return case, []
    rows = case.rows_of(int(np.argmax(bad)), int(len(bad) - 1 - np.argmax(bad[::-1])))
    if count > MOST_DROPPED * len(bad):
        text = f"{count} of {len(bad)} stamps are not numbers; import the time column again"
        return case, [case.finding("bad_stamps", "refused", text, value=float(count), **rows)]
    text = f"{count} rows without a stamp were dropped"
    finding = case.finding("bad_stamps", "repaired", text, value=float(count), **rows)
    return kept_rows(case, ~bad), [finding]


def order(case: Case) -> tuple[Case, list[Finding]]:
    """Rows out of order are sorted where the motion agrees; restarts and late stamps are not repaired."""
    steps = np.diff(case.time)
    back = np.flatnonzero(steps < 0.0)
    if len(back) == 0:
        return case, []
    rows = case.rows_of(int(back[0]), int(back[-1]) + 1)
    span = float(np.ptp(case.time))
    if len(back) <= 3 and -float(steps[back].min()) > 0.2 * span and len(back) < len(steps) // 20:
        where = int(case.rows[back[0] + 1])
        mixed = np.mean(np.diff(np.sort(case.time)) < 0.5 * np.median(steps[steps > 0]))
        if mixed > 0.05 or not _sorts_smoothly(case):
            text = f"the clock starts anew at row {where}; split the file there"
            return case, [case.finding("clock_restart", "refused", text, value=span, **rows)]
    if not _sorts_smoothly(case):
        text = (
            f"{len(back)} stamps are earlier than the one before while the motion runs on: stamps came late; "
            "record the controller's own clock, or import with the sampling rate instead"
        )
        more = {"value": float(len(back)), **rows}
        return case, [case.finding("late_samples", "refused", text, **more)]
    by_time = np.argsort(case.time, kind="stable")
    moved = int(np.sum(by_time != np.arange(len(by_time))))
    text = f"{moved} rows out of order were sorted by their stamps"
    finding = case.finding("unsorted_time", "repaired", text, value=float(moved), **rows)
    return kept_rows(case, by_time), [finding]


def repeats(case: Case) -> tuple[Case, list[Finding]]:
    """Rows written twice are dropped; other rows with the same stamp are refused."""
    same = np.flatnonzero(np.diff(case.time) == 0.0)
    if len(same) == 0:
        return case, []
    rows = case.rows_of(int(same[0]), int(same[-1]) + 1)
    count = float(len(same))
    if len(same) > 0.2 * len(case.time) and not _equal_rows(case, same).all():
        text = f"{len(same)} of {len(case.time)} stamps equal the one before; export time with more digits"
        return case, [case.finding("coarse_stamps", "refused", text, value=count, **rows)]
    equal = _equal_rows(case, same)
    if not equal.all():
        where = case.rows[same[~equal][0]]
        text = f"rows {where} and {where + 1} differ but have the same stamp; export the log again"
        return case, [case.finding("duplicate_time", "refused", text, value=count, **rows)]
    keep = np.ones(len(case.time), dtype=bool)
    keep[same + 1] = False
    text = f"{len(same)} rows written twice were dropped"
    finding = case.finding("duplicate_rows", "repaired", text, value=count, **rows)
    return kept_rows(case, keep), [finding]


def unit(case: Case) -> list[Finding]:
    """Stamps are in seconds: the rate is one arms are recorded at, and the joints neither crawl nor fly."""
    rate = 1.0 / case.step
    if rate > FASTEST_HZ:
        text = f"{rate:.4g} samples a second cannot be; state the unit of time at import"
        return [case.finding("time_unit", "refused", text, value=case.step, unit="s")]
    quick = np.nanquantile(np.abs(np.diff(case.path, axis=0)), 0.95, axis=0) / case.step
    crawls = bool(np.all(quick * MOVING / case.smallest_travel < CRAWLING))
    if rate >= SLOWEST_HZ or not crawls:
        return []
    fits = [name for factor, name in UNITS if SLOWEST_HZ <= rate / factor <= FASTEST_HZ]
    text = (
        f"{rate:.4g} samples a second cannot be"
        + (f", but would be usual if time were in {' or '.join(fits)}" if fits else "")
        + "; state the unit of time at import"
    )
    return [case.finding("time_unit", "refused", text, value=case.step, unit="s")]


def duration(case: Case) -> list[Finding]:
    """Long enough to move and to be filtered."""
    span = float(np.ptp(case.time))
    if span >= SHORTEST:
        return []
    text = f"the recording lasts {span:.3g} s, at least {SHORTEST:g} s are needed; record longer"
    return [case.finding("too_short", "refused", text, value=span, unit="s")]


def kept_rows(case: Case, rows: NDArray[np.bool_] | NDArray[np.int64]) -> Case:
    """The case with only some of its rows, or with its rows in another order."""
    old = case.recording
    columns = {name: values[rows] for name, values in old.columns.items()}
    return Case(
        recording=replace(old, time=old.time[rows], columns=columns),
        robot=case.robot,
        rows=case.rows[rows],
    )


def _equal_rows(case: Case, at: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each of the rows equals the next one in every column."""
    equal = np.ones(len(at), dtype=bool)
    for values in case.recording.columns.values():
        a, b = values[at], values[at + 1]
        equal &= np.all((a == b) | (np.isnan(a) & np.isnan(b)), axis=1)
    return equal


def _sorts_smoothly(case: Case) -> bool:
    """True where the positions are smoother in the order of the stamps than in the order of the rows."""
    by_time = np.argsort(case.time, kind="stable")
    steps = np.diff(case.time[by_time])
    usual = np.median(steps)
    even = np.mean(np.abs(steps - usual) < 0.5 * usual) > 0.9

    def roughness(values: Array) -> float:
        return float(np.nansum(np.abs(np.diff(values, n=2, axis=0))))

    path = case.path
    as_given, sorted_ = roughness(path), roughness(path[by_time])
    return sorted_ < as_given or (bool(even) and sorted_ <= 1.1 * as_given)
