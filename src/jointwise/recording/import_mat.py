"""MATLAB files of version 5 to 7.2: variables that are real matrices, and fields of structs, without trusting a byte.

Own reader, because a damaged file can bring down the process in the compiled one of SciPy. Layout: MathWorks, MAT-File
Format, level 5: a header of 128 bytes, then elements of tag (type, size) and data; a matrix is an element of elements.
"""

from __future__ import annotations

import math
import struct
import zlib
from typing import Any, NamedTuple

import numpy as np

from jointwise.errors import FileError
from jointwise.recording.import_arrays import ArrayTable
from jointwise.recording.import_table import check_amount

HEADER = 128
MATRIX, COMPRESSED = 14, 15
TYPES = {
    1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8",
}  # fmt: skip
STRUCT = 2
NUMERIC = range(6, 16)
CLASSES = {1: "a cell array", 2: "a struct", 3: "an object", 4: "text", 5: "a sparse matrix"}
COMPLEX = 0x0800
PEEK = 4096
"""Bytes of a compressed variable unpacked to learn its name and shape."""
DAMAGED = (struct.error, zlib.error, ValueError, IndexError, KeyError, OverflowError, MemoryError)


class _Head(NamedTuple):
    """What stands before the numbers of a matrix, and where they begin."""

    kind: int
    is_complex: bool
    shape: tuple[int, ...]
    name: str
    at: int


class MatTable(ArrayTable):
    """A MATLAB file; `log.q` is field q of the struct log."""

    def _list(self) -> tuple[str, ...]:
        with self.path.open("rb") as file:
            head = file.read(HEADER)
        if b"MATLAB 7.3" in head or head.startswith(b"\x89HDF"):
            advice = "save it with -v7, or as CSV"
            raise FileError(self.path, "", "is a MATLAB 7.3 (HDF5) file, which is not read", advice)
        if len(head) < HEADER or head[126:128] not in (b"IM", b"MI"):
            raise FileError(self.path, "", "is not a MATLAB file of version 5", "save it with -v7")
        self._order = "<" if head[126:128] == b"IM" else ">"
        self._places: dict[str, tuple[int, int, int]] = {}
        try:
            with self.path.open("rb") as file:
                self._walk(file)
        except DAMAGED as error:
            raise FileError(self.path, "", f"is a damaged MATLAB file: {error}") from None
        return tuple(self._places)

    def _walk(self, file: Any) -> None:
        """Note where each variable is; nothing but names is read."""
        end = self.path.stat().st_size
        at = HEADER
        while at + 8 <= end:
            file.seek(at)
            kind, size = struct.unpack(self._order + "II", file.read(8))
            if kind not in (MATRIX, COMPRESSED):
                raise ValueError(f"element of type {kind} at byte {at}")
            if at + 8 + size > end:
                raise ValueError(f"the variable at byte {at} is cut off")
            data = file.read(min(size, PEEK))
            if kind == COMPRESSED:
                data = zlib.decompressobj().decompress(data, PEEK)[8:]
            name = _head(data, self._order).name
            if name in self._places:
                raise ValueError(f"two variables are named {name}")
            if name:  # MATLAB keeps data of its own in variables without name
                self._places[name] = (kind, at + 8, size)
            at += 8 + size

    def _load(self, name: str) -> Any:
        top, *fields = name.split(".")
        if top not in self._places:
            raise FileError(self.path, f"variable {name!r}", "is not in the file", self.offered())
        try:
            return self._matrix_of(self._content(top), name, fields)
        except DAMAGED as error:
            raise FileError(self.path, f"variable {name!r}", f"is damaged: {error}") from None

    def _content(self, name: str) -> bytes:
        """Bytes of the matrix element of a variable, unpacked, never more than the limit."""
        kind, at, size = self._places[name]
        with self.path.open("rb") as file:
            file.seek(at)
            data = file.read(size)
        if kind == MATRIX:
            return data
        unpack = zlib.decompressobj()
        tag, length = struct.unpack(self._order + "II", unpack.decompress(data, 8))
        if tag != MATRIX:
            raise ValueError(f"a compressed element of type {tag}")
        check_amount(self.path, length // 8, 1)
        content = unpack.decompress(unpack.unconsumed_tail, length) if length else b""
        if len(content) != length:
            raise ValueError(f"{len(content)} bytes where {length} are announced")
        return content

    def _matrix_of(self, data: bytes, name: str, fields: list[str]) -> Any:
        head = _head(data, self._order)
        what = CLASSES.get(head.kind, "of an unknown class")
        if fields and (head.kind != STRUCT or math.prod(head.shape) != 1):
            raise ValueError(f"it is {what} of shape {head.shape}, not one struct")
        if fields:
            return self._matrix_of(_field(data, head.at, fields[0], self._order), name, fields[1:])
        if head.kind not in NUMERIC or head.is_complex:
            what = "complex numbers" if head.kind in NUMERIC else what
            raise FileError(self.path, f"variable {name!r}", f"holds {what}, not real numbers")
        check_amount(self.path, math.prod(head.shape), 1)
        kind, start, size = _tag(data, head.at, self._order)
        values = np.frombuffer(data[start : start + size], dtype=self._order + TYPES[kind])
        if values.size != math.prod(head.shape):
            raise ValueError(f"{values.size} values for shape {head.shape}")
        return values.reshape(head.shape, order="F")


def _tag(data: bytes, at: int, order: str) -> tuple[int, int, int]:
    """Type of the element at a place, where its data begins, and their size; short data stand in the tag itself."""
    first, second = struct.unpack_from(order + "II", data, at)
    kind, start, size = (
        (first & 0xFFFF, at + 4, first >> 16) if first >> 16 else (first, at + 8, second)
    )
    if size > (4 if start == at + 4 else len(data) - start):
        raise ValueError(f"an element of {size} bytes at byte {at}")
    return kind, start, size


def _next(at: int, start: int, size: int) -> int:
    """Where the next element begins: elements fill whole words of 8 bytes."""
    return at + 8 if start == at + 4 else start + (size + 7) // 8 * 8


def _head(data: bytes, order: str) -> _Head:
    kind, start, size = _tag(data, 0, order)
    flags = struct.unpack_from(order + "I", data, start)[0]
    at = _next(0, start, size)
    kind, start, size = _tag(data, at, order)
    shape = np.frombuffer(data[start : start + size], dtype=order + "i4")
    if kind != 5 or len(shape) < 2 or shape.min() < 0:
        raise ValueError("a matrix without shape")
    at = _next(at, start, size)
    kind, start, size = _tag(data, at, order)
    name = data[start : start + size].decode("ascii", errors="replace")
    dimensions = tuple(int(length) for length in shape)
    return _Head(flags & 0xFF, bool(flags & COMPLEX), dimensions, name, _next(at, start, size))


def _field(data: bytes, at: int, name: str, order: str) -> bytes:
    """The matrix element of one field of a single struct."""
    _, start, size = _tag(data, at, order)
    length = struct.unpack_from(order + "i", data, start)[0]
    at = _next(at, start, size)
    _, start, size = _tag(data, at, order)
    if not 0 < length <= size:
        raise ValueError("a struct without fields")
    listed = [data[k : k + length].split(b"\0")[0] for k in range(start, start + size, length)]
    names = [field.decode("ascii", errors="replace") for field in listed]
    if name not in names:
        raise ValueError(f"no field {name!r}, only {', '.join(names[:10])}")
    at = _next(at, start, size)
    for _ in range(names.index(name)):
        _, start, size = _tag(data, at, order)
        at = _next(at, start, size)
    _, start, size = _tag(data, at, order)
    return data[start : start + size]
