"""Parameter objects out of TOML files written by hand: unknown, missing and impossible fields are refused by name."""

from __future__ import annotations

import tomllib
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from jointwise.errors import FileError, JointwiseError
from jointwise.robot.reading import read_text

T = TypeVar("T")
LARGEST_FILE = 1 << 20


def read_toml(path: Any) -> dict[str, Any]:
    """The tables of a file."""
    text = read_text(path, LARGEST_FILE)
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise FileError(path, "", f"is not TOML: {error}") from error


def made(path: Any, where: str, cls: type[T], entry: Any) -> T:
    """An object of a parameter class from one table; `where` is the table's place in words."""
    if not isinstance(entry, dict):
        raise FileError(path, where, "is not a table")
    known = {f.name: f for f in fields(cls)}  # type: ignore[arg-type]
    for key in entry:
        if key not in known:
            raise FileError(path, where, f"has no field {key!r}", f"fields: {', '.join(known)}")
    for name, field in known.items():
        if field.default is MISSING and name not in entry:
            raise FileError(path, where, f"does not state {name!r}")
    try:
        return cls(**entry)
    except JointwiseError as error:
        raise FileError(path, where, str(error)) from error
