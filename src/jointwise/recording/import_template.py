"""`template`: a column map for one log, to be filled in. What columns there are is said, what they mean is asked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from jointwise.recording.columns import KINDS
from jointwise.recording.import_map import SIDE_MUST_BE_STATED
from jointwise.recording.import_map_file import FORMAT, VERSION
from jointwise.recording.import_overview import Overview, SeenColumn
from jointwise.recording.import_units import TIME, scales
from jointwise.robot.description import Robot

OPEN = "?"
NUMBERED = re.compile(r"(.*?)(\d+)(\D*)\Z")


def template(seen: Overview, robot: Robot) -> str:
    """The text of a map; every `?` has to be replaced before it can be used."""
    layout = [f"{key} = {_toml(value)}" for key, value in seen.layout.items()]
    lines = [
        f"# Column map of {printable(seen.path.name)}.",
        f"# For {robot.name}, {robot.n} joints: {', '.join(joint.name for joint in robot.joints)}.",
        f'# Replace every "{OPEN}"; remove what the log does not have. Units and sides are never guessed.',
        f'format = "{FORMAT}"',
        f"version = {VERSION}",
        f"about = {_toml(seen.path.name)}",
        *layout,
        "",
        "# The log holds:",
        *(f"#   {printable(line)}" for line in described(seen, robot.n)),
        "",
        *_time(),
        *_quantities(robot),
        "# Other kinds, each a table of its own like those above:",
        *(f"#   {name:20s}{kind.meaning}" for name, kind in KINDS.items() if _offered(name)),
    ]
    return "\n".join(lines) + "\n"


def described(seen: Overview, joints: int) -> Iterator[str]:
    """One line for each column, or for each family of columns numbered like the joints."""
    columns = list(seen.columns)
    while columns:
        family = _family(columns, joints)
        if family:
            members = columns[:joints]
            low, high = min(c.low for c in members), max(c.high for c in members)
            yield f"{_places(members):8s} {family:28s} {low:.4g} to {high:.4g}"
            del columns[:joints]
        else:
            yield _line(columns.pop(0))


def _line(column: SeenColumn) -> str:
    text = f"{column.number or '':<8} {column.name:28s} "
    if column.low == column.low:
        text += f"{column.low:.4g} to {column.high:.4g}"
    remarks = [column.remark, "rises all the way, as time does" if column.rises else ""]
    return (text + "".join(f"  ({remark})" for remark in remarks if remark)).rstrip()


def _family(columns: Sequence[SeenColumn], joints: int) -> str:
    """`q_{0..}` where the next columns are q_0, q_1, ...: one for each joint; else nothing."""
    members = columns[:joints]
    found = [NUMBERED.match(column.name) for column in members]
    if joints < 2 or len(members) < joints or not all(found):
        return ""
    parts = [m.groups() for m in found if m]
    head, first, tail = parts[0]
    if first not in ("0", "1"):
        return ""
    expected = [(head, str(int(first) + k), tail) for k in range(joints)]
    return f"{head}{{{first}..}}{tail}" if parts == expected else ""


def _places(members: Sequence[SeenColumn]) -> str:
    return f"{members[0].number}-{members[-1].number}" if members[0].number else ""


def _time() -> list[str]:
    return [
        "[time]",
        f'column = "{OPEN}"           # its number from 1, or its name; where there is none: rate_hz = 500.0',
        f'unit = "{OPEN}"             # {", ".join(TIME)}',
        "",
    ]


def _quantities(robot: Robot) -> list[str]:
    prismatic = all(joint.kind == "prismatic" for joint in robot.joints)
    many = f"{robot.n} columns in the order of the joints: " if robot.n > 1 else ""
    how = many + 'numbers such as "2-7", a name, or "q_{0..}" for q_0, q_1, ...'
    lines = []
    for name in ("q", "theta", "current", "motor_torque", "joint_torque"):
        units = ", ".join(u for u in scales(name, prismatic) if u not in ("SI", "raw"))
        lines += [
            f"[columns.{name}]{' ' * (15 - len(name))}# {KINDS[name].meaning}",
            f'columns = "{OPEN}"          # {how}',
            f'unit = "{OPEN}"             # {units}',
        ]
        if name in SIDE_MUST_BE_STATED:
            lines.append(f'side = "{OPEN}"             # motor or output: which side of the gear')
        lines.append("")
    return lines


def _offered(name: str) -> bool:
    shown = ("q", "theta", "current", "motor_torque", "joint_torque")
    return name not in shown and not name.startswith("true_")


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else json.dumps(printable(str(value)))


def printable(text: str) -> str:
    """The text with a question mark for what would break a line or a comment."""
    return "".join(c if c.isprintable() else "?" for c in text)
