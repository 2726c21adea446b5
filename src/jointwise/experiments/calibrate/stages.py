"""The stages of a calibration: which experiment comes when, what it records, and which recordings it reads."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event
from typing import Any

from jointwise.errors import JointwiseError
from jointwise.experiments.calibrate.folder import Folder
from jointwise.experiments.calibrate.rig import Bench
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.registry import experiment
from jointwise.motion.motion import Motion
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot

DONE, KEPT, SKIPPED, FAILED = "done", "kept", "skipped", "failed"
AGAIN = "-again"
ORDER = (
    "stiffness", "kinematic-error", "stiffness-again", "kinematic-error-again", "velocity", "temperature", "load",
    "link-friction", "hysteresis", "e-gms", "damping",
)  # fmt: skip
"""Deformation first, since strokes are read with it; then once more, since a rotor that turns under load has another
kinematic error; damping last, since friction takes part of what a swing loses."""
READS: Mapping[str, tuple[str, ...]] = {
    "stiffness-again": ("stiffness",),
    "kinematic-error-again": ("kinematic-error",),
    "link-friction": ("velocity",),
    "hysteresis": ("kinematic-error",),
    "e-gms": ("kinematic-error", "velocity", "temperature", "load"),
}
"""Experiments that need no run of their own."""
OPTIONS: Mapping[str, dict[str, Any]] = {"hysteresis": {"operators": 4}}
PLANS: Mapping[str, dict[str, Any]] = {"kinematic-error": {"cycles": 24}}
TEMPERATURES = (12.0, 25.0, 40.0)
"""degC at the start of the runs: cooled down, at rest, warmed up."""
ROOM, STEADY = 25.0, 35.0
"""degC of the other runs: at rest; friction is measured at working temperature, J1 4.2.1."""


@dataclass(frozen=True, kw_only=True)
class StageResult:
    """What became of a stage."""

    experiment: str
    joint: str
    status: str
    message: str = ""
    seconds: float = 0.0
    fit: Fit | None = None

    @property
    def name(self) -> str:
        """Name of the stage and of its files."""
        return stage_name(self.joint, self.experiment)


def stage_name(joint: str, name: str) -> str:
    """The joint, then the experiment; the arm itself has no joint."""
    return f"{joint}-{name}" if joint else name


def experiment_of(stage: str) -> str:
    """The experiment of a stage, which may be done a second time from the same recordings."""
    return stage.removesuffix(AGAIN)


class Stopped(Exception):
    """The calibration was told to end before this stage was finished."""


class Skipped(Exception):
    """A stage that this arm or this mounting does not allow; the text says why."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JointChain:
    """All experiments on one joint, one after the other; each starts from the robot the one before left.

    Once `stop` is set, nothing more is begun, and a motion that runs is broken off.
    """

    bench: Bench
    folder: Folder
    place: int
    robot: Robot
    stop: Event

    def run(self, report: Callable[[StageResult], None]) -> tuple[Robot, list[StageResult]]:
        """The robot after the last experiment, and what became of each."""
        robot, last = self.robot, 0.0
        results: list[StageResult] = []
        for name in ORDER:
            self._go_on()
            started = time.perf_counter()
            kept = self.folder.kept(stage_name(self.joint, name), after=last)
            if kept is not None:
                result = StageResult(experiment=name, joint=self.joint, status=KEPT, fit=kept)
            else:
                result = self._stage(name, robot, results, started)
            if result.fit is not None:
                robot = result.fit.robot
                last = self.folder.finished(result.name)
            results.append(result)
            report(result)
        return robot, results

    @property
    def joint(self) -> str:
        """Name of the joint."""
        return self.robot.joints[self.place].name

    def _stage(
        self, name: str, robot: Robot, before: list[StageResult], started: float
    ) -> StageResult:
        status, message, fit = DONE, "", None
        try:
            recordings = self._recordings(name, before)
            fit = experiment(experiment_of(name)).fit(
                robot, recordings, self.joint, **OPTIONS.get(name, {})
            )
            fit.save(self.folder.fit_path(stage_name(self.joint, name)))
        except Skipped as why:
            status, message = SKIPPED, str(why)
        except JointwiseError as error:
            status, message = FAILED, str(error)
        return StageResult(
            experiment=name, joint=self.joint, status=status, message=message,
            seconds=time.perf_counter() - started, fit=fit,
        )  # fmt: skip

    def _recordings(self, name: str, before: list[StageResult]) -> dict[str, Recording]:
        """What an experiment reads: runs of its own, or those of experiments before it."""
        if name in READS:
            good = {r.experiment for r in before if r.fit is not None}
            missing = [source for source in READS[name][:1] if source not in good]
            if missing:
                raise Skipped(f"it reads the run of {missing[0]}, which gave nothing")
            return dict(
                itertools.chain.from_iterable(
                    self._own(source).items() for source in READS[name] if source in good
                )
            )
        return self._own(name)

    def _own(self, name: str) -> dict[str, Recording]:
        label, number = stage_name(self.joint, name), 1000 * self.place + 10 * ORDER.index(name)
        keep, bench = self.folder.recording, self.bench
        if name == "damping":
            return {label: keep(label, lambda: bench.released(self.place, number))}
        # Poses depend on the links alone, which joint experiments leave as they are.
        motion = experiment(name).plan(self.robot, self.joint, **PLANS.get(name, {}))
        if name == "stiffness":
            return {label: keep(label, lambda: bench.loaded(motion, self.place, number))}
        if name == "temperature":
            return {
                f"{label}-{degc:g}": keep(f"{label}-{degc:g}", self._run(motion, number + k, degc))
                for k, degc in enumerate(TEMPERATURES)
            }
        if name == "load" and not motion.notes["pose_rule_met"]:
            raise Skipped("the axis cannot be turned across gravity as the arm is mounted")
        return {
            label: keep(label, self._run(motion, number, STEADY if name == "velocity" else ROOM))
        }

    def _run(self, motion: Motion, number: int, degc: float) -> Callable[[], Recording]:
        return lambda: self.bench.run(motion, number, temperature=degc, progress=self._go_on)

    def _go_on(self, *_: int) -> None:
        if self.stop.is_set():
            raise Stopped
