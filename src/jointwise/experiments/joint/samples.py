"""What a joint experiment reads of a recording: one joint, on an even clock, filtered without delay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.recording import filters
from jointwise.recording.recording import Recording
from jointwise.recording.signals import TORQUES, torque_column
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]
FILTER_HZ = 10.0
"""Cut-off of the zero-phase low-pass for sliding and standing; J2 4.1 uses 10 Hz for the arm."""
SHORTEST = 20
SATURATED = 0.999
"""Share of the drive's limit at which a torque counts as cut off."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JointSamples:
    """One joint of one recording; arrays (samples,), SI, output side.

    `torque` is the motor torque as measured, `smooth_torque` after the low-pass; `theta` the rotor position (the link
    position where no other was recorded), `omega` and `alpha` its filtered derivatives.
    """

    name: str
    joint: str
    rate_hz: float
    filter_hz: float
    time: Array
    theta: Array
    omega: Array
    alpha: Array
    torque: Array
    smooth_torque: Array
    q: Array | None = None
    gauge: Array | None = None
    """joint torque measured by a sensor or known from a load"""
    temperature: Array | None = None
    saturated: float = 0.0
    """share of samples in which the drive was at its limit"""

    def __len__(self) -> int:
        return len(self.time)

    @property
    def inside(self) -> slice:
        """Samples that the ends of the filter do not touch."""
        edge = min(filters.settling_samples(self.rate_hz, self.filter_hz), len(self) // 4)
        return slice(edge, len(self) - edge)


def joint_index(robot: Robot, joint: str | int) -> int:
    """Place of a joint given by name, or by number from 1."""
    names = [j.name for j in robot.joints]
    if isinstance(joint, str) and joint in names:
        return names.index(joint)
    text = str(joint)
    if text.isdecimal() and 1 <= int(text) <= len(names):
        return int(text) - 1
    raise UnknownNameError(f"joint of {robot.name}", text, names)


def joint_samples(
    robot: Robot,
    recording: Recording,
    joint: str | int,
    *,
    name: str = "recording",
    torque: str | None = None,
    filter_hz: float = FILTER_HZ,
) -> JointSamples:
    """Read one joint; `torque` names the column of motor torque where the recording has several."""
    j = joint_index(robot, joint)
    if recording.joint_names != tuple(v.name for v in robot.joints):
        expected = ", ".join(v.name for v in robot.joints)
        raise ParameterError(
            f"joints of {name}", ", ".join(recording.joint_names), f"those of {robot.name}: {expected}"
        )  # fmt: skip
    stamps = recording.time
    steps = np.diff(stamps)
    if len(stamps) < SHORTEST or not np.isfinite(stamps).all() or steps.min() <= 0.0:
        raise ParameterError(
            f"time of {name}", "too short or not increasing", f"at least {SHORTEST} increasing stamps",
            "run `jointwise check` first",
        )  # fmt: skip
    rate = (len(stamps) - 1) / float(stamps[-1] - stamps[0])
    time = stamps[0] + np.arange(len(stamps)) / rate

    def even(values: Array) -> Array:
        return np.asarray(np.interp(time, stamps, values[:, j]))

    measured, share = _motor_torque(robot, recording, j, torque)
    theta = even(recording["theta"] if "theta" in recording else recording["q"])
    if not (np.isfinite(theta).all() and np.isfinite(measured).all()):
        raise ParameterError(
            f"{robot.joints[j].name} in {name}", "not finite", "measured throughout"
        )
    theta = np.unwrap(theta) if robot.joints[j].kind == "revolute" else theta
    cutoff = min(filter_hz, 0.2 * rate)
    smooth = filters.zero_phase(theta, cutoff, rate)
    omega, alpha = filters.central_differences(smooth, rate)
    force = np.interp(time, stamps, measured)
    return JointSamples(
        name=name,
        joint=robot.joints[j].name,
        rate_hz=rate,
        filter_hz=cutoff,
        time=time,
        theta=theta,
        omega=omega,
        alpha=alpha,
        torque=force,
        smooth_torque=filters.zero_phase(force, cutoff, rate),
        q=even(recording["q"]) if "q" in recording and "theta" in recording else None,
        gauge=even(recording["joint_torque"]) if "joint_torque" in recording else None,
        temperature=even(recording["temperature"]) if "temperature" in recording else None,
        saturated=share,
    )


def _motor_torque(
    robot: Robot, recording: Recording, j: int, torque: str | None
) -> tuple[Array, float]:
    """Torque of motor j, and the share of samples in which it was at the drive's limit."""
    present = [c for c in ("motor_torque", "current") if c in recording]
    if torque is None and len(present) == 1:
        torque = present[0]
    name = torque_column(recording, torque)
    if name == "joint_torque":
        allowed = ", ".join(c for c in TORQUES if c != "joint_torque")
        raise ParameterError("torque column", name, f"torque before the gear: {allowed}")
    values = recording[name][:, j]
    if name == "current":
        constant = robot.joints[j].drive.torque_constant
        place = f"joints.{robot.joints[j].name}.drive.torque_constant"
        robot.require("torque from current", [(place, constant)])
        if not isinstance(constant, Unknown):
            values = values * np.array(constant)
    limit = robot.joints[j].limits.torque
    if isinstance(limit, Unknown) or not np.isfinite(limit):
        return values, 0.0
    return values, float(np.mean(np.abs(values) >= SATURATED * limit))
