"""`jointwise run`: run a motion on an arm and record it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = (
    "Example: jointwise run motion.parquet --robot ur5e --on twin --seed 3 -o recording.parquet"
)
FAILED = 1


class Method(StrEnum):
    """How the simulation is integrated."""

    semi_implicit = "semi_implicit"
    rk4 = "rk4"


class On(StrEnum):
    """Where a motion can be run."""

    twin = "twin"


def run(
    motion: Annotated[Path, typer.Argument(help="Motion file, see `jointwise plan`.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Recording to write (Parquet).")],
    robot: Annotated[
        str,
        typer.Option(
            help="Kind of arm (ur3e, ur5e, ur10e, ur16e), of which the seed draws a plausible one; or a robot "
            "file, URDF or other library robot, taken as it states itself."
        ),
    ] = "ur5e",
    on: Annotated[On, typer.Option(help="Where to run.")] = On.twin,
    seed: Annotated[
        int, typer.Option(help="Which arm of the kind, its noise, and its faults.", min=0)
    ] = 0,
    faults: Annotated[
        Path | None, typer.Option(help="TOML file with [\\[faults]]: what goes wrong and when.")
    ] = None,
    surroundings: Annotated[
        Path | None,
        typer.Option(help="TOML file with a \\[wall] and [\\[pushes]]: what touches the tool."),
    ] = None,
    every: Annotated[
        int, typer.Option(help="Record every so many control periods of 1 ms.", min=1)
    ] = 1,
    jitter_s: Annotated[
        float, typer.Option("--jitter-s", help="Spread of the instants of sampling, s.")
    ] = 0.0,
    link_encoder: Annotated[
        bool, typer.Option(help="Whether the joints have encoders behind the gears.")
    ] = True,
    coupled: Annotated[
        bool, typer.Option(help="Full model with the inertial coupling S(q) of rotors and links.")
    ] = False,
    method: Annotated[Method, typer.Option(help="Integrator.")] = Method.semi_implicit,
    substeps: Annotated[
        int | None,
        typer.Option(help="Steps in a control period; unless given, as the stiffness asks.", min=1),
    ] = None,
    traced: Annotated[
        bool, typer.Option(help="Compile the step for this one arm: for long runs.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Run a motion on a simulated arm with flexible joints, hysteresis and real sensors, and record it."""
    from dataclasses import replace

    from jointwise.cli.output import print_json
    from jointwise.cli.progress import progress_bar
    from jointwise.motion.motion import load_motion
    from jointwise.plant.faults import load_faults
    from jointwise.plant.plant import Plant
    from jointwise.plant.population import ARMS, random_arm
    from jointwise.plant.sensors import Sampling
    from jointwise.plant.surroundings import Surroundings, load_surroundings
    from jointwise.plant.twin import Twin
    from jointwise.robot.library import load_robot
    from jointwise.tables import ensure_writable

    ensure_writable(out, motion, robot, *(path for path in (faults, surroundings) if path))
    path = load_motion(motion)
    arm = random_arm(robot, seed=seed) if robot in ARMS else Plant.stated(load_robot(robot))
    arm = replace(arm, inertial_coupling=coupled)
    around = load_surroundings(surroundings) if surroundings is not None else Surroundings()
    twin = Twin(
        plant=arm if link_encoder else arm.without_link_encoders(),
        seed=seed,
        faults=load_faults(faults) if faults is not None else (),
        sampling=Sampling(stride=every, jitter=jitter_s),
        wall=around.wall,
        pushes=around.pushes,
        method=method.value,
        substeps=substeps,
        traced=traced,
    )
    with progress_bar(f"simulating {robot}") as report:
        result = twin.run(path, progress=report)
    result.recording.save(out)
    summary = {
        "recording": str(out),
        "status": result.status,
        "message": result.message,
        "on": on.value,
        "robot": robot,
        "seed": seed,
        "samples": len(result.recording),
        "duration_s": result.time,
        "step_s": twin.step.dt,
        "step_error": twin.step.relative_error,
    }
    if json:
        print_json(summary)
    else:
        typer.echo(
            f"{out}: {len(result.recording)} samples of {robot} seed {seed}, {result.message}"
        )
    if result.status != "completed":
        raise typer.Exit(FAILED)
