"""`jointwise robots`: the arms of the library."""

from __future__ import annotations

from typing import Annotated

import typer

EXAMPLE = "Example: jointwise robots --json"


def robots(
    check: Annotated[
        bool, typer.Option("--check", help="Recompute the library's test vectors.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """List the robots of the library."""
    from rich.console import Console
    from rich.table import Table

    from jointwise.cli.output import print_json
    from jointwise.robot.library import list_robots, load_robot

    if check:
        _check(json)
        return
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


def _check(json: bool) -> None:
    """Print every check of the library; exit code 1 if one fails."""
    from rich.console import Console
    from rich.table import Table

    from jointwise.cli.output import print_json
    from jointwise.robot.library_check import check_library

    checks = check_library()
    if json:
        print_json(
            [
                {
                    "robot": c.robot,
                    "quantity": c.quantity,
                    "error": c.error,
                    "tolerance": c.tolerance,
                    "passed": c.passed,
                }
                for c in checks
            ]
        )
    else:
        table = Table("robot", "quantity", "difference", "allowed", "", box=None, pad_edge=False)
        for c in checks:
            verdict = "ok" if c.passed else "FAILED"
            table.add_row(c.robot, c.quantity, f"{c.error:.1e}", f"{c.tolerance:.0e}", verdict)
        Console().print(table)
    if not all(c.passed for c in checks):
        raise typer.Exit(1)
