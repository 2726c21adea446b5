"""`jointwise show ROBOT`: what is known of an arm, and what is not."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from jointwise.robot.base_parameters import BaseParameters
    from jointwise.robot.description import Robot
    from jointwise.robot.frames import Pose
    from jointwise.robot.parts import Joint, Law
    from jointwise.units import Unknown

EXAMPLE = (
    "Example: jointwise show ur5e --groupings --friction coulomb --friction viscous  "
    "(for machines: jointwise show arm.urdf --json)    "
    "A robot file to edit: jointwise show arm.urdf -o arm.toml"
)

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
    "transmission",
    "friction",
)


def show(
    robot: Annotated[
        str,
        typer.Argument(
            metavar="ROBOT", help="Name of a library robot, or path of a robot file or URDF."
        ),
    ],
    groupings: Annotated[
        bool, typer.Option("--groupings", help="Only base parameters, with what each collects.")
    ] = False,
    rotors: Annotated[
        bool, typer.Option("--rotors", help="Base parameters with rotor inertia.")
    ] = False,
    friction: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Base parameters with this friction column: coulomb, viscous, offset, coulomb_forward, "
            "coulomb_backward, viscous_square, viscous_cube or viscous_root. Can be repeated.",
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(help="How base parameters are found: numeric or analytic.")
    ] = "numeric",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the robot as a robot file to be edited (TOML)."),
    ] = None,
    lock: Annotated[
        list[str] | None,
        typer.Option(help="Joint of a URDF held at zero, such as a gripper's; can be repeated."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Show a robot: joints, links, drives, laws, limits, base parameters; unknown values say so."""
    from rich.console import Console
    from rich.markup import escape

    from jointwise.cli.output import print_json
    from jointwise.robot.library import load_robot
    from jointwise.tables import ensure_new, ensure_writable

    if lock:
        from jointwise.robot.urdf import load_urdf

        arm = load_urdf(robot, lock=lock)
    else:
        arm = load_robot(robot)
    if out is not None:
        ensure_writable(out, robot, ending=".toml")
        ensure_new(out)
        arm.save(out)
        typer.echo(f"{out}: {arm.name} as a robot file; fill in what is unknown", err=json)
    base = arm.base_parameters(rotors=rotors, friction=friction or (), method=method)
    if json:
        print_json({**arm.to_dict(), **_base_to_dict(base)})
        return
    console = Console(highlight=False)
    if groupings:
        console.print(escape(str(base)), soft_wrap=True)
        return
    _print_arm(console, arm)
    left_out = [w for w, used in (("rotors", rotors), ("friction", friction)) if not used]
    note = f", {' and '.join(left_out)} left out" if left_out else ""
    console.print(f"\n[bold]{base.count} base parameters[/bold]{note}; sums with --groupings")
    console.print(", ".join(base.names))


def _base_to_dict(base: BaseParameters) -> dict[str, Any]:
    pairs = zip(base.names, base.groupings, strict=True)
    return {
        "base_parameters": [{"name": name, "grouping": grouping} for name, grouping in pairs],
        "without_influence": list(base.zero),
    }


def _print_arm(console: Console, arm: Robot) -> None:
    from rich.markup import escape

    from jointwise.cli.output import numbers

    console.print(f"[bold]{escape(arm.name)}[/bold]  {escape(arm.description)}")
    console.print(f"gravity in the base frame {numbers(arm.gravity)} m/s2")
    for line in _placement(arm):
        console.print(line)
    for table in (_joints(arm), _limits(arm), _links(arm), _drives(arm), _laws(arm)):
        console.print()
        console.print(table)
    console.print("\n[bold]Where the numbers came from[/bold]")
    for source, of in _sources(arm).items():
        console.print(f"{escape(of)}: {escape(source)}")


def _placement(arm: Robot) -> list[str]:
    """Base, flange, tool, payload and coupling where the arm has any."""
    from rich.markup import escape

    from jointwise.cli.output import number, numbers
    from jointwise.robot.frames import Pose
    from jointwise.robot.inertia import NOTHING

    def pose(name: str, place: str, value: Pose) -> str:
        return f"{name} {place}: origin {numbers(value.origin)} m, rpy {numbers(value.rpy)} rad"

    named = (
        ("first joint", "in the base frame", arm.base),
        ("flange", "in the last link frame", arm.flange),
        ("tool", "in the flange frame", arm.tool),
    )
    lines = [pose(*given) for given in named if given[2] != Pose()]
    if arm.payload != NOTHING:
        payload = arm.payload
        center = numbers(payload.center_of_mass)
        lines.append(f"payload {number(payload.mass, 'kg')}, centre {center} m in the flange frame")
    for joint, row in zip(arm.joints, arm.coupling or (), strict=bool(arm.coupling)):
        turns = [f"{c:g} {j.name}" for c, j in zip(row, arm.joints, strict=True) if c]
        if turns != [f"1 {joint.name}"]:
            lines.append(escape(f"motor of {joint.name} turns by {' + '.join(turns)}"))
    return lines


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


def _laws(arm: Robot) -> Table:
    def text(law: Law | Unknown) -> str:
        from jointwise.units import Unknown

        return "unknown" if isinstance(law, Unknown) else law.name

    rows = ((text(joint.transmission), text(joint.friction)) for joint in arm.joints)
    return _table(arm, "transmission law", "friction law", rows=rows)


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
