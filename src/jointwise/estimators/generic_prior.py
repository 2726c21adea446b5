"""A prior for the links of an arm: what the robot file knows, and a rough body where it knows nothing.

The rough body is a solid cylinder from the link's own joint to the next, and a radius beyond both, wherever the
convention of the frames puts the link's origin. Its diameter is
0.08 of the summed distances between the joints, and its mean density 1750 kg/m^3, metal with hollows. For arms from
10 to 1000 kg this is right within a factor of about three, which is the spread such a prior deserves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError, ShapeError
from jointwise.estimators.bodies import is_body
from jointwise.robot.description import Robot
from jointwise.robot.frames import homogeneous, inverse
from jointwise.robot.inertia import entries_of, transport

Array = NDArray[np.float64]

SLENDERNESS = 0.08
"""Diameter over the length of the whole arm."""
DENSITY = 1750.0
"""kg/m^3"""
GENERIC_SPREAD = 3.0
"""Relative standard deviation of the rough body."""


class LinkPrior(NamedTuple):
    """Ten inertial parameters per link, and which links are only guessed."""

    values: Array
    guessed: tuple[str, ...]
    """names of the joints whose links got the rough body"""

    @property
    def spread(self) -> float:
        """The spread to give `physical`: 1 where the robot file knows every link."""
        return GENERIC_SPREAD if self.guessed else 1.0


def link_prior(robot: Robot) -> LinkPrior:
    """The links as the robot file has them, rough bodies for those unknown or impossible; payload in the last."""
    poses = robot.link_poses(np.zeros(robot.n))
    starts = [inverse(joint.frame.after()) for joint in robot.joints]
    places = np.array([(p @ s)[:3, 3] for p, s in zip(poses, starts, strict=False)])
    ways = np.diff(places, axis=0, append=poses[-1:, :3, 3])
    length = float(np.linalg.norm(ways, axis=1).sum()) or 1.0
    links, guessed = [], []
    for joint, pose, start, way in zip(robot.joints, poses, starts, ways, strict=False):
        known = None if joint.link.unknown() else joint.link.parameters()
        if known is None or not is_body(known):
            body = generic_link(pose[:3, :3].T @ way, SLENDERNESS * length)
            known = transport(homogeneous(np.eye(3), start[:3, 3])) @ body
            guessed.append(joint.name)
        links.append(known)
    if not robot.payload.unknown():
        links[-1] = links[-1] + transport(robot.flange.matrix()) @ robot.payload.parameters()
    return LinkPrior(np.concatenate(links), tuple(guessed))


def generic_link(way: ArrayLike, diameter: float) -> Array:
    """Ten inertial parameters of the rough body; `way` leads from the link's origin to the next joint, in metres."""
    axis = np.asarray(way, dtype=np.float64)
    if axis.shape != (3,) or not np.isfinite(axis).all():
        raise ShapeError("way", f"shape {axis.shape}", "three finite numbers")
    if not 0.0 < diameter < np.inf:
        raise ParameterError("diameter", diameter, "above 0 m")
    distance = float(np.linalg.norm(axis))
    length, radius = distance + diameter, 0.5 * diameter
    mass = DENSITY * np.pi * radius**2 * length
    along = np.outer(axis, axis) / distance**2 if distance > 0.0 else np.diag([0.0, 0.0, 1.0])
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    tensor = across * (np.eye(3) - along) + 0.5 * mass * radius**2 * along
    center = 0.5 * axis
    tensor = tensor + mass * (center @ center * np.eye(3) - np.outer(center, center))
    return np.concatenate([entries_of(tensor), mass * center, [mass]])
