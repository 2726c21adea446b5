"""Arms simple enough for a formula, and two larger ones with every value set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from jointwise.robot.description import Robot
from jointwise.robot.frames import ModifiedDH, Pose
from jointwise.robot.inertia import Body
from jointwise.robot.parts import Drive, Joint

LENGTH = (0.7, 0.5)
MASS = (3.0, 2.0)
CENTER = (0.3, 0.2)
INERTIA = (0.06, 0.03)
WEIGHT = 9.81


def planar_link(name: str, k: int) -> Joint:
    """Link k of the two-link arm, in its plane x y, turning about z."""
    return Joint(
        name=name,
        frame=ModifiedDH(a=0.0 if k == 0 else LENGTH[0]),
        link=Body(
            mass=MASS[k],
            center_of_mass=(CENTER[k], 0.0, 0.0),
            inertia=(0.01, 0.0, 0.0, INERTIA[k], 0.0, INERTIA[k]),
        ),
        drive=Drive(gear_ratio=100.0, torque_constant=10.0, rotor_inertia=0.8 + k),
    )


def pendulum() -> Robot:
    """One link in a vertical plane; q = 0 holds it level, gravity pulls along -y."""
    return Robot(name="pendulum", joints=(planar_link("swing", 0),), gravity=(0.0, -WEIGHT, 0.0))


def two_links() -> Robot:
    """Two links in a vertical plane."""
    joints = (planar_link("shoulder", 0), planar_link("elbow", 1))
    return Robot(
        name="two links",
        joints=joints,
        gravity=(0.0, -WEIGHT, 0.0),
        tool=Pose(origin=(LENGTH[1], 0.0, 0.0)),
    )


def turning_arm(n: int = 6, **changes) -> Robot:
    """n revolute joints with the same rounded numbers every time, for tests that need an ordinary arm."""
    rng = np.random.default_rng(n)
    twist = (0.0, 0.5 * np.pi, 0.0, 0.0, -0.5 * np.pi, 0.5 * np.pi)
    joints = tuple(
        Joint(
            name=f"joint {i + 1}",
            frame=ModifiedDH(a=0.3 * (i % 3 == 1), alpha=twist[i % 6], d=round(0.1 + 0.05 * i, 3)),
            link=Body(
                mass=round(8.0 / (i + 1), 3),
                center_of_mass=tuple(rng.uniform(-0.1, 0.1, 3).round(3)),
                inertia=(0.08 / (i + 1), 0.004, -0.003, 0.06 / (i + 1), 0.002, 0.07 / (i + 1)),
            ),
            drive=Drive(
                gear_ratio=(101.0, -87.0, 120.0)[i % 3],
                torque_constant=10.0,
                rotor_inertia=round(1.2 / (i + 1), 3),
            ),
        )
        for i in range(n)
    )
    return replace(Robot(name="turning arm", joints=joints), **changes)
