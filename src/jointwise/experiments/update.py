"""The robot with what a fit found put into it: friction laws, rotor inertias, and links that bodies can have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.experiments.design import Design
from jointwise.laws.friction import FrictionModel
from jointwise.robot.description import Robot
from jointwise.robot.inertia import NOTHING, body_from_parameters
from jointwise.robot.parts import Law

Array = NDArray[np.float64]
SOURCE = "fitted to recordings"


def updated_robot(
    robot: Robot, design: Design, values: Array, gamma: Array | None
) -> tuple[Robot, tuple[str, ...]]:
    """The robot with fitted numbers, and what had to be left out, one sentence each.

    `gamma` are physical standard parameters with these base parameters, or as near as bodies come; without them the
    links stay as they were.
    """
    changes: dict[str, Any] = {}
    notes: list[str] = []
    base = design.base
    for k, joint in enumerate(robot.joints):
        law = None if design.correcting else friction_law(design, values, k)
        if law is not None:
            changes[f"joints.{joint.name}.friction"] = law
        own = f"J{k + 1}"
        if own in base.names and values[base.names.index(own)] >= 0.0:
            changes[f"joints.{joint.name}.drive.rotor_inertia"] = float(
                values[base.names.index(own)]
            )
    if design.correcting and design.friction_places:
        notes.append(
            "the friction of the robot is kept; what was fitted corrects it in the fit only"
        )
    if gamma is not None:
        try:
            bodies = [body_from_parameters(link) for link in gamma[: 10 * robot.n].reshape(-1, 10)]
        except ParameterError as error:
            notes.append(f"link inertias were not put into the robot: {error}")
        else:
            for joint, body in zip(robot.joints, bodies, strict=True):
                changes[f"joints.{joint.name}.link"] = body
            if robot.payload != NOTHING:
                changes["payload"] = NOTHING
                notes.append(
                    "the fitted last link carries the payload; the robot's payload is zero"
                )
    return robot.replace(changes, source=SOURCE), tuple(notes)


def friction_law(design: Design, values: Array, motor: int) -> Law | None:
    """The friction of one motor as a robot file stores it; None without friction terms."""
    laws = []
    for u, use in enumerate(design.uses):
        if motor not in use.motors:
            continue
        coefficients = np.zeros(len(use.term.columns))
        for k, (which, column, m) in enumerate(design.friction_places):
            if which == u and m == motor:
                coefficients[column] = values[design.base.count + k]
        if use.term.nonnegative:
            coefficients = np.maximum(coefficients, 0.0)
        laws.append(use.term.law([float(c) for c in coefficients]))
    return merged_law(laws)


def merged_law(laws: list[Any]) -> Law | None:
    """Laws as one entry of a robot file; two banks of springs become one."""
    from jointwise.laws.slip_bank import SlipBank

    banks = [law for law in laws if isinstance(law, SlipBank)]
    others = [law for law in laws if not isinstance(law, SlipBank)]
    if banks:
        torques = tuple(np.sum([bank.torques for bank in banks], axis=0).tolist())
        shares = tuple(np.sum([bank.load_shares for bank in banks], axis=0).tolist())
        others.append(SlipBank(limits=banks[0].limits, torques=torques, load_shares=shares))
    return FrictionModel(terms=others).to_law() if others else None
