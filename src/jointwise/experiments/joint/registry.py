"""The experiments by name: each a plan and a fit. A new experiment is one new file and one line here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jointwise.errors import UnknownNameError
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint import (
    damping,
    e_gms,
    hysteresis,
    kinematic_error,
    link_friction,
    load,
    stiffness,
    temperature,
    transmission,
    velocity,
)
from jointwise.experiments.joint.motions import SHARE
from jointwise.experiments.joint.pose import Rule
from jointwise.motion.bounds import bounds_of
from jointwise.motion.check import Excess, excesses
from jointwise.motion.motion import Motion
from jointwise.robot.description import Robot


@dataclass(frozen=True, kw_only=True)
class JointExperiment:
    """`plan(robot, joint, ...)` makes the motion, `fit(robot, recordings, joint, ...)` evaluates what it gave."""

    name: str
    about: str
    pose: Rule
    """how the axis must stand to gravity"""
    plan: Callable[..., Motion]
    fit: Callable[..., Fit]
    both_encoders: bool = False


_ALL = (
    JointExperiment(
        name="stiffness", about="static stiffness from known loads", pose="parallel",
        plan=stiffness.plan, fit=stiffness.fit, both_encoders=True,
    ),
    JointExperiment(
        name="velocity", about="friction against velocity", pose="parallel",
        plan=velocity.plan, fit=velocity.fit,
    ),
    JointExperiment(
        name="load", about="friction against load", pose="normal", plan=load.plan, fit=load.fit
    ),
    JointExperiment(
        name="temperature", about="friction against temperature", pose="parallel",
        plan=temperature.plan, fit=temperature.fit,
    ),
    JointExperiment(
        name="kinematic-error", about="kinematic error and backlash", pose="parallel",
        plan=kinematic_error.plan, fit=kinematic_error.fit, both_encoders=True,
    ),
    JointExperiment(
        name="hysteresis", about="friction with memory", pose="parallel",
        plan=hysteresis.plan, fit=hysteresis.fit,
    ),
    JointExperiment(
        name="e-gms", about="friction with memory, load, speed and temperature together",
        pose="parallel", plan=e_gms.plan, fit=e_gms.fit,
    ),
    JointExperiment(
        name="damping", about="damping by logarithmic decrement", pose="parallel",
        plan=damping.plan, fit=damping.fit,
    ),
    JointExperiment(
        name="link-friction", about="friction on the link side", pose="parallel",
        plan=link_friction.plan, fit=link_friction.fit, both_encoders=True,
    ),
    JointExperiment(
        name="transmission", about="compliance, hysteresis and kinematic error of the gear",
        pose="normal", plan=transmission.plan, fit=transmission.fit, both_encoders=True,
    ),
)  # fmt: skip
EXPERIMENTS: Mapping[str, JointExperiment] = {e.name: e for e in _ALL}


SYNONYMS = {"friction": "velocity"}
"""Other names under which an experiment can be asked for."""


def plan_and_check(
    name: str, robot: Robot, joint: str | int, **options: Any
) -> tuple[Motion, tuple[Excess, ...]]:
    """The motion of an experiment, and everything it exceeds of the robot's limits."""
    chosen = experiment(name)
    allowed = list(inspect.signature(chosen.plan).parameters)[2:]
    for option in options:
        if option not in allowed:
            raise UnknownNameError(
                f"option of the {chosen.name} motion", option, allowed or ("none",)
            )
    motion = chosen.plan(robot, joint, **options)
    bounds = bounds_of(robot, share=SHARE)
    return motion, excesses(motion, robot, bounds) + motion.excesses(robot)


def experiment(name: str) -> JointExperiment:
    """The experiment of that name."""
    name = SYNONYMS.get(name, name)
    if name not in EXPERIMENTS:
        raise UnknownNameError("joint experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]
