"""Checks of an ordered clock: missing samples, late stamps, jumps, changes of the rate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointwise.recording.check_case import Case
from jointwise.recording.check_finding import Finding

Array = NDArray[np.float64]

GAP = 0.05
"""s; shorter holes are bridged by interpolation without harm at the speeds of an arm."""
MOST_MISSING = 0.3
"""Share of the time that may be missing."""
RATE_CHANGE = 1.25
BLOCKS = 20


def lost(case: Case) -> list[Finding]:
    """Gaps are kept as gaps and named; too much missing is refused."""
    steps = np.diff(case.time)
    long = steps > max(GAP, 5.0 * case.step)
    missing = float(np.sum(steps[long] - case.step)) / float(np.ptp(case.time))
    found = []
    outcome = "refused" if missing > MOST_MISSING else "note"
    for k in np.flatnonzero(long)[:3]:
        kind = "clock_jump" if _runs_on(case, int(k)) else "gap"
        rows = case.rows_of(int(k), int(k) + 1)
        value = float(steps[k])
        if kind == "clock_jump":
            text = (
                f"the clock jumps by {value:.4g} s after row {rows['first']} while the joints move on as in one "
                "sample; record a steady clock, or import with the sampling rate"
            )
            found.append(case.finding(kind, "refused", text, value=value, unit="s", **rows))
            continue
        text = f"nothing for {value:.4g} s after row {rows['first']}; kept as a gap, never filtered across"
        if outcome == "refused":
            text = f"{missing:.0%} of the time is missing; record again"
        found.append(case.finding(kind, outcome, text, value=value, unit="s", **rows))
    return found + _single(case, steps, long)


def _single(case: Case, steps: Array, long: NDArray[np.bool_]) -> list[Finding]:
    """Many short holes: samples that never arrived."""
    usual = np.concatenate([np.full(len(b), np.median(b)) for b in np.array_split(steps, BLOCKS)])
    wide = ~long & (steps > 1.7 * usual)
    holes = steps[wide]
    number = float(np.sum(np.round(holes / usual[wide]) - 1.0))
    share = number / (len(steps) + number)
    if share <= 0.01:
        return []
    outcome = "refused" if share > MOST_MISSING else "note"
    text = f"{share:.1%} of the samples are missing, in holes of up to {holes.max():.3g} s; " + (
        "record again" if outcome == "refused" else "bridged by interpolation in filters"
    )
    return [case.finding("lost_samples", outcome, text, value=share, unit="1")]


def late(case: Case) -> list[Finding]:
    """Stamps that come late and are made up for by the next one."""
    steps = np.diff(case.time)
    off = steps / case.step - 1.0
    pairs = (np.abs(off[:-1]) > 0.5) & (np.abs(off[:-1] + off[1:]) < 0.35)
    share = float(np.mean(pairs)) if len(pairs) else 0.0
    if share <= 0.01:
        return []
    delay = float(np.abs(off[:-1][pairs]).max() * case.step)
    first = int(np.argmax(pairs))
    last = int(len(pairs) - 1 - np.argmax(pairs[::-1]))
    outcome = "refused" if share > 0.2 else "note"
    text = (
        f"{share:.1%} of the stamps are off by up to {delay:.3g} s and made up for by the next; "
        "import with the sampling rate if the controller samples evenly"
    )
    more = {"value": share, "unit": "1", **case.rows_of(first, last + 1)}
    return [case.finding("late_samples", outcome, text, **more)]


def rate(case: Case) -> list[Finding]:
    """One rate from beginning to end, unless the velocities confirm the change."""
    steps = np.diff(case.time)
    blocks = np.array_split(steps, BLOCKS)
    medians = np.array([np.median(b) for b in blocks])
    low, high = medians.min(), medians.max()
    if high <= RATE_CHANGE * low:
        return []
    turn = int(np.argmax(np.abs(np.diff(medians)))) + 1
    row = int(sum(len(b) for b in blocks[:turn]))
    confirmed = _velocities_confirm(case, row)
    if confirmed:
        text = f"the step changes from {low:.4g} to {high:.4g} s near row {row}, and the velocities agree"
    else:
        text = (
            f"the step changes between {low:.4g} and {high:.4g} s near row {row}; cut the recording there, or "
            "import each part with its own rate"
        )
    outcome = "note" if confirmed else "refused"
    more = {"value": float(high / low), "unit": "1", **case.rows_of(row, row)}
    return [case.finding("time_step_change", outcome, text, **more)]


def _velocities_confirm(case: Case, row: int) -> bool:
    """True where the reported velocity fits the stamps on both sides of a row."""
    if "dq" not in case.recording:
        return False
    for part in (slice(0, row), slice(row, len(case.time))):
        time, q = case.time[part], case.path[part]
        dq = np.nan_to_num(case.recording["dq"][part])
        if len(time) < 10:
            return False
        ran = np.sum(0.5 * (dq[1:] + dq[:-1]) * np.diff(q, axis=0))
        told = np.sum((0.5 * (dq[1:] + dq[:-1])) ** 2 * np.diff(time)[:, None])
        if not 0.9 < ran / max(told, 1e-12) < 1.1:
            return False
    return True


def _runs_on(case: Case, k: int) -> bool:
    """True where the joints move from sample k to k + 1 as they would in one usual step."""
    path = case.path
    a, b = max(0, k - 5), min(len(path) - 1, k + 6)
    if k - a < 2 or b - k < 3:
        return False
    speed_before = (path[k] - path[a]) / (k - a)  # per usual step
    speed_after = (path[b] - path[k + 1]) / (b - k - 1)
    usual = 0.5 * (speed_before + speed_after)
    moved = path[k + 1] - path[k]
    scale = float(np.abs(usual).max())
    typical = float(np.quantile(np.abs(np.diff(path, axis=0)), 0.75))
    if scale < 0.5 * typical or scale == 0.0:
        return False
    return bool(np.abs(moved - usual).max() < 0.5 * scale)
