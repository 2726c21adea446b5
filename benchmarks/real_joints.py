"""Joint experiments on joints of real arms; recordings are read from ../shared/data and are no part of the project.

    python benchmarks/real_joints.py [--data FOLDER]

Kinova: friction against velocity, every recording left out in turn, its mean friction predicted from the others. Two of
the ten commanded speeds, 0.09 and 0.10 rad/s, ran at the same 0.116 rad/s: the table has every recording, and every
speed with all recordings at it left out together. KR300: the gear of joints 1 to 3, half of the log predicted from the
other. UR3e: current of joint 2 in the last third of a wave, from what the first two thirds say.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

import _report
import jointwise as jw
from jointwise.estimators import slip
from jointwise.estimators.slip_choice import choose_operators
from jointwise.experiments.joint import hysteresis, transmission, velocity
from jointwise.experiments.joint.common import read
from jointwise.experiments.joint.steady import steady
from jointwise.laws.friction import FrictionModel
from jointwise.recording.import_recording import import_recording

MAPS = Path(__file__).resolve().parent.parent / "docs" / "column-maps"
DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
SAME = 0.1
"""Relative difference of speeds that count as one, as in the experiment."""


def kinova(data):
    """Error of the friction of recordings left out, percent of the friction in them."""
    robot = jw.load_robot("kinova_joint")
    logs = {
        path.name.split("_")[1][:4]: import_recording([path], robot=robot, columns=MAPS / "kinova-joint.toml")
        for path in sorted((data / "kinova_gen3_joint").glob("velocity_*.csv"))
    }  # fmt: skip
    mean = {}
    for name, log in logs.items():
        found = steady(read(robot, {name: log}, 1).parts)
        mean[name] = float(found.omega.mean()), float(found.torque.mean())
    level = float(np.mean([torque for _, torque in mean.values()]))

    def off(out):
        rest = {name: log for name, log in logs.items() if name not in out}
        law = FrictionModel.from_law(velocity.fit(robot, rest, 1).robot.joints[0].friction).terms[0]
        speed, torque = np.mean([mean[name] for name in out], axis=0)
        return float(velocity.predicted(law, speed) - torque), float(torque)

    rows = {}
    for name, (speed, torque) in mean.items():
        error = off([name])[0]
        together = [n for n, (v, _) in mean.items() if abs(v / speed - 1.0) < SAME]
        shared, both = off(together)
        rows[name] = {
            "speed": speed, "friction": torque, "percent": 100.0 * error / torque,
            "percent of the mean over all speeds": 100.0 * error / level,
            "percent, its speed left out": 100.0 * shared / both, "recordings at this speed": len(together),
        }  # fmt: skip
    whole = velocity.fit(robot, logs, 1)
    return {
        "recordings": rows,
        "largest percent": max(abs(r["percent"]) for r in rows.values()),
        "largest percent, speed left out": max(abs(r["percent, its speed left out"]) for r in rows.values()),
        "within 3 percent": sum(abs(r["percent"]) <= 3.0 for r in rows.values()),
        "model": whole.settings["model"],
        "notes": list(whole.notes),
    }  # fmt: skip


def kuka(data):
    """Stiffness, hysteresis and kinematic error of three gears, with intervals."""
    robot = jw.load_robot("kr300")
    log = import_recording(
        sorted((data / "kr300").glob("*.csv")), robot=robot, columns=MAPS / "kr300-two-encoders.toml"
    )  # fmt: skip
    out = {}
    for joint in (1, 2, 3):
        fit = transmission.fit(robot, log, joint)
        out[f"joint {joint}"] = {
            "terms": fit.settings["terms"],
            "scores": {k: v for k, v in fit.joints[0].items() if k != "joint"},
            "parameters": {
                p.name: {"value": p.value, "lower": p.lower, "upper": p.upper, "unit": p.unit, "verdict": p.verdict}
                for p in fit.parameters
            },
        }  # fmt: skip
    return out


def wave(data):
    """Current of joint 2 (A) in the last third: by signs of motion and by slipping springs fitted to the rest."""
    path = next((data / "ur3e").glob("wave*.csv"))
    names = path.read_text().splitlines()[0].split()
    table = np.loadtxt(path, skiprows=1)
    columns = {
        kind: table[:, [names.index(f"actual_{field}_{j}") for j in range(6)]]
        for kind, field in (("q", "q"), ("current", "current"))
    }
    robot = jw.load_robot("ur3e")
    # One N m/A: torques of the fit are currents, whatever the motor.
    ampere = {f"joints.{j.name}.drive.torque_constant": 1.0 for j in robot.joints}
    robot = robot.replace(ampere, source="torque is read as current")
    log = jw.Recording(
        robot="ur3e", joint_names=tuple(j.name for j in robot.joints), time=table[:, 0], columns=columns
    )  # fmt: skip
    given = read(robot, {"wave": log}, 2, filter_hz=hysteresis.FILTER_HZ)
    slips, _ = hysteresis.slip_samples(robot, given.parts[0], 1, given.angle)
    place = np.arange(len(slips.shift))
    known = replace(slips, used=slips.used & (place < 2 * len(place) // 3))
    clock, last = given.parts[0].time, len(table) * 2 // 3

    def left(expected):
        # Against the samples as recorded: on an even clock their noise would be averaged.
        own = np.interp(log.time[last:], clock, expected)
        return float(np.sqrt(np.mean((log["current"][last:, 1] - own) ** 2)))

    moving = np.abs(slips.extra[:, 0]) > 2e-3
    # The plain model: gravity, inertia, offset, Coulomb and viscous friction; without the root of speed.
    plain = np.column_stack(
        [np.sign(slips.extra[:, 0]) * moving, np.delete(slips.extra, 1, axis=1)]
    )
    solved = np.linalg.lstsq(plain[known.used], slips.torque[known.used], rcond=None)[0]
    out = {"plain": left(plain @ solved)}
    for name in ("variable projection", "convex", "polynomial"):
        fit = hysteresis.METHODS[name](known, choose_operators(known).chosen)
        out[name] = left(slip.predict(slips, fit))
        out[f"{name}, operators"] = len(fit.limits)
    return out


PARTS = {"kinova": kinova, "kr300": kuka, "ur3e": wave}


def main():
    """Print and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    chosen = parser.parse_args()
    if not chosen.data.is_dir():
        raise SystemExit(
            f"{chosen.data} is absent: the recordings of real arms are not part of the project"
        )
    found = {}
    for name, part in PARTS.items():
        found[name] = part(chosen.data)
        print(name, found[name], flush=True)
    print(_report.write("real_joints", found))


if __name__ == "__main__":
    main()
