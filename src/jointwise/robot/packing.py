"""From the user's frames to the packed array of spindle frames that kernels read (`kernels.arm`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.kernels import arm as layout
from jointwise.robot.frames import Frame, homogeneous, rotation_x, rotation_z

Array = NDArray[np.float64]

PARALLEL = 1e-15
"""Below this sine two axes count as parallel; the tilt it neglects is below the rounding of the transform itself."""


class Spindle(NamedTuple):
    """How one joint sits in the chain of spindle frames."""

    tilt: tuple[float, float]
    """cos and sin of the fixed turn about x"""
    origin: Array
    offset: float
    link_frame: Array
    """pose of the user's link frame in the spindle frame"""


def spindle_chain(base: Array, frames: Sequence[Frame]) -> tuple[Array, list[Spindle]]:
    """Pose of the spindle base in the user's base, and one `Spindle` per joint.

    The fixed transform between two joints is Rot_z(turn) Rot_x(tilt) Rot_z(offset) with an origin; the first turn is
    about the axis of the joint before, so it moves into that joint's offset.
    """
    between = [
        (base if i == 0 else frames[i - 1].after()) @ f.before() for i, f in enumerate(frames)
    ]
    split = [split_rotation(t[:3, :3]) for t in between]
    turns = [s[0] for s in split] + [0.0]
    chain = []
    for i, (transform, (turn, tilt, offset)) in enumerate(zip(between, split, strict=True)):
        origin = rotation_z(turn).T @ transform[:3, 3]
        after = homogeneous(rotation_z(turns[i + 1]).T, np.zeros(3)) @ frames[i].after()
        chain.append(Spindle(tilt, origin, offset + turns[i + 1], after))
    return homogeneous(rotation_z(turns[0]), np.zeros(3)), chain


def split_rotation(rotation: Array) -> tuple[float, tuple[float, float], float]:
    """Rotation as Rot_z(turn) Rot_x(tilt) Rot_z(offset): turn within a quarter turn, (cos, sin) of tilt, offset."""
    x, y, z = rotation[:, 2]
    sine = math.hypot(x, y)
    if sine < PARALLEL:
        tilt = (math.copysign(1.0, z), 0.0)
        turn = 0.0
    else:
        # (x, y) = sin(tilt) (sin(turn), -cos(turn)); the sign of the tilt keeps cos(turn) >= 0.
        sign = -1.0 if y > 0.0 else 1.0
        turn = math.atan2(sign * x, -sign * y) if x != 0.0 else 0.0
        norm = math.hypot(sine, z)
        tilt = (z / norm, sign * sine / norm)
    rest = rotation_x(math.atan2(tilt[1], tilt[0])).T @ rotation_z(turn).T @ rotation
    return turn, tilt, math.atan2(rest[1, 0], rest[0, 0])


def pack(
    gravity: Sequence[float],
    base: Array,
    kinds: Sequence[str],
    frames: Sequence[Frame],
    tool: Array,
) -> Array:
    """The packed arm without inertias: kinematics, gravity, link frames and tool."""
    start, chain = spindle_chain(base, frames)
    n = len(frames)
    arm = np.zeros((n + 2, layout.WIDTH))
    arm[0, layout.GRAVITY : layout.GRAVITY + 3] = start[:3, :3].T @ np.asarray(gravity)
    put_pose(arm[0], start)
    for row, kind, spindle in zip(arm[1 : n + 1], kinds, chain, strict=True):
        row[layout.KIND] = layout.PRISMATIC if kind == "prismatic" else layout.REVOLUTE
        row[layout.TILT : layout.TILT + 2] = spindle.tilt
        row[layout.ORIGIN : layout.ORIGIN + 3] = spindle.origin
        row[layout.OFFSET] = spindle.offset
        put_pose(row, spindle.link_frame)
    put_pose(arm[n + 1], chain[-1].link_frame @ tool)
    return arm


def put_pose(row: Array, pose: Array) -> None:
    """Store a pose in the frame slots of a row."""
    row[layout.FRAME_ROTATION : layout.FRAME_ROTATION + 9] = pose[:3, :3].ravel()
    row[layout.FRAME_ORIGIN : layout.FRAME_ORIGIN + 3] = pose[:3, 3]


def get_pose(row: Array) -> Array:
    """Read a pose back from the frame slots of a row."""
    rotation = row[layout.FRAME_ROTATION : layout.FRAME_ROTATION + 9].reshape(3, 3)
    return homogeneous(rotation, row[layout.FRAME_ORIGIN : layout.FRAME_ORIGIN + 3])
