"""`jointwise demo`: the main job from plan to report, on a simulated UR5e whose truth is known."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from jointwise.experiments.fit import Fit
    from jointwise.experiments.validate import Validated
    from jointwise.motion.motion import Motion
    from jointwise.plant.plant import Plant
    from jointwise.recording.recording import Recording
    from jointwise.robot.description import Robot

EXAMPLE = "Example: jointwise demo --seed 7 --out out"
ARM, PAGE, FIT = "arm.toml", "report.html", "arm.fit.toml"
FAILED = 1

EXCITATION: dict[str, Any] = {"duration": 20.0, "period": 20.0, "harmonics": 5, "starts": 1}
FILTER_HZ = 10.0
TOLERATED = 0.10
"""Error on the unseen motion beside the spread of the torque, at most, on every joint."""
WARM = (
    "import jointwise as jw; from jointwise.motion.plan import plan; "
    "jw.Twin(plant=jw.random_arm('ur5e', seed=0)).run(plan('cycle', jw.load_robot('ur5e')))"
)
"""Run on the other core while the motion is planned: it leaves the twin's machine code in the cache."""


class Steps:
    """Prints what is done, one line a step, and remembers what failed."""

    def __init__(self) -> None:
        self.failed: list[str] = []
        self._count, self._started = 0, time.perf_counter()

    def done(self, what: str, text: str, *, ok: bool = True) -> None:
        """Print a finished step; one that is not ok fails the demo."""
        self._count += 1
        now = time.perf_counter()
        verdict = "" if ok else " FAILED"
        typer.echo(f"{self._count} {what:<9} {text}{verdict} ({now - self._started:.1f} s)")
        if not ok:
            self.failed.append(what)
        self._started = now


def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder for recordings, fit and page.")] = Path(
        "out"
    ),
    seed: Annotated[int, typer.Option(help="Which arm is simulated, and its noise.", min=0)] = 3,
) -> None:
    """Plan, run on a simulated UR5e, check, fit, validate on another motion, write the report."""
    from jointwise.errors import FileError
    from jointwise.robot.library import load_robot

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(out, "", f"is no folder that can be written ({error.strerror})") from None
    typer.echo("The first run of a version compiles its kernels, which takes most of a minute.")
    steps = Steps()
    with compiling_beside():
        robot = load_robot("ur5e")
        dynamics(robot, steps)
        motions = planned(robot, steps)
    truth, prior, recordings = recorded(robot, motions, seed, out, steps)
    checked(prior, recordings, steps)
    fit, scores = fitted(prior, recordings, out, steps)
    show_errors(fit, scores)
    show_worst(fit, truth)
    report(fit, recordings, out, steps)
    if steps.failed:
        typer.echo(f"jointwise: the demo failed at: {', '.join(steps.failed)}", err=True)
        raise typer.Exit(FAILED)


