"""Files are whole or not there, and as readable as any other file of the user."""

import os

import pytest

from jointwise.errors import FileError
from jointwise.files import replacing, write_atomically
from jointwise.tables import ensure_writable, write_table


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "kept"
    write_atomically(path, b"old")

    def interrupted():
        with replacing(path) as draft:
            draft.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_is_never_replaced_by_a_file(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for place in (pipe, tmp_path):
        with pytest.raises(OSError, match="a folder or a device"):
            write_atomically(place, b"new")
        for ending in (".parquet", ".html"):
            with pytest.raises(FileError, match="a folder or a device"):
                ensure_writable(place, ending=ending)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_link_keeps_its_target(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_files_have_the_rights_of_any_file_the_user_makes(tmp_path):
    plain = tmp_path / "plain"
    plain.touch()
    write_table(tmp_path / "table.parquet", {}, {"kind": "test"})
    assert (tmp_path / "table.parquet").stat().st_mode == plain.stat().st_mode
