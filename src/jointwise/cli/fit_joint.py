"""`jointwise fit EXPERIMENT REC... --joint J`: the experiments on one joint, their options those of the experiment."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

import typer
from typer.core import TyperGroup
from typer.main import get_command

from jointwise.cli.fit import (
    Json,
    Out,
    Recordings,
    Report,
    RobotName,
    ensure_outputs,
    finish,
    load_recordings,
)
from jointwise.errors import UnknownNameError

EXAMPLES = {
    "stiffness": "loads.parquet --robot arm.toml --joint 1 -o stiffness.fit.toml",
    "friction": "sweeps.parquet --robot arm.toml --joint 1 -o friction.fit.toml",
    "velocity": "sweeps.parquet --robot arm.toml --joint 1 --method bfgs -o friction.fit.toml",
    "load": "slow.parquet --robot arm.toml --joint 2 -o load.fit.toml",
    "temperature": "cold.parquet warm.parquet --robot arm.toml --joint 1 -o temperature.fit.toml",
    "kinematic-error": "strokes.parquet --robot arm.toml --joint 1 -o error.fit.toml",
    "hysteresis": "strokes.parquet --robot arm.toml --joint 1 --operators 4 -o hysteresis.fit.toml",
    "e-gms": "strokes.parquet slow.parquet warm.parquet --robot arm.toml --joint 2 -o e-gms.fit.toml",
    "damping": "swing.parquet --robot arm.toml --joint 1 -o damping.fit.toml",
    "link-friction": "sweeps.parquet --robot arm.toml --joint 1 -o link.fit.toml",
    "transmission": "log.parquet --robot arm.toml --joint 1 -o gear.fit.toml",
}
"""One line per experiment; the help of every command shows it."""
HELP = {
    "torque": "Column of motor torque, needed where the recordings hold several.",
    "filter_hz": "Cut-off of the zero-phase low-pass.",
    "method": "How the nonlinear parameters are searched.",
    "operators": "Number of slipping springs.  \\[default: by cross-validation]",
    "model": "Which model.  \\[default: the one that predicts what is left out better]",
    "reference_degc": "Temperature at which the change of friction is zero.",
    "joint": "Name of the joint, or its number from 1.",
}


class Experiments(TyperGroup):
    """The verbs given, and every joint experiment; an experiment is imported when its command is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the verbs."""
        return [*super().list_commands(ctx), *EXAMPLES]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command named first; a name nobody knows gets the nearest one."""
        names = self.list_commands(ctx)
        if args[0] not in names:
            raise UnknownNameError("fit", args[0], names)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of an experiment, made from the signature of its fit."""
        if cmd_name not in EXAMPLES:
            return super().get_command(ctx, cmd_name)
        maker = typer.Typer(add_completion=False)
        example = f"Example: jointwise fit {cmd_name} {EXAMPLES[cmd_name]}"
        maker.command(cmd_name, epilog=example)(command_of(cmd_name))
        return get_command(maker)


def command_of(name: str) -> Callable[..., None]:
    """A command with the options of an experiment."""
    from jointwise.experiments.joint.registry import experiment

    chosen = experiment(name)

    def command(**given: Any) -> None:
        from jointwise.cli.progress import progress_bar
        from jointwise.robot.library import load_robot

        out, json, report = given.pop("out"), given.pop("json"), given.pop("report")
        paths, robot, joint = given.pop("recordings"), given.pop("robot"), given.pop("joint")
        ensure_outputs(out, report, *paths, robot)
        loaded = load_recordings(paths)
        with progress_bar(f"fitting {name} of joint {joint}"):
            fit = chosen.fit(load_robot(robot), loaded, joint, **given)
        fit.save(out)
        finish(fit, out, json, report, loaded)

    fixed: list[tuple[str, Any, Any]] = [
        ("recordings", Recordings, inspect.Parameter.empty),
        ("robot", RobotName, inspect.Parameter.empty),
        ("joint", str, typer.Option(..., help=HELP["joint"])),
        ("out", Out, inspect.Parameter.empty),
        *own_options(chosen.fit),
        ("report", Report, None),
        ("json", Json, False),
    ]
    parameters = [
        inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=d, annotation=t)
        for n, t, d in fixed
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    command.__doc__ = f"Identify {chosen.about} of one joint."
    return command


def own_options(fit: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    """Name, type and option of every keyword of an experiment's fit."""
    types = get_type_hints(fit)
    return [
        (
            name,
            types[name],
            typer.Option(p.default, "--" + name.replace("_", "-"), help=HELP[name]),
        )
        for name, p in inspect.signature(fit).parameters.items()
        if p.kind is inspect.Parameter.KEYWORD_ONLY
    ]
