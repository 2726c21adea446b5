"""Torque predicted by a fit of the whole arm, along signals of any recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.design import Design
from jointwise.experiments.fit import Fit
from jointwise.experiments.known import Known, taken_as_known
from jointwise.experiments.memory_start import at_joints, independent, starts
from jointwise.experiments.trim import Trim, gains_at_joints
from jointwise.recording import filters
from jointwise.recording.recording import Recording
from jointwise.recording.signals import Signals, shifted, signals

Array = NDArray[np.float64]

STANDARD = "standard"
"""Array of a fit: ten parameters per link, then one rotor inertia per joint where rotors were fitted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueModel:
    """A design with values for its parameters: what a fit of the whole arm predicts with."""

    design: Design
    values: Array
    gamma: Array
    """standard parameters with exactly these base parameters: those whose load the friction was fitted with"""
    known: Known
    """what is taken off beforehand, and where elastic gears put the links"""
    trim: Trim
    """slopes and zeros are in the robot already; gains are between its torque and the measured one"""
    delay: tuple[float, ...] = (0.0,)
    """time in s by which torque was stamped later than position, of all joints or of each"""
    differentiation: str = "band_pass"
    """how velocity and acceleration were found in the fit"""
    noise: tuple[float, ...] = ()
    """residual of the fit, N m; needed to read off where friction with memory started"""

    def torque(self, piece: Signals) -> tuple[Array, Array, Array | None]:
        """Torque of links and rotors, and of friction, (samples, n) each, and the spans of its start, not filtered."""
        return self.design.torque(piece, self.values, self.gamma)


@dataclass(frozen=True, kw_only=True, eq=False)
class Prediction:
    """Measured beside predicted torque of one piece, without what the filter spoils; both are low-passed.

    `raw_measured` is not: what a low-pass takes from it nobody predicts. The prediction is the same, since without the
    low-pass it would be mostly the noise of accelerations.
    """

    name: str
    time: Array
    q: Array
    speed: Array
    measured: Array
    predicted: Array
    rigid: Array
    raw_measured: Array


def model_of(fit: Fit) -> TorqueModel:
    """The torque model a fit of the whole arm found."""
    fit.require("robot")
    design = Design(
        robot=fit.robot,
        friction=tuple(fit.settings["friction"]),
        rotors=bool(fit.settings["rotors"]),
        zone=tuple(fit.settings["zone"]),
        compliance=tuple(fit.settings["compliance"]),
        tilt=tuple(tuple(row) for row in fit.settings.get("tilt", ())),
        correcting="friction" in fit.settings["compensate"],
    )
    return TorqueModel(
        design=design,
        values=fit.values,
        gamma=fit.arrays[STANDARD],
        known=taken_as_known(
            fit.robot, tuple(fit.settings["compensate"]), bool(fit.settings["elastic"])
        ),
        trim=Trim(
            slope=tuple(fit.settings["slope"]),
            zero=tuple(fit.settings["zero"]),
            gain=tuple(fit.settings["gain"]),
        ),
        delay=tuple(float(d) for d in fit.settings["delay_s"]),
        differentiation=str(fit.settings.get("differentiation", "band_pass")),
        noise=tuple(float(joint["residual_rms"]) for joint in fit.joints),
    )


def predict(
    model: TorqueModel,
    recording: Recording,
    *,
    filter_hz: float,
    torque: str | None = None,
    name: str = "recording",
    start_s: float = 0.0,
) -> list[Prediction]:
    """Measured and predicted torque of each piece of a recording; see `predict_piece`."""
    pieces = signals(
        recording,
        model.design.robot,
        filter_hz=filter_hz,
        torque=torque,
        name=name,
        differentiation=model.differentiation,
    )
    return [predict_piece(model, piece, filter_hz, start_s) for piece in pieces]


def predict_piece(
    model: TorqueModel, piece: Signals, filter_hz: float, start_s: float = 0.0
) -> Prediction:
    """Measured and predicted torque of one piece.

    Friction with memory begins where it is expected to be. With `start_s` it begins where the torque of that first
    time says, and that time is left out of the prediction.
    """
    raw = shifted(piece.torque, piece.rate_hz, model.delay)
    gains = gains_at_joints(model.design.robot, model.trim.gain)
    piece = model.known.applied(model.trim.signals(piece, model.design.robot), filter_hz)
    rigid, friction, spans = model.torque(piece)
    measured = shifted(piece.torque, piece.rate_hz, model.delay)
    total = rigid + friction
    if piece.known is not None:
        total = total + piece.known
    keep = slice(piece.edge, len(piece) - piece.edge)

    def smooth(values: Array) -> Array:
        return filters.zero_phase(values, filter_hz, piece.rate_hz)[keep]

    if spans is not None and start_s > 0.0:
        first = max(1, round(start_s * piece.rate_hz))
        scale = independent(piece.rate_hz, filter_hz)
        torques = at_joints(model.design, smooth(spans))
        states = starts(torques, smooth(measured - total), first, scale * np.array(model.noise))
        for j, whole in enumerate(at_joints(model.design, spans)):
            total[:, j] += whole @ states[j]
        keep = slice(keep.start + first, keep.stop)
    return Prediction(
        name=piece.name,
        time=piece.time[keep],
        q=piece.q[keep],
        speed=piece.speed[keep],
        measured=smooth(raw),
        predicted=smooth(total @ gains),
        rigid=smooth(rigid @ gains),
        raw_measured=raw[keep],
    )


def joined(parts: Sequence[Prediction], field: str) -> Array:
    """One field of all pieces, one after the other."""
    return np.concatenate([getattr(part, field) for part in parts])
