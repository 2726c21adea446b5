"""`jointwise import`: read a foreign log into a recording."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from jointwise.errors import ParameterError
    from jointwise.recording.recording import Recording

EXAMPLE = (
    "Example: jointwise import log.csv --robot ur5e --columns ur-record -o recording.parquet"
    "    What is in a log: jointwise import log.csv    "
    "A column map to fill in: jointwise import log.csv --robot ur5e --template map.toml    "
    "Known formats: jointwise import --formats"
)


def _print_formats(wanted: bool) -> None:
    if not wanted:
        return
    from jointwise.recording.import_map_file import list_column_maps, load_column_map

    for name in list_column_maps():
        typer.echo(f"{name:12} {load_column_map(name).about}")
    raise typer.Exit


def import_(
    files: Annotated[
        list[Path], typer.Argument(help="One log: one file, or several that the map names.")
    ],
    robot: Annotated[
        str | None, typer.Option(help="Library name, robot file or URDF of the arm.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Column map (TOML), or the name of a known format; without, the log is described."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Recording to write (Parquet).")
    ] = None,
    template: Annotated[
        Path | None, typer.Option(help="Write a column map for this log, to be filled in (TOML).")
    ] = None,
    formats: Annotated[
        bool,
        typer.Option(
            "--formats", callback=_print_formats, is_eager=True, help="List the known formats."
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Read a log (CSV, .mat, .npz, Parquet) into a recording in SI units on the output side of the gears."""
    from jointwise.cli.output import print_json
    from jointwise.cli.progress import progress_bar
    from jointwise.errors import ParameterError
    from jointwise.recording.import_recording import import_recording
    from jointwise.tables import ensure_writable

    if template is not None:
        _write_template(files, robot, template)
        return
    if columns is None:
        raise _not_told(files, robot)
    if robot is None or out is None:
        missing = "--robot" if robot is None else "--out"
        raise ParameterError(missing, "not stated", "given with --columns")
    ensure_writable(out, *files, robot, columns)
    with progress_bar("importing"):
        recording = import_recording(files, robot=robot, columns=columns)
        recording.save(out)
    summary = {"recording": str(out), **_summary(recording)}
    if json:
        print_json(summary)
    else:
        _print(summary)


def _one(files: list[Path]) -> Path:
    from jointwise.errors import ParameterError

    if len(files) != 1:
        advice = "a log of several files needs a map with a table [files], see docs/column-maps.md"
        raise ParameterError("number of files", len(files), "1 without a column map", advice)
    return files[0]


def _not_told(files: list[Path], robot: str | None) -> ParameterError:
    """Print what the log holds, and return the error that asks what it means."""
    from jointwise.errors import ParameterError
    from jointwise.recording.import_map_file import list_column_maps
    from jointwise.recording.import_overview import look_at
    from jointwise.recording.import_template import described, printable
    from jointwise.robot.library import load_robot

    log = _one(files)
    seen = look_at(log)
    layout = ", ".join(f"{key} {_word(value)}" for key, value in seen.layout.items())
    typer.echo(f"{log}: {len(seen.columns)} columns" + (f" ({layout})" if layout else ""))
    for line in described(seen, load_robot(robot).n if robot else 1):
        typer.echo(f"  {printable(line)}")
    if seen.problem:
        typer.echo(f"  {seen.problem}")
    allowed = f"a column map, or one of {', '.join(list_column_maps())}"
    advice = f"jointwise import {log} --robot {robot or 'ROBOT'} --template map.toml writes a map to fill in"
    return ParameterError("--columns", "not stated", allowed, advice)


def _word(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _write_template(files: list[Path], robot: str | None, out: Path) -> None:
    """A column map with what the log holds, and questions where only its owner knows the answer."""
    from jointwise.errors import FileError, ParameterError
    from jointwise.files import write_atomically
    from jointwise.recording.import_overview import look_at
    from jointwise.recording.import_template import template
    from jointwise.robot.library import load_robot
    from jointwise.tables import ensure_new, ensure_writable

    log = _one(files)
    if robot is None:
        raise ParameterError("--robot", "not stated", "given with --template")
    ensure_writable(out, log, robot, ending=".toml")
    ensure_new(out)
    try:
        write_atomically(out, template(look_at(log), load_robot(robot)).encode())
    except OSError as error:
        raise FileError(out, "", f"cannot be written ({error.strerror or error})") from None
    typer.echo(
        f'{out}: replace every "?" in it. '
        f"Then: jointwise import {log} --robot {robot} --columns {out} -o {log.stem}.parquet"
    )


def _summary(recording: Recording) -> dict[str, Any]:
    """What came in: size, clock, and the range of every joint of every column."""
    import numpy as np

    from jointwise.recording.columns import KINDS

    ranges = {}
    for kind, values in recording.columns.items():
        finite = [column[np.isfinite(column)] for column in values.T]
        ranges[kind] = {
            "unit": KINDS[kind].unit,
            "minimum": [float(c.min()) if len(c) else None for c in finite],
            "maximum": [float(c.max()) if len(c) else None for c in finite],
            "not_finite": int(values.size - sum(len(c) for c in finite)),
        }
    return {
        "robot": recording.robot,
        "columns_from": recording.notes["imported_with"],
        "samples": len(recording),
        "duration_s": _number(recording.duration),
        "rate_hz": _number(recording.rate_hz),
        "empty_cells": recording.notes["empty_cells"],
        "columns": ranges,
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _print(summary: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for head in ("column", "unit", "from", "to", "not finite"):
        table.add_column(head, justify="right" if head in ("from", "to", "not finite") else "left")
    for kind, row in summary["columns"].items():
        low = [v for v in row["minimum"] if v is not None]
        high = [v for v in row["maximum"] if v is not None]
        ends = (f"{min(low):.4g}", f"{max(high):.4g}") if low else ("-", "-")
        table.add_row(kind, row["unit"].replace("[", r"\["), *ends, str(row["not_finite"] or ""))
    Console().print(table)
    rate = f"{summary['rate_hz']:.4g} Hz" if summary["rate_hz"] else "no usable clock"
    length = f"{summary['duration_s']:.4g} s" if summary["duration_s"] is not None else "no length"
    typer.echo(
        f"{summary['recording']}: {summary['samples']} samples of {summary['robot']}, "
        f"{length}, {rate}. Look at the ranges: a wrong unit or side shows here. "
        f"Next: jointwise check {summary['recording']} --robot {summary['robot']}"
    )
