"""Files that are whole: a reader, or a crash, sees the old file or the new one, never a part."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A draft beside `path` to be written in the block, which takes its place at the end; a link keeps its target."""
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        raise OSError(errno.EINVAL, "it is a folder or a device")
    draft = place.with_name(f".{place.name[:100]}.{secrets.token_hex(8)}")
    try:
        yield draft
        with open(draft, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(draft, place)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def write_atomically(path: Path, data: bytes) -> None:
    """Write the bytes as a whole or not at all."""
    with replacing(path) as draft:
        draft.write_bytes(data)
