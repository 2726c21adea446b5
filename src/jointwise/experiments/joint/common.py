"""What every joint experiment begins with: recordings by name, one joint of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jointwise.errors import ParameterError
from jointwise.experiments.joint.pose import axis_angle
from jointwise.experiments.joint.samples import (
    FILTER_HZ,
    JointSamples,
    joint_index,
    joint_samples,
)
from jointwise.experiments.recordings import Recordings, named
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot


class Read(NamedTuple):
    """One joint of the recordings of an experiment."""

    recordings: dict[str, Recording]
    parts: list[JointSamples]
    place: int
    joint: str
    angle: float
    """rad between the joint's axis and gravity"""


def read(
    robot: Robot,
    recordings: Recordings,
    joint: str | int,
    *,
    torque: str | None = None,
    filter_hz: float = FILTER_HZ,
) -> Read:
    """The joint's samples of every recording, and how far its axis is from gravity."""
    given = named(recordings)
    parts = [
        joint_samples(robot, rec, joint, name=name, torque=torque, filter_hz=filter_hz)
        for name, rec in given.items()
    ]
    j = joint_index(robot, joint)
    angle = pose_angle(robot, next(iter(given.values())), j)
    return Read(given, parts, j, robot.joints[j].name, angle)


def pose_angle(robot: Robot, recording: Recording, j: int) -> float:
    """Angle between axis and gravity in the middle of a recording."""
    column = "q" if "q" in recording and np.isfinite(recording["q"]).all() else "theta"
    q = np.median(recording[column if column in recording else "q"], axis=0)
    return float(axis_angle(robot, np.nan_to_num(q), j))


def need_both_encoders(name: str, parts: Sequence[JointSamples]) -> None:
    """Raise unless rotor and link were measured."""
    for samples in parts:
        if samples.q is None or not np.isfinite(samples.q).all():
            raise ParameterError(
                f"encoders of {samples.joint} in {samples.name}", "on one side of the gear",
                f"on both sides for {name}", "columns theta and q",
            )  # fmt: skip
