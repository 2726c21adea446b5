"""How small a step must be: the fastest mode of the plant, and the error a step makes of it.

The linearised plant has eigenvalues lambda; a method is stable while |lambda| dt stays below its limit. The relative
error of the fastest mode after one of its radians is about |lambda| dt / 2 for the semi-implicit step and
(|lambda| dt)^4 / 120 for RK4; slower modes are more accurate by the same powers. A wall counts as if the tool were
in contact in every pose.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.laws.friction import FrictionModel
from jointwise.plant.outcome import Wall
from jointwise.plant.plant import Plant, PlantJoint
from jointwise.robot.parts import is_finite

Array = NDArray[np.float64]

STABLE = {"semi_implicit": 2.0, "rk4": 2.78}
CHOSEN = {"semi_implicit": 0.2, "rk4": 0.5}
"""|lambda| dt the step is chosen for when nothing is asked."""
POSES = 16
MOST = 1_000_000
"""Substeps in a control period beyond which a second would take an hour."""
SMALL = 1e-9
"""rad; a displacement inside the stiffest part of any presliding law"""
CREEP = 0.01
"""rad/s; friction that rises faster than its chord up to here acts too briefly to make a step unstable"""


class StepSize(NamedTuple):
    """The step a twin uses and what it means."""

    dt: float
    substeps: int
    fastest: float
    """|lambda| of the fastest mode, rad/s"""
    joint: str
    """the joint that moves most in it"""
    relative_error: float
    """of the fastest mode, per radian of it"""


def step_size(
    plant: Plant, period: float, method: str, substeps: int | None, wall: Wall | None = None
) -> StepSize:
    """Step for a control period; refuses a number of substeps that cannot be stable."""
    fastest, joint = fastest_mode(plant, wall)
    if substeps is None:
        substeps = max(1, int(np.ceil(period * fastest / CHOSEN[method])))
    if substeps > MOST:
        raise ParameterError(
            f"substeps (joint {joint} is the fastest, {fastest:.4g} rad/s)",
            substeps,
            f"at most {MOST} in a period of {period:g} s",
            "soften the gear, its damping or the wall, or give the link or the rotor more inertia",
        )
    dt = period / substeps
    product = fastest * dt
    if product > STABLE[method]:
        need = int(np.ceil(period * fastest / STABLE[method]))
        raise ParameterError(
            f"step of the simulation (joint {joint} is the fastest, {fastest:.4g} rad/s)",
            f"{dt:.4g} s",
            f"at most {STABLE[method] / fastest:.4g} s for {method}",
            f"use at least {need} substeps in a period of {period:g} s",
        )
    error = product / 2.0 if method == "semi_implicit" else product**4 / 120.0
    return StepSize(dt, substeps, fastest, joint, error)


def fastest_mode(plant: Plant, wall: Wall | None = None) -> tuple[float, str]:
    """Largest |eigenvalue| of the linearised plant over some poses, and the joint that moves most in it."""
    robot = plant.robot
    n = robot.n
    spring, pre, damping = (
        np.array([f(plant.joints[j], _torque_limit(plant, j)) for j in range(n)])
        for f in (
            _largest_stiffness,
            _presliding_stiffness,
            lambda joint, _: joint.transmission.damping.damping,
        )
    )
    rotor = np.diag(robot.rotor_matrix())
    on_rotor = np.array([_creeping_loss(joint.friction) for joint in plant.joints])
    on_link = np.array([_creeping_loss(joint.link_friction) for joint in plant.joints])
    stiffness = _across(spring)
    stiffness[n:, n:] += np.diag(pre)
    loss = _across(damping) + np.diag(np.concatenate([on_link, on_rotor]))
    rng = np.random.default_rng(0)
    best = (0.0, robot.joints[0].name)
    for q in np.vstack([np.zeros(n), rng.uniform(-np.pi, np.pi, (POSES, n))]):
        touch = np.zeros((2 * n, 2 * n))
        if wall is not None:
            way = np.asarray(wall.normal) @ robot.jacobian(q)[:3]
            touch[:n, :n] = np.outer(way, way)
        inverse = np.zeros((2 * n, 2 * n))
        inverse[:n, :n] = np.linalg.inv(robot.mass_matrix(q))
        inverse[n:, n:] = np.diag(1.0 / rotor)
        hard, lossy = (wall.stiffness, wall.damping) if wall is not None else (0.0, 0.0)
        system = np.block(
            [
                [np.zeros((2 * n, 2 * n)), np.eye(2 * n)],
                [-inverse @ (stiffness + hard * touch), -inverse @ (loss + lossy * touch)],
            ]
        )
        values, vectors = np.linalg.eig(system)
        k = int(np.argmax(np.abs(values)))
        if abs(values[k]) > best[0]:
            moving = int(np.argmax(np.abs(vectors[: 2 * n, k]))) % n
            best = (float(abs(values[k])), robot.joints[moving].name)
    return best


def _across(values: Array) -> Array:
    """What acts between link and rotor of each joint, as a matrix over (links, rotors)."""
    each = np.diag(values)
    return np.block([[each, -each], [-each, each]])


def _torque_limit(plant: Plant, j: int) -> float:
    limit = plant.robot.joints[j].limits.torque
    return float(limit) if is_finite(limit) and isinstance(limit, float) else 100.0


def _largest_stiffness(joint: PlantJoint, torque: float) -> float:
    law = joint.transmission.stiffness
    loads = np.linspace(-torque, torque, 21)
    return float(np.max(law.stiffness(law.deformation(loads))))


def _presliding_stiffness(joint: PlantJoint, torque: float) -> float:
    """Slope of friction against displacement from rest, under the largest load."""
    moved, _ = joint.friction.run([0.0, SMALL], 0.0, torque, 20.0, dt=1.0)
    return max(0.0, float(moved[1] - moved[0]) / SMALL)


def _creeping_loss(friction: FrictionModel) -> float:
    """Slope of friction against velocity from standstill, N m s/rad."""
    torque, _ = friction.run([0.0], CREEP, 0.0, 20.0, dt=1.0)
    return max(0.0, float(torque[0]) / CREEP)
