"""`jointwise plan`: make a motion file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = "Example: jointwise plan --robot ur5e --seed 1 --duration 20 -o motion.parquet"


def plan(
    out: Annotated[Path, typer.Option("--out", "-o", help="Motion file to write (Parquet).")],
    robot: Annotated[str, typer.Option(help="Robot of the library, robot file or URDF.")] = "ur5e",
    seed: Annotated[int, typer.Option(help="Seed of the random coefficients.", min=0)] = 0,
    duration: Annotated[float, typer.Option(help="Length of the motion in s.")] = 20.0,
    period: Annotated[
        float | None,
        typer.Option(
            help="Base period in s; the duration must be a multiple.  [default: about 10]"
        ),
    ] = None,
    harmonics: Annotated[int, typer.Option(help="Number of harmonics.")] = 5,
    rate_hz: Annotated[float, typer.Option(help="Samples per second.")] = 1000.0,
    share: Annotated[float, typer.Option(help="Share of each limit that may be used.")] = 0.6,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Plan a random Fourier excitation within the robot's limits that starts and ends at rest."""
    import numpy as np

    from jointwise.cli.output import print_json
    from jointwise.motion.fourier import random_fourier
    from jointwise.robot.library import load_robot

    arm = load_robot(robot)
    motion = random_fourier(
        arm,
        seed=seed,
        duration=duration,
        period=period,
        harmonics=harmonics,
        rate_hz=rate_hz,
        share=share,
    )
    motion.check(arm)
    motion.save(out)
    summary = {
        "motion": str(out),
        "robot": arm.name,
        "samples": len(motion),
        "duration_s": motion.duration,
        "smoothness": motion.smoothness,
        "largest_velocity_rad_s": [float(v) for v in np.abs(motion.dq).max(axis=0)],
        "largest_acceleration_rad_s2": [float(v) for v in np.abs(motion.ddq).max(axis=0)],
    }
    if json:
        print_json(summary)
        return
    typer.echo(
        f"{out}: {motion.duration:g} s for {arm.name}, {len(motion)} samples, "
        f"{motion.smoothness} continuous derivatives"
    )
