"""`StaticTests`: the arm held still and pushed at the tool, and how far an external sensor saw the tool give way.

A text table with a header, one row per test, SI units, base axes, all at the tool of the robot file:

    q_1 ... q_n                    rad [m]   joint positions held by the motors
    force_x force_y force_z        N         what pushes the tool
    moment_x moment_y moment_z     N m       left out where it is zero
    shift_x shift_y shift_z        m         way of the tool from the pose without the load
    turn_x turn_y turn_z           rad       left out, or an empty cell, where it was not measured
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError, ParameterError, ShapeError
from jointwise.files import write_atomically
from jointwise.robot.reading import read_text

Array = NDArray[np.float64]

AXES = ("x", "y", "z")
LOADS = tuple(f"{kind}_{axis}" for kind in ("force", "moment") for axis in AXES)
WAYS = tuple(f"{kind}_{axis}" for kind in ("shift", "turn") for axis in AXES)
MOST_BYTES = 16 << 20
LARGEST_SHIFT, LARGEST_TURN = 0.2, 0.2
"""m and rad; more is no small deformation, and most likely in mm or degrees."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StaticTests:
    """Poses (tests, n), loads (tests, 6) and what the tool moved (tests, 6), NaN where it was not measured."""

    q: Array
    load: Array
    way: Array

    def __post_init__(self) -> None:
        tests = len(np.atleast_1d(self.q))
        for name, width in (("q", None), ("load", 6), ("way", 6)):
            values = np.array(getattr(self, name), dtype=np.float64)
            if values.ndim != 2 or len(values) != tests or width not in (None, values.shape[1]):
                expected = f"shape ({tests}, {'n' if width is None else width})"
                raise ShapeError(name, f"shape {values.shape}", expected)
            if name != "way" and not np.isfinite(values).all():
                raise ShapeError(name, "NaN or infinity in it", "finite numbers")
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        for what, unit, columns, most in (
            ("shift", "m", slice(0, 3), LARGEST_SHIFT),
            ("turn", "rad", slice(3, 6), LARGEST_TURN),
        ):
            largest = float(np.nanmax(np.abs(self.way[:, columns]), initial=0.0))
            if largest > most:
                raise ParameterError(
                    f"largest {what} of the tool", f"{largest:g} {unit}", f"at most {most} {unit}",
                    "this looks like another unit; the table is in m and rad",
                )  # fmt: skip

    def __len__(self) -> int:
        return len(self.q)

    def save(self, path: Any) -> None:
        """Write the table."""
        names = [f"q_{k + 1}" for k in range(self.q.shape[1])] + [*LOADS, *WAYS]
        rows = np.column_stack([self.q, self.load, self.way])
        text = [",".join("" if math.isnan(v) else repr(float(v)) for v in row) for row in rows]
        write_atomically(path, ("\n".join([",".join(names), *text]) + "\n").encode())


def load_static_tests(path: Any, n: int) -> StaticTests:
    """Read the table of an arm with n joints; a column that is missing or not known is named."""
    place = Path(path)
    lines = read_text(place, MOST_BYTES).splitlines()
    table = [row for row in csv.reader(lines) if any(cell.strip() for cell in row)]
    if len(table) < 2:
        raise FileError(place, "", "needs a header and one row per test")
    names = [cell.strip() for cell in table[0]]
    joints = [f"q_{k + 1}" for k in range(n)]
    for name in names:
        if name not in (*joints, *LOADS, *WAYS) or names.count(name) > 1:
            raise FileError(place, f"column {name!r}", "not known, or there twice", _expected(n))
    for name in (*joints, *LOADS[:3]):
        if name not in names:
            raise FileError(place, f"column {name!r}", "missing", _expected(n))
    values = np.array([_numbers(place, k, row, names) for k, row in enumerate(table[1:], 2)])

    def columns(wanted: tuple[str, ...] | list[str], missing: float) -> Array:
        filler = np.full(len(values), missing)
        return np.column_stack(
            [values[:, names.index(name)] if name in names else filler for name in wanted]
        )

    return StaticTests(q=columns(joints, 0.0), load=columns(LOADS, 0.0), way=columns(WAYS, np.nan))


def _expected(n: int) -> str:
    return f"q_1 to q_{n}, {', '.join((*LOADS, *WAYS))}"


def _numbers(path: Path, line: int, row: list[str], names: list[str]) -> list[float]:
    if len(row) != len(names):
        raise FileError(path, f"row {line}", f"has {len(row)} cells, the header {len(names)}")
    out = []
    for cell, name in zip(row, names, strict=True):
        if not cell.strip() and name in WAYS:
            out.append(math.nan)
            continue
        try:
            out.append(float(cell))
        except ValueError:
            raise FileError(path, f"row {line}, {name}", f"{cell!r} is no number") from None
    return out
