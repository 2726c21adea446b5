"""What to do next: what the scores, residuals and verdicts of a fit suggest, the most useful first."""

from __future__ import annotations

import math
from collections.abc import Callable

from jointwise.experiments.fit import AT_BOUND, HIDDEN, NOT_PHYSICAL, WEAK, Fit
from jointwise.report.judgement import LARGE, NEAR_NOISE, USABLE, JointJudgement, Judgement
from jointwise.report.words import figure, listed, plural, torque_unit

TREND = 0.2
"""Correlation of the residual from which a missing term is likely: 4 % of its variance."""
FEW_RECORDINGS = 3
ON_A_GRID = ("memory_", "stribeck_")
"""Columns of which most are meant to be zero: the others are the choice."""
STANDING = 2.0
"""Error of standing joints beside that of moving ones from which the difference deserves a word."""

MISSING = {
    "speed": "add the term degressive, stribeck or cubic to --friction",
    "load": "add the term load, or check the torque constant and the payload",
    "position": "a term that depends on position is missing: counterbalance, a cable, or the torque constant",
    "acceleration": "check the rotor inertia (--rotors), the delay and the torque constant",
}


def advice(fit: Fit, judgement: Judgement) -> list[str]:
    """Sentences, the most useful first; a fit with nothing to improve is told to be used."""
    found = [text for rule in RULES for text in rule(fit, judgement)]
    return found or ["Validate it on a motion of your own task: jointwise validate FIT REC."]


def _not_converged(fit: Fit, judgement: Judgement) -> list[str]:
    if fit.status == "converged":
        return []
    return ["Use fewer friction terms or more recordings: the fit did not settle."]


def _did_not_move(fit: Fit, judgement: Judgement) -> list[str]:
    still = [j.joint for j in judgement.joints if math.isnan(j.error) or j.spread == 0.0]
    return (
        [f"Record motions that move {listed(still)}: nothing can be said without."] if still else []
    )


def _does_not_generalise(fit: Fit, judgement: Judgement) -> list[str]:
    bad = [j.joint for j in judgement.joints if not j.generalises]
    if not bad:
        return []
    return [
        f"Record more, and more different, motions: for {listed(bad)} the error on recordings left out is more than "
        "twice the residual of the fit, so it has learned its own recordings."
    ]


def _few(fit: Fit, judgement: Judgement) -> list[str]:
    count = len(fit.recordings)
    if not judgement.joints or count >= FEW_RECORDINGS:
        return []
    return [
        f"Add recordings of other motions: {plural(count, 'recording')} cannot show how the fit does elsewhere "
        "(jointwise plan makes motions that excite all joints)."
    ]


def _trends(fit: Fit, judgement: Judgement) -> list[str]:
    by_cause: dict[str, list[JointJudgement]] = {}
    for j in judgement.joints:
        above = j.residual > NEAR_NOISE * j.noise_floor
        if above and abs(j.correlation) >= TREND and j.follows in MISSING:
            by_cause.setdefault(j.follows, []).append(j)
    return [
        f"The residual of {listed([j.joint for j in joints])} follows {cause}: {MISSING[cause]}."
        for cause, joints in by_cause.items()
    ]


def _above_noise(fit: Fit, judgement: Judgement) -> list[str]:
    silent = [
        j.joint
        for j in judgement.joints
        if j.residual > NEAR_NOISE * j.noise_floor
        and abs(j.correlation) < TREND
        and j.level != USABLE
    ]
    if not silent:
        return []
    return [
        f"The residual of {listed(silent)} stands above the noise but follows neither speed, load, position nor "
        "acceleration: look for temperature, friction that remembers reversals (term memory), or a flexible gear."
    ]


def _reasons(fit: Fit, judgement: Judgement) -> list[str]:
    """Of an experiment on one joint: each reason for which parameters cannot be known, with their names."""
    if judgement.joints:
        return []
    words = {HIDDEN: "cannot be known from these recordings", AT_BOUND: "{} at the bound"}
    out = []
    for verdict, text in words.items():
        names: dict[str, list[str]] = {}
        for p in fit.parameters:
            if p.verdict == verdict:
                names.setdefault(p.advice, []).append(p.name)
        for reason, found in names.items():
            said = text.format("is" if len(found) == 1 else "are")
            out.append(f"{listed(found)} {said}" + (f": {reason}." if reason else "."))
    return out


def _bounds(fit: Fit, judgement: Judgement) -> list[str]:
    if not judgement.joints:
        return []
    held = [
        p.name for p in fit.parameters if p.verdict == AT_BOUND and not p.name.startswith(ON_A_GRID)
    ]
    if not held:
        return []
    verb = "is" if len(held) == 1 else "are"
    return [
        f"{listed(held)} {verb} at the bound: leave the term out for that joint, or look for one that is missing."
    ]


def _not_physical(fit: Fit, judgement: Judgement) -> list[str]:
    bad = [p.name for p in fit.parameters if p.verdict == NOT_PHYSICAL]
    return (
        [
            f"Do not simulate with it: {listed(bad)} cannot belong to real bodies; use --method physical."
        ]
        if bad
        else []
    )


def _weak(fit: Fit, judgement: Judgement) -> list[str]:
    weak = sum(p.verdict == WEAK for p in fit.parameters)
    hidden = sum(p.verdict == HIDDEN for p in fit.parameters)
    out = []
    if weak and not judgement.joints:
        out.append(f"Of {plural(weak, 'weak parameter')} use the interval, not the value.")
    elif weak:
        out.append(
            f"Do not read {plural(weak, 'weak parameter')} of {len(fit.parameters)} as properties of the arm; they "
            "are small or little excited, and the torque prediction does not need them better."
        )
    if hidden and judgement.joints:
        out.append(
            f"{plural(hidden, 'parameter')} cannot be told from others by these recordings; the table names the "
            "combinations. Other motions may separate them."
        )
    return out


def _standing(fit: Fit, judgement: Judgement) -> list[str]:
    still = [j for j in judgement.joints if j.standing > STANDING * j.error]
    if not still:
        return []
    worst = max(still, key=lambda j: j.standing / j.spread if j.spread else 0.0)
    unit = torque_unit(fit.robot, worst.joint)
    return [
        "Do not rely on it for joints that stand: friction holds them anywhere within its range; "
        f"{worst.joint}, for example, is then off by {figure(worst.standing, 2)} {unit}."
    ]


def _validate(fit: Fit, judgement: Judgement) -> list[str]:
    good = judgement.joints and all(j.share <= LARGE for j in judgement.joints)
    return ["Validate it on motions of your own task: jointwise validate FIT REC."] if good else []


Rule = Callable[[Fit, Judgement], list[str]]
RULES: tuple[Rule, ...] = (
    _not_converged,
    _did_not_move,
    _does_not_generalise,
    _trends,
    _above_noise,
    _not_physical,
    _reasons,
    _bounds,
    _few,
    _standing,
    _weak,
    _validate,
)
