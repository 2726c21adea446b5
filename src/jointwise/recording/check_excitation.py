"""Checks of what the motion shows: whether it was sampled fast enough, and which joints can be learned from it."""

from __future__ import annotations

import numpy as np

from jointwise.recording.check_case import Case
from jointwise.recording.check_finding import Finding

LITTLE = 10.0
"""Times the travel of a standing joint; below, gravity hardly changes."""
ONE_WAY = 0.98
STEADY = 0.12
"""Spread of the speed beside its mean, in the middle 80 % of the moving time."""
SLOW, TOO_SLOW = 24.0, 14.0
"""Samples in one period of the fastest part of the motion; accelerations need many more than Nyquist's two."""
POWER = 0.98
"""Share of the position's power that counts as its motion; the noise of an encoder stays above it."""
FAST_ENOUGH = 0.0045
"""s; no arm moves so fast that 220 Hz were too slow, and the noise of slow joints would look like motion."""


def sampling(case: Case) -> list[Finding]:
    """Enough samples for one period of the fastest part of the motion, by joint; the worst is named."""
    least, joint = np.inf, -1
    path = case.path
    length = len(path)
    if length < 16 or not case.moves.any() or case.step < FAST_ENOUGH:
        return []
    window = np.hanning(length)
    for j in np.flatnonzero(case.moves):
        if float(np.ptp(path[:, j])) < 5.0 * case.smallest_travel[j]:
            continue
        values = path[:, j] - path[:, j].mean()
        power = np.abs(np.fft.rfft(values * window)) ** 2
        share = np.cumsum(power) / max(float(power.sum()), 1e-300)
        number = length / max(int(np.searchsorted(share, POWER)), 1)
        if number < least:
            least, joint = number, int(j)
    if least >= SLOW:
        return []
    outcome = "refused" if least < TOO_SLOW else "note"
    text = (
        f"joint {case.names[joint]} moves so fast that one period of its motion has {least:.0f} samples; "
        f"record faster than {20.0 / (least * case.step):.0f} Hz, or move more slowly"
    )
    more = {"value": least, "unit": "samples"}
    return [case.finding("slow_sampling", outcome, text, joint, **more)]


def motion(case: Case) -> list[Finding]:
    """What each joint's motion cannot tell."""
    found = []
    speeds = case.smooth.slope("path")
    for j in range(case.recording.n):
        travel = float(np.ptp(case.path[:, j]))
        name, still = case.names[j], case.smallest_travel[j]
        unit = "rad" if case.robot.joints[j].kind == "revolute" else "m"
        if travel <= still:
            text = f"joint {name} moved only {travel:.2g} {unit}: none of its parameters can be identified"
            found.append(case.finding("no_motion", "note", text, j, value=travel, unit=unit))
            continue
        if travel < LITTLE * still:
            text = f"joint {name} moved only {travel:.2g} {unit}: its parameters will be weak"
            found.append(case.finding("little_motion", "note", text, j, value=travel, unit=unit))
        speed = speeds[:, j]
        fast = np.abs(speed) > 0.1 * float(np.abs(speed).max())
        forward = float(np.mean(speed[fast] > 0.0))
        if max(forward, 1.0 - forward) > ONE_WAY:
            text = f"joint {name} moved one way only: its Coulomb friction cannot be told from an offset"
            found.append(case.finding("one_direction", "note", text, j, value=forward, unit="1"))
        size = np.abs(speed[fast])
        low, middle, high = np.quantile(size, (0.2, 0.5, 0.8))
        if high - low < STEADY * middle:
            text = f"joint {name} moved at {middle:.3g} {unit}/s only: its viscous friction will be weak"
            more = {"value": float(middle), "unit": f"{unit}/s"}
            found.append(case.finding("one_speed", "note", text, j, **more))
    return found


def ends(case: Case) -> list[Finding]:
    """A recording that begins at rest and ends in motion may have lost its end."""
    speed = np.abs(case.smooth.slope("path"))
    fastest = speed.max(axis=0)
    edge = max(2, len(speed) // 200)
    begins = np.all(speed[:edge].mean(axis=0) < 0.05 * np.maximum(fastest, 1e-9) + 0.002)
    last = speed[-edge:].mean(axis=0) * case.moves
    j = int(np.argmax(last))
    if not begins or last[j] < 0.1 * fastest[j]:
        return []
    text = (
        f"the recording begins at rest and ends while joint {case.names[j]} moves at {last[j]:.3g} rad/s [m/s]; "
        "make sure that nothing is missing"
    )
    more = {"value": float(last[j]), "unit": "rad/s [m/s]", **case.rows_of(len(case.time) - 1, -1)}
    return [case.finding("ends_in_motion", "note", text, **more)]
