"""`Recording`: what was measured on an arm, or on its twin, while it moved."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError, ShapeError, UnknownNameError
from jointwise.recording.columns import KINDS, same_unit
from jointwise.tables import joined, read_table, split, write_table

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Recording:
    """Columns of known kind on one clock: `rec["q"]` is (samples, joints).

    `notes` says how it came about (robot, torque kind, seed, faults); it is kept in the file's header. A column the
    arm does not measure is absent, never filled; a joint that was not measured where others were is NaN throughout.
    """

    robot: str
    joint_names: tuple[str, ...]
    time: Array
    columns: Mapping[str, Array]
    notes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        time = np.array(self.time, dtype=np.float64)
        if time.ndim != 1:
            raise ShapeError("time", f"shape {time.shape}", "shape (samples,)")
        kept = {}
        for name, values in self.columns.items():
            if name not in KINDS:
                raise UnknownNameError("kind of column", name, KINDS)
            array = _own(values)
            if array.shape != (len(time), self.n):
                raise ShapeError(
                    f"column {name}", f"shape {array.shape}", f"shape ({len(time)}, {self.n})"
                )
            array.setflags(write=False)
            kept[name] = array
        time.setflags(write=False)
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "columns", MappingProxyType(kept))
        object.__setattr__(self, "notes", MappingProxyType(dict(self.notes)))

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joint_names)

    @property
    def duration(self) -> float:
        """Seconds from the first sample to the last; NaN without samples."""
        return float(self.time[-1]) - float(self.time[0]) if len(self.time) else math.nan

    @property
    def rate_hz(self) -> float:
        """Samples a second between gaps: from the mean of the clock's steps of at most 5 median steps; NaN without."""
        with np.errstate(invalid="ignore", over="ignore"):
            steps = np.diff(self.time)
        steps = steps[np.isfinite(steps)]
        median = float(np.median(steps)) if len(steps) else 0.0
        if median <= 0.0:
            return math.nan
        return 1.0 / float(np.mean(steps[(steps >= 0.0) & (steps <= 5.0 * median)]))

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, name: str) -> Array:
        if name not in self.columns:
            raise UnknownNameError("column of this recording", name, self.columns)
        return self.columns[name]

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def save(self, path: Any) -> None:
        """Write as Parquet with flat columns (q_0 ...), units and notes in the header."""
        flat = {"time": self.time}
        for name, values in self.columns.items():
            flat |= split(name, values)
        header = {
            "kind": "recording",
            "version": 1,
            "robot": self.robot,
            "joint_names": list(self.joint_names),
            "columns": list(self.columns),
            "units": {"time": "s"} | {name: KINDS[name].unit for name in self.columns},
            "notes": dict(self.notes),
        }
        write_table(path, flat, header)


def _own(values: Any) -> Array:
    """A copy nobody else can change; an array that owns its numbers and is frozen already needs none."""
    frozen = isinstance(values, np.ndarray) and values.base is None and not values.flags.writeable
    if frozen and values.dtype == np.float64:
        return np.asarray(values)
    return np.array(values, dtype=np.float64)


def load_recording(path: Any) -> Recording:
    """Read a recording written by `Recording.save`; units that differ from ours are refused."""
    flat, header = read_table(path, "recording")
    try:
        names = tuple(str(n) for n in header["joint_names"])
        columns = {}
        for name in header["columns"]:
            if not same_unit(header["units"][name], name):
                unit = header["units"][name]
                raise FileError(
                    path, f"column {name}", f"is in {unit}, expected {KINDS[name].unit}"
                )
            columns[name] = joined(flat, name, len(names))
        return Recording(
            robot=str(header["robot"]),
            joint_names=names,
            time=flat["time"],
            columns=columns,
            notes=header["notes"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise FileError(path, "header", f"is incomplete: {error}") from error
