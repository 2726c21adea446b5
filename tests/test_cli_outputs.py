"""What commands write never takes the place of what they read, and help says every word it was given."""

import hashlib

import pytest
import typer
from rich.text import Text
from typer.main import get_command
from typer.testing import CliRunner

from jointwise.cli.main import app

CALLS = {
    "import": ("import", "log.csv", "--robot", "arm.toml", "--columns", "map.toml", "-o"),
    "check": ("check", "rec.parquet", "--robot", "arm.toml", "-o"),
    "plan": ("plan", "random", "--robot", "arm.toml", "-o"),
    "plan experiment": ("plan", "experiment", "load", "--joint", "1", "--robot", "arm.toml", "-o"),
    "run": ("run", "rec.parquet", "--robot", "arm.toml", "--faults", "map.toml", "-o"),
    "fit robot": ("fit", "robot", "rec.parquet", "--robot", "arm.toml", "--filter-hz", "5", "-o"),
    "fit load": ("fit", "load", "rec.parquet", "--robot", "arm.toml", "--joint", "1", "-o"),
    "fit payload": ("fit", "payload", "rec.parquet", "--fit", "arm.toml", "-o"),
    "fit drive-gain": ("fit", "drive-gain", "rec.parquet", "--robot", "arm.toml", "-o"),
    "fit cartesian-stiffness": ("fit", "cartesian-stiffness", "log.csv", "--robot", "arm.toml", "-o"),
    "report": ("report", "arm.toml", "rec.parquet", "-o"),
}  # fmt: skip
FITS = [name for name in CALLS if name.startswith("fit ")]
FILES = ("log.csv", "map.toml", "rec.parquet", "arm.toml")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in FILES:
        (tmp_path / name).write_text(f"the only copy of {name}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def digests(folder):
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in folder.iterdir()}


def refused(call, folder):
    """The one line with which a call is refused that must leave the folder as it was."""
    before = digests(folder)
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 2, result.output
    assert digests(folder) == before
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize("name", CALLS)
def test_no_command_writes_over_what_it_reads(name, folder):
    call = CALLS[name]
    for source in (word for word in call if word in FILES):
        for place in (source, str(folder / source)):
            assert "is read by this command" in refused((*call, place), folder)


def test_a_link_to_what_is_read_is_seen_through(folder):
    (folder / "other.csv").symlink_to(folder / "log.csv")
    assert "is read by this command" in refused((*CALLS["import"], "other.csv"), folder)


@pytest.mark.parametrize("name", FITS)
def test_a_report_is_written_neither_over_what_is_read_nor_over_its_fit(name, folder):
    if name == "fit payload":
        reads = "arm.toml"
    else:
        reads = next(word for word in CALLS[name] if word in FILES)
    for page in (reads, "new.fit.toml"):
        call = (*CALLS[name], "new.fit.toml", "--report", page)
        assert "is read by this command" in refused(call, folder)


@pytest.mark.parametrize(
    ("name", "place", "better"),
    [
        ("import", "new.csv", "would hold Parquet; call it new.parquet"),
        ("run", "new.mat", "would hold Parquet; call it new.parquet"),
        ("plan", "new.npz", "would hold Parquet; call it new.parquet"),
        ("fit robot", "new.fit.html", "would hold TOML; call it new.fit.toml"),
        ("report", "new.toml", "would hold HTML; call it new.html"),
    ],
)
def test_a_name_that_promises_another_kind_of_file_is_refused(name, place, better, folder):
    assert better in refused((*CALLS[name], place), folder)


def commands(command, name):
    """Every command with its full name."""
    context = typer.Context(command, info_name=name)
    yield name, command
    for below in command.list_commands(context) if hasattr(command, "list_commands") else ():
        yield from commands(command.get_command(context, below), f"{name} {below}")


def test_no_word_of_a_help_text_is_taken_for_markup():
    shown = 0
    for name, command in commands(get_command(app), "jointwise"):
        texts = [command.help, command.epilog, *(getattr(p, "help", "") for p in command.params)]
        for text in filter(None, texts):
            assert Text.from_markup(text).plain == text.replace("\\[", "["), (name, text)
            shown += "[" in text
    assert shown > 20
