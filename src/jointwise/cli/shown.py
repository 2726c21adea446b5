"""Fits and scores as a person reads them on a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from jointwise.experiments.fit import Fit
    from jointwise.experiments.validate import Validated
    from jointwise.report.judgement import Judgement

STYLES = {"usable": "bold green", "usable with care": "bold yellow", "not usable": "bold red"}
MOST_ROWS = 16
"""Parameters listed in full; a fit with more only says how many have which verdict."""


def console() -> Console:
    """A console that prints numbers as they are."""
    from rich.console import Console

    return Console(highlight=False)


def columns(*titles: str, words: Sequence[str] = ()) -> Table:
    """A table without lines: the first column and those of words at the left, numbers at the right, no word broken."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for k, title in enumerate(titles):
        left = k == 0 or title in words
        table.add_column(title, justify="left" if left else "right", no_wrap=True)
    return table


def bullets(texts: Sequence[str]) -> Table:
    """Sentences under each other, their lines indented alike."""
    from rich.markup import escape
    from rich.table import Table

    table = Table.grid(padding=(0, 1, 0, 0))
    for text in texts:
        table.add_row("-", escape(text))
    return table


def show_fit(fit: Fit, where: Sequence[tuple[str, Any]]) -> None:
    """Verdict, joints, parameters, what to do next; `where` names the files written."""
    from rich.markup import escape

    from jointwise.report.advice import advice
    from jointwise.report.judgement import judge

    out, judged = console(), judge(fit)
    level = judged.level.capitalize()
    out.print(f"[{STYLES[judged.level]}]{level}.[/] {escape(judged.sentence)}")
    if judged.joints:
        out.print()
        out.print(_joints(fit, judged))
        left_out = "each recording" if len(fit.recordings) > 1 else "each part of the recording"
        out.print(f"RMS of moving and of standing joints, {left_out} left out once.", style="dim")
    out.print()
    if len(fit.parameters) <= MOST_ROWS:
        out.print(_parameters(fit))
    else:
        out.print(escape(_counts(fit)))
    out.print()
    if fit.notes:
        out.print("Notes", style="bold")
        out.print(bullets(fit.notes))
        out.print()
    out.print("What to do next", style="bold")
    out.print(bullets(advice(fit, judged)))
    out.print()
    for what, path in where:
        out.print(f"{what}: {path}", soft_wrap=True, markup=False)


def _joints(fit: Fit, judged: Judgement) -> Table:
    from rich.markup import escape

    from jointwise.report.words import figure, torque_unit

    table = columns(
        "joint", "moving", "of torque", "noise", "standing", "", "verdict", words=("", "verdict")
    )
    for joint in judged.joints:
        table.add_row(
            escape(joint.joint),
            figure(joint.error),
            f"{100.0 * joint.share:.1f} %",
            figure(joint.noise_floor),
            figure(joint.standing),
            torque_unit(fit.robot, joint.joint),
            f"[{STYLES[joint.level]}]{joint.level}[/]",
        )
    return table


def _counts(fit: Fit) -> str:
    from collections import Counter

    from jointwise.experiments.fit import IDENTIFIED, VERDICTS, WEAK
    from jointwise.report.words import listed

    counts = Counter(p.verdict for p in fit.parameters)
    parts = []
    for verdict in VERDICTS:
        if counts[verdict]:
            names = [p.name for p in fit.parameters if p.verdict == verdict]
            named = "" if verdict in (IDENTIFIED, WEAK) else f" ({listed(names)})"
            parts.append(f"{counts[verdict]} {verdict}{named}")
    return f"{len(fit.parameters)} parameters: {', '.join(parts)}"


def _parameters(fit: Fit) -> Table:
    from rich.markup import escape

    from jointwise.experiments.fit import HIDDEN
    from jointwise.report.words import figure, own_unit

    table = columns(
        "parameter", "value", "95 % interval", "unit", "verdict", words=("unit", "verdict")
    )
    table.columns[3].no_wrap = False  # a long unit gives way first
    for p in fit.parameters:
        value, interval = figure(p.value, 4), f"{figure(p.lower)} to {figure(p.upper)}"
        if p.verdict == HIDDEN:
            value, interval = "-", "-"
        table.add_row(
            escape(p.name), value, interval, escape(own_unit(fit.robot, p.unit)), p.verdict
        )
    return table


def show_scores(fit: Fit, results: Sequence[Validated]) -> None:
    """One table per recording."""
    from rich.markup import escape

    from jointwise.report.words import figure, own_unit

    out = console()
    for one in results:
        table = columns("joint", "all", "moving", "standing", "fit %", "relative %", "raw")
        for name, f, raw in zip(one.joint_names, one.filtered, one.raw, strict=True):
            values = (f.rmse, f.rmse_moving, f.rmse_standing)
            percent = (f"{v:.1f}" if v == v else "-" for v in (f.nrmse, f.relative_residual))
            table.add_row(escape(name), *(figure(v) for v in values), *percent, figure(raw.rmse))
        out.print(f"[bold]{escape(one.name)}[/bold]")
        out.print(table)
        out.print()
    unit = escape(own_unit(fit.robot, "N m [N]"))
    out.print(
        f"RMS errors in {unit} against filtered torque, raw against unfiltered. fit %: 100 is perfect; "
        "relative %: error beside the torque.",
        style="dim",
    )
