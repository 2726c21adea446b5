"""A twin behind the interface of a robot, for controllers that run outside of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import NumericalError, ParameterError
from jointwise.plant import measure as m
from jointwise.plant.commands import checked_joints
from jointwise.plant.faults import events
from jointwise.plant.twin import STREAMS, Twin
from jointwise.robot import samples

Array = NDArray[np.float64]
NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Measurement(NamedTuple):
    """What a port reads: the newest record of the arm, each (n,)."""

    time: float
    link_position: Array
    """nan where the arm has no link encoder"""
    rotor_position: Array
    current: Array
    temperature_degc: Array


class TwinPort:
    """A twin behind the interface of a robot: `read` the newest measurement, `write` motor torques for one period."""

    def __init__(self, twin: Twin, q: ArrayLike) -> None:
        if twin.sampling.stride != 1:
            raise ParameterError("sampling.stride", twin.sampling.stride, "1 for a port")
        self.twin, self.state = twin, twin.init(q)
        hold = twin.plant.robot.gravity_torque(self.state.x[0])
        self._rng = np.random.default_rng([twin.seed, STREAMS["faults"]])
        self._measurement = self._advance(hold, np.zeros(6))[1]

    def read(self) -> Measurement:
        """The measurement taken at the beginning of the last period."""
        return self._measurement

    def write(self, torque: ArrayLike, *, wrench: ArrayLike = NOTHING) -> Array:
        """Apply motor torques (n,) for one period; returns what was applied after limiting.

        `wrench` (6,) pushes the tool meanwhile, force and moment in base axes. Faults that lose or delay samples
        concern recordings and do not reach a port.
        """
        push = samples.checked("wrench", wrench, 6)
        command = checked_joints(self.twin.plant.robot, "motor torque", torque)
        applied, self._measurement = self._advance(command, push)
        return applied

    def _advance(self, command: Array, push: Array) -> tuple[Array, Measurement]:
        twin, first = self.twin, self.state.tick
        blank = np.zeros_like(command)
        reference = np.stack([blank, blank, command])[None]
        state, out, time, done = self.twin.advance(
            self.state,
            reference,
            servoed=False,
            wrench=twin.contact(1, first=first) + push,
            event=events(twin.faults, 1, len(command), twin.period, self._rng, first=first),
        )
        if done == 0:
            raise NumericalError(f"the twin diverged at {self.state.tick * self.twin.period:g} s")
        self.state = state
        record = out[0]
        missing = [j.sensors.link_encoder is None for j in self.twin.plant.joints]
        return record[m.R_COMMAND].copy(), Measurement(
            time=float(time[0]),
            link_position=np.where(missing, np.nan, record[m.R_LINK]),
            rotor_position=record[m.R_MOTOR].copy(),
            current=record[m.R_CURRENT].copy(),
            temperature_degc=record[m.R_TEMPERATURE].copy(),
        )
