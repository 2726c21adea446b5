"""`jointwise report FIT [REC...]`: the HTML page of a fit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = "Example: jointwise report arm.fit.toml log1.parquet unseen.parquet -o page.html"


def report(
    fit: Annotated[Path, typer.Argument(help="Fit file, see `jointwise fit`.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="HTML file to write.")],
    recordings: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[REC...]",
            help="Recordings for the pictures: those of the fit, others, or both. Others count for the verdict.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Write one page about a fit that opens from disk: verdict, pictures, parameters, origin."""
    from jointwise.cli.fit import load_recordings
    from jointwise.cli.output import print_json
    from jointwise.experiments.fit import load_fit
    from jointwise.report.page import write_page
    from jointwise.report.write import page_of, subject_of
    from jointwise.tables import ensure_spared

    paths = recordings or []
    ensure_spared(out, fit, *paths, ending=".html")
    files = {str(path): path for path in (fit, *paths)}
    subject = subject_of(load_fit(fit), load_recordings(paths), files)
    page = write_page(out, page_of(subject))
    judged = subject.judgement
    if json:
        print_json({"report": str(page), "verdict": judged.level, "sentence": judged.sentence})
    else:
        typer.echo(f"{judged.level.capitalize()}. {judged.sentence}")
        typer.echo(f"report: {page}")
