"""`jointwise show ROBOT`: what is known of an arm, and what is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from jointwise.robot.description import Robot

EXAMPLE = "Example: jointwise show ur5e --json"

LIMITS = ("limits.position_lower", "limits.velocity", "limits.acceleration", "limits.torque")
DRIVE = ("drive.gear_ratio", "drive.torque_constant", "drive.rotor_inertia")


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
    console = Console()
    console.print(f"[bold]{arm.name}[/bold]  {arm.description}", highlight=False)
    console.print(f"gravity in the base frame {numbers(arm.gravity)} m/s2", highlight=False)
    for table in (_joints(arm), _links_and_drives(arm), _sources(arm)):
        console.print()
        console.print(table)
    console.print(f"\n[bold]{base.count} base parameters[/bold], rotors and friction left out:")
    console.print(", ".join(base.names), highlight=False)


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _joints(arm: Robot) -> Table:
    from jointwise.cli.output import frame_text, interval, number

    table = _table("joint", "kind", "frame", "position", "velocity", "acceleration", "torque")
    for joint in arm.joints:
        limits = joint.limits
        angle = "rad" if joint.kind == "revolute" else "m"
        effort = "N m" if joint.kind == "revolute" else "N"
        table.add_row(
            joint.name,
            joint.kind,
            frame_text(joint.frame),
            interval(limits.position_lower, limits.position_upper, angle),
            number(limits.velocity, f"{angle}/s"),
            number(limits.acceleration, f"{angle}/s2"),
            number(limits.torque, effort),
        )
    return table


def _links_and_drives(arm: Robot) -> Table:
    """Links and drives; torque constant and rotor inertia as the output side of the gear sees them."""
    from jointwise.cli.output import number, numbers

    table = _table(
        "joint", "link mass", "centre of mass (m)", "gear ratio", "torque constant", "rotor inertia"
    )
    for joint in arm.joints:
        turns = joint.kind == "revolute"
        table.add_row(
            joint.name,
            number(joint.link.mass, "kg"),
            numbers(joint.link.center_of_mass),
            number(joint.drive.gear_ratio, "" if turns else "rad/m"),
            number(joint.drive.torque_constant, "N m/A" if turns else "N/A"),
            number(joint.drive.rotor_inertia, "kg m2" if turns else "kg"),
        )
    return table


def _sources(arm: Robot) -> Table:
    """Where the numbers came from: one row for each source, with what was taken from it."""
    quantities: dict[str, list[str]] = {}
    for joint in arm.joints:
        for part in ("frame", "link.mass", "link.center_of_mass", "link.inertia", *LIMITS, *DRIVE):
            listed = quantities.setdefault(arm.source_of(f"joints.{joint.name}.{part}"), [])
            if part not in listed:
                listed.append(part)
    table = _table("source", "of")
    for source, parts in quantities.items():
        table.add_row(source, ", ".join(parts))
    return table
