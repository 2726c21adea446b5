"""The experiments by name: each a plan and a fit. A new experiment is one new file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from jointwise.errors import UnknownNameError
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint import (
    damping,
    hysteresis,
    kinematic_error,
    link_friction,
    load,
    stiffness,
    temperature,
    velocity,
)
from jointwise.experiments.joint.pose import Rule
from jointwise.motion.motion import Motion


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
        name="damping", about="damping by logarithmic decrement", pose="parallel",
        plan=damping.plan, fit=damping.fit,
    ),
    JointExperiment(
        name="link-friction", about="friction on the link side", pose="parallel",
        plan=link_friction.plan, fit=link_friction.fit, both_encoders=True,
    ),
)  # fmt: skip
EXPERIMENTS: Mapping[str, JointExperiment] = {e.name: e for e in _ALL}


def experiment(name: str) -> JointExperiment:
    """The experiment of that name."""
    if name not in EXPERIMENTS:
        raise UnknownNameError("joint experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]
