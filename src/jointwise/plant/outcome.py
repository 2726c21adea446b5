"""What a twin remembers between two ticks, what a run returns, and the wall it may touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import NumericalError, ParameterError
from jointwise.recording.recording import Recording
from jointwise.robot import samples
from jointwise.units import Unit, check_fields

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Wall:
    """A stiff wall: it pushes the tool along `normal` while normal . position < distance, and never pulls."""

    normal: tuple[float, float, float]
    distance: Annotated[float, Unit("m", lower=-100.0, upper=100.0)]
    stiffness: Annotated[float, Unit("N/m", lower=0.0)] = 1e4
    damping: Annotated[float, Unit("N s/m", lower=0.0)] = 50.0

    def __post_init__(self) -> None:
        check_fields(self, "wall")
        size = float(np.linalg.norm(samples.checked("wall.normal", self.normal, 3)))
        if size < 1e-9:
            raise ParameterError("wall.normal", self.normal, "a vector longer than 1e-9")
        object.__setattr__(self, "normal", tuple(float(v) / size for v in self.normal))


class TwinState(NamedTuple):
    """Everything a twin remembers between two ticks."""

    x: Array
    """(4, n): q, dq, theta, dtheta"""
    friction: Array
    temperature: Array
    """(2, n): housing, oil, degC"""
    servo: Array
    parameters: Array
    """numbers of the laws, which wear may have changed"""
    tick: int
    noise: Any
    jitter: Any


class TwinRun(NamedTuple):
    """Outcome of a run: the recording up to the end, or up to where the arm diverged."""

    recording: Recording
    status: Literal["completed", "diverged"]
    message: str
    time: float
    """s; end of the run, or the start of the period in which the arm diverged"""
    state: TwinState
    """final state, or the last good one"""

    def raise_for_status(self) -> TwinRun:
        """The run itself if it completed, else NumericalError with its message."""
        if self.status != "completed":
            raise NumericalError(self.message)
        return self
