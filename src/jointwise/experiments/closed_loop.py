"""The motion of recordings once more, in the closed loop of a twin that has the parameters of an estimate. Spec 07.9.

Methods that compare an arm with its simulation need states free of what disturbed the measurement. The twin has the
links, rotors and friction of the estimate and a servo that follows the recorded motion closely: the controller of a
real arm is seldom known, and one that lags otherwise than the arm's own would bias the result. Gears are those of the
robot file in an elastic fit, else stiff beside the band of the servo.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import NumericalError, ParameterError
from jointwise.experiments.design import Design
from jointwise.experiments.update import updated_robot
from jointwise.laws.damping import Damping
from jointwise.laws.friction import FrictionModel
from jointwise.laws.linear import LinearSpring
from jointwise.laws.transmissions import Transmission
from jointwise.plant import measure
from jointwise.plant.faults import events
from jointwise.plant.plant import Plant
from jointwise.plant.sensors import Sampling
from jointwise.plant.servo import Servo
from jointwise.plant.twin import BLOCK, Twin
from jointwise.recording import filters
from jointwise.recording.signals import POSITION_BAND, Signals
from jointwise.robot.description import Robot
from jointwise.robot.parts import Law
from jointwise.robot.samples import cores
from jointwise.units import Unknown

Array = NDArray[np.float64]

POSITION_GAIN, VELOCITY_GAIN = 1.0, 4.0
"""Of the servo, beside the angular frequency of the fit's cut-off."""
GEAR = 12.0
"""Frequency of a stiff gear beside the cut-off: three times the servo's band."""
GEAR_DAMPING = 0.2
LEAST_ROTOR = 0.1
"""Of the inertia at the joint: a smaller rotor, or an unknown one, counts as this. The servo hides it."""
STRONGEST = 20.0
"""Torque limit beside the largest torque recorded: a simulated drive must not saturate."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ClosedLoop:
    """How the motion of pieces of recordings is simulated for a design."""

    design: Design
    filter_hz: float
    elastic: bool
    largest_torque: float

    def along(
        self,
        pieces: Sequence[Signals],
        values: Array,
        gamma: Array,
        *,
        commanded: bool = False,
    ) -> list[Signals]:
        """Each piece with the motion of the twin instead of its own; everything else stays as it was.

        `gamma` are standard parameters of bodies that can exist, `values` those of the design. `commanded` follows
        the motion the controller was asked for where it was recorded, which holds nothing of the encoders' noise.
        """
        if commanded:
            pieces = [self._asked(piece) for piece in pieces]
        plant = self.plant(values, gamma)
        with ThreadPoolExecutor(cores()) as pool:
            return list(pool.map(lambda piece: self._one(plant, piece, values, gamma), pieces))

    def plant(self, values: Array, gamma: Array) -> Plant:
        """The arm of an estimate with everything a twin needs to know."""
        design = self.design
        robot, notes = updated_robot(design.robot, design, values, gamma)
        if notes and any(joint.link.unknown() for joint in robot.joints):
            raise NumericalError(f"the arm of this estimate cannot be simulated: {notes[0]}")
        rotors = gamma[10 * robot.n :] if design.rotors else np.zeros(robot.n)
        inertia = np.diag(robot.mass_matrix(_middle(robot)))
        changes: dict[str, Any] = {}
        for j, joint in enumerate(robot.joints):
            changes |= self._drive(robot, j, float(rotors[j]), float(inertia[j]))
            if isinstance(joint.friction, Unknown):
                changes[f"joints.{joint.name}.friction"] = FrictionModel(terms=()).to_law()
        wide = 2.0 * np.pi * self.filter_hz
        servo = Servo(
            position_gain=POSITION_GAIN * wide,
            velocity_gain=VELOCITY_GAIN * wide,
            velocity_filter_hz=100.0 * self.filter_hz,
        )
        return replace(Plant.stated(robot.replace(changes, source="simulated")), servo=servo)

    def _drive(self, robot: Robot, j: int, rotor: float, inertia: float) -> dict[str, Any]:
        """Rotor, gear and limits of one joint as the twin has them."""
        joint = robot.joints[j]
        path, drive = f"joints.{joint.name}", joint.drive
        if not isinstance(drive.rotor_inertia, Unknown) and not self.design.rotors:
            rotor = drive.rotor_inertia
        rotor = max(rotor, LEAST_ROTOR * (inertia + rotor))
        changes: dict[str, Any] = {
            f"{path}.drive.rotor_inertia": rotor,
            f"{path}.limits.torque": STRONGEST * self.largest_torque,
        }
        for name in ("gear_ratio", "torque_constant"):
            if isinstance(getattr(drive, name), Unknown):
                changes[f"{path}.drive.{name}"] = 1.0
        if not (self.elastic and isinstance(joint.transmission, Law)):
            stiffness = inertia * (GEAR * 2.0 * np.pi * self.filter_hz) ** 2
            gear = Transmission(
                stiffness=LinearSpring(spring_stiffness=stiffness),
                damping=Damping(damping=GEAR_DAMPING * float(np.sqrt(stiffness * rotor))),
            )
            changes[f"{path}.transmission"] = gear.to_law()
        return changes

    def _one(self, plant: Plant, piece: Signals, values: Array, gamma: Array) -> Signals:
        """Follow one piece and read link and rotor at its samples."""
        most = 0.5 * LEAST_ROTOR / plant.servo.velocity_gain
        stride = max(1, int(np.ceil(1.0 / (most * piece.rate_hz))))
        period = 1.0 / (piece.rate_hz * stride)
        twin = Twin(plant=plant, period=period, sampling=Sampling(stride=stride))
        rigid, friction, _ = self.design.torque(piece, values, gamma)
        expected = rigid + friction if piece.known is None else rigid + friction + piece.known
        reference = _reference(piece, expected, stride)
        state = twin.init(piece.q[0], piece.dq[0])
        still = events((), 1, plant.robot.n, period, np.random.default_rng(0))
        kept = []
        for start in range(0, len(reference), BLOCK):
            part = np.ascontiguousarray(reference[start : start + BLOCK])
            state, records, _, done = twin.advance(
                state, part, servoed=True, wrench=np.zeros((1, 6)), event=still
            )
            kept.append(records[:, [measure.R_Q, measure.R_THETA]])
            if done < len(part):
                raise NumericalError(
                    f"the simulation of {piece.name} diverged after {(start + done) * period:.3g} s; "
                    "start from recordings that excite every joint, or use method physical"
                )
        states = np.concatenate(kept)[: len(piece)]
        q, theta = (self._derived(states[:, k], piece.rate_hz) for k in (0, 1))
        return replace(
            piece, q=q[0], dq=q[1], ddq=q[2], theta=theta[0], dtheta=theta[1], ddtheta=theta[2]
        )

    def _asked(self, piece: Signals) -> Signals:
        if piece.commanded is None:
            return piece
        q, dq, ddq = self._derived(piece.commanded, piece.rate_hz)
        return replace(piece, q=q, dq=dq, ddq=ddq, theta=q, dtheta=dq, ddtheta=ddq)

    def _derived(self, values: Array, rate_hz: float) -> tuple[Array, Array, Array]:
        """Position and derivatives, taken as those of the recording are."""
        band = POSITION_BAND * self.filter_hz
        if band < 0.45 * rate_hz:
            values = filters.zero_phase(values, band, rate_hz)
        return values, *filters.central_differences(values, rate_hz)


def closed_loop(
    design: Design, pieces: Sequence[Signals], filter_hz: float, elastic: bool
) -> ClosedLoop:
    """The closed loop of a design; refuses what a twin does not have."""
    if not np.array_equal(design.robot.coupling_matrix(), np.eye(design.robot.n)):
        raise ParameterError(
            f"coupling of {design.robot.name}", "motors that turn several joints",
            "each motor its own joint, for a method that simulates", "use physical or wls",
        )  # fmt: skip
    largest = max(float(np.abs(piece.torque).max()) for piece in pieces)
    return ClosedLoop(
        design=design, filter_hz=filter_hz, elastic=elastic, largest_torque=max(largest, 1.0)
    )


def _middle(robot: Robot) -> Array:
    """A bent pose: no link stretched out, none folded."""
    return np.array([0.5 if joint.kind == "revolute" else 0.0 for joint in robot.joints])


def _reference(piece: Signals, torque: Array, stride: int) -> Array:
    """(ticks, 3, n): position, velocity, and the torque the estimate itself expects, friction and all."""
    from scipy.interpolate import CubicSpline

    own = np.arange(len(piece)) / piece.rate_hz
    time = np.arange((len(piece) - 1) * stride + 1) / (piece.rate_hz * stride)
    q, dq = (CubicSpline(own, values)(time) for values in (piece.q, piece.dq))
    known = np.column_stack([np.interp(time, own, column) for column in torque.T])
    return np.stack([q, dq, known], axis=1)
