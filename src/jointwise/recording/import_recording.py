"""`import_recording`: a foreign log and a column map become a `Recording` in SI units on the output side."""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jointwise.errors import FileError, ParameterError
from jointwise.recording.import_columns import ImportedColumns
from jointwise.recording.import_map import ColumnMap
from jointwise.recording.import_map_file import load_column_map
from jointwise.recording.import_table import ForeignTable, check_file
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot
from jointwise.robot.library import load_robot

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
    tables = {
        label: opened(path, lambda text: _text(text, layout))
        for label, path in _assigned(paths, layout).items()
    }
    kept = ImportedColumns(arm, layout, tables)
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


def _text(path: Path, layout: ColumnMap) -> ForeignTable:
    from jointwise.recording.import_csv import CsvTable

    return CsvTable(path, layout)


def opened(path: Path, open_text: Callable[[Path], ForeignTable]) -> ForeignTable:
    """The file as its ending says; `open_text` opens text, which does not say how it is written."""
    ending = path.suffix.lower()
    if ending in TEXT_FILES:
        return open_text(path)
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


def _fingerprint(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": digest}
