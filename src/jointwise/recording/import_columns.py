"""The columns a map selects, brought to SI units and to the output side of the gears.

Reflection, spec 01.3, with motor ratios R = diag(r) and coupling C (theta = C q):

    motor columns   theta = R^-1 theta_m        tau = R tau_m
    joint columns   q = C^-1 R^-1 theta_m       tau = C^T R tau_m
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError, ParameterError
from jointwise.recording.columns import KINDS, TORQUE
from jointwise.recording.import_map import ColumnMap, Quantity
from jointwise.recording.import_table import ForeignTable
from jointwise.recording.import_units import TIME, scales
from jointwise.robot.description import Robot

Array = NDArray[np.float64]


class ImportedColumns:
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
            advice = "jointwise import LOG --template writes a map for it"
            raise FileError(table.path, "", problem, advice)
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
        with np.errstate(over="ignore", invalid="ignore"):  # uninitialised memory may hold 1e300
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
        is_torque = KINDS[kind].unit == TORQUE
        reflected = values * ratio if is_torque else values / ratio
        if KINDS[kind].of_motor or self.robot.coupling is None:
            return reflected
        matrix: Any = coupling if is_torque else np.linalg.inv(coupling).T
        return _combined(reflected, matrix)


def _combined(values: Array, matrix: Array) -> Array:
    """values @ matrix without the zeros of the matrix, so that a missing value stays with those it belongs to."""
    out = np.zeros_like(values)
    for i, j in zip(*np.nonzero(matrix), strict=True):
        out[:, j] += values[:, i] * matrix[i, j]
    return out


def _measured(quantity: Quantity, n: int) -> list[int]:
    """Joints, from 0, a quantity was measured on."""
    if any(joint > n for joint in quantity.joints):
        raise ParameterError("joints", quantity.joints, f"from 1 to {n}")
    return [j - 1 for j in quantity.joints] or list(range(n))
