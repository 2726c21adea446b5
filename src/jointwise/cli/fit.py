"""`jointwise fit EXPERIMENT REC...`: identify something of an arm from recordings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from jointwise.experiments.fit import Fit
    from jointwise.recording.recording import Recording

EXAMPLE = (
    "Example: jointwise fit robot log1.parquet log2.parquet --robot ur10e "
    "--friction coulomb,viscous,offset,load,degressive --filter-hz 5 -o arm.fit.toml"
)
FAILED = 1

app = typer.Typer(help="Identify something of an arm from recordings.", no_args_is_help=True)

Recordings = Annotated[
    list[Path], typer.Argument(metavar="REC...", help="Recordings, see `jointwise import`.")
]
RobotName = Annotated[str, typer.Option(help="Robot of the library, robot file or URDF.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="Fit file to write (TOML).")]
Report = Annotated[Path | None, typer.Option(help="HTML report to write.")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]


def load_recordings(paths: list[Path]) -> dict[str, Recording]:
    """Recordings by file name; names used twice keep their folder."""
    from jointwise.recording.recording import load_recording

    stems = [path.stem for path in paths]
    return {
        (path.stem if stems.count(path.stem) == 1 else str(path)): load_recording(path)
        for path in paths
    }


def ensure_outputs(out: Path, report: Path | None, *inputs: Any) -> None:
    """Raise FileError unless fit and report may be written, neither over what is read nor over each other."""
    from jointwise.tables import ensure_spared, ensure_writable

    ensure_writable(out, *inputs, ending=".toml")
    if report is not None:
        ensure_spared(report, *inputs, out, ending=".html")


def numbers(name: str, text: str) -> tuple[float, ...]:
    """Numbers separated by commas."""
    from jointwise.errors import ParameterError

    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ParameterError(name, text, "numbers separated by commas") from None


def listed_names(text: str) -> tuple[str, ...]:
    """Names between commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


@app.command("robot", epilog=EXAMPLE)
def robot(
    recordings: Recordings,
    robot: RobotName,
    filter_hz: Annotated[
        float, typer.Option(help="Cut-off of the zero-phase low-pass both sides of the fit pass.")
    ],
    out: Out,
    friction: Annotated[
        str,
        typer.Option(
            help="Friction terms, comma-separated; TERM@2+3 for some joints only; auto: the recordings decide; "
            "usual: coulomb,viscous,offset,load,degressive, for joint_torque memory,viscous,offset."
        ),
    ] = "usual",
    method: Annotated[
        str,
        typer.Option(
            help="physical, bounded, ridge, ols, wls, huber, liu, kovincic, kovincic_constrained, "
            "maximum_likelihood; through the twin: idim_iv, didim, cloe. Options as wls:power=1,passes=3."
        ),
    ] = "physical",
    torque: Annotated[
        str | None,
        typer.Option(help="Column to explain, needed where the recordings hold several."),
    ] = None,
    moving: Annotated[
        float | None,
        typer.Option(
            help="Speed above which a joint counts as moving, rad/s \\[m/s].  \\[default: 1 % of its fastest]"
        ),
    ] = None,
    zone: Annotated[
        float | None,
        typer.Option(
            help="Speed below which the sign of motion fades out, rad/s \\[m/s].  \\[default: 0.1 % of the fastest]"
        ),
    ] = None,
    rotors: Annotated[bool, typer.Option(help="Estimate rotor inertias.")] = True,
    standing: Annotated[bool, typer.Option(help="Use the samples of standing joints too.")] = False,
    delay: Annotated[bool, typer.Option(help="Estimate how late the torque is stamped.")] = True,
    trim: Annotated[
        bool,
        typer.Option(help="Find slope of the base, zeros of encoders, gains of torques."),
    ] = True,
    compliance: Annotated[
        str | None,
        typer.Option(
            help="Of the gears, rad/(N m), comma-separated, for friction with memory.  \\[default: found]"
        ),
    ] = None,
    compensate: Annotated[
        str, typer.Option(help="Taken from the robot file, not fitted: rotors, friction, or both.")
    ] = "",
    differentiation: Annotated[
        str, typer.Option(help="Velocity and acceleration by band_pass or savitzky_golay.")
    ] = "band_pass",
    elastic: Annotated[
        bool,
        typer.Option(help="Motor encoders only: links follow through the stiffness of the gears."),
    ] = False,
    report: Report = None,
    json: Json = False,
) -> None:
    """Fit links, rotors and friction of the whole arm."""
    from jointwise.cli.progress import stages
    from jointwise.experiments.robot_fit import fit_robot
    from jointwise.robot.library import load_robot

    ensure_outputs(out, report, *recordings, robot)
    loaded = load_recordings(recordings)
    with stages() as progress:
        fit = fit_robot(
            load_robot(robot),
            loaded,
            progress=progress,
            filter_hz=filter_hz,
            friction=listed_names(friction),
            method=method,
            torque=torque,
            moving=moving,
            zone=zone,
            rotors=rotors,
            standing=standing,
            delay=delay,
            trim=trim,
            compliance=None if compliance is None else numbers("compliance", compliance),
            compensate=listed_names(compensate),
            differentiation=differentiation,
            elastic=elastic,
        )
    fit.save(out)
    finish(fit, out, json, report, loaded)


def finish(
    fit: Fit,
    out: Path,
    json: bool,
    report: Path | None = None,
    recordings: Mapping[str, Recording] | None = None,
) -> None:
    """Write the report where one is wanted, print what was found; exit code 1 where the fit did not converge."""
    from jointwise.cli.output import print_json
    from jointwise.cli.shown import show_fit

    written: list[tuple[str, Any]] = [("fit", out)]
    if report is not None:
        from jointwise.report.write import write_report

        written.append(("report", write_report(report, fit, recordings, files={str(out): out})))
    if json:
        print_json(summary(fit, dict(written)))
    else:
        show_fit(fit, written)
    if fit.status != "converged":
        raise typer.Exit(FAILED)


def summary(fit: Fit, written: Mapping[str, Any]) -> dict[str, Any]:
    """The fit as plain data with stable keys, see docs/json.md."""
    from dataclasses import asdict

    from jointwise.report.advice import advice
    from jointwise.report.judgement import judge

    judged = judge(fit)
    report = written.get("report")
    return {
        "fit": str(written["fit"]),
        "report": None if report is None else str(report),
        "experiment": fit.experiment,
        "robot": fit.robot.name,
        "status": fit.status,
        "verdict": judged.level,
        "sentence": judged.sentence,
        "advice": advice(fit, judged),
        "settings": dict(fit.settings),
        "parameters": [asdict(p) for p in fit.parameters],
        "joints": [dict(j) for j in fit.joints],
        "recordings": [dict(r) for r in fit.recordings],
        "notes": list(fit.notes),
    }
