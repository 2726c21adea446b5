"""`ColumnMap`: which columns of a foreign table are which quantity, in which unit, on which side of the gear.

Units, sides and kinds of torque are stated by the person who knows the log; a map without them cannot be built.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.recording.columns import KINDS
from jointwise.recording.import_selection import Selection
from jointwise.recording.import_units import RAW, TIME, known_units

Side = Literal["motor", "output"]
Numbers = float | tuple[float, ...]

SIDES = ("motor", "output")
SIDE_MUST_BE_STATED = ("theta", "dtheta", "motor_torque", "command_torque")
"""Drives report these on either side of the gear, and nothing in the numbers says which."""
HAS_NO_SIDE = ("A", "1", "degC")
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "blank": " "}
DECIMALS = {"point": ".", "comma": ","}


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """Where one kind of column comes from: value = sign factor unit(column), reflected to the output side, + offset.

    `factor` is a number, one per joint, or the name of a scalar variable in the file. `offset` is in SI on the output
    side. `joints` (from 1) are those that were measured, where it was not all: the others are NaN, never zero.
    """

    columns: Selection
    unit: str | tuple[str, ...]
    side: Side | None = None
    factor: Numbers | str = 1.0
    sign: Numbers = 1.0
    offset: Numbers = 0.0
    file: str = ""
    variable: str = ""
    joints: tuple[int, ...] = ()
    optional: bool = False


@dataclass(frozen=True, kw_only=True)
class Clock:
    """Time from a column in a stated unit, or from a stated rate where the table has no time."""

    column: Selection | None = None
    unit: str = ""
    rate_hz: float = math.nan
    file: str = ""
    variable: str = ""

    def __post_init__(self) -> None:
        if self.column is None:
            rate = self.rate_hz
            if not isinstance(rate, (int, float)) or not 0.0 < rate < 1e9:
                raise ParameterError(
                    "time.rate_hz", rate, "above 0 and below 1e9 where time has no column"
                )
            return
        if not math.isnan(self.rate_hz):
            raise ParameterError("time.rate_hz", self.rate_hz, "left out where time has a column")
        if self.unit not in TIME:
            raise ParameterError("time.unit", self.unit, f"one of {', '.join(TIME)}")


@dataclass(frozen=True, kw_only=True)
class ColumnMap:
    """A whole map; `files` gives each file of a recording made of several a label and a pattern of its name.

    `header` and `delimiter` are read off the file where they are not stated; units never are.
    """

    name: str
    time: Clock
    quantities: Mapping[str, Quantity]
    about: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    skip_rows: int = 0
    header: bool | None = None
    delimiter: str | None = None
    decimal: str = "point"

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", MappingProxyType(dict(self.files)))
        object.__setattr__(self, "quantities", MappingProxyType(dict(self.quantities)))
        if not self.quantities:
            raise ParameterError("columns", "empty", "at least one quantity, see the list of kinds")
        if self.delimiter is not None and self.delimiter not in DELIMITERS:
            raise ParameterError("delimiter", self.delimiter, f"one of {', '.join(DELIMITERS)}")
        if self.decimal not in DECIMALS:
            raise ParameterError("decimal", self.decimal, f"one of {', '.join(DECIMALS)}")
        if self.header not in (True, False, None):
            raise ParameterError("header", self.header, "true or false")
        rows = self.skip_rows
        if isinstance(rows, bool) or not isinstance(rows, int) or not 0 <= rows <= 10_000:
            raise ParameterError("skip_rows", rows, "a whole number from 0 to 10000")
        self._check_file("time", self.time.file)
        for kind, quantity in self.quantities.items():
            if kind not in KINDS:
                raise UnknownNameError("kind of column", kind, KINDS)
            _check(kind, quantity)
            self._check_file(f"columns.{kind}", quantity.file)

    def _check_file(self, what: str, label: str) -> None:
        if bool(label) != bool(self.files) or (label and label not in self.files):
            if what == "time" and not label and self.time.column is None:
                return
            allowed = f"one of {', '.join(self.files)}" if self.files else "left out: no [files]"
            raise ParameterError(f"{what}.file", label or "not stated", allowed)


def _check(kind: str, quantity: Quantity) -> None:
    """Raise unless unit, side, factor, sign and offset make sense for this kind of column."""
    what = f"columns.{kind}"
    known = known_units(kind)
    for unit in (quantity.unit,) if isinstance(quantity.unit, str) else quantity.unit:
        if unit not in known:
            raise ParameterError(f"{what}.unit", unit, f"one of {', '.join(known)}")
        if unit == RAW and quantity.factor == 1.0 and kind != "motor_signal":
            raise ParameterError(f"{what}.factor", "not stated", "stated where the unit is 'raw'")
    if KINDS[kind].unit in HAS_NO_SIDE:
        if quantity.side is not None:
            raise ParameterError(f"{what}.side", quantity.side, "left out, it is not reflected")
    elif kind in SIDE_MUST_BE_STATED and quantity.side is None:
        raise ParameterError(
            f"{what}.side", "not stated", "'motor' or 'output', as your log has it"
        )
    elif quantity.side not in (*SIDES, None):
        raise ParameterError(f"{what}.side", quantity.side, "'motor' or 'output'")
    for name in ("factor", "sign", "offset"):
        _check_numbers(f"{what}.{name}", getattr(quantity, name))


def _check_numbers(what: str, value: Any) -> None:
    if isinstance(value, str):
        if not what.endswith("factor"):
            raise ParameterError(what, value, "a number, or a list with one for each joint")
        return
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise ParameterError(what, number, "a number")
        if not math.isfinite(number):
            raise ParameterError(what, number, "finite")
        if what.endswith("sign") and number not in (1, -1):
            raise ParameterError(what, number, "1 or -1")
        if what.endswith("factor") and number == 0:
            raise ParameterError(what, number, "not zero")
