"""TOML text: a writer for plain data, and the standard library's reader behind a check that keeps it fast."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

MAX_KEY_PARTS = 8
MAX_DEPTH = 16

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
# The reader's time grows with the square of the parts of a dotted key.
_LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-])(?:{_PART}[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}")


def parse(text: str) -> dict[str, Any]:
    """Plain data from TOML text; ValueError with one line that says what is wrong."""
    found = _LONG_KEY.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(f"a dotted key of more than {MAX_KEY_PARTS} parts at line {line}")
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise ValueError("values nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML: {error}") from None
    except (ValueError, OverflowError) as error:  # dates out of range, integers of 5,000 digits
        raise ValueError(f"a value that cannot be read: {error}") from None
    if _deeper_than(data, MAX_DEPTH):
        raise ValueError(f"values nested more than {MAX_DEPTH} deep")
    return data


def _deeper_than(data: Any, depth: int) -> bool:
    layer = [data]
    for _ in range(depth):
        below: list[Any] = []
        for item in layer:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        layer = below
    return any(isinstance(item, (dict, list)) for item in layer)


def text_of(data: Mapping[str, Any]) -> str:
    """TOML text of plain data: strings, numbers, lists, and tables below them; floats keep every bit."""
    return "\n".join(_table(data, ())).strip("\n") + "\n"


def _table(data: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    lines = [f"{_key(k)} = {_value(v)}" for k, v in data.items() if not _is_table(v)]
    for key, value in data.items():
        if not _is_table(value):
            continue
        below = (*path, key)
        name = ".".join(_key(k) for k in below)
        tables, head = (
            ([value], f"[{name}]") if isinstance(value, Mapping) else (value, f"[[{name}]]")
        )
        for table in tables:
            lines += ["", head, *_table(table, below)]
    return lines


def _is_table(value: Any) -> bool:
    if isinstance(value, Mapping):
        return True
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)


def _key(key: str) -> str:
    return key if _BARE.match(key) else _string(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Sequence):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    raise TypeError(f"a {type(value).__name__} has no TOML form")


def _string(text: str) -> str:
    short = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
    return (
        '"'
        + "".join(short.get(c) or (c if c.isprintable() else f"\\U{ord(c):08x}") for c in text)
        + '"'
    )
