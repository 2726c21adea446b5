"""`jointwise calibrate`: all experiments on all joints, one robot file, one report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jointwise.cli.run import On

if TYPE_CHECKING:
    from jointwise.experiments.calibrate.chain import Calibration

EXAMPLE = "Example: jointwise calibrate --robot ur5e --on twin --seed 3 -o calibration"
FAILED = 1


def calibrate(
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Folder of the stages, the robot file and the report."),
    ],
    robot: Annotated[
        str,
        typer.Option(
            help="Kind of arm (ur3e, ur5e, ur10e, ur16e): a plausible truth is drawn from the seed."
        ),
    ] = "ur5e",
    on: Annotated[On, typer.Option(help="Where to run.")] = On.twin,
    seed: Annotated[int, typer.Option(help="Which arm of the kind, and its noise.", min=0)] = 0,
    joint: Annotated[
        list[str] | None,
        typer.Option(help="Only this joint, by name or number; may be repeated.  \\[default: all]"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Identify gears and friction of each joint, then the links of the arm; a run that was cut off is gone on with."""
    from jointwise.cli.output import print_json
    from jointwise.cli.progress import stages
    from jointwise.experiments.calibrate import chain
    from jointwise.report.calibration import write_calibration

    with stages() as progress:
        done = chain.calibrate(robot, out, on=on.value, seed=seed, joints=joint, progress=progress)
    page = write_calibration(out, done)
    if json:
        print_json(summary(done, page))
    else:
        show(done, page)
    if done.failed:
        raise typer.Exit(FAILED)


def summary(done: Calibration, page: Path) -> dict[str, Any]:
    """Plain data with stable keys, see docs/json.md."""
    return {
        "robot": str(done.path) if done.written else None,
        "report": str(page),
        "seconds": done.seconds,
        "stages": [
            {
                "stage": stage.name, "status": stage.status, "message": stage.message, "seconds": stage.seconds,
                "nrmse_percent": _score(stage),
                "verdicts": {} if stage.fit is None else _counted(stage),
            }
            for stage in done.stages
        ],
        "unseen_nrmse_percent": None if done.after is None else list(done.after.nrmse_percent),
        "unseen_nrmse_rigid_percent": None if done.before is None else list(done.before.nrmse_percent),
    }  # fmt: skip


def show(done: Calibration, page: Path) -> None:
    """A line per stage, then what the whole predicts of a motion it has not seen."""
    from rich.markup import escape

    from jointwise.cli.shown import columns, console

    table = columns("stage", "", "fit %", "parameters", words=("", "parameters"))
    for stage in done.stages:
        score = _score(stage)
        words = stage.message
        if stage.fit is not None:
            words = ", ".join(f"{n} {verdict}" for verdict, n in _counted(stage).items())
        table.add_row(
            escape(stage.name),
            stage.status,
            "-" if score is None else f"{score:.1f}",
            escape(words),
        )
    out = console()
    out.print(table)
    if done.after is not None and done.before is not None:
        out.print("Motor torque of a motion that no stage has seen, fit in percent", style="bold")
        for joint, old, new in zip(
            done.robot.joints, done.before.nrmse_percent, done.after.nrmse_percent, strict=True
        ):
            out.print(f"  {joint.name}: {new:.1f} (links with static friction {old:.1f})")
    words = "" if done.written else " was there before and is better, nothing was written over it"
    out.print(f"robot: {done.path}{words}", soft_wrap=True, markup=False)
    out.print(f"report: {page}", soft_wrap=True, markup=False)


def _score(stage: Any) -> float | None:
    value = (
        None if stage.fit is None or not stage.joint else stage.fit.joints[0].get("nrmse_percent")
    )
    return None if value is None or value != value else float(value)


def _counted(stage: Any) -> dict[str, int]:
    from collections import Counter

    return dict(Counter(p.verdict for p in stage.fit.parameters))
