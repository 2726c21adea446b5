"""`import_recording`: a foreign log and a column map become a `Recording` in SI units on the output side.

Reflection, spec 01.3, with motor ratios R = diag(r) and coupling C (theta = C q):

    motor columns   theta = R^-1 theta_m        tau = R tau_m
    joint columns   q = C^-1 R^-1 theta_m       tau = C^T R tau_m
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError, ParameterError
from jointwise.recording.columns import KINDS, TORQUE
from jointwise.recording.import_map import ColumnMap, Quantity
from jointwise.recording.import_map_file import load_column_map
from jointwise.recording.import_table import ForeignTable, check_file
from jointwise.recording.import_units import TIME, scales
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot
from jointwise.robot.library import load_robot

Array = NDArray[np.float64]

TEXT_FILES = (".csv", ".txt", ".tsv", ".dat", ".log")
OTHER_FILES = (".mat", ".npz", ".parquet")
FILE_LABEL = ""


def import_recording(paths: Any, *, robot: Robot | str | Path, columns: Any) -> Recording:
    """Read one recording from one log file, or from several that the map names.

    `columns` is a `ColumnMap`, the path of a TOML map, or the name of a format that comes with the package
    (`list_column_maps()`). Nothing is guessed but the delimiter and the presence of a header; nothing is dropped.
    """
    arm = robot if isinstance(robot, Robot) else load_robot(robot)
    layout = load_column_map(columns)
    tables = {label: _open(path, layout) for label, path in _assigned(paths, layout).items()}
    kept = _Columns(arm, layout, tables)
    values = {kind: kept.si(kind) for kind in kept.present}
    time = kept.time()
    return Recording(
        robot=arm.name,
        joint_names=tuple(joint.name for joint in arm.joints),
        time=time,
        columns=values,
        notes={
            "imported_with": layout.name,
            "files": [_fingerprint(table.path) for table in tables.values()],
            "empty_cells": sum(table.empty_cells for table in tables.values()),
        },
    )


def _assigned(paths: Any, layout: ColumnMap) -> dict[str, Path]:
    """Each label of the map with the one given file whose name matches."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    checked = [check_file(path) for path in given]
    if not layout.files:
        if len(checked) != 1:
            advice = "import them one at a time, or give the map a table [files]"
            raise ParameterError("number of files", len(checked), "1 with this column map", advice)
        return {FILE_LABEL: checked[0]}
    found = {}
    for label, pattern in layout.files.items():
        fitting = [path for path in checked if fnmatch.fnmatch(path.name, pattern)]
        if len(fitting) != 1:
            got = ", ".join(path.name for path in fitting or checked)
            allowed = f"exactly one file named like {pattern!r}"
            raise ParameterError(f"file {label!r} of the column map", got, allowed)
        found[label] = fitting[0]
    extra = [path.name for path in checked if path not in found.values()]
    if extra:
        allowed = f"files named like {', '.join(layout.files.values())}"
        raise ParameterError("file", extra[0], allowed)
    return found


def _open(path: Path, layout: ColumnMap) -> ForeignTable:
    ending = path.suffix.lower()
    if ending in TEXT_FILES:
        from jointwise.recording.import_csv import CsvTable

        return CsvTable(path, layout)
    if ending == ".parquet":
        from jointwise.recording.import_parquet import ParquetTable

        return ParquetTable(path)
    if ending == ".mat":
        from jointwise.recording.import_mat import MatTable

        return MatTable(path)
    if ending == ".npz":
        from jointwise.recording.import_arrays import NpzTable

        return NpzTable(path)
    endings = ", ".join((*TEXT_FILES, *OTHER_FILES))
    raise FileError(path, "", f"ends in none of {endings}", "rename it to say what it is")


