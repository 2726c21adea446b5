"""Column maps as TOML files, read strictly; maps of known formats come with the package by name."""

from __future__ import annotations

import functools
import os
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from jointwise.errors import FileError, ParameterError, UnknownNameError
from jointwise.recording.import_map import Clock, ColumnMap, Quantity
from jointwise.recording.import_selection import parse_selection
from jointwise.robot.entries import Entry
from jointwise.robot.reading import read_text

FORMAT = "jointwise-columns"
VERSION = 1
MAX_BYTES = 256 << 10
TOP = ("format", "version", "time", "columns")
LAYOUT = ("about", "files", "skip_rows", "header", "delimiter", "decimal")
CLOCK = ("column", "unit", "rate_hz", "file", "variable")
QUANTITY = (
    "columns", "unit", "side", "factor", "sign", "offset", "file", "variable", "joints", "optional",
)  # fmt: skip


@functools.cache
def list_column_maps() -> tuple[str, ...]:
    """Names of the column maps that come with the package."""
    found = (files(__package__) / "maps").iterdir()
    return tuple(sorted(f.name.removesuffix(".toml") for f in found if f.name.endswith(".toml")))


def load_column_map(name_or_path: Any) -> ColumnMap:
    """A column map by the name of a known format, or from a TOML file; a text with a slash or .toml is a path."""
    if isinstance(name_or_path, ColumnMap):
        return name_or_path
    if isinstance(name_or_path, str) and not (
        name_or_path.lower().endswith(".toml") or "/" in name_or_path or os.sep in name_or_path
    ):
        if name_or_path not in list_column_maps():
            if Path(name_or_path).is_file():
                raise FileError(name_or_path, "", "is no column map", "maps end in .toml")
            raise UnknownNameError("column map", name_or_path, list_column_maps())
        text = (files(__package__) / "maps" / f"{name_or_path}.toml").read_text(encoding="utf-8")
        return _parse(f"maps/{name_or_path}.toml", text, name_or_path)
    if not isinstance(name_or_path, (str, os.PathLike)):
        allowed = f"a ColumnMap, a path, or one of {', '.join(list_column_maps())}"
        raise ParameterError("columns", name_or_path, allowed)
    return _parse(name_or_path, read_text(name_or_path, MAX_BYTES), Path(name_or_path).stem)


def _parse(path: Any, text: str, name: str) -> ColumnMap:
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FileError(path, "", f"is not TOML: {error}") from None
    top = Entry(path, "", data)
    if data.get("format") != FORMAT or data.get("version") != VERSION:
        advice = f"begin it with format = {FORMAT!r} and version = {VERSION}"
        raise FileError(path, "format", "does not say that this is a column map", advice)
    top.keys(TOP, LAYOUT)
    columns = top.below("columns")
    quantities = {kind: _quantity(columns.below(kind)) for kind in columns.table()}
    layout = {key: data[key] for key in LAYOUT if key in data}
    if "files" in layout:
        labels = top.below("files")
        for label, pattern in labels.table().items():
            if not isinstance(pattern, str) or not pattern:
                raise labels.below(label).wrong("must be the file's name, with * for what varies")
    clock = _clock(top.below("time"))
    built: ColumnMap = top.build(ColumnMap, name=name, time=clock, quantities=quantities, **layout)
    return built


def _clock(entry: Entry) -> Clock:
    entry.keys((), CLOCK)
    values = dict(entry.data)
    if "column" in values:
        values["column"] = _selection(entry, "column")
    _texts(entry, "unit", "file", "variable")
    clock: Clock = entry.build(Clock, **values)
    return clock


def _quantity(entry: Entry) -> Quantity:
    entry.keys(("columns", "unit"), QUANTITY)
    values = {key: _frozen(value) for key, value in entry.table().items()}
    values["columns"] = _selection(entry, "columns")
    _texts(entry, "side", "file", "variable")
    if not isinstance(values.get("optional", False), bool):
        raise entry.below("optional").wrong("must be true or false")
    unit = values["unit"]
    if not isinstance(unit, str) and not (
        isinstance(unit, tuple) and all(isinstance(u, str) for u in unit)
    ):
        raise entry.below("unit").wrong("must be a text, or a list with one for each joint")
    if "joints" in values:
        values["joints"] = _selection(entry, "joints").numbers
        if not values["joints"]:
            raise entry.below("joints").wrong("must be joint numbers from 1, such as '1-3'")
    quantity: Quantity = entry.build(Quantity, **values)
    return quantity


def _selection(entry: Entry, key: str) -> Any:
    try:
        return parse_selection(key, entry.data[key])
    except ParameterError as error:
        raise entry.below(key).wrong(f"is not usable: {error}") from None


def _texts(entry: Entry, *keys: str) -> None:
    for key in keys:
        if key in entry.data and not isinstance(entry.data[key], str):
            raise entry.below(key).wrong("must be a text")


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
