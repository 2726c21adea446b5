"""`jointwise show ROBOT`: what is known of an arm, and what is not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from jointwise.robot.description import Robot
    from jointwise.robot.parts import Joint

EXAMPLE = "Example: jointwise show ur5e --json"

PARTS = (
    "frame",
    "link.mass",
    "link.center_of_mass",
    "link.inertia",
    "limits.position_lower",
    "limits.velocity",
    "limits.acceleration",
    "limits.torque",
    "drive.gear_ratio",
    "drive.torque_constant",
    "drive.rotor_inertia",
)


def show(
    robot: Annotated[
        str,
        typer.Argument(
            metavar="ROBOT", help="Name of a library robot, or path of a robot file or URDF."
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Show a robot: joints, links, drives, limits, base parameters; unknown values say so."""
    from rich.console import Console
    from rich.markup import escape

    from jointwise.cli.output import numbers, print_json
    from jointwise.robot.library import load_robot

    arm = load_robot(robot)
    base = arm.base_parameters()
    if json:
        groupings = [
            {"name": name, "grouping": grouping}
            for name, grouping in zip(base.names, base.groupings, strict=True)
        ]
        print_json({**arm.to_dict(), "base_parameters": groupings})
        return
    console = Console(highlight=False)
    console.print(f"[bold]{arm.name}[/bold]  {escape(arm.description)}")
    console.print(f"gravity in the base frame {numbers(arm.gravity)} m/s2")
    for table in (_joints(arm), _limits(arm), _links(arm), _drives(arm)):
        console.print()
        console.print(table)
    console.print("\n[bold]Where the numbers came from[/bold]")
    for source, of in _sources(arm).items():
        console.print(f"{escape(of)}: {escape(source)}")
    console.print(f"\n[bold]{base.count} base parameters[/bold], rotors and friction left out")
    console.print(", ".join(base.names))


def _table(arm: Robot, *columns: str, rows: Iterable[tuple[str, ...]]) -> Table:
    """A table with one row for each joint; cells are literal text."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("joint", no_wrap=True)
    for column in columns:
        table.add_column(column, overflow="fold")
    for joint, cells in zip(arm.joints, rows, strict=True):
        table.add_row(escape(joint.name), *map(escape, cells))
    return table


def _joints(arm: Robot) -> Table:
    from jointwise.cli.output import frame_text

    rows = ((joint.kind, frame_text(joint.frame)) for joint in arm.joints)
    return _table(arm, "kind", "frame", rows=rows)


def _limits(arm: Robot) -> Table:
    from jointwise.cli.output import interval, number

    def row(joint: Joint) -> tuple[str, ...]:
        way, effort = ("rad", "N m") if joint.kind == "revolute" else ("m", "N")
        limits = joint.limits
        return (
            interval(limits.position_lower, limits.position_upper, way),
            number(limits.velocity, f"{way}/s"),
            number(limits.acceleration, f"{way}/s2"),
            number(limits.torque, effort),
        )

    names = ("position", "velocity", "acceleration", "torque")
    return _table(arm, *names, rows=map(row, arm.joints))


def _links(arm: Robot) -> Table:
    from jointwise.cli.output import number, numbers
    from jointwise.units import Unknown

    rows = (
        (
            number(link.mass, "kg"),
            numbers(link.center_of_mass),
            "unknown" if isinstance(link.inertia, Unknown) else "known",
        )
        for link in (joint.link for joint in arm.joints)
    )
    return _table(arm, "link mass", "centre of mass (m)", "inertia", rows=rows)


def _drives(arm: Robot) -> Table:
    """Torque constant and rotor inertia as the output side of the gear sees them."""
    from jointwise.cli.output import number

    def row(joint: Joint) -> tuple[str, ...]:
        turns = joint.kind == "revolute"
        drive = joint.drive
        return (
            number(drive.gear_ratio, "" if turns else "rad/m"),
            number(drive.torque_constant, "N m/A" if turns else "N/A"),
            number(drive.rotor_inertia, "kg m2" if turns else "kg"),
        )

    names = ("gear ratio", "torque constant (output)", "rotor inertia (output)")
    return _table(arm, *names, rows=map(row, arm.joints))


def _sources(arm: Robot) -> dict[str, str]:
    """Each source with what was taken from it: `link.mass, link.inertia (elbow, wrist_1)`."""
    parts: dict[str, list[str]] = {}
    joints: dict[str, list[str]] = {}
    for joint in arm.joints:
        for part in PARTS:
            source = arm.source_of(f"joints.{joint.name}.{part}")
            for listed, item in ((parts, part), (joints, joint.name)):
                if item not in listed.setdefault(source, []):
                    listed[source].append(item)
    every = len(arm.joints)
    return {
        source: ", ".join(of)
        + (f" ({', '.join(joints[source])})" if len(joints[source]) < every else "")
        for source, of in parts.items()
    }
