"""The arms that come with Jointwise, and the one door for any arm: a library name, a robot file or a URDF."""

from __future__ import annotations

import functools
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

from jointwise.errors import FileError, ParameterError, UnknownNameError
from jointwise.robot.description import Robot

ROBOT_FILES = (".toml",)
URDF_FILES = (".urdf", ".xml")


def list_robots() -> tuple[str, ...]:
    """Names of the arms in the library."""
    return _names()


def load_robot(name_or_path: Any) -> Robot:
    """An arm of the library by its name, or the one in a robot file (.toml) or URDF (.urdf, .xml).

    A text is a path if it has a slash or one of these endings, and a library name otherwise; a `Path` is a path.
    URDF files with more than one chain of moving joints need `jointwise.robot.urdf.load_urdf` and its `lock`.
    """
    if isinstance(name_or_path, str) and not _is_path(name_or_path):
        if name_or_path not in _names():
            if Path(name_or_path).is_file():
                raise _no_robot(name_or_path)
            raise UnknownNameError("robot of the library", name_or_path, _names())
        return _from_library(name_or_path)
    if not isinstance(name_or_path, (str, os.PathLike)):
        raise ParameterError("robot", name_or_path, "a library name or a path")
    ending = _ending(name_or_path)
    if ending in ROBOT_FILES:
        from jointwise.robot.file import load

        return load(name_or_path)
    if ending in URDF_FILES:
        from jointwise.robot.urdf import load_urdf

        return load_urdf(name_or_path)
    raise _no_robot(name_or_path)


def _no_robot(path: Any) -> FileError:
    endings = ", ".join((*ROBOT_FILES, *URDF_FILES))
    return FileError(path, "", f"ends in none of {endings}", "rename it to say what it is")


def _is_path(text: str) -> bool:
    return any(s in text for s in ("/", os.sep)) or _ending(text) in (*ROBOT_FILES, *URDF_FILES)


def _ending(path: Any) -> str:
    return Path(os.fsdecode(path)).suffix.lower()


@functools.cache
def _names() -> tuple[str, ...]:
    found = (files(__package__) / "library").iterdir()
    return tuple(sorted(f.name.removesuffix(".toml") for f in found if f.name.endswith(".toml")))


@functools.cache
def _from_library(name: str) -> Robot:
    import tomllib

    from jointwise.robot.file import from_dict

    text = (files(__package__) / "library" / f"{name}.toml").read_text(encoding="utf-8")
    return from_dict(tomllib.loads(text), f"library/{name}.toml")
