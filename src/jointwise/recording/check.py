"""`check_recording`: whether a recording may be used, what was repaired, and why it is refused.

Checks run in stages, since a later one trusts what an earlier one has made sure of; the first stage that refuses ends
the check. Only damage that leaves no doubt is repaired. A unit, a sign or an order is never guessed: it is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from jointwise.recording import (
    check_agreement,
    check_clock,
    check_encoder,
    check_excitation,
    check_pace,
    check_structure,
    check_torque,
    repair_values,
)
from jointwise.recording.check_case import Case
from jointwise.recording.check_finding import Finding
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot

Verdict = Literal["accepted", "repaired", "refused"]
Check = Callable[[Case], list[Finding]]
Repair = Callable[[Case], tuple[Case, list[Finding]]]

STAGES: tuple[tuple[tuple[Repair, ...], tuple[Check, ...]], ...] = (
    # repairs of a stage, then its checks
    ((check_structure.joints,), (check_structure.length, check_structure.needed_columns)),
    ((check_clock.stamps, repair_values.garbage, check_clock.order, check_clock.repeats), ()),
    ((), (check_clock.unit, check_clock.duration)),
    ((repair_values.not_finite,), (check_structure.dead_columns, check_structure.repeated_columns)),
    ((), (check_agreement.limits, check_agreement.torque_sizes, check_structure.temperatures)),
    ((repair_values.wraps,), ()),
    ((), (check_pace.rate, check_pace.lost, check_pace.late)),
    ((check_encoder.spikes,), (check_encoder.jumps, check_encoder.frozen_torques)),
    ((), (check_excitation.sampling, check_encoder.held, check_encoder.resolutions)),
    ((), (check_agreement.columns,)),
    ((), (check_torque.readings, check_torque.encoders, check_torque.gains)),
    ((), (check_torque.lags, check_torque.steps, check_encoder.flat_tops)),
    ((), (check_encoder.torque_spikes, check_torque.explained, check_torque.known)),
    ((), (check_structure.origin, check_excitation.motion, check_excitation.ends)),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Checked:
    """Outcome of a check: verdict, findings in the order they were made, and the recording with its repairs."""

    verdict: Verdict
    findings: tuple[Finding, ...]
    recording: Recording
    """as repaired; where the verdict is refused, as far as the repairs had come"""

    @property
    def reason(self) -> str:
        """Why the recording is refused, in one sentence; empty where it is not."""
        return next((f.text for f in self.findings if f.outcome == "refused"), "")

    def to_dict(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "samples": len(self.recording),
            "findings": [f.to_dict() for f in self.findings],
        }


def check_recording(recording: Recording, robot: Robot) -> Checked:
    """Check a recording against itself and against what is known of its robot."""
    case = Case(recording=recording, robot=robot, rows=np.arange(len(recording)))
    findings: list[Finding] = []
    for repairs, checks in STAGES:
        for repair in repairs:
            case, found = repair(case)
            findings += found
            if _refused(found):
                return _checked(case, findings)
        for check in checks:
            found = check(case)
            findings += found
            if _refused(found):
                return _checked(case, findings)
    return _checked(case, findings)


def _refused(findings: list[Finding]) -> bool:
    return any(f.outcome == "refused" for f in findings)


def _checked(case: Case, findings: list[Finding]) -> Checked:
    outcomes = {f.outcome for f in findings}
    verdict: Verdict = "accepted"
    if "refused" in outcomes:
        verdict = "refused"
    elif "repaired" in outcomes:
        verdict = "repaired"
    return Checked(verdict=verdict, findings=tuple(findings), recording=case.recording)
