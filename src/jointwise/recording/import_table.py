"""`ForeignTable`: what every reader of a foreign file offers the importer, and the limits of all of them."""

from __future__ import annotations

import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError
from jointwise.recording.import_selection import Selection

Array = NDArray[np.float64]

MOST_BYTES = 8 << 30
MOST_VALUES = 1 << 29
"""Numbers taken out of one file, 4 GiB of them: about five hours of 64 columns at 500 Hz."""


class ForeignTable(ABC):
    """An opened file: it resolves selections to keys of single columns, and reads those columns."""

    path: Path
    empty_cells: int = 0
    """Cells without text that were read as NaN."""

    @abstractmethod
    def resolve(
        self, selection: Selection, joints: Sequence[int], variable: str
    ) -> tuple[list[Hashable], list[str]]:
        """Keys of the selected columns for these joints (from 0), and what the file does not have of them."""

    @abstractmethod
    def read(self, keys: Sequence[Any]) -> dict[Any, Array]:
        """The columns of these keys, each once, all of one length."""

    @abstractmethod
    def offered(self) -> str:
        """What the file has, for messages."""

    def scalar(self, name: str) -> float:
        """A number the file stores under a name; tables of text have none."""
        raise FileError(
            self.path, f"factor {name!r}", "cannot be looked up in this type of file", "state it"
        )


class FlatTable(ForeignTable):
    """A table of columns side by side, by number, and by name where it has a header; keys count from 0."""

    names: tuple[str, ...] = ()
    width: int = 0

    def resolve(
        self, selection: Selection, joints: Sequence[int], variable: str
    ) -> tuple[list[Hashable], list[str]]:
        """Keys and what is missing; a name the header has twice is refused."""
        if variable:
            raise FileError(self.path, f"variable {variable!r}", "is only for .mat and .npz files")
        if selection.numbers:
            missing = [str(n) for n in selection.numbers if n > self.width]
            return [n - 1 for n in selection.numbers if n <= self.width], missing
        wanted = selection.named(joints)
        if not self.names:
            advice = "select columns by number, or state header = true"
            raise FileError(self.path, "header", f"is missing, but {selection} is a name", advice)
        for name in wanted:
            if self.names.count(name) > 1:
                places = [str(k) for k, n in enumerate(self.names, 1) if n == name]
                problem = f"has {name!r} more than once, in columns {', '.join(places)}"
                raise FileError(self.path, "header", problem, "select them by number")
        keys: list[Hashable] = [self.names.index(n) for n in wanted if n in self.names]
        return keys, [n for n in wanted if n not in self.names]

    @abstractmethod
    def numeric_columns(self) -> list[bool]:
        """For each column, whether it holds numbers, as far as can be told at once."""

    def offered(self) -> str:
        """The names of the header, or how many columns there are."""
        if self.names:
            return "columns " + ", ".join(self.names)
        return f"{self.width} columns and no header"


def check_file(path: Any) -> Path:
    """The path of a regular file that is not empty and not beyond the limit."""
    try:
        place = Path(path)
        status = os.stat(place)
    except OSError as error:
        raise FileError(path, "", f"cannot be read ({error.strerror or error})") from None
    except (TypeError, ValueError) as error:
        raise FileError(path, "", f"is not a usable path ({error})") from None
    if not stat.S_ISREG(status.st_mode):
        raise FileError(path, "", "is not a regular file")
    if status.st_size == 0:
        raise FileError(path, "", "is empty")
    if status.st_size > MOST_BYTES:
        raise FileError(path, "", f"is larger than {MOST_BYTES >> 30} GiB", "split the log")
    return place


def check_amount(path: Path, rows: int, columns: int) -> None:
    """Raise where a file says it holds more numbers than are read."""
    if rows * columns > MOST_VALUES:
        problem = f"holds {rows} rows, {columns} columns of which are wanted: above {MOST_VALUES}"
        raise FileError(path, "", f"{problem} values, the most that are read", "split the log")
