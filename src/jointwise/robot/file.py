"""The robot file: a TOML text that states its units, read strictly and written atomically.

What each entry means and its unit is in `docs/robot-file.md`. Reading refuses the file as a whole with one FileError
(UnitError for another unit) that names the entry and its value; nothing is guessed and nothing is kept of a bad file.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jointwise.errors import FileError, JointwiseError, UnitError, shown, shown_path
from jointwise.files import write_atomically
from jointwise.robot import toml_text
from jointwise.robot.capsules import Capsule
from jointwise.robot.description import Robot
from jointwise.robot.entries import Entry
from jointwise.robot.frames import CONVENTIONS, Frame, Pose
from jointwise.robot.inertia import Body
from jointwise.robot.parts import Drive, Joint, Law, Limits, check_text
from jointwise.robot.paths import check_path
from jointwise.robot.reading import read_text
from jointwise.units import UNKNOWN, Unknown, unit_fields

FORMAT = "jointwise-robot"
FIT_FORMAT = "jointwise-fit"
VERSION = 1
MAX_BYTES = 512 << 10
HEADER = """\
# A robot arm, for Jointwise. SI units, everything on the output side of the gears; [units] says which unit each
# quantity has, in brackets that of a prismatic joint. A value nobody knows is "unknown". [sources] says where the
# values at and below a path came from.

