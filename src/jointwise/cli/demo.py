"""`jointwise demo`: the main job on one arm, checked against numbers computed elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from jointwise.robot.description import Robot

    Array = NDArray[np.float64]

EXAMPLE = "Example: jointwise demo --out out"
PAGE = "jointwise-demo.html"

# One state of a UR5e on a table and its torques, computed with other software and rounded to six decimals.
Q = (0.3, -1.1, 0.9, -0.4, 0.7, 0.2)
DQ = (0.5, -0.4, 0.3, 0.8, -0.6, 1.0)
DDQ = (1.0, -2.0, 1.5, 0.5, 2.0, -1.0)
TORQUE = (2.124344, -43.574154, -20.699796, -1.255008, 0.205748, -0.000090)
GRAVITY_TORQUE = (0.0, -38.141697, -19.400345, -1.328748, 0.242217, 0.0)
CORIOLIS_TORQUE = (-0.601822, -0.373074, 0.039027, 0.034854, -0.001116, -0.000006)
ROUNDING = 0.6e-6  # N m: half a unit of the last decimal, and a little for the inputs
BASE_PARAMETERS = 36

# A smooth motion from rest to rest: the joints start at START and swing by SWING and back.
START = (0.0, -1.2, 1.0, -1.0, 0.6, 0.0)
SWING = (1.2, -0.8, 1.0, 0.8, -1.0, 1.5)
DURATION = 3.0
SAMPLES = 301


def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder for the page.")] = Path("out"),
) -> None:
    """Load a UR5e, check its dynamics, and write a page with its torques along a motion."""
    from rich.console import Console

    from jointwise import __version__
    from jointwise.report.figures import torque_parts
    from jointwise.report.page import render, write_page
    from jointwise.robot.library import load_robot

    console = Console(highlight=False)
    with console.status("Compiling the kernels (about ten seconds, once per version)"):
        robot = load_robot("ur5e")
        errors = check(robot)
        time, parts, total = torque_along_motion(robot)
    base = robot.base_parameters()
    console.print(f"[bold]{robot.name}[/bold]: {robot.n} joints, {base.count} base parameters")
    console.print(", ".join(base.names))
    for what, error in errors.items():
        verdict = "ok" if error <= ROUNDING else "WRONG"
        console.print(f"{what}: {verdict}, largest difference {error:.1e} N m")
    page = render(
        "demo.html",
        title=f"{robot.name}: torque of each joint along a motion",
        version=__version__,
        robot=robot,
        base=list(zip(base.names, base.groupings, strict=True)),
        errors=errors,
        rounding=ROUNDING,
        figure=torque_parts(time, parts, total, [joint.name for joint in robot.joints]),
    )
    console.print(f"page: {write_page(out / PAGE, page)}", soft_wrap=True)
    if base.count != BASE_PARAMETERS or max(errors.values()) > ROUNDING:
        typer.echo(
            "jointwise: the check failed; this installation computes wrong numbers", err=True
        )
        raise typer.Exit(1)


def check(robot: Robot) -> dict[str, float]:
    """Largest difference (N m) of each torque from its reference value."""
    import numpy as np

    q, dq, ddq = (np.array(values) for values in (Q, DQ, DDQ))
    still = np.zeros_like(q)
    gravity = robot.gravity_torque(q)
    found = {
        "inverse dynamics": (robot.inverse_dynamics(q, dq, ddq), TORQUE),
        "gravity torque": (gravity, GRAVITY_TORQUE),
        "Coriolis torque": (robot.inverse_dynamics(q, dq, still) - gravity, CORIOLIS_TORQUE),
    }
    return {
        what: float(np.max(np.abs(value - np.array(reference))))
        for what, (value, reference) in found.items()
    }


def torque_along_motion(robot: Robot) -> tuple[Array, dict[str, Array], Array]:
    """Time, the parts of the torque and their sum along q = START + SWING * sin^4(pi t / T)."""
    import numpy as np

    time = np.linspace(0.0, DURATION, SAMPLES)
    rate = np.pi / DURATION
    s, c = np.sin(rate * time), np.cos(rate * time)
    shape = s**4
    dshape = 4.0 * rate * s**3 * c
    ddshape = 4.0 * rate**2 * (3.0 * s**2 * c**2 - s**4)
    swing = np.array(SWING)
    q = np.array(START) + shape[:, None] * swing
    dq, ddq = dshape[:, None] * swing, ddshape[:, None] * swing
    gravity = robot.gravity_torque(q)
    parts = {
        "gravity": gravity,
        "Coriolis and centrifugal": robot.inverse_dynamics(q, dq, np.zeros_like(q)) - gravity,
        "inertia": np.einsum("tij,tj->ti", robot.mass_matrix(q), ddq),
    }
    return time, parts, robot.inverse_dynamics(q, dq, ddq)
