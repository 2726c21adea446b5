"""A simulated test bench: a twin with what joint experiments need around it.

A bench runs motions, warms the arm up beforehand, loads one joint by a known force at the tool (the gauge reads it),
and clamps the links so that a rotor can be deflected and let go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import NumericalError
from jointwise.experiments.joint.stiffness import load_steps
from jointwise.motion.motion import Motion
from jointwise.plant.outcome import TwinRun
from jointwise.plant.plant import Plant
from jointwise.plant.sensors import Sampling
from jointwise.plant.twin import Twin
from jointwise.recording.recording import Recording
from jointwise.robot.inertia import NOTHING, Body
from jointwise.units import Unknown

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]
GAUGE_GAIN, GAUGE_NOISE = 0.003, 0.002
"""Error of the gauge: of its reading (class 0.3), and noise beside the largest load."""
MOST_LOAD, MOST_DEFLECTION = 0.5, 0.6
"""Shares of the drive's torque limit that the load and the release use."""
STRIDE = 2
"""Recorded 500 times a second, as arms with a real-time interface do; a swing at the full rate."""
KEPT = ("q", "theta", "current", "temperature")
"""Columns that experiments read."""
RAMP_S, HELD_S, SWING_S = 0.4, 0.2, 1.2
CLAMP = Body(mass=1.0, center_of_mass=(0.0, 0.0, 0.0), inertia=(1e5, 0.0, 0.0, 1e5, 0.0, 1e5))
"""A link in a clamp: so inert that it stays where it is."""


@dataclass(frozen=True, kw_only=True)
class Bench:
    """One simulated arm and the seed of its noise; every run of a bench takes a number of its own."""

    plant: Plant
    seed: int = 0
    load_share: float = 1.0
    """of the load the drives allow, in `loaded`"""

    def run(
        self,
        motion: Motion,
        number: int,
        *,
        temperature: float | None = None,
        progress: Progress | None = None,
    ) -> Recording:
        """Follow a motion, housing and oil at a temperature [degC] at its start where one is given."""
        twin = self._twin(
            self.plant if temperature is None else warm(self.plant, temperature), number
        )
        return _whole(twin.run(motion, truth=False, progress=progress))

    def loaded(self, motion: Motion, joint: int, number: int) -> Recording:
        """Stand in the motion's pose while the joint is loaded in steps by a force at the tool, which a gauge reads."""
        q = motion.q[0]
        robot = self.plant.robot
        ticks = int(np.floor(motion.duration * 1e3 + 1e-9)) + 1
        wrench, loads = (self.load_share * v for v in wrench_for(self.plant, q, joint))
        steps = load_steps(ticks, 1.0)
        twin = self._twin(self.plant, number)
        # A load on the link turns it one way, the gear holds against it: the joint torque has the other sign.
        recording = _whole(twin.run(motion, wrench=np.outer(-steps, wrench), truth=False))
        rng = np.random.default_rng([self.seed, number, 7])
        known = np.outer(steps, loads)
        noise = GAUGE_NOISE * np.abs(loads) * rng.standard_normal((ticks, robot.n))
        gauge = known * (1.0 + GAUGE_GAIN * rng.uniform(-1.0, 1.0)) + noise
        columns = {**recording.columns, "joint_torque": gauge[::STRIDE]}
        return replace(recording, columns=columns)

    def released(self, joint: int, number: int) -> Recording:
        """With the links clamped, deflect a rotor, let go, and record it from then on."""
        plant = clamped(self.plant)
        n = plant.robot.n
        limit = plant.robot.joints[joint].limits.torque
        size = MOST_DEFLECTION * (0.0 if isinstance(limit, Unknown) else float(limit))
        ramp, held, swing = (int(1e3 * s) for s in (RAMP_S, HELD_S, SWING_S))
        torque = np.zeros((ramp + held + swing, n))
        torque[: ramp + held, joint] = size * np.minimum(np.arange(ramp + held) / ramp, 1.0)
        twin = self._twin(plant, number, 1)
        recording = _whole(twin.run_torque(torque, q=np.zeros(n), truth=False))
        kept = slice(ramp + held, None)
        return replace(
            recording,
            time=recording.time[kept],
            columns={name: values[kept] for name, values in recording.columns.items()},
        )

    def _twin(self, plant: Plant, number: int, stride: int = STRIDE) -> Twin:
        sampling = Sampling(stride=stride)
        return Twin(plant=plant, seed=10_000 * self.seed + number, sampling=sampling)


def warm(plant: Plant, temperature: float) -> Plant:
    """The arm with every joint's housing and oil at a temperature [degC]."""
    joints = (replace(j, thermal=replace(j.thermal, start_degc=temperature)) for j in plant.joints)
    return replace(plant, joints=tuple(joints))


def clamped(plant: Plant) -> Plant:
    """The arm with its links held and without gravity."""
    changes: dict[str, Any] = {"gravity": (0.0, 0.0, 0.0), "payload": NOTHING}
    for joint in plant.robot.joints:
        changes[f"joints.{joint.name}.link"] = CLAMP
    return replace(plant, robot=plant.robot.replace(changes, source="links clamped"))


def wrench_for(plant: Plant, q: Array, joint: int) -> tuple[Array, Array]:
    """Force and moment at the tool that load this joint most, the others little, and the joint torques it makes.

    Shortest solution of J^T w = e_joint; scaled so that no drive needs more than its share of its limit.
    """
    robot = plant.robot
    jacobian = robot.jacobian(q)
    wanted = np.eye(robot.n)[joint]
    wrench = np.linalg.pinv(jacobian.T, rcond=1e-3) @ wanted
    loads = jacobian.T @ wrench
    limits = [j.limits.torque for j in robot.joints]
    most = np.array([0.0 if isinstance(v, Unknown) else float(v) for v in limits])
    free = np.maximum(MOST_LOAD * most - np.abs(robot.gravity_torque(q)), 0.05 * most)
    scale = float(np.min(free / np.maximum(np.abs(loads), 1e-9)))
    return scale * wrench, scale * loads


def _whole(run: TwinRun) -> Recording:
    if run.status != "completed":
        raise NumericalError(run.message)
    recording = run.recording
    return replace(recording, columns={name: recording[name] for name in KEPT})
