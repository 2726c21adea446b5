"""The shape of the project: who may import whom, how large a file may be, what must not be in it."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "jointwise"
SOURCES = sorted(PACKAGE.rglob("*.py"))

# From the top down. A room may import rooms below its own line; rooms on one line are strangers.
LEVELS = [
    {"__main__"},
    {"cli"},
    {"report"},
    {"experiments"},
    {"control", "online", "plant"},
    {"motion", "recording", "estimators"},
    {"laws"},
    {"robot"},
    {"kernels"},
    {"tables"},
    {"errors", "files", "units"},
]
LEVEL = {room: depth for depth, rooms in enumerate(LEVELS) for room in rooms}
# The unit declarations raise errors of the family; that is the only step sideways.
SIDEWAYS = {("units", "errors")}
PACKAGE_ITSELF = "__init__"
LONGEST_FILE = 400
ROOMS = {path.name.removesuffix(".py") for path in PACKAGE.iterdir()} - {PACKAGE_ITSELF}

each_source = pytest.mark.parametrize(
    "path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE))
)


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imported_rooms(tree: ast.AST) -> set[str]:
    rooms = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide which room is meant"
            module = node.module or ""
            names = [f"{module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "jointwise":
                is_room = len(parts) > 1 and parts[1] in ROOMS
                rooms.add(parts[1] if is_room else PACKAGE_ITSELF)
    return rooms


def test_every_room_has_a_level():
    rooms = {room_of(path) for path in SOURCES} - {PACKAGE_ITSELF}
    assert rooms <= set(LEVEL), f"give {rooms - set(LEVEL)} a place in LEVELS"


@each_source
def test_imports_go_downward_only(path):
    room = room_of(path)
    if room == PACKAGE_ITSELF:
        return
    assert room in LEVEL, f"give {room} a place in LEVELS"
    for other in imported_rooms(ast.parse(path.read_text())) - {room}:
        if other == PACKAGE_ITSELF:
            assert room in ("cli", "report"), f"{room} imports the package itself"
            continue
        assert other in LEVEL, f"give {other} a place in LEVELS"
        below = LEVEL[other] > LEVEL[room]
        assert below or (room, other) in SIDEWAYS, f"{room} must not import {other}"


@each_source
def test_source_is_ascii(path):
    text = path.read_bytes()
    line = next((i for i, row in enumerate(text.splitlines(), 1) if not row.isascii()), None)
    assert line is None, f"line {line}"


@each_source
def test_files_are_short(path):
    assert len(path.read_text().splitlines()) <= LONGEST_FILE


@each_source
def test_module_has_a_docstring(path):
    assert ast.get_docstring(ast.parse(path.read_text()))


@each_source
def test_assert_is_not_used(path):
    """What a user gives is checked by errors that survive `python -O`."""
    tree = ast.parse(path.read_text())
    assert not [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assert)]


@each_source
def test_nothing_is_left_to_be_written(path):
    markers = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")
    found = [row for row in path.read_text().splitlines() if markers.search(row)]
    assert not found


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode != 0:  # an unpacked source archive
        roots = [ROOT / name for name in ("src", "tests", "docs", "benchmarks")]
        return [path for root in roots for path in root.rglob("*") if path.is_file()]
    return [path for name in listed.stdout.splitlines() if (path := ROOT / name).is_file()]


def test_no_package_index_and_no_machine_path_is_named():
    # The patterns are written so that they do not match themselves.
    pattern = re.compile(
        rb"pyp[i]\.org|pythonh[o]sted|npmj[s]\.|deb\.debi[a]n|extra-ind[e]x-url"
        rb"|/w[o]rk/|/f[a]rm/|/r[o]ot/|/h[o]me/|/t[m]p/"
    )
    named = {
        str(path.relative_to(ROOT)): found.group().decode()
        for path in tracked_files()
        if (found := pattern.search(path.read_bytes()))
    }
    assert not named


def test_constraints_are_exact_and_without_addresses():
    rows = [
        row
        for row in (ROOT / "constraints.txt").read_text().splitlines()
        if not row.startswith("#")
    ]
    assert len(rows) > 40
    assert [row for row in rows if not re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9.]+", row)] == []
