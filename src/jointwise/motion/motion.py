"""`Motion`: a sampled path of all joints with its derivatives, and the check against a robot's limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError, ParameterError, ShapeError
from jointwise.motion.path import Path, path_of
from jointwise.tables import joined, read_table, split, write_table
from jointwise.units import Unit

if TYPE_CHECKING:
    from jointwise.motion.check import Excess
    from jointwise.robot.description import Robot

Array = NDArray[np.float64]
DERIVATIVES = ("q", "dq", "ddq", "d3q", "d4q")


@dataclass(frozen=True, kw_only=True, eq=False)
class Motion:
    """Positions (samples, n) at `time`, with velocity and acceleration, and higher derivatives where smooth.

    `smoothness` is the number of time derivatives that are continuous from the first sample to the last, which says
    what the motion may be used for: 2 for rigid inverse dynamics, 4 for flexible joints (spec 03.6). `rest` is the
    number of derivatives that are zero at both ends: an arm that stands still before and after sees min(smoothness,
    rest) continuous ones. `path` gives the motion between its samples, where the planner knows it.
    """

    joint_names: tuple[str, ...]
    time: Array
    q: Array
    dq: Array
    ddq: Array
    d3q: Array | None = None
    d4q: Array | None = None
    smoothness: int = 2
    rest: int = 0
    path: Path | None = None
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
            if array.shape != expected:
                raise ShapeError(
                    name, f"shape {array.shape}", f"finite numbers of shape {expected}"
                )
            for sample, joint in np.argwhere(~np.isfinite(array)):
                raise ParameterError(
                    f"{name} of joint {self.joint_names[joint]} at sample {sample}",
                    float(array[sample, joint]),
                    "a finite number",
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

    @property
    def derivatives(self) -> tuple[Array, ...]:
        """Position, velocity and every higher derivative the motion has."""
        return tuple(v for v in (getattr(self, name) for name in DERIVATIVES) if v is not None)

    def resampled(self, rate_hz: float) -> Motion:
        """The same path at another rate, from its formula."""
        if self.path is None:
            raise ParameterError("path", "not known", "known", "this motion is only its samples")
        return sampled(
            self.path,
            joint_names=self.joint_names,
            rate_hz=rate_hz,
            smoothness=self.smoothness,
            rest=self.rest,
            notes=self.notes,
        )

    def excesses(self, robot: Robot, *, finer: int = 1) -> tuple[Excess, ...]:
        """Every limit of the robot the motion exceeds, and every collision of links with known shape.

        With `finer`, the path is looked at that many times as finely as it is sampled. The floor is the one the
        motion was planned for, see its notes.
        """
        from jointwise.motion.bounds import bounds_of
        from jointwise.motion.check import excesses

        names = tuple(j.name for j in robot.joints)
        if names != self.joint_names:
            raise ParameterError(
                "joints of the motion", self.joint_names, f"those of {robot.name}: {names}"
            )
        floor = self.notes.get("limits", {}).get("floor")
        own = {"floor": -np.inf if floor is None else float(floor)}
        return excesses(self, robot, bounds_of(robot, assume=False, **own), finer=finer)

    def check(self, robot: Robot, *, finer: int = 1) -> None:
        """Raise ParameterError naming joint, value and limit unless all of the motion is within the robot's limits."""
        for excess in self.excesses(robot, finer=finer):
            raise ParameterError(
                f"{excess.quantity} of {excess.where} in the motion", excess.value, excess.allowed
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
            "rest": self.rest,
            "path": None if self.path is None else self.path.to_dict(),
            "notes": dict(self.notes),
        }
        write_table(path, flat, header)


def sampled(
    path: Path,
    *,
    joint_names: tuple[str, ...],
    rate_hz: float,
    smoothness: int,
    rest: int,
    notes: Mapping[str, Any],
) -> Motion:
    """A path at evenly spaced times from 0 to its end, or to the first sample after it.

    Derivatives are kept up to the one after the last continuous one, and at least up to acceleration.
    """
    Unit("Hz", lower=1.0, upper=1e5).check("rate_hz", rate_hz)
    count = int(np.ceil(path.duration * rate_hz - 1e-6)) + 1
    time = np.arange(count) / rate_hz
    values = path.at(time)
    kept = max(3, smoothness + 2)
    return Motion(
        joint_names=joint_names,
        time=time,
        smoothness=smoothness,
        rest=rest,
        path=path,
        notes=notes,
        **dict(zip(DERIVATIVES[:kept], values, strict=False)),
    )


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
            rest=int(header.get("rest", 0)),
            path=path_of(header["path"]) if header.get("path") else None,
            notes=header["notes"],
            **values,
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise FileError(path, "header", f"is incomplete: {error}") from error
