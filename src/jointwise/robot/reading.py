"""Reading a file from anywhere without trusting it: regular files only, a size cap, UTF-8."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from jointwise.errors import FileError


def read_text(path: Any, limit: int) -> str:
    """Text of a regular file of at most `limit` bytes; every failure is a FileError."""
    data = _read(path, limit)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            path, f"byte {error.start}", f"{data[error.start]:#04x} is not UTF-8 text"
        ) from None


def _read(path: Any, limit: int) -> bytes:
    try:
        place = Path(path)
        _check_regular(path, os.stat(place), limit)
        # A pipe put in place of the file meanwhile must not block either.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(place, flags), "rb") as file:
            _check_regular(path, os.fstat(file.fileno()), limit)
            data = file.read(limit + 1)
    except OSError as error:
        raise FileError(path, "", f"cannot be read ({error.strerror or error})") from None
    except (TypeError, ValueError) as error:  # not a path at all, or one with a zero byte
        raise FileError(path, "", f"is not a usable path ({error})") from None
    if len(data) > limit:
        raise FileError(path, "", f"has more than {limit} bytes, the most that is read")
    return data


def _check_regular(path: Any, status: os.stat_result, limit: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = "directory" if stat.S_ISDIR(status.st_mode) else "pipe, socket or device"
        raise FileError(path, "", f"is a {kind}, not a regular file")
    if status.st_size > limit:
        raise FileError(
            path, "", f"has {status.st_size} bytes, more than the {limit} that are read"
        )
