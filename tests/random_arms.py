"""Seeded random arms: any number of joints of both kinds, any convention, general and special geometry.

What an arm may look like is decided here once, from what is built, and not from what a test can bear: links of
0.1 to 30 kg and up to half a metre, every inertia that of a real distribution of mass.
"""

from __future__ import annotations

import numpy as np

from jointwise.robot.description import Robot
from jointwise.robot.frames import ModifiedDH, Pose, StandardDH, Transform
from jointwise.robot.inertia import NOTHING, Body
from jointwise.robot.parts import Drive, Joint

MOST_JOINTS = 9
QUARTER = 0.5 * np.pi


def random_arm(
    rng: np.random.Generator, joints: int | None = None, special: bool | None = None
) -> Robot:
    """One arm; `special` forces (or forbids) right angles and zero lengths."""
    n = int(rng.integers(1, MOST_JOINTS + 1)) if joints is None else joints
    special = bool(rng.random() < 0.4) if special is None else special
    convention = rng.choice(["modified", "standard", "transform", "mixed"])
    only_revolute = rng.random() < 0.3
    return Robot(
        name="random arm",
        joints=tuple(
            Joint(
                name=f"joint {i}",
                kind="revolute" if only_revolute or rng.random() < 0.7 else "prismatic",
                frame=random_frame(rng, convention, special),
                link=random_body(rng),
                drive=random_drive(rng),
            )
            for i in range(1, n + 1)
        ),
        gravity=random_gravity(rng),
        base=random_pose(rng) if rng.random() < 0.3 else Pose(),
        flange=random_pose(rng) if rng.random() < 0.3 else Pose(),
        tool=random_pose(rng) if rng.random() < 0.5 else Pose(),
        payload=random_body(rng) if rng.random() < 0.3 else NOTHING,
    )


def random_frame(rng: np.random.Generator, convention: str, special: bool):
    if convention == "mixed":
        convention = rng.choice(["modified", "standard", "transform"])
    if convention == "transform":
        axis = rng.normal(size=3)
        if special:
            axis = np.zeros(3)
            axis[rng.integers(3)] = rng.choice([-1.0, 1.0])
        return Transform(
            origin=tuple(lengths(rng, special, 3)),
            rpy=tuple(angles(rng, special, 3)),
            axis=tuple(axis),
        )
    a, d = lengths(rng, special, 2)
    alpha, offset = angles(rng, special, 2)
    kind = ModifiedDH if convention == "modified" else StandardDH
    return kind(a=a, alpha=alpha, d=d, offset=offset)


def lengths(rng: np.random.Generator, special: bool, count: int) -> np.ndarray:
    values = rng.uniform(-0.5, 0.5, count)
    return values * rng.integers(0, 2, count) if special else values


def angles(rng: np.random.Generator, special: bool, count: int) -> np.ndarray:
    if special:
        return QUARTER * rng.integers(-1, 3, count)
    return rng.uniform(-np.pi, np.pi, count)


def random_pose(rng: np.random.Generator) -> Pose:
    return Pose(origin=tuple(rng.uniform(-0.5, 0.5, 3)), rpy=tuple(rng.uniform(-3.0, 3.0, 3)))


def random_body(rng: np.random.Generator) -> Body:
    """Mass, centre and inertia of 4 to 8 random point masses inside a box of random sides."""
    count = int(rng.integers(4, 9))
    share = rng.uniform(0.1, 1.0, count)
    mass = float(np.exp(rng.uniform(np.log(0.1), np.log(30.0))))
    masses = mass * share / share.sum()
    points = rng.uniform(-0.5, 0.5, (count, 3)) * rng.uniform(0.05, 0.5, 3)
    points += rng.uniform(-0.2, 0.2, 3)
    center = masses @ points / mass
    r = points - center
    tensor = np.einsum("k,kab->ab", masses, (r**2).sum(1)[:, None, None] * np.eye(3))
    tensor -= np.einsum("k,ka,kb->ab", masses, r, r)
    entries = tensor[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    return Body(mass=mass, center_of_mass=tuple(center), inertia=tuple(entries))


def random_drive(rng: np.random.Generator) -> Drive:
    return Drive(
        gear_ratio=float(rng.uniform(20.0, 200.0) * rng.choice([-1.0, 1.0])),
        torque_constant=float(rng.uniform(1.0, 20.0)),
        rotor_inertia=float(rng.uniform(0.05, 5.0)),
    )


def random_gravity(rng: np.random.Generator) -> tuple[float, float, float]:
    if rng.random() < 0.4:
        return (0.0, 0.0, -9.81)
    direction = rng.normal(size=3)
    return tuple(9.81 * direction / np.linalg.norm(direction))


def random_motion(rng: np.random.Generator, robot: Robot, *leading: int) -> list[np.ndarray]:
    """q and its first four time derivatives, each (..., n); slides within half a metre."""
    shape = (*leading, robot.n)
    reach = np.array([np.pi if j.kind == "revolute" else 0.5 for j in robot.joints])
    scales = (2.0, 5.0, 20.0, 100.0)
    return [rng.uniform(-1.0, 1.0, shape) * reach] + [s * rng.normal(size=shape) for s in scales]
