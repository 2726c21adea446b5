"""Files of named arrays, and NumPy .npz among them. Only numbers are read, never objects."""

from __future__ import annotations

import zipfile
from abc import abstractmethod
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError
from jointwise.recording.import_selection import Selection
from jointwise.recording.import_table import ForeignTable, check_amount

Array = NDArray[np.float64]
LARGEST_HEADER = 10_000


class ArrayTable(ForeignTable):
    """Variables by name: vectors, or matrices with one column per joint. Keys are (variable, column)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._loaded: dict[str, Array] = {}
        self.names: tuple[str, ...] = self._list()

    @abstractmethod
    def _list(self) -> tuple[str, ...]:
        """Names of the variables in the file."""

    @abstractmethod
    def _load(self, name: str) -> Any:
        """The variable of that name, whatever it is."""

    def resolve(
        self, selection: Selection, joints: Sequence[int], variable: str
    ) -> tuple[list[Hashable], list[str]]:
        """Keys; one name may hold every joint, numbers select columns of `variable`."""
        if selection.numbers:
            if not variable:
                problem = f"{selection} needs the name of the variable it is in"
                raise FileError(self.path, "variable", problem, self.offered())
            if not self._has(variable):
                return [], [variable]
            width = self._matrix(variable).shape[1]
            missing = [f"{variable} column {n}" for n in selection.numbers if n > width]
            return [(variable, n - 1) for n in selection.numbers if n <= width], missing
        names = selection.named(joints)
        missing = [name for name in names if not self._has(name)]
        if missing:
            return [(n, 0) for n in names if n not in missing], missing
        if len(names) == 1:
            return self._columns_of(names[0], len(joints)), []
        return [(name, 0) for name in names], []

    def _columns_of(self, name: str, count: int) -> list[Hashable]:
        """One key for each column of a matrix; a matrix of samples in columns is turned."""
        array = self._matrix(name)
        if array.shape[1] != count and array.shape[0] == count:
            self._loaded[name] = array = array.T
        elif array.shape[0] == count == array.shape[1] and count > 1:
            problem = f"has {count} rows and {count} columns: which are the samples?"
            raise FileError(self.path, f"variable {name!r}", problem)
        return [(name, column) for column in range(array.shape[1])]

    def read(self, keys: Sequence[Any]) -> dict[Any, Array]:
        """The columns; all must have one length."""
        found = {(name, k): np.ascontiguousarray(self._matrix(name)[:, k]) for name, k in keys}
        lengths = {name: len(self._matrix(name)) for name, _ in keys}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{name} {count}" for name, count in lengths.items())
            raise FileError(self.path, "", f"holds variables of different lengths: {listed}")
        return found

    def scalar(self, name: str) -> float:
        """A variable that is one number."""
        if not self._has(name):
            raise FileError(self.path, f"factor {name!r}", "is not in the file", self.offered())
        array = self._matrix(name)
        if array.size != 1:
            raise FileError(self.path, f"factor {name!r}", f"has {array.size} values, expected one")
        return float(array.item())

    def seen(self, name: str) -> tuple[int, int, Array]:
        """Rows, columns and values of a variable; a vector's values have one axis."""
        array = self._matrix(name)
        return len(array), array.shape[1], array[:, 0] if array.shape[1] == 1 else array

    def offered(self) -> str:
        """Names of the variables."""
        return "variables " + (", ".join(self.names) or "none")

    def _has(self, name: str) -> bool:
        return name.split(".")[0] in self.names

    def _matrix(self, name: str) -> Array:
        """A variable as (rows, columns) of float64; a vector is one column."""
        if name not in self._loaded:
            value = np.asarray(self._load(name))
            what = f"variable {name!r}"
            if value.dtype.kind not in "fiu":
                raise FileError(self.path, what, f"holds {value.dtype}, not real numbers")
            if value.ndim > 2 or value.size == 0:
                problem = f"has shape {value.shape}, expected a vector or a matrix"
                raise FileError(self.path, what, problem)
            is_row = value.ndim < 2 or value.shape[0] == 1
            matrix = value.reshape(-1, 1) if is_row else value
            self._loaded[name] = np.asarray(matrix, dtype=np.float64)
        return self._loaded[name]


class NpzTable(ArrayTable):
    """An archive of NumPy arrays; pickled objects are refused, and headers are believed only as far as they fit."""

    def _list(self) -> tuple[str, ...]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                members = archive.namelist()
        except (zipfile.BadZipFile, OSError, ValueError, RuntimeError) as error:
            raise FileError(self.path, "", f"is not a readable .npz file: {error}") from None
        return tuple(dict.fromkeys(m.removesuffix(".npy") for m in members if m.endswith(".npy")))

    def _load(self, name: str) -> Any:
        where = f"variable {name!r}"
        if name not in self.names:
            raise FileError(self.path, where, "is not in the file", self.offered())
        try:
            with zipfile.ZipFile(self.path) as archive:
                info = archive.getinfo(f"{name}.npy")
                check_amount(self.path, info.file_size // 8, 1)
                with archive.open(info) as member:
                    self._check_header(where, member, info.file_size)
                with archive.open(info) as member:
                    return np.lib.format.read_array(
                        member, allow_pickle=False, max_header_size=LARGEST_HEADER
                    )
        except FileError:
            raise
        except Exception as error:  # what a damaged archive raises is not listed anywhere
            raise FileError(self.path, where, f"cannot be read: {_first(error)}") from None

    def _check_header(self, where: str, member: Any, size: int) -> None:
        version = np.lib.format.read_magic(member)
        reader = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }.get(version)
        if reader is None:
            raise FileError(self.path, where, f"has format version {version}, which is not read")
        shape, _, dtype = reader(member, max_header_size=LARGEST_HEADER)
        count = 1
        for length in shape:
            count *= int(length)
        if dtype.hasobject:
            raise FileError(self.path, where, "holds pickled objects, which are never loaded")
        if count * dtype.itemsize > size:
            raise FileError(self.path, where, f"says shape {shape}, but holds {size} bytes")


def _first(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