@contextmanager
def compiling_beside() -> Iterator[None]:
    """Let another process compile the twin; wait for it at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", WARM], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        try:
            yield
        except BaseException:
            child.terminate()
            raise


def dynamics(robot: Robot, steps: Steps) -> None:
    """Torques against reference values."""
    from jointwise.cli.demo_reference import ROUNDING, largest_difference

    off = largest_difference(robot)
    text = f"joint torques of a UR5e differ from other software by {off:.1e} N m"
    steps.done("dynamics", text, ok=off <= ROUNDING)


def planned(robot: Robot, steps: Steps) -> dict[str, Motion]:
    """A motion to learn from and another one to be tested on."""
    from jointwise.cli.progress import progress_bar
    from jointwise.motion.plan import plan

    with progress_bar("planning") as progress:
        motion = plan("fourier", robot, report=progress, **EXCITATION)
    quality = motion.notes["quality"]
    text = (
        f"{motion.duration:g} s within all limits, condition number {quality['condition']:.0f} "
        f"for {quality['parameters']} parameters"
    )
    steps.done("plan", text)
    return {"planned": motion, "unseen": plan("cycle", robot)}


def recorded(
    robot: Robot, motions: Mapping[str, Motion], seed: int, out: Path, steps: Steps
) -> tuple[Plant, Robot, dict[str, Recording]]:
    """The simulated arm, what its owner knows of it, and the recordings of the motions."""
    from jointwise.plant.population import random_arm
    from jointwise.plant.twin import Twin

    arm = random_arm("ur5e", seed=seed)
    twin = Twin(plant=arm, seed=seed)
    recordings = {}
    for name, motion in motions.items():
        recordings[name] = twin.run(motion, truth=False).raise_for_status().recording
        recordings[name].save(out / f"{name}.parquet")
    samples = sum(len(recording) for recording in recordings.values())
    text = f"simulated arm {seed} with flexible joints and friction with memory, {samples} samples"
    steps.done("run", text)
    constants = {
        f"joints.{joint.name}.drive.torque_constant": joint.drive.torque_constant
        for joint in arm.robot.joints
    }
    prior = robot.replace(constants, source="stated by the maker of the simulated arm")
    prior.save(out / ARM)
    return arm, prior, recordings


def checked(prior: Robot, recordings: Mapping[str, Recording], steps: Steps) -> None:
    """The verdicts of the check."""
    from jointwise.recording.check import check_recording

    found = {name: check_recording(recording, prior) for name, recording in recordings.items()}
    text = ", ".join(f"{name} {one.verdict}" for name, one in found.items())
    steps.done("check", text, ok=all(one.verdict != "refused" for one in found.values()))


def fitted(
    prior: Robot, recordings: Mapping[str, Recording], out: Path, steps: Steps
) -> tuple[Fit, Validated]:
    """The fit to the planned motion, and its scores on the other one."""
    from jointwise.cli.progress import stages
    from jointwise.experiments.robot_fit import fit_robot
    from jointwise.experiments.validate import validate

    with stages() as progress:
        fit = fit_robot(
            prior,
            {"planned": recordings["planned"]},
            progress=progress,
            filter_hz=FILTER_HZ,
            torque="current",
        )
    fit.save(out / FIT)
    known = sum(p.verdict == "identified" for p in fit.parameters)
    text = f"{fit.status}, {known} of {len(fit.parameters)} parameters identified"
    steps.done("fit", text, ok=fit.status == "converged")
    scores = validate(fit, {"unseen": recordings["unseen"]})[0]
    shares = [
        score.rmse_moving / float(joint["torque_spread"])
        for score, joint in zip(scores.filtered, fit.joints, strict=True)
    ]
    text = f"another motion: every joint within {100.0 * max(shares):.1f} % of its torque"
    steps.done("validate", text, ok=max(shares) <= TOLERATED)
    return fit, scores


def show_errors(fit: Fit, scores: Validated) -> None:
    """A line per joint: error on the unseen motion, share of the torque, noise floor."""
    from jointwise.cli.shown import columns, console
    from jointwise.report.words import figure

    table = columns("  joint", "error N m", "of torque", "noise floor N m", "times")
    for joint, score in zip(fit.joints, scores.filtered, strict=True):
        error, floor = score.rmse_moving, float(joint["noise_floor"])
        share = 100.0 * error / float(joint["torque_spread"])
        table.add_row(
            f"  {joint['joint']}",
            figure(error),
            f"{share:.1f} %",
            figure(floor),
            f"{error / floor:.1f}",
        )
    console().print(table)


def show_worst(fit: Fit, truth: Plant) -> None:
    """The identified base parameter that is furthest from the truth, which only a simulated arm can tell."""
    import numpy as np

    from jointwise.experiments.fit import IDENTIFIED
    from jointwise.experiments.prediction import model_of
    from jointwise.report.words import figure

    base = model_of(fit).design.base
    rotors = [float(joint.drive.rotor_inertia) for joint in truth.robot.joints]  # type: ignore[arg-type]
    true = base.values(np.concatenate([truth.robot.parameters(), rotors]))
    sure = [
        (abs(p.value - value) / abs(value), p, float(value))
        for p, value in zip(fit.parameters, true, strict=False)
        if p.verdict == IDENTIFIED
    ]
    error, p, value = max(sure, key=lambda item: item[0])
    middle = float(np.median([item[0] for item in sure]))
    typer.echo(
        f"  {len(sure)} identified inertias are off by {100.0 * middle:.1f} % (median); worst {p.name}: "
        f"{figure(p.value)} {p.unit}, truth {figure(value)} ({100.0 * error:.0f} %)"
    )


def report(fit: Fit, recordings: Mapping[str, Recording], out: Path, steps: Steps) -> None:
    """The page, with files named beside it."""
    from jointwise.report.write import write_report

    files = {name: out / name for name in (FIT, *(f"{name}.parquet" for name in recordings))}
    page = write_report(out / PAGE, fit, recordings, files=files)
    steps.done("report", f"open {page} in a browser")
