"""`jointwise check`: whether recordings may be used, what was repaired, why one is refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from jointwise.recording.check import Checked

EXAMPLE = "Example: jointwise check recording.parquet --robot ur5e -o repaired.parquet"
FAILED = 1
MARKS = {"note": "note", "repaired": "repaired", "refused": "REFUSED"}


def check(
    recordings: Annotated[
        list[Path], typer.Argument(metavar="REC...", help="Recordings to check (Parquet).")
    ],
    robot: Annotated[
        str, typer.Option(help="Name of a library robot, or path of a robot file or URDF.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Write the recording with its repairs; for one recording."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Accept, repair or refuse recordings, with every finding; exit code 1 where one is refused."""
    from jointwise.cli.output import print_json
    from jointwise.errors import ParameterError
    from jointwise.recording.check import check_recording
    from jointwise.recording.recording import load_recording
    from jointwise.robot.library import load_robot
    from jointwise.tables import ensure_writable

    if out is not None and len(recordings) > 1:
        raise ParameterError("number of recordings", len(recordings), "1 where --out is given")
    if out is not None:
        ensure_writable(out, *recordings, robot)
    arm = load_robot(robot)
    results = []
    for path in recordings:
        checked = check_recording(load_recording(path), arm)
        results.append({"recording": str(path), **checked.to_dict()})
        if not json:
            _print(path, checked)
        if out is not None and checked.verdict != "refused":
            checked.recording.save(out)
    if json:
        print_json({"recordings": results})
    if any(r["verdict"] == "refused" for r in results):
        raise typer.Exit(FAILED)


def _print(path: Path, checked: Checked) -> None:
    """Verdict first, then each finding on its own line."""
    typer.echo(f"{path}: {checked.verdict}")
    for finding in checked.findings:
        typer.echo(f"  {MARKS[finding.outcome]:8s} {finding.kind}: {finding.text}")
