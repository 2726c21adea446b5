"""Several bodies fixed to each other as one body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.robot.inertia import NOTHING, Body, entries_of

Array = NDArray[np.float64]


class Lump(NamedTuple):
    """A body in the axes of the common frame."""

    mass: float
    center: Array
    tensor: Array
    """about its own centre of mass"""


def moved(lump: Lump, pose: Array) -> Lump:
    """The same body, given in a frame whose pose in the common frame is `pose`."""
    rotation = pose[:3, :3]
    center = rotation @ lump.center + pose[:3, 3]
    return Lump(lump.mass, center, rotation @ lump.tensor @ rotation.T)


def lumped(lumps: Sequence[Lump]) -> Body:
    """One body from bodies fixed to each other; an unknown one from no body at all.

    Tensors move to the common centre of mass by the parallel-axis theorem, sum of I + m (d^2 E - d d^T): only
    positive terms are added, so that rounding cannot make the result unphysical.
    """
    if not lumps:
        return Body()
    mass = sum(lump.mass for lump in lumps)
    if mass == 0.0:
        return NOTHING
    center = sum((lump.mass * lump.center for lump in lumps), start=np.zeros(3)) / mass
    if len(lumps) == 1:
        center = lumps[0].center
    tensor = np.zeros((3, 3))
    for lump in lumps:
        d = lump.center - center
        tensor += lump.tensor + lump.mass * (d @ d * np.eye(3) - np.outer(d, d))
    x, y, z = (float(v) for v in center)
    xx, xy, xz, yy, yz, zz = (float(v) for v in entries_of(tensor))
    return Body(mass=mass, center_of_mass=(x, y, z), inertia=(xx, xy, xz, yy, yz, zz))
