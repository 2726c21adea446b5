"""`jointwise plan KIND`: make a motion file. One command per kind of motion, its options those of the planner."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from jointwise.errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable

    from jointwise.motion.check import Excess
    from jointwise.motion.motion import Motion
    from jointwise.motion.options import Option

FAILED = 1
HELP = "Plan a motion within the limits of a robot: jointwise plan KIND --help tells what a kind takes."
EXAMPLE = "Example: jointwise plan fourier --robot ur5e --duration 31 -o motion.parquet"
EXAMPLES = {
    "fourier": "--duration 31 --max-acceleration 5 -o motion.parquet",
    "random": "--seed 1 --duration 20 -o motion.parquet",
    "bang": "--joint shoulder_pan --seed 1 -o motion.parquet",
    "sweep": "--joint shoulder_pan --speeds 0.1,0.5,1 -o motion.parquet",
    "reciprocate": "--joint shoulder_pan --cycles 120 -o motion.parquet",
    "cycle": "--laps 2 -o motion.parquet",
    "point": "--start 0,-1.5,1,-1,-1.5,0 --goal 1,-1.2,0.8,-1,-1.5,0 -o motion.parquet",
    "static": "--robot ur10e --poses 8 --dwell 20 -o motion.parquet",
    "experiment": "velocity --robot ur5e --joint 2 -o motion.parquet",
    "lemniscate": "--plane yz --width 0.1 --duration 8 -o motion.parquet",
}
"""One line per kind; the help of every command shows it."""


class Kinds(TyperGroup):
    """The kinds of motion as commands; a planner is imported when its command is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the kinds."""
        return list(EXAMPLES)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command named first; a name nobody knows gets the nearest kind."""
        if args[0] not in EXAMPLES:
            raise UnknownNameError("kind of motion", args[0], EXAMPLES)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a kind, made from the signature of its planner."""
        if cmd_name not in EXAMPLES:
            return None
        maker = typer.Typer(add_completion=False)
        made = experiment if cmd_name == "experiment" else command_of(cmd_name)
        maker.command(cmd_name, epilog=f"Example: jointwise plan {cmd_name} {EXAMPLES[cmd_name]}")(
            made
        )
        return get_command(maker)


plan = typer.Typer(cls=Kinds, help=HELP, no_args_is_help=True, epilog=EXAMPLE)


@plan.callback()
def _group() -> None:
    """Kinds of motion."""


def experiment(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="stiffness, velocity (friction), load, temperature, kinematic-error, hysteresis, damping, "
            "link-friction, e-gms or transmission.",
        ),
    ],
    joint: Annotated[str, typer.Option(help="Name of the joint, or its number from 1.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Motion file to write (Parquet).")],
    robot: Annotated[str, typer.Option(help="Robot of the library, robot file or URDF.")] = "ur5e",
    speeds: Annotated[
        str | None,
        typer.Option(help="velocity, temperature: speeds in rad/s \\[m/s], 0.05,0.1,0.5."),
    ] = None,
    speed: Annotated[float | None, typer.Option(help="load: speed in rad/s \\[m/s].")] = None,
    cycles: Annotated[
        int | None,
        typer.Option(help="kinematic-error, hysteresis, e-gms, transmission: strokes.", min=1),
    ] = None,
    duration: Annotated[float | None, typer.Option(help="stiffness, damping: seconds.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """The motion of an experiment on one joint: its axis in the pose the experiment needs, the others standing."""
    from jointwise.experiments.joint.registry import plan_and_check
    from jointwise.robot.library import load_robot
    from jointwise.tables import ensure_writable

    ensure_writable(out, robot)
    options = {
        "speeds": None if speeds is None else _numbers(speeds),
        "speed": speed,
        "cycles": cycles,
        "duration": duration,
    }
    given = {option: value for option, value in options.items() if value is not None}
    motion, excesses = plan_and_check(name, load_robot(robot), joint, **given)
    _finish(name, out, motion, excesses, json)


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError("speeds", text, "numbers with commas between them") from None


def command_of(kind: str) -> Callable[..., None]:
    """A command with the options of a planner, those of every planner, and where the motion goes."""
    from jointwise.motion.options import options_of
    from jointwise.motion.plan import common, planner

    make = planner(kind)
    options = options_of(make) | options_of(common)

    def command(**given: Any) -> None:
        out, robot, json = given.pop("out"), given.pop("robot"), given.pop("json")
        chosen = {
            name: _parsed(options[name], text) for name, text in given.items() if text is not None
        }
        _run(kind, out, robot, json, chosen)

    parameters = [_parameter(option) for option in options.values()]
    fixed = [
        ("out", Path, typer.Option(..., "--out", "-o", help="Motion file to write (Parquet).")),
        ("robot", str, typer.Option("ur5e", help="Robot of the library, robot file or URDF.")),
        ("json", bool, typer.Option(False, "--json", help="Print the summary as JSON.")),
    ]
    parameters += [
        inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=d, annotation=t)
        for n, t, d in fixed
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    command.__doc__ = (make.__doc__ or "").split("\n\n")[0]
    return command


def _parameter(option: Option) -> inspect.Parameter:
    """One option of the command line; lists are given as text, checked by the planner."""
    types: dict[str, Any] = {"number": float, "count": int, "seed": int}
    kind = types.get(option.kind, str)
    default = option.default
    text = option.help
    if option.kind in ("numbers", "poses"):
        text += ", as 1,2,3" + (" or 1,2;3,4" if option.kind == "poses" else "")
    if option.names:
        text += f" ({', '.join(option.names)})"
    text = text[0].upper() + text[1:]
    required = default is inspect.Parameter.empty
    if isinstance(default, tuple):
        default = ",".join(str(v) for v in default)
    flag = "--" + option.name.replace("_", "-")
    declared = typer.Option(... if required else default, flag, help=text.replace("[", "\\["))
    annotation = kind if required or default is not None else kind | None
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=declared, annotation=annotation
    )


def _parsed(option: Option, value: Any) -> Any:
    """What a planner takes, from what the command line gave."""
    if option.kind == "names" and isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    if option.kind not in ("numbers", "poses") or not isinstance(value, str):
        return value
    try:
        rows = [[float(v) for v in row.split(",")] for row in value.split(";")]
    except ValueError:
        raise ParameterError(
            f"--{option.name}", value, "numbers with commas between them"
        ) from None
    if option.kind == "poses":
        return rows
    return rows[0][0] if len(rows[0]) == 1 else rows[0]


def _run(kind: str, out: Path, robot: str, json: bool, chosen: dict[str, Any]) -> None:
    from jointwise.cli.progress import progress_bar
    from jointwise.motion.plan import plan_and_check
    from jointwise.robot.library import load_robot
    from jointwise.tables import ensure_writable

    ensure_writable(out, robot)
    arm = load_robot(robot)
    with progress_bar(f"planning {kind} for {arm.name}") as report:
        motion, excesses = plan_and_check(kind, arm, report=report, **chosen)
    _finish(kind, out, motion, excesses, json)


def _finish(kind: str, out: Path, motion: Motion, excesses: tuple[Excess, ...], json: bool) -> None:
    from jointwise.cli.output import print_json

    if not excesses:
        motion.save(out)
    if json:
        print_json(summary(kind, None if excesses else out, motion, excesses))
    else:
        for line in _lines(kind, out, motion, excesses):
            typer.echo(line)
    if excesses:
        raise typer.Exit(FAILED)


def summary(
    kind: str, out: Path | None, motion: Motion, excesses: tuple[Excess, ...]
) -> dict[str, Any]:
    """The JSON form: what was planned, what it uses, what was assumed and what it exceeds."""
    import numpy as np

    limits = motion.notes["limits"]
    return {
        "motion": None if out is None else str(out),
        "kind": kind,
        "robot": motion.notes["robot"],
        "samples": len(motion),
        "duration_s": motion.duration,
        "smoothness": motion.smoothness,
        "rest": motion.rest,
        "largest_velocity_rad_s": [float(v) for v in np.abs(motion.dq).max(axis=0)],
        "largest_acceleration_rad_s2": [float(v) for v in np.abs(motion.ddq).max(axis=0)],
        "assumed": limits["assumed"],
        "unbounded": limits["unbounded"],
        "quality": motion.notes.get("quality"),
        "excesses": [str(e) for e in excesses],
    }


def _lines(kind: str, out: Path, motion: Motion, excesses: tuple[Excess, ...]) -> list[str]:
    notes = motion.notes
    what = f"{motion.duration:g} s of {kind} motion for {notes['robot']}, {len(motion)} samples"
    if excesses:
        lines = [f"not written, {what} would exceed limits:"]
        advice = (
            "state --start, a smaller or slower motion, or --floor=-inf where there is no floor"
        )
        return [*lines, *(f"  {e}" for e in excesses), advice]
    lines = [
        f"{out}: {what}",
        f"  {motion.smoothness} continuous derivatives, {motion.rest} of them zero at both ends",
    ]
    if "quality" in notes:
        q = notes["quality"]
        lines.append(
            f"  condition number {q['condition']:.1f} for {q['parameters']} parameters, "
            f"{q['scaled_condition']:.1f} with columns of unit length"
        )
    for what, listed in (("assumed", "assumed"), ("not known, not checked", "unbounded")):
        if notes["limits"][listed]:
            lines.append(f"  {what}: {', '.join(_together(notes['limits'][listed]))}")
    return lines


def _together(limits: list[str]) -> list[str]:
    """`acceleration of elbow: 3 rad/s^2` of several joints as one entry, the joints behind it."""
    joints: dict[str, list[str]] = {}
    for limit in limits:
        what, _, rest = limit.partition(" of ")
        joint, _, value = rest.partition(": ")
        joints.setdefault(f"{what} {value}".rstrip(), []).append(joint)
    return [f"{what} ({', '.join(names)})" for what, names in joints.items()]
