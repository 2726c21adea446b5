"""Faults by schedule: what goes wrong, on which joint, from when to when.

A schedule is a tuple of `Fault`, or a TOML file with one [[faults]] table each:

    [[faults]]
    kind = "frozen_motor_encoder"
    joint = 2            # counted from 1
    start = 3.0          # s
    stop = 4.5
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError, ParameterError, UnknownNameError
from jointwise.plant.toml_entry import made, read_toml
from jointwise.units import Unit, check_fields

Array = NDArray[np.float64]

KINDS: dict[str, str] = {
    "frozen_motor_encoder": "the motor encoder repeats its last value",
    "frozen_link_encoder": "the link encoder repeats its last value",
    "spiking_motor_encoder": "single readings are off by `size` rad, one in `every` samples on average",
    "spiking_link_encoder": "the same on the link encoder",
    "encoder_wrap": "both encoders count only one turn of `size` rad and start again",
    "current_saturation": "the motor gives only the share `size` of its torque limit",
    "lost_samples": "a share `size` of the samples is missing from the recording",
    "late_samples": "a share `size` of the stamps is up to `delay` s too late",
    "collision": "a force of `size` N pushes the tool along the base's x axis, rising and falling as half a sine",
}
WHOLE_ARM = ("lost_samples", "late_samples", "collision")
SHARES = ("lost_samples", "late_samples", "current_saturation")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault between two times; `joint` counts from 1 and 0 stands for the whole arm."""

    kind: str
    start: Annotated[float, Unit("s", lower=0.0)]
    stop: Annotated[float, Unit("s", lower=0.0)]
    joint: int = 0
    size: Annotated[float, Unit("see the kind", lower=0.0)] = 0.0
    every: Annotated[float, Unit("samples", lower=1.0)] = 100.0
    delay: Annotated[float, Unit("s", lower=0.0, upper=10.0)] = 0.05

    def __post_init__(self) -> None:
        check_fields(self, "fault")
        if self.kind not in KINDS:
            raise UnknownNameError("kind of fault", str(self.kind), KINDS)
        if self.stop <= self.start:
            raise ParameterError(
                "fault.stop", self.stop, f"after fault.start, which is {self.start:g} s"
            )
        if isinstance(self.joint, bool) or not isinstance(self.joint, int) or self.joint < 0:
            raise ParameterError(
                "fault.joint", self.joint, "a joint counted from 1, or 0 for the whole arm"
            )
        if self.joint > 0 and self.kind in WHOLE_ARM:
            raise ParameterError(
                "fault.joint", self.joint, f"left out, {self.kind} concerns the whole arm"
            )
        if self.size == 0.0 and not self.kind.startswith("frozen"):
            raise ParameterError("fault.size", 0.0, f"above 0: {KINDS[self.kind]}")
        if self.joint == 0 and self.kind not in WHOLE_ARM:
            raise ParameterError("fault.joint", 0, f"a joint counted from 1 for a {self.kind}")
        if self.kind in SHARES and self.size > 1.0:
            raise ParameterError("fault.size", self.size, "a share from 0 to 1")


def load_faults(path: Any) -> tuple[Fault, ...]:
    """Faults from a TOML file."""
    data = read_toml(path)
    entries = data.get("faults")
    if not isinstance(entries, list) or set(data) != {"faults"}:
        raise FileError(path, "", "must hold [[faults]] tables and nothing else")
    return tuple(made(path, f"fault {k}", Fault, entry) for k, entry in enumerate(entries, start=1))


def events(
    faults: Sequence[Fault],
    ticks: int,
    n: int,
    period: float,
    rng: np.random.Generator,
    *,
    first: int = 0,
) -> Array:
    """What happens in the ticks from `first` on, (ticks, EVENTS, n), or one entry where nothing does."""
    from jointwise.plant import measure as m

    rows = {
        "frozen_motor_encoder": m.FREEZE_MOTOR,
        "frozen_link_encoder": m.FREEZE_LINK,
        "spiking_motor_encoder": m.ADD_MOTOR,
        "spiking_link_encoder": m.ADD_LINK,
        "encoder_wrap": m.WRAP,
        "current_saturation": m.TORQUE_SHARE,
    }
    here = [f for f in faults if f.kind in rows]
    out = np.zeros((ticks if here else 1, m.EVENTS, n))
    out[:, m.TORQUE_SHARE] = 1.0
    for fault in here:
        if fault.joint > n:
            raise ParameterError("fault.joint", fault.joint, f"from 1 to {n}")
        part = out[_span(fault, ticks, period, first), rows[fault.kind], fault.joint - 1]
        if fault.kind.startswith("frozen"):
            part[:] = 1.0
        elif fault.kind.startswith("spiking"):
            hit = rng.random(len(part)) < 1.0 / fault.every
            part[:] += fault.size * np.where(rng.random(len(part)) < 0.5, -1.0, 1.0) * hit
        else:
            part[:] = fault.size
    return out


def collision_wrench(
    faults: Sequence[Fault], ticks: int, period: float, *, first: int = 0
) -> Array:
    """Force and moment on the tool per tick, or one zero entry where nothing pushes."""
    pushes = [f for f in faults if f.kind == "collision"]
    out = np.zeros((ticks if pushes else 1, 6))
    time = (first + np.arange(len(out)) + 0.5) * period
    for fault in pushes:
        inside = (time > fault.start) & (time < fault.stop)
        phase = (time[inside] - fault.start) / (fault.stop - fault.start)
        out[inside, 0] += fault.size * np.sin(np.pi * phase)
    return out


def stamps(
    faults: Sequence[Fault], time: Array, rng: np.random.Generator
) -> tuple[Array, NDArray[np.bool_]]:
    """Stamps with late ones, and which samples arrive."""
    late = time.copy()
    arrives = np.ones(len(time), dtype=bool)
    for fault in faults:
        span = (time >= fault.start) & (time < fault.stop)
        if fault.kind == "late_samples":
            hit = span & (rng.random(len(time)) < fault.size)
            late[hit] += fault.delay * rng.random(int(hit.sum()))
        elif fault.kind == "lost_samples":
            arrives &= ~(span & (rng.random(len(time)) < fault.size))
    return late, arrives


def _span(fault: Fault, ticks: int, period: float, first: int) -> slice:
    start = min(ticks, max(0, round(fault.start / period) - first))
    return slice(start, min(ticks, max(start, round(fault.stop / period) - first)))