"""
ROBOT_KEYS = ("name", "description", "gravity", "base", "flange", "tool", "payload", "coupling")
LATER_UNITS = ("jerk",)
"""Units that the first files do not state; a file that uses them must."""


@functools.cache
def units() -> dict[str, str]:
    """Unit of each kind of quantity in a robot file, as the parameter classes state it."""
    fields = {
        "length": (Pose, "origin"),
        "angle": (Pose, "rpy"),
        "gravity": (Robot, "gravity"),
        "mass": (Body, "mass"),
        "inertia": (Body, "inertia"),
        "position": (Limits, "position_lower"),
        "velocity": (Limits, "velocity"),
        "acceleration": (Limits, "acceleration"),
        "jerk": (Limits, "jerk"),
        "torque": (Limits, "torque"),
        "gear_ratio": (Drive, "gear_ratio"),
        "torque_constant": (Drive, "torque_constant"),
        "rotor_inertia": (Drive, "rotor_inertia"),
    }
    return {quantity: unit_fields(cls)[name][0].symbol for quantity, (cls, name) in fields.items()}


def to_dict(robot: Robot) -> dict[str, Any]:
    """Plain data with stable keys, the content of the robot file; unknown values read "unknown"."""
    data: dict[str, Any] = {"format": FORMAT, "version": VERSION, "units": dict(units())}
    data |= {key: _plain(getattr(robot, key)) for key in ROBOT_KEYS}
    if robot.coupling is None:
        del data["coupling"]
    data["joints"] = [_plain(joint) for joint in robot.joints]
    data["capsules"] = [_plain(capsule) for capsule in robot.capsules]
    for owner in (data, *data["joints"]):
        if not owner["capsules"]:
            del owner["capsules"]
    data["sources"] = dict(robot.sources)
    return data


def from_dict(data: Mapping[str, Any], path: Any) -> Robot:
    """The robot in plain data; `path` is what messages call the data."""
    top = Entry(path, "", data)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FileError(
            path, "format", f"missing or not {FORMAT!r}; this is no Jointwise robot file"
        )
    if data.get("version") != VERSION or isinstance(data.get("version"), bool):
        found = shown(data.get("version", "missing"))
        raise FileError(path, "version", f"is {found}, but this release reads version {VERSION}")
    top.keys(("format", "version", "name", "units", "joints"), (*ROBOT_KEYS, "capsules", "sources"))
    _check_units(top.below("units"), data["joints"])
    parts: dict[str, Any] = {key: data[key] for key in ("name", "description") if key in data}
    for key in ("gravity", "coupling"):
        if key in data:
            parts[key] = top.below(key).vector()
    parts |= {k: _part(top.below(k), Pose) for k in ("base", "flange", "tool") if k in data}
    if "payload" in data:
        parts["payload"] = _part(top.below("payload"), Body)
    if "capsules" in data:
        parts["capsules"] = _capsules(top)
    joints = top.below("joints").tables()
    robot: Robot = top.build(Robot, joints=tuple(_joint(e) for e in joints), **parts)
    return dataclasses.replace(robot, sources=_sources(top, robot))


def load(path: Any) -> Robot:
    """Read a robot file, or the robot in the file of a fit."""
    text = read_text(path, MAX_BYTES)
    try:
        data = toml_text.parse(text)
    except ValueError as error:
        raise FileError(path, "", str(error)) from None
    if data.get("format") == FIT_FORMAT and isinstance(data.get("robot"), dict):
        return from_dict(data["robot"], path)
    return from_dict(data, path)


def save(robot: Robot, path: Any) -> None:
    """Write the robot file in one step: a reader, or a crash, sees the old file or the new one, never a part."""
    text = HEADER + toml_text.text_of(to_dict(robot))
    if from_dict(toml_text.parse(text), path) != robot or len(text.encode()) > MAX_BYTES:
        raise FileError(path, "", f"{robot.name} cannot be stored so that it reads back the same")
    try:
        write_atomically(Path(path), text.encode())
    except OSError as error:
        raise FileError(path, "", f"cannot be written ({error.strerror or error})") from None
    except (TypeError, ValueError) as error:
        raise FileError(path, "", f"is not a usable path ({error})") from None


def _plain(value: Any) -> Any:
    if isinstance(value, Unknown):
        return "unknown"
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if dataclasses.is_dataclass(value):
        data = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        convention = getattr(value, "convention", None)
        return data if convention is None else {"convention": convention, **data}
    if isinstance(value, (int, float)):
        return float(value)
    return value


def _joint(entry: Entry) -> Joint:
    entry.keys(("name", "frame"), [f.name for f in dataclasses.fields(Joint)])
    data = entry.data
    entry = entry.named(data["name"])
    parts: dict[str, Any] = {key: data[key] for key in ("name", "kind") if key in data}
    parts["frame"] = _frame(entry.below("frame"))
    kinds: dict[str, Any] = {"link": Body, "limits": Limits, "drive": Drive}
    parts |= {key: _part(entry.below(key), cls) for key, cls in kinds.items() if key in data}
    laws = [key for key in ("transmission", "friction") if data.get(key, "unknown") != "unknown"]
    parts |= {key: _law(entry.below(key)) for key in laws}
    if "capsules" in data:
        parts["capsules"] = _capsules(entry)
    joint: Joint = entry.build(Joint, **parts)
    return joint


def _capsules(entry: Entry) -> tuple[Capsule, ...]:
    """The list `capsules` of the robot or of a joint; messages number them."""
    listed = entry.below("capsules")
    items = zip(listed.tables(), range(1, 1 + len(listed.data)), strict=True)
    return tuple(
        _part(Entry(e.path, f"{listed.place} {k}", e.data), Capsule, required=True)
        for e, k in items
    )


def _frame(entry: Entry) -> Frame:
    convention = entry.table().get("convention", "missing")
    cls = CONVENTIONS.get(convention) if isinstance(convention, str) else None
    if cls is None:
        allowed = ", ".join(CONVENTIONS)
        raise entry.below("convention").wrong(
            f"is {shown(convention)}, but must be one of {allowed}"
        )
    frame: Frame = _part(Entry(entry.path, entry.place, {**entry.data}), cls, "convention")
    return frame


def _law(entry: Entry) -> Law:
    entry.keys(("name",), ("name", "parameters"))
    values = entry.below("parameters").table() if "parameters" in entry.data else {}
    lists = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    law: Law = entry.build(Law, name=entry.data["name"], parameters=lists)
    return law


def _part(entry: Entry, cls: Any, *labels: str, required: bool = False) -> Any:
    """A parameter object from the table of its fields; "unknown" where a field may be unknown."""
    if entry.data == "unknown" and cls in (Body, Limits, Drive):
        return cls()
    fields = unit_fields(cls)
    entry.keys(tuple(fields) if required else (), (*labels, *fields))
    values = {key: entry.below(key).vector() for key in entry.data if key in fields}
    for key, value in values.items():
        if isinstance(value, str) and value == "unknown" and fields[key][1]:
            values[key] = UNKNOWN
    return entry.build(cls, **values)


def _check_units(entry: Entry, joints: Any) -> None:
    expected = units()
    required = [k for k in expected if k not in LATER_UNITS or _uses(joints, k)]
    entry.keys(required, tuple(expected))
    expected = {k: unit for k, unit in expected.items() if k in entry.data}
    for quantity, unit in expected.items():
        if entry.data[quantity] != unit:
            name = f"units.{quantity} in {shown_path(entry.path)}"
            raise UnitError(
                name, entry.data[quantity], repr(unit), "convert the values of this kind"
            )


def _uses(joints: Any, limit: str) -> bool:
    """True where a joint states that limit."""
    listed = joints if isinstance(joints, list) else []
    limits = [j.get("limits") for j in listed if isinstance(j, dict)]
    return any(isinstance(v, dict) and limit in v for v in limits)


def _sources(top: Entry, robot: Robot) -> dict[str, str]:
    if "sources" not in top.data:
        return {}
    entry = top.below("sources")
    for place, note in entry.table().items():
        try:
            check_path(robot, place)
            check_text("the note", note)
        except JointwiseError as error:
            raise entry.wrong(f"{shown(place)}: {error}") from None
    return dict(entry.data)
