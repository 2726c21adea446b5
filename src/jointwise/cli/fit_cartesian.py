"""`jointwise fit cartesian-stiffness TESTS`: stiffness of the gears from pushing at the tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jointwise.cli.fit import Json, Out, Report, RobotName, ensure_outputs, finish

EXAMPLE = (
    "Example: jointwise fit cartesian-stiffness pushes.csv --robot ur5e -o stiffness.fit.toml, "
    "then: jointwise fit robot log.parquet --elastic --robot stiffness.fit.toml ..."
)


def cartesian_stiffness(
    tests: Annotated[
        Path,
        typer.Argument(
            metavar="TESTS",
            help="Table with q_1.., force_x.., moment_x.. and shift_x.., turn_x.. of the tool, SI units, base axes.",
        ),
    ],
    robot: RobotName,
    out: Out,
    report: Report = None,
    json: Json = False,
) -> None:
    """Find the stiffness of every gear from loads at the tool and an external displacement sensor."""
    from jointwise.experiments.cartesian_stiffness import fit_cartesian_stiffness
    from jointwise.robot.library import load_robot

    ensure_outputs(out, report, tests, robot)
    found = fit_cartesian_stiffness(load_robot(robot), tests)
    found.save(out)
    finish(found, out, json, report)
