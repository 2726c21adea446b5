"""Links from motor encoders alone: with the elasticity of the gears against taking rotor angles for link angles.

    python benchmarks/motor_encoder_only.py [--arms 20]

Random UR5e arms whose gears are linear springs, as stiff as the population draws them and a quarter of that; no link
encoder, motor encoders of 8,388,608 counts a turn of the motor. Torque noise of 30, 50 and 80 dB below the torque, as
in the method's paper; the fit knows stiffness within 1 % and rotor inertia within 0.5 % (standard deviations). Four
motions of 20 s. The error of an arm is the median over base parameters of |found - true| / max(|true|, 0.05). Stiffness
matters where the true links, put at the rotor angles, miss the torque of the true motion by more than the
noise, both after the low-pass; that is decided from the simulated truth, before any fit.
"""

# ruff: noqa: E402  numeric libraries read the number of threads when they are imported
from __future__ import annotations

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from _report import write
from jointwise.experiments.prediction import model_of
from jointwise.experiments.robot_fit import fit_robot
from jointwise.laws.linear import LinearSpring
from jointwise.laws.transmissions import Transmission
from jointwise.plant.sensors import Encoder
from jointwise.plant.twin import Twin
from jointwise.recording import filters
from jointwise.recording.recording import Recording

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from plain_twins import excitations, known_drives, plain_arm, true_base

DECIBELS = (30.0, 50.0, 80.0)
SOFTNESS = (1.0, 0.25)
COUNTS = 8_388_608
FILTER_HZ = 10.0
STIFFNESS_ERROR, ROTOR_ERROR = 0.01, 0.005
FLOOR = 0.05
FRICTION = ("coulomb", "viscous", "offset")


def arm_of(seed: int, softness: float):
    """The plant with motor encoders only."""
    plant = plain_arm(seed, stiff=softness, link_encoder=False)
    joints = []
    for joint, described in zip(plant.joints, plant.robot.joints, strict=True):
        step = 2.0 * np.pi / COUNTS / abs(described.drive.gear_ratio)
        sensors = replace(joint.sensors, motor_encoder=Encoder(resolution=step))
        joints.append(replace(joint, sensors=sensors))
    return replace(plant, joints=tuple(joints))


def known_of(plant, seed: int):
    """What the fit is given: data sheet, stiffness and rotor inertia with their errors."""
    rng = np.random.default_rng([seed, 5])
    changes: dict[str, Any] = {}
    for joint, described in zip(plant.joints, plant.robot.joints, strict=True):
        path = f"joints.{described.name}"
        stiffness = joint.transmission.stiffness.spring_stiffness
        spring = LinearSpring(
            spring_stiffness=stiffness * (1.0 + STIFFNESS_ERROR * rng.standard_normal())
        )
        changes[f"{path}.transmission"] = Transmission(stiffness=spring).to_law()
        inertia = described.drive.rotor_inertia * (1.0 + ROTOR_ERROR * rng.standard_normal())
        changes[f"{path}.drive.rotor_inertia"] = inertia
    return known_drives(plant).replace(changes, source="stated with its error")


def missed(plant, recording: Recording) -> tuple[float, float]:
    """RMS of what rotor angles taken for link angles miss, and of the torque, after the low-pass, all joints."""
    rate, robot = recording.rate_hz, plant.robot

    def torque(position):
        smooth = filters.zero_phase(position, 5.0 * FILTER_HZ, rate)
        dq, ddq = filters.central_differences(smooth, rate)
        return filters.zero_phase(robot.inverse_dynamics(smooth, dq, ddq), FILTER_HZ, rate)[
            200:-200
        ]

    true, wrong = torque(recording["true_q"]), torque(recording["true_theta"])
    return float(np.sqrt(np.mean((true - wrong) ** 2))), float(np.sqrt(np.mean(true**2)))


def noisy(run: Recording, decibel: float, rng: np.random.Generator) -> Recording:
    """Rotor angles and motor torque with noise so far below it."""
    torque = run["command_torque"]
    size = np.sqrt(np.mean(torque**2, axis=0)) * 10.0 ** (-decibel / 20.0)
    noise = size * rng.standard_normal(torque.shape)
    columns = {"theta": run["theta"], "motor_torque": torque + noise}
    return replace(run, columns=columns)


def one(seed: int, softness: float) -> list[dict[str, Any]]:
    """All noise levels of one arm."""
    plant = arm_of(seed, softness)
    robot = known_of(plant, seed)
    motions = excitations(robot, [10 * seed + k for k in range(4)])
    runs = [
        Twin(plant=plant, seed=100 * seed + k).run(motion).raise_for_status().recording
        for k, motion in enumerate(motions)
    ]
    miss, size = np.mean([missed(plant, run) for run in runs], axis=0)
    share = np.sqrt(2.0 * FILTER_HZ / runs[0].rate_hz)
    out = []
    for decibel in DECIBELS:
        rng = np.random.default_rng([seed, int(decibel)])
        logs = [noisy(run, decibel, rng) for run in runs]
        errors = {}
        for name, options in {
            "elastic": {"elastic": True},
            "rigid": {"compensate": ("rotors",)},
        }.items():
            fit = fit_robot(
                robot,
                logs,
                filter_hz=FILTER_HZ,
                friction=FRICTION,
                method="wls",
                delay=False,
                **options,
            )
            truth = true_base(plant, model_of(fit).design)
            found = np.abs(fit.values[: len(truth)] - truth) / np.maximum(np.abs(truth), FLOOR)
            errors[name] = float(np.median(found))
        noise = size * 10.0 ** (-decibel / 20.0) * share
        out.append(
            {
                "seed": seed,
                "softness": softness,
                "decibel": decibel,
                **errors,
                "missed_over_noise": float(miss / noise),
                "matters": bool(miss > noise),
            }
        )
    return out


def main() -> None:
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=20)
    parser.add_argument("--first", type=int, default=300, help="seed of the first arm")
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    table = []
    for softness in SOFTNESS:
        for seed in range(given.first, given.first + given.arms):
            rows += one(seed, softness)
        for decibel in DECIBELS:
            cell = [r for r in rows if r["softness"] == softness and r["decibel"] == decibel]
            concerned = [r for r in cell if r["matters"]]
            table.append(
                {
                    "softness": softness,
                    "decibel": decibel,
                    "arms": len(cell),
                    "median_error_elastic": float(np.median([r["elastic"] for r in cell])),
                    "median_error_rigid": float(np.median([r["rigid"] for r in cell])),
                    "stiffness_matters": len(concerned),
                    "elastic_better_there": sum(r["elastic"] < r["rigid"] for r in concerned),
                }
            )
            print(table[-1], flush=True)
    won = all(t["elastic_better_there"] == t["stiffness_matters"] for t in table)
    write("motor_encoder_only", {"table": table, "better_wherever_it_matters": won, "arms": rows})


if __name__ == "__main__":
    main()
