"""`jointwise fit payload REC...`: mass, centre and inertia of what the arm carries."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from jointwise.cli.fit import Json, Out, Recordings, Report, ensure_outputs, finish, load_recordings

EXAMPLE = (
    "Example: jointwise fit payload loaded.parquet --fit arm.fit.toml --without bare.parquet "
    "-o payload.fit.toml"
)


class Body(StrEnum):
    """How much of a body is estimated."""

    full = "full"
    point = "point"


def payload(
    recordings: Recordings,
    fit: Annotated[Path, typer.Option(help="Fit of the arm without this payload.")],
    out: Out,
    without: Annotated[
        list[Path] | None,
        typer.Option(help="Recording of the same day without the payload; may be repeated."),
    ] = None,
    body: Annotated[
        Body, typer.Option(help="Mass, centre and inertia; or mass and centre of something small.")
    ] = Body.full,
    keep_friction: Annotated[
        bool, typer.Option(help="Use the friction of the arm's fit, do not fit it again.")
    ] = False,
    filter_hz: Annotated[
        float | None, typer.Option(help="Cut-off of the low-pass.  \\[default: that of the fit]")
    ] = None,
    torque: Annotated[
        str | None, typer.Option(help="Column to explain.  \\[default: that of the fit]")
    ] = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Find the payload of an arm whose model is known."""
    from jointwise.cli.progress import progress_bar
    from jointwise.experiments.fit import load_fit
    from jointwise.experiments.payload import fit_payload

    ensure_outputs(out, report, fit, *recordings, *(without or []))
    loaded = load_recordings(recordings)
    with progress_bar("fitting the payload"):
        found = fit_payload(
            load_fit(fit),
            loaded,
            without=load_recordings(without or []),
            body=body.value,
            keep_friction=keep_friction,
            filter_hz=filter_hz,
            torque=torque,
        )
    found.save(out)
    finish(found, out, json, report, loaded)
