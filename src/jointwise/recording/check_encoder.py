"""Checks of single columns over time: spikes, jumps, frozen and held values, resolution, flat tops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jointwise.recording.check_case import MEASURED_POSITIONS, MEASURED_TORQUES, Case
from jointwise.recording.check_clock import MOST_DROPPED
from jointwise.recording.check_finding import Finding

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

SPIKE = 15.0
"""Times the usual second difference of the moving joint; noise and motion stay far below."""
STEPS = 10.0
"""Resolutions of the sensor; a smaller spike is rounding."""
HARMLESS = 0.1
"""Times the travel of a standing joint, 2 mrad: a creeping joint slips by less than that."""
TORQUE_SPIKE = 15.0
"""Times the usual deviation from the neighbours; currents are noisy and step where the motion turns."""


def spikes(case: Case) -> tuple[Case, list[Finding]]:
    """Single readings of an encoder off the path of their neighbours are interpolated while they are few."""
    columns = dict(case.recording.columns)
    findings = []
    for name, j, values in case.each((*MEASURED_POSITIONS, "dq", "dtheta")):
        still = case.smallest_travel[j]
        usual = float(np.quantile(np.abs(np.diff(values)), 0.98))
        of_position = name in MEASURED_POSITIONS
        floor = max(0.5 * usual, 0.02 * still) if of_position else max(0.2 * _range(values), still)
        where, size = _spikes(values, SPIKE, floor)
        if len(where) == 0:
            continue
        rows = case.rows_of(int(where[0]), int(where[-1]))
        place = f"{name} of joint {case.names[j]}"
        more = {"column": name, "value": size, **rows}
        if len(where) > 2.0 * MOST_DROPPED * len(values):
            text = (
                f"{len(where)} readings of {place} are off by up to {size:.3g}; repair the sensor"
            )
            findings.append(case.finding("encoder_spike", "refused", text, j, **more))
            continue
        good = np.ones(len(values), dtype=bool)
        good[where] = False
        fixed = columns[name].copy()
        fixed[where, j] = np.interp(case.time[where], case.time[good], values[good])
        columns[name] = fixed
        text = f"{len(where)} single readings of {place} are off by up to {size:.3g}; interpolated"
        findings.append(case.finding("encoder_spike", "repaired", text, j, **more))
    if not findings:
        return case, []
    return replace(case, recording=replace(case.recording, columns=columns)), findings


def torque_spikes(case: Case) -> list[Finding]:
    """Single readings of a torque far off; named, not repaired, since a short contact looks the same."""
    findings = []
    for name, j, values in case.each(MEASURED_TORQUES):
        where, size = _spikes(values, TORQUE_SPIKE, 0.3 * _range(values))
        if len(where) == 0:
            continue
        text = (
            f"{len(where)} single readings of {name} of joint {case.names[j]} are off by up to {size:.3g}; "
            "fit with robust weights"
        )
        more = {"column": name, "value": size, **case.rows_of(int(where[0]), int(where[-1]))}
        findings.append(case.finding("torque_spike", "note", text, j, **more))
    return findings


def jumps(case: Case) -> list[Finding]:
    """Encoders that jump and stay where they landed, or stand while the joint goes on."""
    findings = []
    for name, j, values in case.each(MEASURED_POSITIONS):
        found = _frozen(case, name, j, values)
        if found is not None:
            findings.append(found)
            continue
        steps = np.abs(np.diff(values))
        usual = float(np.quantile(steps[steps > 0.0], 0.99)) if np.any(steps > 0.0) else 0.0
        bend = _bend(values)
        floor = max(STEPS * resolution(values), HARMLESS * case.smallest_travel[j])
        limit = max(3.0 * usual, 20.0 * bend, floor)
        near = np.diff(case.time) < 3.0 * case.step
        large = np.flatnonzero((steps > limit) & near)
        if len(large) == 0:
            continue
        k = int(large[np.argmax(steps[large])])
        size = float(values[k + 1] - values[k])
        rows = case.rows_of(k, k + 1)
        text = (
            f"{name} of joint {case.names[j]} jumps by {size:.4g} at row {rows['first']} and stays there; "
            "use the part before or after"
        )
        more = {"column": name, "value": size, **rows}
        findings.append(case.finding("position_jump", "refused", text, j, **more))
    return findings


def held(case: Case) -> list[Finding]:
    """Values repeated over several rows while the joint moves: the sensor is slower than the log."""
    findings = []
    for name, j, values in case.each((*MEASURED_POSITIONS, *MEASURED_TORQUES)):
        steps = np.abs(np.diff(values))
        speed = np.abs(_speed(case, j))[:-1] * np.diff(case.time)
        smallest = resolution(values)
        if name in MEASURED_POSITIONS:
            busy = speed > max(2.0 * smallest, 1e-9)
        else:
            # Steps of a torque say nothing of the next one; a coarse torque repeats itself by rounding.
            coarse = smallest > 0.02 * float(np.std(values))
            busy = (speed > 0.0) & (not coarse)
        if busy.sum() < 50:
            continue
        share = float(np.mean(steps[busy] == 0.0))
        if share < 0.3:
            continue
        rate = (1.0 - share) / case.step
        text = (
            f"{share:.0%} of the readings of {name} of joint {case.names[j]} repeat the one before while it moves: "
            f"the sensor gives about {rate:.3g} values a second; import it at that rate"
        )
        outcome = "refused" if share > 0.8 else "note"
        more = {"column": name, "value": share, "unit": "1"}
        findings.append(case.finding("held_samples", outcome, text, j, **more))
    return findings


def resolutions(case: Case) -> list[Finding]:
    """Steps of a sensor beside what it measures."""
    findings = []
    for name, j, values in case.each((*MEASURED_POSITIONS, *MEASURED_TORQUES)):
        if name in MEASURED_POSITIONS:
            whole, enough = float(np.ptp(values)), 1000.0
            if whole < 10.0 * case.smallest_travel[j]:
                continue
        else:
            whole, enough = float(np.ptp(values)), 60.0
        step = resolution(values)
        if step == 0.0 or whole == 0.0 or whole / step > enough:
            continue
        number = whole / step
        outcome = "refused" if number < enough / 50.0 else "note"
        text = (
            f"{name} of joint {case.names[j]} has only {number:.0f} steps of {step:.3g}; "
            "export it with more digits"
        )
        more = {"column": name, "value": step}
        findings.append(case.finding("coarse_resolution", outcome, text, j, **more))
    return findings


def flat_tops(case: Case) -> list[Finding]:
    """Torques and currents that stop at one value: the drive, or its sensor, is saturated."""
    findings = []
    for name, j, values in case.each(MEASURED_TORQUES):
        share = max(_flat(values), _flat(-values))
        if share == 0.0:
            continue
        top = float(np.max(np.abs(values)))
        outcome = "refused" if share > 0.3 else "note"
        text = (
            f"{name} of joint {case.names[j]} stands at its end for {share:.1%} of the time; "
            + (
                "record a gentler motion"
                if outcome == "refused"
                else "leave these samples out of a fit"
            )
        )
        more = {"column": name, "value": top}
        findings.append(case.finding("saturation", outcome, text, j, **more))
    return findings


def frozen_torques(case: Case) -> list[Finding]:
    """A torque that repeats one number while its joint moves."""
    findings = []
    for name, j, values in case.each(MEASURED_TORQUES):
        start, length, usual = _longest_equal(values)
        if length < max(20, int(0.15 / case.step), 10 * usual):
            continue
        speed = np.abs(_speed(case, j))
        fastest = float(np.quantile(speed, 0.95))
        part = slice(start, start + length)
        if float(np.median(speed[part])) < 0.1 * fastest or not case.moves[j]:
            continue
        if max(_flat(values), _flat(-values)) > 0.0:
            continue
        rows = case.rows_of(start, start + length - 1)
        text = (
            f"{name} of joint {case.names[j]} repeats one number for {length} rows from row {rows['first']} while "
            "the joint moves; cut the recording there"
        )
        more = {"column": name, "value": float(values[start]), **rows}
        findings.append(case.finding("frozen_torque", "refused", text, j, **more))
    return findings


def resolution(values: Array) -> float:
    """The smallest difference between two values of a column; 0 where it is below any real sensor."""
    distinct = np.unique(values)
    steps = np.diff(distinct)
    steps = steps[steps > 1e-9]
    return float(steps.min()) if len(steps) else 0.0


def _speed(case: Case, joint: int) -> Array:
    """Speed of a joint at every sample, from what is most trustworthy: a reported one, else its path."""
    for name in ("dq", "dtheta"):
        if case.filled(name, joint) and np.ptp(case.recording[name][:, joint]) > 0.0:
            return np.asarray(case.recording[name][:, joint])
    smooth = case.smooth
    return np.interp(case.time, smooth.time[:: smooth.every], smooth.slope("path")[:, joint])


def _range(values: Array) -> float:
    """What the middle 98 % of a column span."""
    return float(np.quantile(values, 0.99) - np.quantile(values, 0.01))


def _bend(values: Array) -> float:
    """Usual size of the second difference while something happens."""
    bend = np.abs(np.diff(values, n=2))
    return float(np.quantile(bend, 0.9)) if len(bend) else 0.0


def _spikes(values: Array, times: float, floor: float) -> tuple[Rows, float]:
    """Single samples, or up to three in a row, far off the path of their neighbours, and the largest distance.

    A single sample is compared with the cubic through its four neighbours, a short run with the median of seven.
    """
    if len(values) < 9:
        return np.empty(0, dtype=np.int64), 0.0
    least = max(STEPS * resolution(values), floor, 1e-9)
    left, right = values[1:-3], values[3:-1]
    off = values[2:-2] - (4.0 * (left + right) - (values[:-4] + values[4:])) / 6.0
    # However noisy a column is: what leaves its whole range by half of it is no noise.
    most = 1.5 * _range(values) + least
    limit = max(min(times * float(np.quantile(np.abs(off), 0.9)), most), least)
    # At a step only one neighbour is far away; at a spike both are, on the same side.
    from_left, from_right = values[2:-2] - left, values[2:-2] - right
    both = np.minimum(from_left * np.sign(off), from_right * np.sign(off))
    single = np.flatnonzero((np.abs(off) > limit) & (both > 0.6 * np.abs(off))) + 2
    sizes = np.abs(off)[single - 2]
    middle = np.median(np.lib.stride_tricks.sliding_window_view(values, 7), axis=1)
    away = np.abs(values[3:-3] - middle)
    usual = float(np.quantile(np.abs(np.diff(values)), 0.98))
    limit = max(times * float(np.quantile(away, 0.95)), 4.0 * usual, least)
    core = values[3:-3]
    leaves = np.minimum(np.abs(core - values[:-6]), np.abs(core - values[6:])) > 0.7 * away
    runs = np.flatnonzero((away > limit) & leaves) + 3
    sizes = np.concatenate((sizes, away[runs - 3]))
    return np.union1d(single, runs), float(sizes.max(initial=0.0))


def _longest_equal(values: Array) -> tuple[int, int, int]:
    """Start and length of the longest run of one number, and the length of the usual long run."""
    changes = np.flatnonzero(np.diff(values) != 0.0)
    edges = np.concatenate(([-1], changes, [len(values) - 1]))
    lengths = np.diff(edges)
    k = int(np.argmax(lengths))
    others = np.delete(lengths, k)
    usual = int(np.quantile(others, 0.999)) if len(others) else 1
    return int(edges[k]) + 1, int(lengths[k]), max(usual, 1)


def _frozen(case: Case, name: str, joint: int, values: Array) -> Finding | None:
    """A run of one value that ends in a jump, or over which another column moves."""
    smallest = max(STEPS * resolution(values), 1e-6)
    changes = np.flatnonzero(np.diff(values) != 0.0)
    edges = np.concatenate(([-1], changes, [len(values) - 1]))
    lengths = np.diff(edges)
    steps = np.abs(np.diff(values))
    usual = float(np.quantile(steps[steps > 0.0], 0.95)) if np.any(steps > 0.0) else 0.0
    for r in np.flatnonzero(lengths >= max(5, int(0.02 / case.step))):
        start, stop = int(edges[r]) + 1, int(edges[r + 1])  # both inside the run
        missed = _moved_meanwhile(case, name, joint, start, stop)
        if stop + 1 < len(values):
            jump = abs(float(values[stop + 1] - values[stop]))
            if jump > 5.0 * usual:
                missed = max(missed, jump)
        if missed <= max(smallest, 3.0 * usual):
            continue
        rows = case.rows_of(start, stop)
        text = (
            f"{name} of joint {case.names[joint]} stands still for {stop - start + 1} rows from row {rows['first']} "
            f"while the joint moves by {missed:.3g}; cut the recording there"
        )
        more = {"column": name, "value": missed, **rows}
        return case.finding("frozen_encoder", "refused", text, joint, **more)
    return None


def _moved_meanwhile(case: Case, name: str, joint: int, start: int, stop: int) -> float:
    """How far other columns say that the joint moved during some rows."""
    moved = 0.0
    for other in ("q", "theta", "q_ref"):
        if other != name and case.filled(other, joint):
            part = case.recording[other][start : stop + 1, joint]
            moved = max(moved, float(np.ptp(part)) - 0.3 * case.smallest_travel[joint])
    for other in ("dq", "dtheta"):
        if case.filled(other, joint):
            part = case.recording[other][start : stop + 1, joint]
            way = np.trapezoid(part, case.time[start : stop + 1])
            # An offset of the reported speed is not motion.
            moved = max(moved, abs(float(way)) - 0.1 * case.smallest_travel[joint])
    before = _own_speed(case, values_of(case, name, joint), start)
    if stop + 1 >= len(case.time) and before > 0.0:
        moved = max(moved, before * (stop - start) * case.step)
    return moved


def values_of(case: Case, name: str, joint: int) -> Array:
    """One column of one joint."""
    return np.asarray(case.recording[name][:, joint])


def _own_speed(case: Case, values: Array, row: int) -> float:
    """Speed over the tenth of a second before a row where that is far from rest, else 0."""
    width = max(10, round(0.1 / case.step))
    if row < width:
        return 0.0
    speed = abs(float(values[row] - values[row - width])) / (width * case.step)
    usual = float(np.quantile(np.abs(values[width:] - values[:-width]), 0.5)) / (width * case.step)
    return speed if speed > usual else 0.0


def _flat(values: Array) -> float:
    """Share of the samples that stand at the maximum, 0 unless far more than at the values next to it."""
    top = float(values.max())
    at = values >= top - 1e-12 * max(1.0, abs(top))
    count = int(at.sum())
    if count < max(10, 0.003 * len(values)):
        return 0.0
    next_ones = np.unique(values[~at])[-5:]
    if len(next_ones) == 0:
        return 0.0
    near = max(int(np.sum(values == v)) for v in next_ones)
    in_a_row = int(np.sum(at[1:] & at[:-1]))
    # Where no other value repeats, equal numbers at the end are no chance; else they must also be a plateau.
    flat = count > 5 * near and (near == 1 or in_a_row > 0.3 * count)
    return float(at.mean()) if flat else 0.0
