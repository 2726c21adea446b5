"""Tables of text: any delimiter, with or without header. What is no number is refused with its line and column."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError, shown
from jointwise.recording.import_map import DECIMALS, DELIMITERS, ColumnMap
from jointwise.recording.import_selection import MOST_COLUMNS
from jointwise.recording.import_table import FlatTable, check_amount

Array = NDArray[np.float64]

HEAD = 1 << 20
"""Bytes looked at to find delimiter and header; also the longest line that is read."""
SAMPLE = 50
"""Lines looked at."""
BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"PK\x03\x04": "ZIP", b"\x1f\x8b": "GZIP"}
LINE = re.compile(rb"\r\n|\n|\r")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z|[+-]?(inf|infinity|nan)\Z", re.I)


class CsvTable(FlatTable):
    """A text table; the layout comes from the column map, or from the first lines where the map does not state it."""

    def __init__(self, path: Path, layout: ColumnMap) -> None:
        self.path = path
        self.decimal = DECIMALS[layout.decimal]
        with path.open("rb") as file:
            head = file.read(HEAD + 1)
        _check_text(path, head)
        lines = _lines(head, path, layout.skip_rows)
        if not lines:
            raise FileError(path, "", f"has no rows after the first {layout.skip_rows}")
        self.line, self.start, first = lines[0]
        self.first_line = self.line
        given = layout.delimiter
        self.delimiter = DELIMITERS[given] if given else self._sniffed([t for _, _, t in lines])
        cells = self._cells(first)
        if layout.header if layout.header is not None else self._is_header(cells):
            self.names = tuple(cell.strip() for cell in cells)
            if len(lines) < 2:
                raise FileError(path, "", "has a header but no rows")
            self.line, self.start, first = lines[1]
        cells = self._cells(first)
        self.width = len(cells)
        self.even = self.delimiter.join(cells) == first
        if self.names and len(self.names) != self.width:
            problem = f"names {len(self.names)} columns, but the next row has {self.width}"
            advice = "state skip_rows, delimiter and decimal in the column map"
            raise FileError(path, f"line {lines[0][0]}", problem, advice)
        if self.width > MOST_COLUMNS:
            raise FileError(path, "", f"has {self.width} columns, more than {MOST_COLUMNS}")

    def read(self, keys: Sequence[Any]) -> dict[Any, Array]:
        """The columns, parsed together; on any failure the file is walked to name line, column and value."""
        import pyarrow as pa

        wanted = list(dict.fromkeys(keys))
        names = [f"f{key}" for key in wanted]
        try:
            table = self._blank_separated(names) if self.delimiter == " " else self._parsed(names)
        except (pa.ArrowException, MemoryError) as error:
            self._explain(wanted)
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise FileError(self.path, "", f"cannot be read: {first}") from None
        check_amount(self.path, table.num_rows, len(wanted))
        self.empty_cells += sum(table.column(name).null_count for name in names)
        return {
            key: np.asarray(table.column(name).to_numpy(), dtype=np.float64)
            for key, name in zip(wanted, names, strict=True)
        }

    def numeric_columns(self) -> list[bool]:
        """For each column, whether the first rows hold nothing but numbers in it."""
        with self.path.open("rb") as file:
            lines = _lines(file.read(HEAD + 1), self.path, self.line - 1)
        rows = [self._cells(text) for _, _, text in lines]
        cells = [[row[k] for row in rows if k < len(row)] for k in range(self.width)]
        return [all(not c.strip() or self._number(c) for c in column) for column in cells]

    def _blank_separated(self, names: list[str]) -> Any:
        """As it is where single blanks separate everything, which is quick; else with the blanks made even."""
        import pyarrow as pa

        if self.even:
            try:
                table = self._parsed(names)
            except pa.ArrowException:
                table = None
            # An empty cell would be a second blank somewhere: that is for the other way to judge.
            if table is not None and not any(table.column(name).null_count for name in names):
                return table
        with self.path.open("rb") as file:
            file.seek(self.start)
            return self._parsed(names, io.BytesIO(_even_blanks(file.read())))

    def _parsed(self, names: list[str], content: Any = None) -> Any:
        """The Arrow table of these columns, from the file or from content made of it."""
        import pyarrow as pa
        from pyarrow import csv

        options = {
            "read_options": csv.ReadOptions(autogenerate_column_names=True, block_size=4 * HEAD),
            "parse_options": csv.ParseOptions(delimiter=self.delimiter),
            "convert_options": csv.ConvertOptions(
                column_types={name: pa.float64() for name in names},
                include_columns=names,
                null_values=[""],
                decimal_point=self.decimal,
            ),
        }
        if content is not None:
            return csv.read_csv(content, **options)
        with self.path.open("rb") as file:
            file.seek(self.start)
            return csv.read_csv(file, **options)

    def _explain(self, wanted: Sequence[int]) -> None:
        """Raise the FileError of the first line that cannot be part of this table."""
        for number, raw in self._raw_lines():
            where = f"line {number}"
            if len(raw) > HEAD:
                raise FileError(self.path, where, f"is longer than {HEAD} bytes")
            text = raw.decode("utf-8", errors="replace")
            if not text.strip():
                continue
            cells = self._cells(text)
            if len(cells) != self.width:
                problem = f"has {len(cells)} values, expected {self.width} as in line {self.line}"
                raise FileError(self.path, where, problem, "repair or delete the line")
            for key in sorted(wanted):
                if cells[key].strip() and self._number(cells[key]) is None:
                    place = f"{where}, column {key + 1}"
                    name = f" ({self.names[key]})" if self.names else ""
                    problem = f"holds {shown(cells[key])}, which is not a number"
                    advice = "repair or delete the line; an empty cell is read as missing"
                    raise FileError(self.path, place + name, problem, advice)

    def _raw_lines(self) -> Iterator[tuple[int, bytes]]:
        number = self.line
        with self.path.open("rb") as file:
            file.seek(self.start)
            while piece := file.readline(HEAD + 2):
                parts = LINE.split(piece)
                for part in parts[:-1] or parts:
                    yield number, part
                    number += 1

    def _is_header(self, cells: Sequence[str]) -> bool:
        """True for a first row of words; a row of words and numbers may be damaged, so it is not taken for either."""
        numeric = [self._number(cell) is not None for cell in cells if cell.strip()]
        if any(numeric) and not all(numeric):
            word = next(c for c in cells if c.strip() and self._number(c) is None)
            problem = f"holds numbers and {shown(word)}: is it a header?"
            advice = "state header = true or false in the column map"
            raise FileError(self.path, f"line {self.line}", problem, advice)
        return not any(numeric)

    def _cells(self, line: str) -> list[str]:
        if '"' in line:
            import csv

            line = " ".join(line.split()) if self.delimiter == " " else line
            return next(csv.reader([line], delimiter=self.delimiter))
        return line.split() if self.delimiter == " " else line.split(self.delimiter)

    def _number(self, cell: str) -> str | None:
        text = cell.strip().replace(self.decimal, ".") if self.decimal != "." else cell.strip()
        return text if NUMBER.match(text) else None

    def _sniffed(self, lines: Sequence[str]) -> str:
        """The delimiter that cuts most lines into equally many cells, most of them numbers."""
        scores = {}
        for delimiter in DELIMITERS.values():
            if delimiter == self.decimal:
                continue
            self.delimiter = delimiter
            rows = [self._cells(line) for line in lines]
            width, count = Counter(len(row) for row in rows).most_common(1)[0]
            cells = [cell for row in rows[len(rows) > 1 :] for cell in row]
            numeric = sum(self._number(cell) is not None for cell in cells) / max(1, len(cells))
            # One cell a line says nothing about the delimiter, but is all there is in a table of one column.
            scores[delimiter] = count / len(rows) * (1.0 + numeric) * (1.0 if width > 1 else 0.1)
        return max(scores, key=lambda delimiter: scores[delimiter])


def _check_text(path: Path, head: bytes) -> None:
    for mark, what in BOMS.items():
        if head.startswith(mark):
            raise FileError(path, "", f"is {what}, not plain text", "save it as UTF-8 text")
    at = head.find(b"\0")
    if at >= 0:
        line = len(LINE.findall(head[:at])) + 1
        raise FileError(path, f"line {line}", "holds a NUL byte, so this is not a table of text")


def _lines(head: bytes, path: Path, skip_rows: int) -> list[tuple[int, int, str]]:
    """Number, offset and text of the first lines that are not blank, after the skipped ones."""
    start = 3 if head.startswith(b"\xef\xbb\xbf") else 0
    found = []
    complete = len(head) <= HEAD
    for number, line in enumerate(LINE.finditer(head, start), 1):
        if number > skip_rows:
            text = head[start : line.start()].decode("utf-8", errors="replace")
            if text.strip():
                found.append((number, start, text))
            if len(found) == SAMPLE:
                return found
        start = line.end()
    rest = head[start:]
    number = len(LINE.findall(head[:start])) + 1
    if not complete and not found:
        raise FileError(path, f"line {number}", f"is longer than {HEAD} bytes")
    if complete and rest.strip() and number > skip_rows:
        found.append((number, start, rest.decode("utf-8", errors="replace")))
    return found


def _even_blanks(data: bytes) -> bytes:
    """Blank-separated text with exactly one blank between values and none at the ends of lines."""
    data = data.replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    for end in (b"\n", b"\r"):
        data = data.replace(b" " + end, end).replace(end + b" ", end)
    return data.strip(b" ")
