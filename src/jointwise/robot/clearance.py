"""How far a robot is from itself and from the floor, by the capsules of its links."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.robot import samples

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Shape:
    link: NDArray[np.int64]
    """per capsule: 0 for the base, k for the link that joint k moves"""
    ends: Array
    """(capsules, 2, 3) in the frame of the link"""
    radius: Array
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    """pairs of capsules that can meet: those of links that are no neighbours"""
    standing: NDArray[np.int64]
    """capsules that can reach the floor: those beyond the first link"""


@functools.lru_cache(maxsize=32)
def _shape(robot: Robot) -> _Shape:
    parts = [(0, c) for c in robot.capsules]
    parts += [(k, c) for k, joint in enumerate(robot.joints, 1) for c in joint.capsules]
    link = np.array([k for k, _ in parts], dtype=np.int64)
    pairs = [
        (i, j) for i, j in itertools.combinations(range(len(parts)), 2) if link[j] - link[i] >= 2
    ]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return _Shape(
        link=link,
        ends=np.array([[c.start, c.end] for _, c in parts], dtype=np.float64).reshape(-1, 2, 3),
        radius=np.array([c.radius for _, c in parts]),
        first=both[:, 0].copy(),
        second=both[:, 1].copy(),
        standing=np.flatnonzero(link >= 2),
    )


def has_capsules(robot: Robot) -> bool:
    """True where at least one link says what shape it has."""
    return bool(robot.capsules) or any(joint.capsules for joint in robot.joints)


def distances(robot: Robot, q: ArrayLike, *, floor: float = -np.inf) -> Array:
    """Distances (samples, pairs) in m of capsules of links that are no neighbours, then of each link to the floor.

    `floor` is the height of a floor in the base frame, that is a plane across its z axis; -inf for none. The base and
    the first link, which only turns where it is mounted, do not meet the floor.
    """
    from jointwise.kernels.capsules import capsule_distances

    _, (positions,) = samples.samples(robot.n, {"q": q})
    shape = _shape(robot)
    standing = shape.standing if np.isfinite(floor) else shape.standing[:0]
    out = np.empty((len(positions), len(shape.first) + len(standing)))
    shared = (robot.chain, shape.link, shape.ends, shape.radius, shape.first, shape.second)
    samples.spread(capsule_distances, (*shared, standing, float(floor)), [positions, out])
    return out


def clearance(robot: Robot, q: ArrayLike, *, floor: float = -np.inf) -> Array:
    """Smallest distance in m at each sample; infinite where no two capsules can meet."""
    return np.asarray(distances(robot, q, floor=floor).min(axis=1, initial=np.inf))


def pair_names(robot: Robot, *, floor: float = -np.inf) -> tuple[str, ...]:
    """What each column of `distances` is the distance of."""
    shape = _shape(robot)
    names = ["base", *(joint.name for joint in robot.joints)]
    pairs = zip(shape.link[shape.first], shape.link[shape.second], strict=True)
    found = [f"{names[i]} and {names[j]}" for i, j in pairs]
    if np.isfinite(floor):
        found += [f"{names[k]} and the floor" for k in shape.link[shape.standing]]
    return tuple(found)
