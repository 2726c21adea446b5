"""`look_at`: the columns of a foreign log and their ranges, before anybody has said what they mean.

How numbers are written (delimiter, header, title lines, decimal sign) is tried out; what they mean is never guessed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError
from jointwise.recording.import_arrays import ArrayTable
from jointwise.recording.import_csv import CsvTable
from jointwise.recording.import_map import DECIMALS, DELIMITERS, Clock, ColumnMap, Quantity
from jointwise.recording.import_recording import opened
from jointwise.recording.import_selection import Selection
from jointwise.recording.import_table import FlatTable, ForeignTable, check_file

Array = NDArray[np.float64]

MOST_TITLES = 12
"""Lines before the header that are tried."""
MOST_BYTES = 256 << 20
"""Of larger files only names are shown: ranges would need the whole file."""


@dataclass(frozen=True, kw_only=True)
class SeenColumn:
    """A column of a table, or a variable; NaN where it holds no numbers."""

    name: str
    number: int
    """from 1; 0 for a variable"""
    low: float = math.nan
    high: float = math.nan
    rises: bool = False
    """True where every value is above the one before, as time is"""
    remark: str = ""


@dataclass(frozen=True, kw_only=True)
class Overview:
    """What a log holds."""

    path: Path
    layout: dict[str, Any]
    """what a column map has to state of the way it is written"""
    columns: tuple[SeenColumn, ...]
    problem: str = ""
    """why there are no ranges, or nothing"""


def look_at(path: Any) -> Overview:
    """The columns of a log: CSV, .mat, .npz or Parquet."""
    place = check_file(path)
    table = opened(place, _text_table)
    layout = _layout(table) if isinstance(table, CsvTable) else {}
    if isinstance(table, ArrayTable):
        columns, problem = tuple(_variable(table, name) for name in table.names), ""
    elif isinstance(table, FlatTable):
        columns, problem = _columns(table)
    return Overview(path=place, layout=layout, columns=columns, problem=problem)


def bare(decimal: str = "point", skip_rows: int = 0) -> ColumnMap:
    """A map that says how a text is written, and of its meaning nothing that is used."""
    unused = {"q": Quantity(columns=Selection(numbers=(1,)), unit="SI")}
    clock = Clock(rate_hz=1.0)
    return ColumnMap(name="", time=clock, quantities=unused, decimal=decimal, skip_rows=skip_rows)


def _text_table(path: Path) -> ForeignTable:
    """The reading of a text with the largest share of numbers: fewest title lines, and a decimal point, in doubt."""
    best: tuple[float, CsvTable] | None = None
    first: FileError | None = None
    for decimal in DECIMALS:
        for skip_rows in range(MOST_TITLES + 1):
            try:
                table = CsvTable(path, bare(decimal, skip_rows))
                numeric = table.numeric_columns()
            except FileError as error:
                first = first or error
                continue
            share = sum(numeric) / len(numeric)
            if best is None or share > best[0]:
                best = (share, table)
    if best is None:
        raise first or FileError(path, "", "has no rows")
    return best[1]


def _layout(table: CsvTable) -> dict[str, Any]:
    delimiter = next(name for name, sign in DELIMITERS.items() if sign == table.delimiter)
    decimal = next(name for name, sign in DECIMALS.items() if sign == table.decimal)
    skipped = table.first_line - 1
    return {
        "header": bool(table.names),
        "delimiter": delimiter,
        **({"decimal": decimal} if decimal != "point" else {}),
        **({"skip_rows": skipped} if skipped else {}),
    }


def _columns(table: FlatTable) -> tuple[tuple[SeenColumn, ...], str]:
    names = table.names or tuple("" for _ in range(table.width))
    numeric = table.numeric_columns()
    wanted = [k for k, yes in enumerate(numeric) if yes]
    found: dict[Any, Array] = {}
    problem = ""
    if table.path.stat().st_size > MOST_BYTES:
        problem = f"larger than {MOST_BYTES >> 20} MiB, so no ranges are shown"
    else:
        try:
            found = table.read(wanted)
        except FileError as error:
            problem = str(error)
    columns = []
    for k, name in enumerate(names):
        remark = "" if numeric[k] else "not numbers"
        columns.append(SeenColumn(name=name, number=k + 1, remark=remark, **_range(found.get(k))))
    return tuple(columns), problem


def _variable(table: ArrayTable, name: str) -> SeenColumn:
    try:
        rows, width, values = table.seen(name)
    except FileError as error:
        return SeenColumn(name=name, number=0, remark=error.problem)
    return SeenColumn(name=name, number=0, remark=f"{rows} x {width}", **_range(values))


def _range(values: Array | None) -> dict[str, Any]:
    if values is None or not np.isfinite(values).any():
        return {}
    finite = values[np.isfinite(values)]
    rises = values.ndim == 1 and len(values) > 2 and bool((np.diff(values) > 0.0).all())
    return {"low": float(finite.min()), "high": float(finite.max()), "rises": rises}
