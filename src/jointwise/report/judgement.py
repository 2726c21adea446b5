"""One sentence a person understands: whether a fit may be used, and which joint is the worst.

A fit of the arm is judged by its error on recordings it has not seen, on moving joints: left out one after the
other, or given to the report. Other experiments are judged by their status and the verdicts of their parameters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jointwise.experiments.fit import HIDDEN, IDENTIFIED, NOT_PHYSICAL, Fit
from jointwise.experiments.validate import Validated
from jointwise.report.words import listed, share_text, torque_unit

USABLE, WITH_CARE, NOT_USABLE = "usable", "usable with care", "not usable"
LEVELS = (USABLE, WITH_CARE, NOT_USABLE)

SMALL, LARGE = 0.10, 0.25
"""Error beside the spread of the torque: below SMALL 99 % of its variance is explained, above LARGE less than 94 %."""
NEAR_NOISE = 2.0
"""Errors up to this many times the noise floor cannot be told from noise by a user."""
SPREAD_OUT = 2.0
"""Error on what was left out beside the residual of the fit, from which the fit does not generalise."""


NOT_CONVERGED = "The fit did not converge; its numbers are where it stopped."


@dataclass(frozen=True, kw_only=True)
class JointJudgement:
    """What may be expected of one joint; torques in N m [N]."""

    joint: str
    error: float
    """RMS on recordings not seen, joint moving; where nothing was left out, the residual of the fit"""
    residual: float
    noise_floor: float
    spread: float
    standing: float
    follows: str
    correlation: float

    @property
    def share(self) -> float:
        """Error beside the spread of the measured torque; NaN where the torque does not change."""
        return self.error / self.spread if self.spread > 0.0 else math.nan

    @property
    def generalises(self) -> bool:
        """True where what was not seen is predicted about as well as what was."""
        small = self.error <= NEAR_NOISE * self.noise_floor
        return small or self.error <= SPREAD_OUT * self.residual

    @property
    def level(self) -> str:
        """One of LEVELS."""
        if math.isnan(self.error):
            return NOT_USABLE
        if self.error <= NEAR_NOISE * self.noise_floor:
            return USABLE
        if math.isnan(self.share) or self.share > LARGE:
            return NOT_USABLE
        return USABLE if self.share <= SMALL and self.generalises else WITH_CARE


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """Level, one sentence, and the joints behind it (none for experiments other than that of the arm)."""

    level: str
    sentence: str
    joints: tuple[JointJudgement, ...] = ()

    @property
    def worst(self) -> JointJudgement:
        """The joint with the worst level, and of these with the largest share of its torque missed."""
        return max(self.joints, key=lambda j: (LEVELS.index(j.level), _number(j.share)))


def judge(fit: Fit, unseen: Sequence[Validated] = ()) -> Judgement:
    """Judge a fit; `unseen` are scores on recordings that were not used for it, and count where they are worse."""
    if not fit.joints or any("noise_floor" not in joint for joint in fit.joints):
        return _by_parameters(fit)
    joints = tuple(_joint(dict(j), k, unseen) for k, j in enumerate(fit.joints))
    left_out = all("left_out_rmse_moving" in j for j in fit.joints) or bool(unseen)
    level = max((j.level for j in joints), key=LEVELS.index)
    if not left_out or any(p.verdict == NOT_PHYSICAL for p in fit.parameters):
        level = max(level, WITH_CARE, key=LEVELS.index)
    if fit.status != "converged":
        level = NOT_USABLE
    judged = Judgement(level=level, sentence="", joints=joints)
    return Judgement(
        level=level, sentence=_sentence(fit, judged, left_out, bool(unseen)), joints=joints
    )


def _joint(entry: Mapping[str, Any], place: int, unseen: Sequence[Validated]) -> JointJudgement:
    residual, floor = float(entry["residual_rms"]), float(entry["noise_floor"])
    errors = [float(entry.get("left_out_rmse_moving", math.nan))]
    scores = [one.filtered[place] for one in unseen]
    moved = [s for s in scores if s.samples_moving]
    if moved:
        squares = sum(s.rmse_moving**2 * s.samples_moving for s in moved)
        errors.append(math.sqrt(squares / sum(s.samples_moving for s in moved)))
    error = max((e for e in errors if not math.isnan(e)), default=residual)
    return JointJudgement(
        joint=str(entry["joint"]),
        error=error,
        residual=residual,
        noise_floor=floor,
        spread=float(entry.get("torque_spread", 0.0)),
        standing=float(entry.get("left_out_rmse_standing", math.nan)),
        follows=str(entry.get("residual_follows", "")),
        correlation=float(entry.get("correlation", 0.0)),
    )


def _sentence(fit: Fit, judged: Judgement, left_out: bool, unseen: bool) -> str:
    worst = judged.worst
    unit = torque_unit(fit.robot, worst.joint)
    missed = f"{worst.joint} misses {share_text(worst.share)} of its torque's variation, {worst.error:.2g} {unit}"
    if fit.status != "converged":
        return NOT_CONVERGED
    if not left_out:
        return f"Nothing was left out to test the fit; on its own recordings, at worst {missed}."
    where = "on recordings the fit has not seen"
    if not unseen and len(fit.recordings) == 1:
        where = "on parts of its recording that were left out"
    if judged.level == USABLE:
        return f"The torque of moving joints is predicted well {where}; at worst {missed}."
    bad = listed([j.joint for j in judged.joints if j.level == judged.level] or [worst.joint])
    if judged.level == WITH_CARE:
        return f"Look at {bad} before you rely on it; {where}, at worst {missed}."
    return f"Do not use it for {bad}; {where}, at worst {missed}."


def _by_parameters(fit: Fit) -> Judgement:
    doubtful = [p.name for p in fit.parameters if p.verdict != IDENTIFIED]
    if fit.status != "converged":
        return Judgement(level=NOT_USABLE, sentence=NOT_CONVERGED)
    if any(p.verdict == NOT_PHYSICAL for p in fit.parameters):
        return Judgement(level=NOT_USABLE, sentence="Some values are not physical; see the table.")
    if fit.parameters and all(p.verdict == HIDDEN for p in fit.parameters):
        text = "These recordings cannot tell any of the parameters."
        return Judgement(level=NOT_USABLE, sentence=text)
    if doubtful:
        count = f"{len(doubtful)} of {len(fit.parameters)} parameters"
        return Judgement(
            level=WITH_CARE, sentence=f"{count} are not well known: {listed(doubtful, most=6)}."
        )
    return Judgement(level=USABLE, sentence="All parameters are identified.")


def _number(value: float) -> float:
    return math.inf if math.isnan(value) else value
