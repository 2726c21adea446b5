"""The friction of a joint: a sum of laws, with its state outside.

model = FrictionModel(terms=(EGMS(...), VelocityLaw(...), TemperatureChange(...)))
state = model.init(position)
state, output = model.step(state, FrictionInput(position, velocity, load, temperature_degc), dt)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError, ShapeError
from jointwise.kernels.jit import kernel
from jointwise.laws.base import Array, FrictionLaw
from jointwise.laws.dispatch import friction_sum
from jointwise.laws.registry import FRICTION
from jointwise.laws.stored import restored, stored
from jointwise.robot.parts import Law


@kernel
def friction_run(terms, p, memory, motion, torque):
    """Torque along a motion of rows (shift, velocity, load, temperature, position, dt); `memory` (2, S) is moved on.

    Every state has two homes; a step reads one and writes the other, so no state is overwritten before it is read.
    """
    first, last = 0, terms.shape[0]
    now = 0
    for k in range(motion.shape[0]):
        x = (
            motion[k, 0],
            motion[k, 1],
            motion[k, 2],
            motion[k, 3],
            motion[k, 4],
            motion[k, 5],
        )
        torque[k] = friction_sum(terms, first, last, p, memory[now], memory[1 - now], x)
        now = 1 - now
    if now == 1:
        for i in range(memory.shape[1]):
            memory[0, i] = memory[1, i]


class PackedFriction(NamedTuple):
    """Friction of one or several joints as kernels read it.

    Joint j has rows first[j] to first[j+1] of `terms` (code, start and stop in parameters, start and stop in
    states). States of joint j are state_first[j] to state_first[j+1].
    """

    terms: NDArray[np.int64]
    parameters: Array
    first: NDArray[np.int64]
    state_first: NDArray[np.int64]

    @property
    def state_size(self) -> int:
        """States of all joints together; all start at zero."""
        return int(self.state_first[-1])


class FrictionState(NamedTuple):
    """What friction remembers: states of the laws (..., S), and where the joint was (...)."""

    memory: Array
    position: Array


class FrictionInput(NamedTuple):
    """Rotor position and velocity, joint torque, temperature; at the end of the step."""

    position: ArrayLike
    velocity: ArrayLike
    load: ArrayLike
    temperature_degc: ArrayLike


class FrictionOutput(NamedTuple):
    """Friction torque, positive against positive motion."""

    torque: Array


class FrictionModel:
    """A sum of friction laws. Frozen; equal when its laws are."""

    __slots__ = ("_packed", "terms")
    terms: tuple[FrictionLaw, ...]

    def __init__(self, *, terms: Sequence[FrictionLaw]) -> None:
        terms = tuple(terms)
        for term in terms:
            if not isinstance(term, FrictionLaw):
                raise ParameterError("friction term", term, "a friction law")
        object.__setattr__(self, "terms", terms)
        object.__setattr__(self, "_packed", pack_friction([self]))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"a friction model is frozen; make a new one instead of setting {name}"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FrictionModel) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.terms)

    def __repr__(self) -> str:
        return f"FrictionModel(terms={self.terms!r})"

    @classmethod
    def from_law(cls, law: Law) -> FrictionModel:
        """The model a robot file stores."""
        return cls(terms=restored("friction law", law, FRICTION))

    def to_law(self) -> Law:
        """The model as a robot file stores it."""
        return stored(self.terms)

    def pack(self) -> PackedFriction:
        """The model as kernels read it."""
        packed: PackedFriction = self._packed  # type: ignore[attr-defined]
        return packed

    def init(self, position: ArrayLike = 0.0) -> FrictionState:
        """Relaxed states at a position (...)."""
        place = np.asarray(position, dtype=np.float64)
        return FrictionState(np.zeros((*place.shape, self.pack().state_size)), place.copy())

    def step(
        self, state: FrictionState, given: FrictionInput, dt: float
    ) -> tuple[FrictionState, FrictionOutput]:
        """State and torque after one step; leading axes of state and input agree."""
        columns = [np.asarray(v, dtype=np.float64)[..., None] for v in given]
        torque, after = self.run(*columns, dt=dt, state=state)
        return after, FrictionOutput(torque[..., 0])

    def run(
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        load: ArrayLike,
        temperature_degc: ArrayLike,
        *,
        dt: ArrayLike,
        state: FrictionState | None = None,
    ) -> tuple[Array, FrictionState]:
        """Torque (..., N) along time series (..., N), and the state at their end.

        Series are broadcast against the positions. Without a state, it starts relaxed at the first position.
        """
        theta = np.asarray(position, dtype=np.float64)
        if theta.ndim == 0 or theta.shape[-1] == 0:
            raise ShapeError("position", f"shape {theta.shape}", "shape (..., N) with N above 0")
        if state is None:
            state = self.init(theta[..., 0])
        motion = _motion(theta, state.position, (velocity, load, temperature_degc, dt))
        memory = np.zeros((*theta.shape[:-1], 2, self.pack().state_size))
        memory[..., 0, :] = state.memory
        torque = np.empty(theta.shape)
        terms, p = self.pack().terms, self.pack().parameters
        for place in np.ndindex(theta.shape[:-1]):
            friction_run(terms, p, memory[place], motion[place], torque[place])
        return torque, FrictionState(memory[..., 0, :].copy(), theta[..., -1].copy())

    def torque_from_rest(
        self, *, shift: float, load: float, temperature_degc: float = 20.0
    ) -> float:
        """Torque right after a displacement from rest, at standstill again: what the memory alone holds."""
        torque, _ = self.run(
            [shift], 0.0, load, temperature_degc, dt=1.0, state=self.init(position=0.0)
        )
        return float(torque[0])


def pack_friction(models: Sequence[FrictionModel]) -> PackedFriction:
    """Friction of several joints in one table and one vector of parameters."""
    rows, parameters, first, state_first = [], [np.zeros(0)], [0], [0]
    p, s = 0, 0
    for model in models:
        for term in model.terms:
            values = term.packed()
            rows.append([term.code, p, p + values.size, s, s + term.state_size])
            parameters.append(values)
            p, s = p + values.size, s + term.state_size
        first.append(len(rows))
        state_first.append(s)
    packed = PackedFriction(
        np.array(rows, dtype=np.int64).reshape(-1, 5),
        np.concatenate(parameters),
        np.array(first),
        np.array(state_first),
    )
    for array in packed:
        array.flags.writeable = False
    return packed


def _motion(theta: Array, start: Array, others: tuple[ArrayLike, ...]) -> Array:
    """Rows (shift, velocity, load, temperature, position, dt) for a kernel."""
    names = ("velocity", "load", "temperature_degc", "dt")
    motion = np.empty((*theta.shape, 6))
    motion[..., 0] = np.diff(theta, axis=-1, prepend=np.asarray(start)[..., None])
    motion[..., 4] = theta
    for column, name, value in zip((1, 2, 3, 5), names, others, strict=True):
        try:
            motion[..., column] = value
        except ValueError:
            shape = np.shape(value)
            raise ShapeError(name, f"shape {shape}", f"a shape that fits {theta.shape}") from None
    if not np.isfinite(motion).all():
        raise ShapeError("the motion", "NaN or infinity in it", "finite numbers")
    if (motion[..., 5] <= 0.0).any():
        raise ParameterError("dt", float(motion[..., 5].min()), "above 0 s")
    return motion
