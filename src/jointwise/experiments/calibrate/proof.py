"""How well a calibrated robot predicts the motor torque of a motion none of its stages has seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.metrics import nrmse_percent
from jointwise.laws.columns import columns_along
from jointwise.laws.friction import FrictionModel
from jointwise.recording import filters
from jointwise.recording.recording import Recording
from jointwise.recording.signals import Signals, signals
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]
FILTER_HZ = 10.0
ROOM_DEGC = 25.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Proof:
    """Measured and predicted torque (samples, n), filtered, and the fit in percent of each joint."""

    time: Array
    measured: Array
    predicted: Array
    nrmse_percent: tuple[float, ...]


def proof(robot: Robot, recording: Recording) -> Proof:
    """Rigid body torque, rotors, and friction with its memory along the motion."""
    piece = signals(recording, robot, filter_hz=FILTER_HZ, torque="current")[0]
    total = robot.inverse_dynamics(piece.q, piece.dq, piece.ddq, rotors=True) + friction_along(
        robot, piece, recording
    )
    kept = slice(piece.edge, len(piece) - piece.edge)
    measured = filters.zero_phase(piece.torque, FILTER_HZ, piece.rate_hz)[kept]
    predicted = filters.zero_phase(total, FILTER_HZ, piece.rate_hz)[kept]
    scores = (nrmse_percent(measured[:, j], predicted[:, j]) for j in range(robot.n))
    return Proof(
        time=piece.time[kept],
        measured=measured,
        predicted=predicted,
        nrmse_percent=tuple(float(v) for v in scores),
    )


def friction_along(robot: Robot, piece: Signals, recording: Recording) -> Array:
    """Friction of every joint along the motion, (samples, n); zero where a joint's is not known."""
    load = robot.inverse_dynamics(piece.q, piece.dq, piece.ddq)
    out = np.zeros_like(load)
    for j, joint in enumerate(robot.joints):
        if isinstance(joint.friction, Unknown):
            continue
        warmth = np.full(len(piece), ROOM_DEGC)
        if "temperature" in recording:
            warmth = np.interp(piece.time, recording.time, recording["temperature"][:, j])
        laws = FrictionModel.from_law(joint.friction).terms
        columns = columns_along(
            laws, piece.theta[:, j], piece.dtheta[:, j], load[:, j], warmth, 1.0 / piece.rate_hz
        )
        out[:, j] = columns.sum(axis=1)
    return out
