"""`jointwise robots`: the arms of the library."""

from __future__ import annotations

from typing import Annotated

import typer

EXAMPLE = "Example: jointwise robots --json"


def robots(
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """List the robots of the library."""
    from rich.console import Console
    from rich.table import Table

    from jointwise.cli.output import print_json
    from jointwise.robot.library import list_robots, load_robot

    found = [load_robot(name) for name in list_robots()]
    if json:
        print_json(
            [
                {"name": robot.name, "joints": robot.n, "description": robot.description}
                for robot in found
            ]
        )
        return
    table = Table("name", "joints", "description", box=None, pad_edge=False)
    for robot in found:
        table.add_row(robot.name, str(robot.n), robot.description)
    Console().print(table)
