"""Small plants with known answers for the tests of the twin."""

from __future__ import annotations

import numpy as np

from jointwise.laws.damping import Damping
from jointwise.laws.friction import FrictionModel
from jointwise.laws.linear import LinearSpring
from jointwise.laws.transmissions import Transmission
from jointwise.plant.plant import Plant, PlantJoint
from jointwise.robot.library import load_robot


def plain_plant(name="two_link", *, stiffness=2e3, damping=0.0, rotor=0.5, gravity=None, **options):
    """A library arm with linear springs, no friction unless given, and drives that hardly limit."""
    robot = load_robot(name)
    changes = {} if gravity is None else {"gravity": gravity}
    for joint in robot.joints:
        path = f"joints.{joint.name}"
        changes |= {
            f"{path}.drive.rotor_inertia": rotor,
            f"{path}.drive.gear_ratio": 100.0,
            f"{path}.drive.torque_constant": 10.0,
            f"{path}.limits.torque": 1e5,
        }
    robot = robot.replace(changes, source="test")
    friction = options.pop("friction", FrictionModel(terms=()))
    link_friction = options.pop("link_friction", FrictionModel(terms=()))
    gear = Transmission(
        stiffness=LinearSpring(spring_stiffness=stiffness), damping=Damping(damping=damping)
    )
    joint = PlantJoint(transmission=gear, friction=friction, link_friction=link_friction)
    return Plant(robot=robot, joints=(joint,) * robot.n, **options)


def chirp(ticks, n, size, period=1e-3):
    """Torques that shake every joint at several frequencies."""
    t = np.arange(ticks)[:, None] * period
    phase = np.arange(n)[None, :]
    return size * (np.sin(7.0 * t + phase) + 0.5 * np.sin(23.0 * t + 2.0 * phase))
