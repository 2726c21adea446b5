"""`fit(experiment, ...)`: every experiment by its name, as `jointwise fit NAME` runs it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jointwise.errors import UnknownNameError

if TYPE_CHECKING:
    from jointwise.experiments.fit import Fit
    from jointwise.experiments.recordings import Recordings
    from jointwise.robot.description import Robot

HOMES = {
    "robot": "jointwise.experiments.robot_fit:fit_robot",
    "payload": "jointwise.experiments.payload:fit_payload",
    "drive-gain": "jointwise.experiments.drive_gain:fit_drive_gain",
    "cartesian-stiffness": "jointwise.experiments.cartesian_stiffness:fit_cartesian_stiffness",
}
"""Experiments on the whole arm; those on one joint are in `experiments.joint.registry`."""


def list_experiments() -> tuple[str, ...]:
    """Names of all experiments."""
    from jointwise.experiments.joint.registry import EXPERIMENTS

    return (*HOMES, *EXPERIMENTS)


def fit(experiment: str, of: Robot | Fit, recordings: Recordings, **options: Any) -> Fit:
    """Run an experiment on recordings: `fit("robot", arm, recordings, filter_hz=5)`.

    Args:
        experiment: "robot" (links, rotors and friction of the whole arm), "payload", "drive-gain",
            "cartesian-stiffness" (from a table of static tests), or an experiment on one joint, such as "stiffness" or
            "velocity", which needs the option `joint`.
        of: the robot; for "payload" the fit of the arm without it.
        recordings: one recording, several, or several by name.
        options: those of the experiment, named as on the command line with `_` for `-`; `jointwise fit NAME --help`.
    """
    found: Callable[..., Fit]
    if experiment in HOMES:
        module, name = HOMES[experiment].split(":")
        found = getattr(importlib.import_module(module), name)
    else:
        from jointwise.experiments.joint.registry import EXPERIMENTS, SYNONYMS

        name = SYNONYMS.get(experiment, experiment)
        if name not in EXPERIMENTS:
            raise UnknownNameError("experiment", experiment, list_experiments())
        found = EXPERIMENTS[name].fit
    return found(of, recordings, **options)
