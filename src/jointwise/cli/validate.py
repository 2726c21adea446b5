"""`jointwise validate FIT REC...`: how well a fit predicts recordings it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = (
    "Example: jointwise validate arm.fit.toml unseen.parquet --filter-hz 5 --moving 0.02 --json"
)


def validate(
    fit: Annotated[Path, typer.Argument(help="Fit file, see `jointwise fit robot`.")],
    recordings: Annotated[
        list[Path], typer.Argument(metavar="REC...", help="Recordings, see `jointwise import`.")
    ],
    filter_hz: Annotated[
        float | None,
        typer.Option(help="Cut-off of the zero-phase low-pass.  \\[default: that of the fit]"),
    ] = None,
    moving: Annotated[
        float | None,
        typer.Option(
            help="Speed above which a joint counts as moving, rad/s \\[m/s].  \\[default: of the fit]"
        ),
    ] = None,
    torque: Annotated[
        str | None,
        typer.Option(help="Column to compare with.  \\[default: the one the fit explained]"),
    ] = None,
    start_s: Annotated[
        float,
        typer.Option(
            help="First seconds from which friction with memory reads its start; they are not scored. 0: none."
        ),
    ] = 1.0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Compare predicted with measured torque, filtered and raw, moving and standing joints apart."""
    from jointwise.cli.fit import load_recordings
    from jointwise.cli.output import print_json
    from jointwise.cli.shown import show_scores
    from jointwise.experiments import validate as room
    from jointwise.experiments.fit import load_fit

    found = load_fit(fit)
    results = room.validate(
        found,
        load_recordings(recordings),
        filter_hz=filter_hz,
        moving=moving,
        torque=torque or None,
        start_s=start_s,
    )
    if json:
        print_json(
            {
                "fit": str(fit),
                "filter_hz": filter_hz or found.settings["filter_hz"],
                "start_s": start_s,
                "moving": found.settings["moving"] if moving is None else moving,
                "recordings": [one.to_dict() for one in results],
            }
        )
        return
    show_scores(found, results)
