"""A twin behind the interface of a robot, for controllers that run outside of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import NumericalError, ParameterError
from jointwise.plant import measure as m
from jointwise.plant.faults import events
from jointwise.plant.twin import Twin
from jointwise.robot import samples

Array = NDArray[np.float64]


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
        n = twin.plant.robot.n
        hold = twin.plant.robot.gravity_torque(self.state.x[0])
        self._still = np.zeros((1, 6))
        self._calm = events((), 1, n, twin.period, np.random.default_rng(0))
        self._measurement = self._advance(hold)[1]

    def read(self) -> Measurement:
        """The measurement taken at the beginning of the last period."""
        return self._measurement

    def write(self, torque: ArrayLike) -> Array:
        """Apply motor torques (n,) for one period; returns what was applied after limiting."""
        command = samples.checked("torque", torque, self.twin.plant.robot.n)
        applied, self._measurement = self._advance(command)
        return applied

    def _advance(self, command: Array) -> tuple[Array, Measurement]:
        blank = np.zeros_like(command)
        reference = np.stack([blank, blank, command])[None]
        state, out, time, done = self.twin.advance(
            self.state, reference, servoed=False, wrench=self._still, event=self._calm
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
