"""`calibrate`: every experiment on every joint, then the links, and one robot file that holds it all.

    per joint:  stiffness and kinematic error, both twice, then friction against speed, temperature, load, its split,
                memory, damping
    then:       rigid bodies from an optimised motion, and proof on a motion of another kind

Joints are worked on side by side. Every stage is kept in a folder; what is there already is not done again, and a
stage that fails leaves what was there before as it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from jointwise.errors import JointwiseError, UnknownNameError
from jointwise.experiments.calibrate.folder import ROBOT, Folder
from jointwise.experiments.calibrate.proof import Proof, proof
from jointwise.experiments.calibrate.rig import Bench
from jointwise.experiments.calibrate.stages import (
    DONE,
    FAILED,
    KEPT,
    ORDER,
    JointChain,
    StageResult,
)
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.samples import joint_index
from jointwise.experiments.robot_fit import fit_robot
from jointwise.motion.plan import plan
from jointwise.plant.plant import Plant
from jointwise.plant.population import random_arm
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot
from jointwise.robot.library import load_robot
from jointwise.robot.samples import cores
from jointwise.units import UNKNOWN

Progress = Callable[[str, int, int], None]
PLACES = ("twin",)
EXCITATION: dict[str, Any] = {"duration": 20.0, "period": 20.0, "harmonics": 5, "starts": 1}
FILTER_HZ = 10.0
RIGID, UNSEEN = "robot", "unseen"
EXCITED, SEEN_LAST = 9001, 9002
"""Numbers of the runs of the whole arm, apart from those of the joints."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Calibration:
    """The calibrated robot, what became of every stage, and its proof beside that of the rigid fit alone."""

    robot: Robot
    stages: tuple[StageResult, ...]
    before: Proof | None
    after: Proof | None
    """None where the rotor inertia of a joint that was left out is not known"""
    path: Path
    written: bool
    seconds: float

    @property
    def failed(self) -> tuple[StageResult, ...]:
        """Stages that gave nothing although they should have."""
        return tuple(stage for stage in self.stages if stage.status == FAILED)


def calibrate(
    robot: str,
    out: Any,
    *,
    on: str = "twin",
    seed: int = 0,
    joints: Sequence[str | int] | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Calibration:
    """Run all experiments on an arm and put what they found into one robot file in the folder `out`.

    Args:
        robot: kind of arm, as of `random_arm`.
        out: folder of the stages, the robot file and the report; a folder begun before is gone on with.
        on: where the motions run; a twin, whose truth is drawn from the seed.
        seed: which arm, and its noise.
        joints: names or numbers of the joints to work on; all of them unless given.
        progress: called with what is done, the number of finished stages, and how many there are.
    """
    if on not in PLACES:
        raise UnknownNameError("place to run on", on, PLACES)
    started = time.perf_counter()
    plant = random_arm(robot, seed=seed)
    bench = Bench(plant=plant, seed=seed)
    prior = known_of(plant, load_robot(robot))
    chosen = range(prior.n) if joints is None else [joint_index(prior, j) for j in joints]
    folder = Folder(path=Path(out), about={"robot": robot, "on": on, "seed": seed})
    folder.open()
    total = len(chosen) * len(ORDER) + 2
    finished: list[StageResult] = []

    def report(result: StageResult) -> None:
        finished.append(result)
        progress("calibrating", len(finished), total)

    stop = Event()
    chains = [
        JointChain(bench=bench, folder=folder, place=j, robot=prior, stop=stop) for j in chosen
    ]
    with ThreadPoolExecutor(cores()) as pool:
        try:
            ends = list(pool.map(lambda chain: chain.run(report), chains))
        except BaseException:
            stop.set()  # the pool waits for its threads: they must not begin anything more
            raise
    results = [result for _, stages in ends for result in stages]
    joined = joined_robot(prior, [(c.place, end) for c, (end, _) in zip(chains, ends, strict=True)])
    last = max((folder.finished(r.name) for r in results if r.fit is not None), default=0.0)
    links = rigid_stage(bench, folder, joined, after=last)
    results.append(links)
    report(links)
    final = joined if links.fit is None else with_joint_friction(links.fit.robot, joined)
    before = after = None
    if links.fit is not None and all(j.drive.rotor_inertia is not UNKNOWN for j in final.joints):
        unseen = folder.recording(UNSEEN, lambda: bench.run(plan("cycle", prior), SEEN_LAST))
        before, after = proof(links.fit.robot, unseen), proof(final, unseen)
    progress("calibrating", total, total)
    target = folder.path / ROBOT
    # A result with gaps never takes the place of a whole one.
    written = not any(r.status == FAILED for r in results) or not target.exists()
    if written:
        final.save(target)
    return Calibration(
        robot=final, stages=tuple(results), before=before, after=after, path=target, written=written,
        seconds=time.perf_counter() - started,
    )  # fmt: skip


def known_of(plant: Plant, robot: Robot) -> Robot:
    """What the owner of a simulated arm knows of it: the data sheet, and the maker's torque constants."""
    changes: dict[str, Any] = {}
    for own, true in zip(robot.joints, plant.robot.joints, strict=True):
        changes[f"joints.{own.name}.drive.torque_constant"] = true.drive.torque_constant
        changes[f"joints.{own.name}.drive.gear_ratio"] = true.drive.gear_ratio
        changes[f"joints.{own.name}.drive.rotor_inertia"] = UNKNOWN
        changes[f"joints.{own.name}.friction"] = UNKNOWN
        changes[f"joints.{own.name}.transmission"] = UNKNOWN
    return robot.replace(changes, source="stated by the maker of the simulated arm")


def joined_robot(prior: Robot, ends: Sequence[tuple[int, Robot]]) -> Robot:
    """One robot with what every joint's chain found of its own joint."""
    changes: dict[str, Any] = {}
    for place, robot in ends:
        joint = robot.joints[place]
        path = f"joints.{joint.name}"
        changes[f"{path}.transmission"] = joint.transmission
        changes[f"{path}.friction"] = joint.friction
        changes[f"{path}.drive.rotor_inertia"] = joint.drive.rotor_inertia
    return prior.replace(changes, source="joint experiments")


def with_joint_friction(links: Robot, joined: Robot) -> Robot:
    """The links of the rigid fit with the friction of the joint experiments where they found one."""
    changes = {
        f"joints.{joint.name}.friction": joint.friction
        for joint in joined.joints
        if joint.friction is not UNKNOWN
    }
    return links.replace(changes, source="joint experiments")


def rigid_stage(bench: Bench, folder: Folder, robot: Robot, *, after: float) -> StageResult:
    """Links and rotors from an optimised motion of all joints; a fit older than the joints' is done again."""
    started = time.perf_counter()
    kept: Fit | None = folder.kept(RIGID, after=after)
    if kept is not None:
        return StageResult(experiment=RIGID, joint="", status=KEPT, fit=kept)
    try:
        recording = folder.recording(RIGID, lambda: _excited(bench, robot))
        fit = fit_robot(robot, {RIGID: recording}, filter_hz=FILTER_HZ, torque="current")
        fit.save(folder.fit_path(RIGID))
    except (JointwiseError, np.linalg.LinAlgError) as error:
        return StageResult(experiment=RIGID, joint="", status=FAILED, message=str(error))
    return StageResult(
        experiment=RIGID, joint="", status=DONE, seconds=time.perf_counter() - started, fit=fit
    )


def _excited(bench: Bench, robot: Robot) -> Recording:
    return bench.run(plan("fourier", robot, **EXCITATION), EXCITED)
