"""Links from two encoders with rotors and friction compensated, beside the plain rigid method.

    python benchmarks/rotor_compensation.py [--arms 10] [--keep FOLDER]

Random UR5e arms with everything on that a torque model leaves out, four motions of 20 s each. The torque is the motor
current times the true torque constant in all fits, solved by weighted least squares; no trim of the set-up is sought.

- `rigid`: rotor angles for link angles, base parameters of the links alone, Coulomb and viscous friction.
- `rigid with rotors`: the same with a rotor inertia for each motor as a parameter.
- `compensated`: link angles from their encoder; the friction that the joint experiments of a calibration found on
  this arm, and the rotor inertia of the data sheet (true within 1 %, standard deviation), are taken off the torque;
  Coulomb and viscous friction correct what is left. No truth but gear ratio and torque constant goes in.

The error of a parameter is |found - true| / |true|. Well excited are parameters of links that the compensated fit calls
identified; the same parameters are compared in all fits.
"""

# ruff: noqa: E402  numeric libraries read the number of threads when they are imported
from __future__ import annotations

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from _report import RESULTS, write
from jointwise.experiments.calibrate.chain import joined_robot, known_of
from jointwise.experiments.calibrate.folder import Folder
from jointwise.experiments.calibrate.rig import Bench
from jointwise.experiments.calibrate.stages import JointChain
from jointwise.experiments.fit import Fit
from jointwise.experiments.prediction import model_of
from jointwise.experiments.robot_fit import fit_robot
from jointwise.plant.plant import Plant
from jointwise.plant.population import random_arm
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot
from jointwise.robot.library import load_robot

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from plain_twins import excitations, known_drives, record, true_base

NAME, KIND = "rotor_compensation", "ur5e"
FILTER_HZ = 10.0
ROTOR_ERROR = 0.01
WANTED = 0.3
PLAIN = ("coulomb", "viscous")
COMMON: dict[str, Any] = {
    "filter_hz": FILTER_HZ, "torque": "current", "method": "wls", "friction": PLAIN, "trim": False,
}  # fmt: skip


def calibrated(plant: Plant, seed: int, folder: Path) -> Robot:
    """The data sheet with the friction the joint experiments found, and rotors with the error of a data sheet."""
    prior = known_of(plant, load_robot(KIND))
    kept = Folder(path=folder / str(seed), about={"robot": KIND, "on": "twin", "seed": seed})
    kept.open()
    bench = Bench(plant=plant, seed=seed)
    chains = [
        JointChain(bench=bench, folder=kept, place=j, robot=prior, stop=Event())
        for j in range(prior.n)
    ]
    robot = joined_robot(prior, [(c.place, c.run(lambda stage: None)[0]) for c in chains])
    rng = np.random.default_rng([seed, 9])
    stated = {
        f"joints.{j.name}.drive.rotor_inertia": j.drive.rotor_inertia
        * (1.0 + ROTOR_ERROR * rng.standard_normal())
        for j in plant.robot.joints
    }
    tool = known_drives(plant).payload
    return robot.replace({**stated, "payload": tool}, source="data sheet")


def motors_only(recording: Recording) -> Recording:
    """Without what the link encoders say."""
    columns = {k: v for k, v in recording.columns.items() if k not in ("q", "dq")}
    return replace(recording, columns=columns)


def errors_of(fit: Fit, plant: Plant) -> dict[str, float]:
    """Relative error of each base parameter of links by its name."""
    design = model_of(fit).design
    truth = true_base(plant, design)
    found = fit.values[: len(truth)]
    names = [p.name for p in fit.parameters[: len(truth)]]
    return {
        name: float(abs(value - true) / abs(true))
        for name, value, true in zip(names, found, truth, strict=True)
        if true != 0.0
    }


def one_arm(seed: int, folder: Path) -> dict[str, Any]:
    """Errors of one arm by each method."""
    plant = random_arm(KIND, seed=seed)
    robot = calibrated(plant, seed, folder)
    motions = excitations(robot, [10 * seed + k for k in range(4)])
    logs = record(plant, motions, seed=seed)
    motors = {name: motors_only(log) for name, log in logs.items()}
    fits = {
        "rigid": fit_robot(robot, motors, rotors=False, **COMMON),
        "rigid with rotors": fit_robot(robot, motors, **COMMON),
        "compensated": fit_robot(robot, logs, compensate=("rotors", "friction"), **COMMON),
    }
    errors = {name: errors_of(fit, plant) for name, fit in fits.items()}
    identified = {p.name for p in fits["compensated"].parameters if p.verdict == "identified"}
    well = sorted(set.intersection(identified, *(set(e) for e in errors.values())))
    medians = {n: float(np.median([e[p] for p in well])) for n, e in errors.items()}
    return {
        "well_excited": well,
        "medians": medians,
        "ratio": medians["compensated"] / medians["rigid"],
        "ratio_with_rotors": medians["compensated"] / medians["rigid with rotors"],
        "errors": errors,
    }


def summary(arms: dict[str, Any]) -> dict[str, Any]:
    """Over all arms."""
    every = list(arms.values())
    medians = {
        n: float(np.median([a["errors"][n][p] for a in every for p in a["well_excited"]]))
        for n in every[0]["medians"]
    }
    ratios = [a["ratio"] for a in every]
    return {
        "arms": len(every),
        "parameters": sum(len(a["well_excited"]) for a in every),
        "median_relative_error": medians,
        "ratio": medians["compensated"] / medians["rigid"],
        "ratio_with_rotors": medians["compensated"] / medians["rigid with rotors"],
        "median_and_worst_ratio_of_arms": [float(np.median(ratios)), float(np.max(ratios))],
        "wanted": WANTED,
    }


def main() -> None:
    """Measure, print and store after each arm; arms in the result are not done again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=10)
    parser.add_argument("--first", type=int, default=500, help="seed of the first arm")
    parser.add_argument("--keep", type=Path, help="folder for the joint experiments of the arms")
    options = parser.parse_args()
    path = RESULTS / f"{NAME}.json"
    arms = json.loads(path.read_text())["results"]["arms"] if path.exists() else {}
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(options.first, options.first + options.arms):
            if str(seed) in arms:
                continue
            arms[str(seed)] = one_arm(seed, options.keep or Path(scratch))
            report = summary(arms)
            write(NAME, {"summary": report, "arms": arms})
            print(seed, arms[str(seed)]["medians"], f"{report['ratio']:.3f}", flush=True)
    print(json.dumps(summary(arms), indent=2))


if __name__ == "__main__":
    main()
