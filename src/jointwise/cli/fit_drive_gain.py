"""`jointwise fit drive-gain REC...`: torque per ampere of every drive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

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

EXAMPLE = (
    "Example: jointwise fit drive-gain log.parquet --robot ur10e -o gains.fit.toml    "
    "From a known payload: jointwise fit drive-gain loaded.parquet --without bare.parquet --mass 2.5 "
    "--center 0,0,0.05 --filter-hz 5 --robot ur10e -o gains.fit.toml"
)


def drive_gain(
    recordings: Recordings,
    robot: RobotName,
    out: Out,
    mass: Annotated[
        float | None, typer.Option(help="Mass in kg of a known payload that the recordings carry.")
    ] = None,
    center: Annotated[
        str, typer.Option(help="Centre of that payload in the axes of the flange, m, as x,y,z.")
    ] = "0,0,0",
    without: Annotated[
        list[Path] | None,
        typer.Option(help="Recording without the payload; may be repeated."),
    ] = None,
    filter_hz: Annotated[
        float | None, typer.Option(help="Cut-off of the low-pass; needed with a payload.")
    ] = None,
    reference: Annotated[
        str, typer.Option(help="Torque believed at standstill: model_torque or joint_torque.")
    ] = "model_torque",
    current: Annotated[
        str | None,
        typer.Option(help="current_ref or current.  \\[default: current_ref where recorded]"),
    ] = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Find the torque constants: at standstill from the controller's torque, or from a known payload."""
    from jointwise.experiments.drive_gain import fit_drive_gain
    from jointwise.robot.library import load_robot

    ensure_outputs(out, report, robot, *recordings, *(without or []))
    options: dict[str, Any] = {"reference": reference, "current": current}
    if mass is not None:
        options = with_payload(mass, center, filter_hz)
    loaded = load_recordings(recordings)
    found = fit_drive_gain(
        load_robot(robot),
        loaded,
        without=load_recordings(without or []),
        **options,
    )
    found.save(out)
    finish(found, out, json, report, loaded)


def with_payload(mass: float, center: str, filter_hz: float | None) -> dict[str, Any]:
    """Options of the gains from a payload that is small beside its distance from the joints."""
    from jointwise.errors import ParameterError
    from jointwise.robot.inertia import Body

    if filter_hz is None:
        raise ParameterError("--filter-hz", "not stated", "a cut-off in Hz, with --mass")
    try:
        x, y, z = (float(v) for v in center.split(","))
    except ValueError:
        raise ParameterError("--center", center, "three numbers in m, as x,y,z") from None
    body = Body(mass=mass, center_of_mass=(x, y, z), inertia=(0.0,) * 6)
    return {"payload": body, "filter_hz": filter_hz}
