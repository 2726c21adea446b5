"""Foreign Parquet files with one flat column per joint and quantity."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError
from jointwise.recording.import_table import FlatTable, check_amount

Array = NDArray[np.float64]


class ParquetTable(FlatTable):
    """A Parquet file; lists, structs and text are refused where they are selected."""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.path = path
        try:
            self._file: Any = pq.ParquetFile(path, page_checksum_verification=True)
            self._schema: Any = self._file.schema_arrow
        except (pa.ArrowException, OSError, ValueError) as error:
            raise self._unreadable(error) from None
        self.names = tuple(str(name) for name in self._schema.names)
        self.width = len(self.names)

    def numeric_columns(self) -> list[bool]:
        """For each column, whether it holds numbers."""
        import pyarrow as pa

        kinds = [self._schema.field(k).type for k in range(self.width)]
        return [pa.types.is_floating(kind) or pa.types.is_integer(kind) for kind in kinds]

    def read(self, keys: Sequence[Any]) -> dict[Any, Array]:
        """The columns as float64; a missing value is NaN."""
        import pyarrow as pa

        wanted = list(dict.fromkeys(keys))
        check_amount(self.path, self._file.metadata.num_rows, len(wanted))
        numeric = self.numeric_columns()
        for key in wanted:
            if not numeric[key]:
                problem = f"holds {self._schema.field(key).type}, not numbers"
                raise FileError(self.path, f"column {self.names[key]!r}", problem)
        try:
            table = self._file.read(columns=[self.names[key] for key in wanted])
            columns = [table.column(self.names[key]) for key in wanted]
        except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError) as error:
            raise self._unreadable(error) from None
        self.empty_cells += sum(column.null_count for column in columns)
        return {
            key: np.asarray(column.to_numpy(), dtype=np.float64)
            for key, column in zip(wanted, columns, strict=True)
        }

    def _unreadable(self, error: BaseException) -> FileError:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        return FileError(self.path, "", f"is not a readable Parquet file: {first}")
