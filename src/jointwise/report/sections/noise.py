"""How far the residual stands above the noise of the torque, and what it still follows."""

from __future__ import annotations

from jointwise.report.page import fragment
from jointwise.report.subject import Section, Subject
from jointwise.report.words import figure

NOTABLE = 0.2
"""Correlation from which a person would see a trend in the picture: 4 % of the variance."""


def noise(subject: Subject) -> Section | None:
    """One row per joint."""
    joints = subject.judgement.joints
    if not joints:
        return None
    rows = [
        {
            "joint": joint.joint,
            "unit": subject.torque_unit(j),
            "floor": figure(joint.noise_floor),
            "residual": figure(joint.residual),
            "times": figure(joint.residual / joint.noise_floor, 2) if joint.noise_floor else "-",
            "follows": joint.follows,
            "correlation": f"{joint.correlation:+.2f}",
            "notable": abs(joint.correlation) >= NOTABLE,
        }
        for j, joint in enumerate(joints)
    ]
    html = fragment("noise.html", rows=rows, filter_hz=subject.fit.settings["filter_hz"])
    return Section(anchor="noise", title="Noise floor", html=html)
