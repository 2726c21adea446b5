"""`Twin`: a simulated arm that is commanded and recorded like a real one.

A twin is a frozen configuration; its state goes in and comes out of `advance`, so a run can be stopped, stored and
resumed, and the same seed always gives the same recording. `TwinPort` wraps a twin and its state as a port with
`read` and `write`, for controllers that run outside.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError
from jointwise.motion.motion import Motion
from jointwise.plant import measure as m
from jointwise.plant.commands import (
    checked_calls,
    checked_joints,
    checked_reference,
    checked_rows,
)
from jointwise.plant.faults import Fault, collision_wrench, events, stamps
from jointwise.plant.outcome import TwinRun, TwinState, Wall
from jointwise.plant.plant import PackedDrives, Plant, pack_drives
from jointwise.plant.push import HandPush
from jointwise.plant.rows import Rows, pack_rows
from jointwise.plant.sensors import Sampling
from jointwise.plant.step_size import StepSize, step_size
from jointwise.recording.recording import Recording
from jointwise.robot import samples
from jointwise.units import Unit, check_fields, check_seed

Array = NDArray[np.float64]
BLOCK = 5000
"""Ticks between two reports of progress; the last ones may be half as many more."""
STREAMS = {"noise": 1, "jitter": 2, "faults": 3}


@dataclass(frozen=True, kw_only=True)
class Twin:
    """A plant with clock, integrator, surroundings and faults.

    `substeps` None lets the step follow from the stiffness (`step`). `traced` compiles the step for this one plant,
    worth it from about twenty minutes of simulated time on; worn or coupled plants and RK4 use the generic step.
    """

    plant: Plant
    seed: int = 0
    period: Annotated[float, Unit("s", lower=1e-6, upper=1.0)] = 1e-3
    method: Literal["semi_implicit", "rk4"] = "semi_implicit"
    substeps: int | None = None
    traced: bool = False
    sampling: Sampling = Sampling()
    faults: tuple[Fault, ...] = ()
    wall: Wall | None = None
    pushes: tuple[HandPush, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self, "twin")
        object.__setattr__(self, "faults", tuple(self.faults))
        object.__setattr__(self, "pushes", tuple(self.pushes))
        if self.method not in ("semi_implicit", "rk4"):
            raise ParameterError("twin.method", self.method, "'semi_implicit' or 'rk4'")
        if self.substeps is not None and (
            isinstance(self.substeps, bool)
            or not isinstance(self.substeps, int)
            or self.substeps < 1
        ):
            raise ParameterError("twin.substeps", self.substeps, "a whole number of at least 1")
        check_seed(self.seed)
        spread = self.sampling.stride * self.period / 6.0
        if self.sampling.jitter > spread:
            raise ParameterError(
                "sampling.jitter",
                self.sampling.jitter,
                f"at most {spread:g} s, a sixth of the sampling period",
            )
        for fault in self.faults:
            if fault.joint > self.plant.robot.n:
                raise ParameterError("fault.joint", fault.joint, f"from 1 to {self.plant.robot.n}")
        for described, joint in zip(self.plant.robot.joints, self.plant.joints, strict=True):
            joint.thermal.check_period(described.name, self.period)
        _ = self.step  # an unstable step is refused here, not in the middle of a run

    @functools.cached_property
    def step(self) -> StepSize:
        """The step of the integrator and the error it makes."""
        return step_size(self.plant, self.period, self.method, self.substeps, self.wall)

    # ---- state ------------------------------------------------------------------------------

    def init(self, q: ArrayLike, dq: ArrayLike | None = None) -> TwinState:
        """The arm held still against gravity at q by its servo, or passing through q with velocity dq."""
        robot = self.plant.robot
        position = checked_joints(robot, "start position", q).copy()
        still = np.zeros(robot.n) if dq is None else dq
        velocity = checked_joints(robot, "start velocity", still).copy()
        load = robot.gravity_torque(position)
        theta = np.empty(robot.n)
        for j, joint in enumerate(self.plant.joints):
            gear = joint.transmission
            ahead = position[j] + float(gear.stiffness.deformation(load[j]))
            theta[j] = ahead
            if gear.kinematic_error is not None:
                # The error changes by far less than the angle, so substitution converges fast.
                for _ in range(20):
                    before = theta[j]
                    theta[j] = ahead + float(gear.kinematic_error.error(before))
                    if theta[j] == before:
                        break
        servo = np.zeros((robot.n, m.SERVO_STATES))
        servo[:, m.TORQUE] = load
        gain = self._rows.sensors[:, m.NOMINAL_INERTIA] * self.plant.servo.velocity_gain
        known = self._feedforward(position[None], velocity[None], np.zeros((1, robot.n)))[0]
        np.divide(load - known, gain, out=servo[:, 0], where=gain > 0.0)
        start = np.array([j.thermal.start_degc for j in self.plant.joints])
        return TwinState(
            x=np.array([position, velocity, theta, velocity]),
            friction=np.zeros(self._packed.states),
            temperature=np.array([start, start]),
            servo=servo,
            parameters=self._packed.parameters.copy(),
            tick=0,
            noise=self._rng("noise").bit_generator.state,
            jitter=self._rng("jitter").bit_generator.state,
        )

    def advance(
        self, state: TwinState, reference: Array, *, servoed: bool, wrench: Array, event: Array
    ) -> tuple[TwinState, Array, Array, int]:
        """Ticks of the closed loop: new state, records, stamps and the number of ticks completed.

        `reference` is (ticks, 3, n): position, velocity, torque. `wrench` and `event` have one entry per tick, or one.
        """
        plant = self.plant
        reference = checked_reference(plant.robot, reference)
        n, ticks = plant.robot.n, len(reference)
        wrench, event = checked_calls(plant.robot, wrench, event, ticks)
        noise_rng, jitter_rng = self._resumed(state.noise), self._resumed(state.jitter)
        noise = noise_rng.standard_normal((ticks, m.NOISES, n))
        jitter = self.sampling.jitter * jitter_rng.standard_normal(ticks)
        # The kernel changes its state in place; ours must stay as it was given.
        x, s, temperature = state.x.copy(), state.friction.copy(), state.temperature.copy()
        servo, p = state.servo.copy(), state.parameters.copy()
        stride = self.sampling.stride
        skip = -state.tick % stride
        out = np.empty((ticks, m.RECORD, n))
        packed, rows = self._packed, self._rows
        done = self._kernel(
            self._arm, packed.drives, packed.table, packed.terms, p, rows.sensors, rows.thermal, rows.wear,
            rows.gains, reference, noise, jitter, event, wrench, rows.wall, x, s, temperature,
            servo, self.period, self.step.substeps, 1 if self.method == "rk4" else 0,
            plant.inertial_coupling, servoed, out,
        )  # fmt: skip
        kept = slice(skip, done if done == ticks else done + 1, stride)
        time = (state.tick + np.arange(ticks)[kept]) * self.period + jitter[kept]
        after = TwinState(
            x, s, temperature, servo, p, state.tick + done,
            noise_rng.bit_generator.state, jitter_rng.bit_generator.state,
        )  # fmt: skip
        return after, out[kept], time, done

    def contact(self, ticks: int, *, first: int = 0) -> Array:
        """Force and moment of hands and collisions on the tool in the periods from `first` on, or one zero entry."""
        wrench = collision_wrench(self.faults, ticks, self.period, first=first)
        for push in self.pushes:
            wrench = wrench + push.wrench(ticks, self.period, first=first)
        return wrench

    # ---- whole runs -------------------------------------------------------------------------

    def run(
        self,
        motion: Motion,
        *,
        wrench: ArrayLike | None = None,
        truth: bool = True,
        progress: Callable[[int, int], None] | None = None,
    ) -> TwinRun:
        """Follow a motion under the position servo and record it.

        `wrench` (ticks, 6), or (6,), pushes the tool with a force and a moment in base axes.
        """
        motion.check(self.plant.robot)
        ticks = int(np.floor(motion.duration / self.period + 1e-9)) + 1
        time = np.arange(ticks, dtype=np.float64) * np.float64(self.period)
        q, dq, ddq = sampled(motion, time)
        reference = np.stack([q, dq, self._feedforward(q, dq, ddq)], axis=1)
        start = self.init(q[0], dq[0])
        return self._whole(start, reference, ddq, True, wrench, truth, progress)

    def run_torque(
        self,
        torque: ArrayLike,
        *,
        q: ArrayLike,
        wrench: ArrayLike | None = None,
        truth: bool = True,
        progress: Callable[[int, int], None] | None = None,
    ) -> TwinRun:
        """Apply motor torques (ticks, n), limited to the drives' limits, from rest at q."""
        given = checked_joints(self.plant.robot, "motor torque", torque)
        command = np.ascontiguousarray(np.atleast_2d(given))
        start = self.init(q)
        blank = np.zeros_like(command)
        reference = np.stack([blank, blank, command], axis=1)
        return self._whole(start, reference, blank, False, wrench, truth, progress)

    def _whole(
        self,
        state: TwinState,
        reference: Array,
        ddq: Array,
        servoed: bool,
        wrench: ArrayLike | None,
        truth: bool,
        progress: Callable[[int, int], None] | None,
    ) -> TwinRun:
        ticks, n = len(reference), self.plant.robot.n
        rng = self._rng("faults")
        event = events(self.faults, ticks, n, self.period, rng)
        push = self.contact(ticks)
        if wrench is not None:
            push = push + np.broadcast_to(checked_rows("wrench", wrench, ticks, 6), (ticks, 6))
        records, times = [], []
        starts = range(0, max(1, ticks - BLOCK // 2), BLOCK)
        for start, stop in zip(starts, [*starts[1:], ticks], strict=True):
            part = slice(start, stop)
            state, out, time, done = self.advance(
                state,
                reference[part],
                servoed=servoed,
                wrench=push[part] if len(push) > 1 else push,
                event=event[part] if len(event) > 1 else event,
            )
            records.append(out)
            times.append(time)
            if progress is not None:
                progress(start + done, ticks)
            if done < stop - start:
                break
        record = records[0] if len(records) == 1 else np.concatenate(records)
        time = np.concatenate(times)
        place = np.round(time / self.period).astype(int).clip(0, ticks - 1)
        commanded = {} if not servoed else {
            "q_ref": reference[place, 0], "dq_ref": reference[place, 1], "ddq_ref": ddq[place],
        }  # fmt: skip
        time, arrives = stamps(self.faults, time, rng)
        columns = self._columns(record, truth) | commanded
        if not arrives.all():
            columns = {name: values[arrives] for name, values in columns.items()}
        recording = Recording(
            robot=self.plant.robot.name,
            joint_names=tuple(j.name for j in self.plant.robot.joints),
            time=time[arrives],
            columns=columns,
            notes=self._notes(),
        )
        end = state.tick * self.period
        if state.tick == ticks:
            return TwinRun(
                recording,
                "completed",
                f"completed {ticks} periods of {self.period:g} s",
                end,
                state,
            )
        return TwinRun(recording, "diverged", self._divergence(state), end, state)

    def _divergence(self, last: TwinState) -> str:
        """What is known of a divergence from the last good state."""
        names = [joint.name for joint in self.plant.robot.joints]
        fastest = int(np.argmax(np.abs(last.x[1::2]).max(axis=0)))
        hottest = int(np.argmax(np.abs(last.temperature).max(axis=0)))
        return (
            f"the simulation of {self.plant.robot.name} diverged after {last.tick * self.period:.6g} s; before that "
            f"joint {names[fastest]} was the fastest and joint {names[hottest]} the warmest "
            f"({np.abs(last.temperature[:, hottest]).max():.4g} degC); use more substeps (now {self.step.substeps}) "
            "or gentler gains"
        )

    # ---- what kernels read ------------------------------------------------------------------

    @functools.cached_property
    def _packed(self) -> PackedDrives:
        return pack_drives(self.plant)

    @functools.cached_property
    def _arm(self) -> Array:
        from jointwise.robot.flexible import arm_with_rotors

        return arm_with_rotors(self.plant.robot)

    @functools.cached_property
    def _kernel(self) -> Any:
        generic = self.plant.inertial_coupling or len(self._rows.wear) or self.method == "rk4"
        if self.traced and not generic:
            from jointwise.plant.traced import traced_run

            return traced_run(self._arm, self._packed, self.step.dt)
        from jointwise.plant.run import run

        return run

    @functools.cached_property
    def _rows(self) -> Rows:
        return pack_rows(self.plant, self._packed, self.period, self.wall)

    def _feedforward(self, q: Array, dq: Array, ddq: Array) -> Array:
        kind = self.plant.servo.feedforward
        if kind == "rigid":
            return self.plant.robot.inverse_dynamics(q, dq, ddq, rotors=True)
        return self.plant.robot.gravity_torque(q) if kind == "gravity" else np.zeros_like(q)

    def _columns(self, record: Array, truth: bool) -> dict[str, Array]:
        rows = {
            "theta": m.R_MOTOR,
            "current": m.R_CURRENT,
            "phase_a": m.R_PHASE_A,
            "phase_b": m.R_PHASE_B,
            "temperature": m.R_TEMPERATURE,
            "command_torque": m.R_COMMAND,
        }
        if all(j.sensors.link_encoder is not None for j in self.plant.joints):
            rows["q"] = m.R_LINK
        if truth:
            rows |= {
                "true_q": m.R_Q,
                "true_dq": m.R_DQ,
                "true_theta": m.R_THETA,
                "true_dtheta": m.R_DTHETA,
                "true_joint_torque": m.R_JOINT_TORQUE,
                "true_friction": m.R_FRICTION,
                "true_link_friction": m.R_LINK_FRICTION,
                "true_oil_temperature": m.R_OIL,
            }
        return {name: record[:, row] for name, row in rows.items()}

    def _notes(self) -> dict[str, Any]:
        return {
            "source": "twin",
            "seed": self.seed,
            "period_s": self.period,
            "method": self.method,
            "substeps": self.step.substeps,
            "faults": [
                f"{f.kind} joint {f.joint} from {f.start:g} to {f.stop:g} s" for f in self.faults
            ],
            "pushes": [f"{p.force} N from {p.start:g} s" for p in self.pushes],
            "wall": self.wall is not None,
        }

    def _rng(self, stream: str) -> np.random.Generator:
        return np.random.default_rng([self.seed, STREAMS[stream]])

    def _resumed(self, state: Any) -> np.random.Generator:
        rng = np.random.default_rng()
        rng.bit_generator.state = state
        return rng


def sampled(motion: Motion, time: Array) -> list[Array]:
    """Position, velocity and acceleration of a motion at times from its start, straight lines in between."""
    known = motion.time - motion.time[0]
    values = [motion.q, motion.dq, motion.ddq]
    if known.shape == time.shape and np.allclose(known, time, rtol=0.0, atol=1e-12):
        return values
    columns = [[np.interp(time, known, v) for v in value.T] for value in values]
    return [np.column_stack(column).astype(np.float64) for column in columns]


def run_all(twins: Sequence[Twin], motion: Motion) -> list[TwinRun]:
    """Run several twins through one motion on all cores."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(samples.cores()) as pool:
        return list(pool.map(lambda twin: twin.run(motion), twins))