class _Columns:
    """The selected columns of every file, each file read once."""

    def __init__(self, robot: Robot, layout: ColumnMap, tables: Mapping[str, ForeignTable]) -> None:
        self.robot, self.layout, self.tables = robot, layout, tables
        self._keys: dict[str, list[Any]] = {}
        for kind, quantity in layout.quantities.items():
            keys = self._resolve(f"columns.{kind}", quantity, _measured(quantity, robot.n))
            if keys is not None:
                self._keys[kind] = keys
        self.present = tuple(self._keys)
        if not self.present:
            table = next(iter(tables.values()))
            problem = f"has no column this map names ({table.offered()})"
            raise FileError(table.path, "", problem)
        self._time_key = self._resolve_time()
        self._read = {label: table.read(self._wanted(label)) for label, table in tables.items()}
        self._check_lengths()

    def si(self, kind: str) -> Array:
        """One quantity in SI on the output side, (samples, joints)."""
        quantity = self.layout.quantities[kind]
        read = self._read[quantity.file]
        joints = _measured(quantity, self.robot.n)
        raw = np.full((self._rows(quantity.file), self.robot.n), np.nan)
        for joint, key in zip(joints, self._keys[kind], strict=True):
            raw[:, joint] = read[key]
        factor = self._per_joint(kind, "factor", quantity) * self._per_joint(kind, "sign", quantity)
        offset = self._per_joint(kind, "offset", quantity)
        scale = [self._scale(kind, quantity, j) for j in range(self.robot.n)]
        with np.errstate(over="ignore"):  # uninitialised memory may hold 1e300
            values = raw * (np.array([s.factor for s in scale]) * factor)
            values = values + np.array([s.shift for s in scale])
            if quantity.side == "motor":
                values = self._reflected(kind, values)
            return np.asarray(values + offset, dtype=np.float64)

    def time(self) -> Array:
        """The clock in seconds."""
        clock = self.layout.time
        label = clock.file or next(iter(self.tables))
        if self._time_key is None:
            return np.arange(self._rows(label), dtype=np.float64) / clock.rate_hz
        return np.asarray(self._read[label][self._time_key] * TIME[clock.unit], dtype=np.float64)

    def _resolve(self, what: str, quantity: Quantity, joints: Sequence[int]) -> list[Any] | None:
        table = self.tables[quantity.file]
        selection = quantity.columns
        keys, missing = table.resolve(selection, joints, quantity.variable)
        if missing:
            if quantity.optional and not keys:
                return None
            raise FileError(
                table.path, what, f"needs {', '.join(missing[:6])}", f"it has {table.offered()}"
            )
        if len(keys) != len(joints):
            problem = f"selects {len(keys)} columns ({selection}) for {len(joints)} joints"
            raise FileError(table.path, what, problem)
        return list(keys)

    def _resolve_time(self) -> Any:
        clock = self.layout.time
        if clock.column is None:
            return None
        quantity = Quantity(
            columns=clock.column, unit="s", file=clock.file, variable=clock.variable
        )
        keys = self._resolve("time", quantity, [0])
        return keys[0] if keys else None

    def _wanted(self, label: str) -> list[Any]:
        wanted = [
            key
            for kind, keys in self._keys.items()
            if self.layout.quantities[kind].file == label
            for key in keys
        ]
        if self._time_key is not None and self.layout.time.file == label:
            wanted.append(self._time_key)
        return wanted

    def _rows(self, label: str) -> int:
        return len(next(iter(self._read[label].values()), ()))

    def _check_lengths(self) -> None:
        lengths = {label: self._rows(label) for label in self.tables}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{self.tables[k].path.name} {n}" for k, n in lengths.items())
            first = next(iter(self.tables.values()))
            raise FileError(first.path, "", f"the files have different numbers of rows: {listed}")
        if not any(lengths.values()):
            raise FileError(next(iter(self.tables.values())).path, "", "has no rows")

    def _per_joint(self, kind: str, name: str, quantity: Quantity) -> Array:
        value = getattr(quantity, name)
        if isinstance(value, str):
            value = self.tables[quantity.file].scalar(value)
        if isinstance(value, tuple) and len(value) != self.robot.n:
            allowed = f"{self.robot.n} numbers, one for each joint of {self.robot.name}, or one"
            raise ParameterError(f"columns.{kind}.{name}", value, allowed)
        return np.broadcast_to(np.asarray(value, dtype=np.float64), (self.robot.n,))

    def _scale(self, kind: str, quantity: Quantity, j: int) -> Any:
        joint = self.robot.joints[j]
        units = (
            quantity.unit if isinstance(quantity.unit, tuple) else (quantity.unit,) * self.robot.n
        )
        if len(units) != self.robot.n:
            allowed = f"one for each of the {self.robot.n} joints, or one"
            raise ParameterError(f"columns.{kind}.unit", units, allowed)
        known = scales(kind, joint.kind == "prismatic")
        if units[j] not in known:
            allowed = f"one of {', '.join(known)}: joint {joint.name} is {joint.kind}"
            raise ParameterError(f"columns.{kind}.unit", units[j], allowed)
        return known[units[j]]

    def _reflected(self, kind: str, values: Array) -> Array:
        """From the motor side to the output side; see the head of this file."""
        named = [
            (f"joints.{j.name}.drive.gear_ratio", j.drive.gear_ratio) for j in self.robot.joints
        ]
        self.robot.require(f"column {kind} on the motor side", named)
        ratio = np.array([r for _, r in named], dtype=np.float64)
        coupling = self.robot.coupling_matrix()
        coupled = not KINDS[kind].of_motor and self.robot.coupling is not None
        if KINDS[kind].unit == TORQUE:
            return (values * ratio) @ coupling if coupled else values * ratio
        turned = values / ratio
        if coupled:
            turned = np.linalg.solve(coupling, turned.T).T
        return np.asarray(turned, dtype=np.float64)


def _measured(quantity: Quantity, n: int) -> list[int]:
    """Joints, from 0, a quantity was measured on."""
    if any(joint > n for joint in quantity.joints):
        raise ParameterError("joints", quantity.joints, f"from 1 to {n}")
    return [j - 1 for j in quantity.joints] or list(range(n))


def _fingerprint(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": digest}
