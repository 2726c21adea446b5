"""Parquet files with flat columns and a JSON header: the one file form of motions and recordings.

Written beside the target and moved into place when complete, with a checksum on every page; reading verifies them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError
from jointwise.files import replacing

Array = NDArray[np.float64]
HEADER = b"jointwise"
MAGIC = b"PAR1"
LARGEST_FILE = 8 << 30
ENDINGS = {
    ".parquet": "Parquet", ".toml": "TOML", ".html": "HTML",
    ".csv": "a table", ".tsv": "a table", ".txt": "text", ".log": "text", ".dat": "text",
    ".mat": "MATLAB arrays", ".npz": "NumPy arrays", ".json": "JSON", ".urdf": "a URDF", ".xml": "XML",
}  # fmt: skip
"""What files with these endings hold; nothing else is written under them."""


def write_table(path: Any, columns: Mapping[str, Array], header: Mapping[str, Any]) -> None:
    """Write equally long columns and a header atomically."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    target = Path(path)
    meta = {HEADER: json.dumps(dict(header), sort_keys=True).encode()}
    names = list(columns)
    table = pa.table([pa.array(columns[n]) for n in names], names=names).replace_schema_metadata(
        meta
    )
    try:
        with replacing(target) as draft:
            pq.write_table(
                table,
                draft,
                compression="zstd",
                write_page_checksum=True,
                use_dictionary=False,
                row_group_size=100_000,
            )
    except OSError as error:
        raise FileError(target, "", f"cannot be written: {error.strerror or error}") from error


def ensure_writable(path: Any, *inputs: Any, ending: str = ".parquet") -> None:
    """Raise FileError now if a file could not be written later, or should not, before long work is done for it."""
    ensure_spared(path, *inputs, ending=ending)
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise FileError(path, "", "cannot be written: its folder does not exist")
    if not os.access(folder, os.W_OK):
        raise FileError(path, "", "cannot be written: the folder is read-only")


def ensure_new(path: Any) -> None:
    """Raise FileError if a file is there already that somebody may have put work into."""
    if os.path.lexists(path):
        raise FileError(
            path, "", "is there already", "it may hold work of yours: choose another name"
        )


def ensure_spared(path: Any, *inputs: Any, ending: str) -> None:
    """Raise FileError if a file to be written is one of the `inputs`, or has the ending of another kind of file."""
    target = Path(path)
    place = os.path.realpath(target)
    if target.exists() and not target.is_file():
        raise FileError(path, "", "cannot be written: it is a folder or a device")
    if any(os.path.realpath(source) == place for source in inputs):
        raise FileError(path, "", "is read by this command", "give what it writes another name")
    found = target.suffix.lower()
    if found != ending and found in ENDINGS:
        better = target.with_suffix(ending).name
        raise FileError(path, "", f"would hold {ENDINGS[ending]}", f"call it {better}")


def read_table(path: Any, kind: str) -> tuple[dict[str, Array], dict[str, Any]]:
    """Columns and header of a file written by `write_table`; `kind` is what its header must say it holds."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = Path(path)
    if not source.is_file():
        raise FileError(source, "", "is not a file", "check the path")
    if source.stat().st_size > LARGEST_FILE:
        raise FileError(source, "", f"is larger than {LARGEST_FILE >> 30} GiB")
    columns: dict[str, Array] = {}
    try:
        # One column at a time, so that a long recording is in memory once and not three times.
        with pq.ParquetFile(source, page_checksum_verification=True) as file:
            schema = file.schema_arrow
            for field in schema:
                if not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)):
                    continue
                column = file.read(columns=[field.name]).column(field.name)
                columns[field.name] = np.array(column.to_numpy(), dtype=np.float64)
    except (pa.ArrowException, OSError, ValueError) as error:
        with source.open("rb") as foreign:
            if foreign.read(len(MAGIC)) != MAGIC:
                advice = (
                    "a log becomes a recording by jointwise import" if kind == "recording" else ""
                )
                raise FileError(source, "", "is not a Parquet file", advice) from None
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FileError(source, "", f"is not a readable Parquet file: {first}") from error
    pa.default_memory_pool().release_unused()
    raw = (schema.metadata or {}).get(HEADER)
    try:
        header = json.loads(raw) if raw is not None else None
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("kind") != kind:
        raise FileError(
            source, "header", f"does not say that this is a {kind}", f"expected a {kind} file"
        )
    for field in schema:
        if field.name not in columns:
            raise FileError(source, f"column {field.name}", f"holds {field.type}, not numbers")
    return columns, header


def joined(columns: dict[str, Array], name: str, n: int) -> Array:
    """name_0 ... name_{n-1} as one (samples, n) array that nobody changes any more; they are taken out of `columns`."""
    out = np.column_stack([columns.pop(f"{name}_{j}") for j in range(n)])
    out.setflags(write=False)
    return out


def split(name: str, values: Array) -> dict[str, Array]:
    """The reverse of `joined`."""
    return {f"{name}_{j}": np.ascontiguousarray(values[:, j]) for j in range(values.shape[1])}
