"""The full flexible-joint model of a robot, with inertial coupling between links and rotors; spec 03.2."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError
from jointwise.robot import samples

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

Array = NDArray[np.float64]


class FlexibleModel(NamedTuple):
    """Terms of mass [ddq; ddtheta] + coriolis [dq; dtheta] + gravity + elastic torque = [0; motor torque]."""

    mass: Array
    """(..., 2n, 2n): [[M, S], [S^T, B]]"""
    coriolis: Array
    """(..., 2n, 2n): [[CA1 + CB1, CB2], [CB3, 0]], d mass/dt - 2 coriolis skew-symmetric"""
    gravity: Array
    """(..., 2n): gravity torque of the links, zero for the rotors"""


def flexible_model(robot: Robot, q: ArrayLike, dq: ArrayLike, dtheta: ArrayLike) -> FlexibleModel:
    """Mass, Coriolis and gravity in the coordinates (q; theta)."""
    from jointwise.kernels.flexible import flexible_model_batch

    n = robot.n
    leading, (q2, dq2, dtheta2) = samples.samples(n, {"q": q, "dq": dq, "dtheta": dtheta})
    rates = np.concatenate([dq2, dtheta2], axis=1)
    mass = np.empty((len(q2), 2 * n, 2 * n))
    coriolis = np.empty_like(mass)
    load = np.empty_like(q2)
    shared = (arm_with_rotors(robot),)
    samples.spread(flexible_model_batch, shared, [q2, rates, mass, coriolis, load])
    gravity = np.concatenate([load, np.zeros_like(load)], axis=1)
    shape = (*leading, 2 * n, 2 * n)
    return FlexibleModel(
        mass.reshape(shape), coriolis.reshape(shape), gravity.reshape(*leading, 2 * n)
    )


def arm_with_rotors(robot: Robot) -> Array:
    """The packed arm with reflected rotor inertia and gear ratio of each joint filled in."""
    from jointwise.kernels.arm import RATIO, ROTOR

    if robot.coupling is not None and not np.array_equal(robot.coupling_matrix(), np.eye(robot.n)):
        raise ParameterError(
            f"coupling of {robot.name}",
            robot.coupling,
            "the identity for the full flexible model, whose rotors each turn one joint",
        )
    drives = [(f"joints.{j.name}.drive", j.drive) for j in robot.joints]
    robot.require(
        f"the flexible model of {robot.name}",
        [(f"{path}.rotor_inertia", d.rotor_inertia) for path, d in drives]
        + [(f"{path}.gear_ratio", d.gear_ratio) for path, d in drives],
    )
    arm = robot.arm.copy()
    arm[1:-1, ROTOR] = np.array([d.rotor_inertia for _, d in drives], dtype=np.float64)
    arm[1:-1, RATIO] = np.array([d.gear_ratio for _, d in drives], dtype=np.float64)
    return arm
