"""`validate`: how well a fit predicts recordings, joint by joint, against filtered and against raw torque."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments import metrics
from jointwise.experiments.fit import Fit
from jointwise.experiments.memory_start import START_SECONDS
from jointwise.experiments.metrics import Score
from jointwise.experiments.prediction import Prediction, joined, model_of, predict
from jointwise.experiments.recordings import Recordings, named
from jointwise.units import Unit

Array = NDArray[np.float64]
START = Unit("s", lower=0.0, upper=60.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Validated:
    """Scores of one recording."""

    name: str
    joint_names: tuple[str, ...]
    filtered: tuple[Score, ...]
    raw: tuple[Score, ...]
    nmse: float
    e_n: float
    parts: tuple[Prediction, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data with stable keys; an error without samples is null."""
        return {
            "recording": self.name,
            "nmse": self.nmse,
            "e_n": self.e_n,
            "joints": [
                {"joint": name, "filtered": _plain(f), "raw": _plain(r)}
                for name, f, r in zip(self.joint_names, self.filtered, self.raw, strict=True)
            ],
        }


def validate(
    fit: Fit,
    recordings: Recordings,
    *,
    filter_hz: float | None = None,
    moving: float | None = None,
    torque: str | None = None,
    start_s: float = START_SECONDS,
) -> list[Validated]:
    """Scores of a fit on recordings, by their names; filter, threshold and torque kind as in the fit unless given.

    Friction with memory depends on the time before a recording: with it, that is read off the first `start_s` seconds
    of torque, which are not scored. With 0 it is predicted from nothing, and all is scored.
    """
    filter_hz = float(fit.settings["filter_hz"]) if filter_hz is None else filter_hz
    slowest = np.array(fit.settings["moving"], dtype=np.float64)
    if moving is not None:
        Unit("rad/s [m/s]", lower=0.0, upper=100.0).check("moving", moving)
        slowest = np.full(fit.robot.n, moving)
    START.check("start_s", start_s)
    torque = torque or fit.settings.get("torque") or None
    model = model_of(fit)
    return [
        scored(
            predict(model, rec, filter_hz=filter_hz, torque=torque, name=name, start_s=start_s),
            slowest,
            name,
            fit,
        )
        for name, rec in named(recordings).items()
    ]


def scored(parts: Sequence[Prediction], moving: Array, name: str, fit: Fit) -> Validated:
    """Scores of the pieces of one recording together."""
    turning = np.abs(joined(parts, "speed")) > moving
    measured, predicted = joined(parts, "measured"), joined(parts, "predicted")
    raw = joined(parts, "raw_measured")

    def each(y: Array) -> tuple[Score, ...]:
        return tuple(
            metrics.score(y[:, j], predicted[:, j], turning[:, j]) for j in range(y.shape[1])
        )

    return Validated(
        name=name,
        joint_names=tuple(j.name for j in fit.robot.joints),
        filtered=each(measured),
        raw=each(raw),
        nmse=metrics.nmse(measured, predicted),
        e_n=metrics.e_n(measured, predicted),
        parts=tuple(parts),
    )


def _plain(score: Score) -> dict[str, Any]:
    return {k: None if v != v else v for k, v in score._asdict().items()}
