"""`Motion`: a sampled path of all joints with its derivatives, and the check against a robot's limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError, ParameterError, ShapeError
from jointwise.tables import joined, read_table, split, write_table
from jointwise.units import Unknown

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

Array = NDArray[np.float64]
DERIVATIVES = ("q", "dq", "ddq", "d3q", "d4q")
SLACK = 1e-9
"""Relative excess over a limit that is rounding, not a violation."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Motion:
    """Positions (samples, n) at `time`, with velocity and acceleration, and higher derivatives where smooth.

    `smoothness` is the number of continuous time derivatives of the path, which says what it may be used for: 2 for
    rigid inverse dynamics, 4 for flexible joints (spec 03.6).
    """

    joint_names: tuple[str, ...]
    time: Array
    q: Array
    dq: Array
    ddq: Array
    d3q: Array | None = None
    d4q: Array | None = None
    smoothness: int = 2
    notes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        time = np.array(self.time, dtype=np.float64)
        if time.ndim != 1 or len(time) < 2 or not np.isfinite(time).all():
            raise ShapeError(
                "time", f"shape {time.shape}", "at least two finite stamps, shape (samples,)"
            )
        steps = np.diff(time)
        if steps.min() <= 0.0 or np.ptp(steps) > 1e-6 * steps.mean():
            raise ParameterError(
                "time",
                f"steps from {steps.min():g} to {steps.max():g} s",
                "evenly spaced and increasing",
            )
        time.setflags(write=False)
        object.__setattr__(self, "time", time)
        for name in DERIVATIVES:
            value = getattr(self, name)
            if value is None and name in ("d3q", "d4q"):
                continue
            array = np.array(value, dtype=np.float64)
            expected = (len(time), len(self.joint_names))
            if array.shape != expected or not np.isfinite(array).all():
                raise ShapeError(
                    name, f"shape {array.shape}", f"finite numbers of shape {expected}"
                )
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "notes", MappingProxyType(dict(self.notes)))

    def __len__(self) -> int:
        return len(self.time)

    @property
    def period(self) -> float:
        """Time between samples, s."""
        return float((self.time[-1] - self.time[0]) / (len(self.time) - 1))

    @property
    def duration(self) -> float:
        """Time from the first to the last sample, s."""
        return float(self.time[-1] - self.time[0])

    def check(self, robot: Robot) -> None:
        """Raise ParameterError naming joint, value and limit unless every sample is within the robot's limits."""
        names = tuple(j.name for j in robot.joints)
        if names != self.joint_names:
            raise ParameterError(
                "joints of the motion", self.joint_names, f"those of {robot.name}: {names}"
            )
        for k, joint in enumerate(robot.joints):
            limits = joint.limits
            for name, values, low, high in (
                ("position", self.q, limits.position_lower, limits.position_upper),
                ("velocity", self.dq, None, limits.velocity),
                ("acceleration", self.ddq, None, limits.acceleration),
            ):
                column = values[:, k]
                if isinstance(high, Unknown) or isinstance(low, Unknown):
                    continue
                bottom = -high if low is None else low
                worst = float(column[np.argmax(np.maximum(column - high, bottom - column))])
                slack = SLACK * max(1.0, abs(high) if np.isfinite(high) else 1.0)
                if worst > high + slack or worst < bottom - slack:
                    raise ParameterError(
                        f"{name} of {joint.name} in the motion",
                        worst,
                        f"from {bottom:g} to {high:g}",
                    )

    def save(self, path: Any) -> None:
        """Write as Parquet with flat columns (q_0, dq_0 ...)."""
        flat = {"time": self.time}
        present = [n for n in DERIVATIVES if getattr(self, n) is not None]
        for name in present:
            flat |= split(name, getattr(self, name))
        header = {
            "kind": "motion",
            "version": 1,
            "joint_names": list(self.joint_names),
            "columns": present,
            "smoothness": self.smoothness,
            "notes": dict(self.notes),
        }
        write_table(path, flat, header)


def load_motion(path: Any) -> Motion:
    """Read a motion written by `Motion.save`."""
    flat, header = read_table(path, "motion")
    try:
        names = tuple(str(n) for n in header["joint_names"])
        values = {name: joined(flat, name, len(names)) for name in header["columns"]}
        return Motion(
            joint_names=names,
            time=flat["time"],
            smoothness=int(header["smoothness"]),
            notes=header["notes"],
            **values,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise FileError(path, "header", f"is incomplete: {error}") from error
