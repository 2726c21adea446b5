"""The verdict: one sentence, a row per joint, and what to do next."""

from __future__ import annotations

import math
from typing import Any

from jointwise.report.advice import advice
from jointwise.report.judgement import LARGE, LEVELS, SMALL, JointJudgement
from jointwise.report.page import fragment
from jointwise.report.subject import Section, Subject
from jointwise.report.words import figure, share_text

FULL = 0.5
"""Share of the torque missed that fills the bar."""
CLASSES = dict(zip(LEVELS, ("good", "care", "bad"), strict=True))


def verdict(subject: Subject) -> Section:
    """Usable or not, in words and as bars."""
    judged = subject.judgement
    html = fragment(
        "verdict.html",
        level=judged.level,
        css=CLASSES[judged.level],
        sentence=judged.sentence,
        rows=[_row(j, subject.torque_unit(k)) for k, j in enumerate(judged.joints)],
        small=share_text(SMALL),
        large=share_text(LARGE),
    )
    return Section(anchor="verdict", title="", html=html)


def next_steps(subject: Subject) -> Section:
    """What to do next."""
    html = fragment("next.html", advice=advice(subject.fit, subject.judgement))
    return Section(anchor="next", title="What to do next", html=html)


def _row(joint: JointJudgement, unit: str) -> dict[str, Any]:
    share = joint.share
    filled = 1.0 if math.isnan(share) else min(1.0, share / FULL)
    return {
        "joint": joint.joint,
        "error": f"{figure(joint.error, 2)} {unit}",
        "share": share_text(share),
        "bar": f"{100.0 * filled:.1f}",
        "css": CLASSES[joint.level],
        "level": joint.level,
        "spread": f"{figure(joint.spread)} {unit}",
        "floor": f"{figure(joint.noise_floor, 2)} {unit}",
    }
