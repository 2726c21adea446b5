"""After a change in any kernel file the new result comes back, also where another file calls it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "jointwise"

CALLEE = """
from {decorator_home} import {decorator}

@{decorator}
def gain(x):
    return {factor} * x
"""
CALLER = """
from {decorator_home} import {decorator}
from jointwise.kernels.callee import gain

@{decorator}
def offset_gain(x):
    return gain(x) + 0.5
"""
ASK = "from jointwise.kernels.caller import offset_gain; print(offset_gain(1.0))"

OURS = {"decorator_home": "jointwise.kernels.jit", "decorator": "kernel"}
PLAIN = {"decorator_home": "jointwise.kernels.plain", "decorator": "kernel"}


@pytest.fixture
def package(tmp_path):
    """A package with the real kernel mechanism and two kernel files of its own."""
    kernels = tmp_path / "jointwise" / "kernels"
    kernels.mkdir(parents=True)
    (tmp_path / "jointwise" / "__init__.py").touch()
    (kernels / "__init__.py").touch()
    shutil.copy(PACKAGE / "kernels" / "jit.py", kernels)
    (kernels / "plain.py").write_text("import numba\nkernel = numba.njit(cache=True)\n")
    return kernels


def write(package: Path, decorator: dict[str, str], factor: float) -> None:
    (package / "callee.py").write_text(CALLEE.format(factor=factor, **decorator))
    if not (package / "caller.py").exists():
        (package / "caller.py").write_text(CALLER.format(**decorator))


def ask(package: Path) -> float:
    """The result in a fresh process, as after an upgrade."""
    root = package.parent.parent
    places = {
        "PYTHONPATH": str(root),
        "XDG_CACHE_HOME": str(root / "cache"),
        "HOME": str(root),
        "LOCALAPPDATA": str(root / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        env={**os.environ, **places},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def compiled_files(package: Path) -> set[Path]:
    return set(package.parent.parent.rglob("*.nbc"))


def test_a_change_in_a_called_file_is_seen(package):
    write(package, OURS, 2.0)
    assert ask(package) == 2.5
    write(package, OURS, 3.0)
    assert ask(package) == 3.5


def test_without_a_change_nothing_is_compiled_again(package):
    write(package, OURS, 2.0)
    ask(package)
    first = compiled_files(package)
    written = {path: path.stat().st_mtime_ns for path in first}
    assert first
    assert ask(package) == 2.5
    assert {path: path.stat().st_mtime_ns for path in compiled_files(package)} == written


def test_a_home_that_cannot_be_written_stops_nobody(package):
    write(package, OURS, 2.0)
    (package.parent.parent / "cache").write_text("a file where the folder should be")
    assert ask(package) == 2.5


def test_the_plain_cache_would_return_the_old_result(package):
    """The reason for the mechanism. When this fails, Numba has learnt it and decision 0001 can be looked at again."""
    write(package, PLAIN, 2.0)
    assert ask(package) == 2.5
    write(package, PLAIN, 3.0)
    assert ask(package) == 2.5
