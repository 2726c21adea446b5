"""How verbs print: JSON for machines, numbers with units for people."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import typer

from jointwise.units import UNKNOWN, Unknown

if TYPE_CHECKING:
    from jointwise.robot.frames import Frame


def print_json(data: Any) -> None:
    """Print plain data as strict JSON: unknown values as "unknown", infinite limits as "infinite"."""
    typer.echo(json.dumps(_plain(data), indent=2, allow_nan=False))


def _plain(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_plain(value) for value in data]
    if data is UNKNOWN:
        return "unknown"
    if isinstance(data, float) and math.isinf(data):
        return "infinite" if data > 0 else "-infinite"
    return data


def number(value: float | Unknown, unit: str = "", digits: int = 5) -> str:
    """A value for a table; what nobody knows reads `unknown`, an infinite limit `none`."""
    if isinstance(value, Unknown):
        return "unknown"
    if math.isinf(value):
        return "none"
    return f"{value:.{digits}g} {unit}".rstrip()


def numbers(values: Iterable[float] | Unknown, digits: int = 5) -> str:
    """A short vector for a table: `(0, 0, -9.81)`."""
    if isinstance(values, Unknown):
        return "unknown"
    return "(" + ", ".join(number(value, digits=digits) for value in values) + ")"


def interval(lower: float | Unknown, upper: float | Unknown, unit: str) -> str:
    """A range for a table: `-6.28 to 6.28 rad`."""
    if isinstance(lower, Unknown) and isinstance(upper, Unknown):
        return "unknown"
    return f"{number(lower, digits=4)} to {number(upper, unit, digits=4)}"


def frame_text(frame: Frame) -> str:
    """A link frame for a table: its convention and what differs from zero."""
    words = [frame.convention.replace("_", " ").replace("dh", "DH")]
    for field in dataclasses.fields(frame):
        value = getattr(frame, field.name)
        if isinstance(value, tuple) and any(value):
            words.append(f"{field.name} {numbers(value, digits=4)}")
        elif isinstance(value, float) and value:
            words.append(f"{field.name} {number(value, digits=4)}")
    return " ".join(words)
