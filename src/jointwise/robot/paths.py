"""Values of a robot by path: `joints.elbow.link.mass`, `gravity`, `payload`, `joints.elbow.friction`.

A path names fields from the robot downward, joints by their names. The same paths name values in notes on where they
came from and in errors about unknown values.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.robot.parts import Joint, check_text
from jointwise.units import UNKNOWN

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

OWNERS = ("robot", "pose", "frame", "body", "limits", "drive", "joint", "law", "capsule")
"""What the parameter classes put before a field's name in their messages; a path says more."""

Tree = dict[str, Any]


class _Leaf:
    def __init__(self, value: Any) -> None:
        self.value = value


def replaced(robot: Robot, changes: Mapping[str, Any], source: str) -> Robot:
    """The robot with values changed, each named by its path, and `source` noted for each; see `Robot.replace`."""
    check_text("source", source)
    if not changes:
        return robot
    new: Robot = _apply(robot, _tree(changes), "", robot.name)
    return dataclasses.replace(new, sources=_notes(robot, changes, source))


def unknown_paths(robot: Robot) -> tuple[str, ...]:
    """Paths of every value that is marked unknown, in the order of the robot file."""
    return tuple(_unknown(robot, ""))


def check_path(robot: Robot, path: str) -> None:
    """Raise UnknownNameError unless something of the robot has this path; the empty path is the robot."""
    node: Any = robot
    place = ""
    keys = path.split(".") if path else []
    while keys:
        # The parameters of a sum of laws have dots in their names.
        key = ".".join(keys) if isinstance(node, Mapping) else keys[0]
        keys = [] if isinstance(node, Mapping) else keys[1:]
        below = _children(node)
        if key not in below:
            raise _no_such(key, place, robot.name, below)
        node, place = below[key], _join(place, key)


def located(error: ParameterError, place: str) -> tuple[str, str]:
    """Path and requirement of an error a parameter class raised about the part at `place`."""
    head, _, tail = error.name.partition(".")
    if tail and head in OWNERS:
        return _join(place, tail), error.allowed
    return place or error.name, f"{error.allowed} ({error.name})" if place else error.allowed


def _children(node: Any) -> dict[str, Any]:
    if isinstance(node, tuple) and node and isinstance(node[0], Joint):
        return {joint.name: joint for joint in node}
    if isinstance(node, Mapping):
        return dict(node)
    if dataclasses.is_dataclass(node):
        fields = (f.name for f in dataclasses.fields(node) if f.name != "sources")
        return {name: getattr(node, name) for name in fields}
    return {}


def _tree(changes: Mapping[str, Any]) -> Tree:
    root: Tree = {}
    for path, value in changes.items():
        *above, last = str(path).split(".")
        node = root
        for key in above:
            node = node.setdefault(key, {})
            if isinstance(node, _Leaf):
                raise ParameterError("path", path, "given without one above it in the same change")
        if last in node:
            raise ParameterError("path", path, "given without one below it in the same change")
        node[last] = _Leaf(value)
    return root


def _apply(node: Any, tree: Tree, place: str, robot: str) -> Any:
    below = _children(node)
    new: dict[str, Any] = {}
    for key, change in (_flat(tree) if isinstance(node, Mapping) else tree).items():
        if key not in below:
            raise _no_such(key, place, robot, below)
        if isinstance(change, _Leaf):
            new[key] = change.value
        else:
            new[key] = _apply(below[key], change, _join(place, key), robot)
    if isinstance(node, tuple):
        return _joints({**below, **new}, place)
    if isinstance(node, Mapping):
        return {**below, **new}
    try:
        return dataclasses.replace(node, **new)
    except ParameterError as error:
        name, allowed = located(error, place)
        raise ParameterError(name, error.value, allowed) from None


def _flat(tree: Tree) -> Tree:
    """The leaves of a tree by their joined keys."""
    flat: Tree = {}
    for key, below in tree.items():
        if isinstance(below, _Leaf):
            flat[key] = below
        else:
            flat |= {_join(key, name): leaf for name, leaf in _flat(below).items()}
    return flat


def _joints(joints: Mapping[str, Any], place: str) -> tuple[Joint, ...]:
    for name, joint in joints.items():
        if not isinstance(joint, Joint):
            raise ParameterError(_join(place, name), joint, "a Joint")
    return tuple(joints.values())


def _notes(robot: Robot, changes: Mapping[str, Any], source: str) -> dict[str, str]:
    """Notes after the change: the new source at each path, what lay below it gone, renamed joints followed."""
    notes = dict(robot.sources)
    for path in changes:
        notes = {k: v for k, v in notes.items() if k != path and not k.startswith(path + ".")}
        notes[path] = source
    for path, value in changes.items():
        parts = path.split(".")
        if len(parts) == 3 and parts[0] == "joints" and parts[2] == "name":
            notes = {_renamed(k, parts[1], str(value)): v for k, v in notes.items()}
    return notes


def _renamed(path: str, old: str, new: str) -> str:
    parts = path.split(".")
    if len(parts) > 1 and parts[:2] == ["joints", old]:
        parts[1] = new
    return ".".join(parts)


def _unknown(node: Any, place: str) -> Iterator[str]:
    for key, value in _children(node).items():
        path = _join(place, key)
        if value is UNKNOWN:
            yield path
        else:
            yield from _unknown(value, path)


def _no_such(key: str, place: str, robot: str, below: Iterable[str]) -> UnknownNameError:
    return UnknownNameError(
        f"value below {place}" if place else f"value of {robot}", key, tuple(below) or ("nothing",)
    )


def _join(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
