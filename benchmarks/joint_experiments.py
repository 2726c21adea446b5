"""The experiments on one joint against truths that are richer than their models: fit on one run, judged on another.

    python benchmarks/joint_experiments.py [--arms 30] [--keep FOLDER]

Arm k of `random_arm` works on joint k mod 6. Every experiment is fitted to its own motion and judged on a run with
other speeds, loads, temperatures or strokes and other noise; NRMSE is the thesis' fit in percent. The truth has
link friction, memory, an oil that lags behind its sensor, encoder ripple and phase currents with offsets, none of which
these experiments model. Load: the arm is turned so that its axis is normal to gravity (joint 1: wall mount) and carries
5 kg; every second arm's friction grows with the square of load, the others' in proportion.
"""

from __future__ import annotations

import argparse
import time
import traceback
from dataclasses import replace
from pathlib import Path

import numpy as np

import _report
from jointwise.experiments.calibrate.chain import known_of
from jointwise.experiments.calibrate.rig import Bench
from jointwise.experiments.fit import HIDDEN
from jointwise.experiments.joint import kinematic_error, load, stiffness, temperature, velocity
from jointwise.experiments.joint.common import read
from jointwise.experiments.joint.steady import steady
from jointwise.experiments.metrics import nrmse_percent
from jointwise.laws.e_gms import EGMS
from jointwise.laws.friction import FrictionModel
from jointwise.laws.transmissions import Transmission
from jointwise.plant.population import random_arm
from jointwise.recording.recording import load_recording
from jointwise.robot.inertia import Body
from jointwise.robot.library import load_robot

KIND = "ur5e"
TARGETS = {"velocity": 98.6, "stiffness": 96.9, "load": 87.0, "temperature": 95.0}
ERROR_TARGET = 5.0
"""% of the kinematic error's amplitude."""
DISC = Body(mass=5.0, center_of_mass=(0.12, 0.0, 0.1), inertia=(0.1, 0.0, 0.0, 0.12, 0.0, 0.1))
TYPICAL_LOAD = 40.0, 8.0
"""N m at which linear and quadratic growth agree, on large and small joints."""
TEMPERATURES = (12.0, 28.0, 44.0), (20.0, 36.0)
"""degC at the start of the runs to fit, and of those to judge."""


def for_load(plant, joint, quadratic):
    """The arm with a payload, mounted so that the axis of joint 1 can be across gravity, with the growth wanted."""
    gravity = (0.0, -9.81, 0.0) if joint == 0 else plant.robot.gravity
    robot = plant.robot.replace({"payload": DISC, "gravity": gravity}, source="benchmark")
    joints = list(plant.joints)
    terms = []
    for term in joints[joint].friction.terms:
        if quadratic and isinstance(term, EGMS):
            typical = TYPICAL_LOAD[0 if joint < 3 else 1]
            term = replace(term, load_linear=0.0, load_quadratic=term.load_linear / typical)
        terms.append(term)
    joints[joint] = replace(joints[joint], friction=FrictionModel(terms=terms))
    return replace(plant, robot=robot, joints=tuple(joints))


class Runs:
    """Runs of a bench, kept in a folder so that another estimator can be judged without simulating again."""

    def __init__(self, folder, arm):
        self.folder, self.arm = folder, arm

    def __call__(self, name, make):
        """The run of that name."""
        if self.folder is None:
            return make()
        path = self.folder / f"{self.arm}-{name}.parquet"
        if path.exists():
            return load_recording(path)
        made = make()
        made.save(path)
        return made


def judged_velocity(robot, bench, j, runs):
    """Mean friction of pieces at speeds between those fitted."""
    plan = velocity.plan(robot, j + 1)
    used = runs("velocity", lambda: bench.run(plan, 1, temperature=35.0))
    fit = velocity.fit(robot, {"used": used}, j + 1)
    speeds = np.array(plan.notes["speeds"])
    between = np.sqrt(speeds[1:] * speeds[:-1])[::2]
    other = velocity.plan(robot, j + 1, speeds=[float(v) for v in between])
    unseen = runs("velocity-unseen", lambda: bench.run(other, 2, temperature=35.0))
    given = read(robot, {"unseen": unseen}, j + 1)
    data = steady(given.parts)
    plain, _ = velocity.nuisances(data, given.angle)
    law = FrictionModel.from_law(fit.robot.joints[j].friction).terms[0]
    curve = velocity.predicted(law, data.omega)
    rest = data.torque - curve
    # Gravity and the offset of this run are no friction: they are found from what is even in the sign of motion.
    out = plain @ np.linalg.lstsq(plain, rest, rcond=None)[0]
    score = nrmse_percent(data.means(data.torque - out), data.means(curve))
    return {"nrmse": score, "on_its_own_run": fit.joints[0]["nrmse_percent"]}


def judged_stiffness(robot, bench, j, runs):
    """Loads of another run, by the gauge, from the deformation."""
    plan = stiffness.plan(robot, j + 1)
    used = runs("stiffness", lambda: bench.loaded(plan, j, 3))
    other = replace_loads(bench, j)
    unseen = runs("stiffness-unseen", lambda: other.loaded(plan, j, 4))
    scores = {}
    given = read(robot, {"unseen": unseen}, j + 1)
    points = stiffness.points_of(given.parts)
    for model in (None, "cubic", "three segments"):
        fit = stiffness.fit(robot, {"used": used}, j + 1, model=model)
        spring = Transmission.from_law(fit.robot.joints[j].transmission).stiffness
        expected = np.asarray(spring.torque(points.phi - fit["zero"].value))
        scores[model or "nrmse"] = nrmse_percent(points.gauge, expected)
    return scores


def replace_loads(bench, j):
    """The same arm on another day: other noise, and a share of the loads."""
    return replace(bench, seed=bench.seed + 500, load_share=0.83)


def judged_load(robot, bench, j, runs, quadratic):
    """Friction at places of a run at another speed, less the difference in friction level."""
    plan = load.plan(robot, j + 1)
    used = runs("load", lambda: bench.run(plan, 5, temperature=35.0))
    other = load.plan(robot, j + 1, speed=0.07)
    unseen = runs("load-unseen", lambda: bench.run(other, 6, temperature=35.0))
    fit = load.fit(robot, {"used": used}, j + 1)
    given = read(robot, {"unseen": unseen}, j + 1)
    size, friction, _ = load.load_and_friction(given.parts)
    size = np.abs(size)
    scores = {
        "largest_load": float(size.max()),
        "chosen": fit.settings["model"],
        "known": fit[fit.settings["model"]].verdict != HIDDEN,
        "truth_is_quadratic": quadratic,
    }
    for name, column in (("load_linear", size), ("load_quadratic", size**2)):
        slope = fit.arrays[f"{name}_fit"][1]
        rest = friction - slope * column
        # Speed sets the level, which is the velocity experiment's business.
        scores[name] = nrmse_percent(friction, slope * column + rest.mean())
    scores["nrmse"] = scores[fit.settings["model"]]
    return scores


def judged_temperature(robot, bench, j, runs):
    """Friction at temperatures between those fitted; the level of each speed is that of the fit."""
    plan = temperature.plan(robot, j + 1)
    sets = [
        {
            f"{t:g}": runs(
                f"temperature-{t:g}", lambda t=t, k=k: bench.run(plan, 100 + k, temperature=t)
            )
            for k, t in enumerate(TEMPERATURES[which])
        }
        for which in (0, 1)
    ]
    fit = temperature.fit(robot, sets[0], j + 1)
    (used, plain), (unseen, other) = (_steady(robot, one, j) for one in sets)
    warm, warm_other = (np.clip(data.temperature, 1.0, 200.0) for data in (used, unseen))
    reference = fit.settings["reference_degc"]

    def scored(columns, columns_unseen):
        """Coefficients from the runs used; the columns of the friction law judged on the others."""
        values = np.linalg.lstsq(columns, used.torque, rcond=None)[0]
        nuisance = other @ values[len(values) - other.shape[1] :]
        sign = unseen.means(np.sign(unseen.omega))
        measured = sign * unseen.means(unseen.torque - nuisance)
        expected = sign * unseen.means(columns_unseen @ values - nuisance)
        return nrmse_percent(measured, expected)

    own = [
        np.column_stack(
            [
                temperature.temperature_columns(d.omega, t, reference),
                temperature.levels(d, used.speeds),
                p,
            ]
        )
        for d, t, p in ((used, warm, plain), (unseen, warm_other, other))
    ]
    place = temperature.bittencourt(used, plain, warm)
    theirs = [
        temperature.bittencourt_columns(place, d, p, t, used.speeds)
        for d, t, p in ((used, warm, plain), (unseen, warm_other, other))
    ]
    return {
        "nrmse": scored(*own),
        "bittencourt": scored(*theirs),
        "on_its_own_runs": fit.joints[0]["nrmse_percent"],
    }


def _steady(robot, recordings, j):
    given = read(robot, recordings, j + 1)
    data = steady(given.parts)
    return data, velocity.nuisances(data, given.angle)[0]


def judged_error(robot, bench, j, runs):
    """Difference from the true error over the turn, beside its amplitude; means are encoder zeros.

    Two encoders cannot tell the gear's error from a wave of the link's own encoder with as few cycles a turn: the
    difference is given against the gear alone and against what the encoders can see.
    """
    plan = kinematic_error.plan(robot, j + 1, cycles=24)
    used = runs("strokes", lambda: bench.run(plan, 7, temperature=25.0))
    loads = runs("stiffness", lambda: bench.loaded(stiffness.plan(robot, j + 1), j, 3))
    known = robot
    for _ in range(
        2
    ):  # each stands on the other: the second pass is the last that changes anything
        known = stiffness.fit(known, {"used": loads}, j + 1).robot
        fit = kinematic_error.fit(known, {"used": used}, j + 1)
        known = fit.robot
    law = Transmission.from_law(fit.robot.joints[j].transmission).kinematic_error
    # Over the range that was seen: a joint that cannot turn all the way is nowhere else either.
    reach = used["theta"][:, j]
    turn = np.linspace(max(reach.min(), reach.max() - 2.0 * np.pi), reach.max(), 20_001)
    truth = bench.plant.joints[j]
    gear = np.asarray(truth.transmission.kinematic_error.error(turn))
    encoder = truth.sensors.link_encoder
    wave = encoder.ripple * np.sin(encoder.ripple_cycles * turn)
    found = np.asarray(law.error(turn))
    cycles = fit.settings["encoder_cycles"]
    lone = np.zeros_like(turn)
    for name, shape in (("cosine", np.cos), ("sine", np.sin)):
        if cycles:
            lone += fit[f"encoder_{name}_{cycles}"].value * shape(cycles * turn)
    amplitude = 0.5 * float(np.ptp(gear))
    out = {
        "amplitude": amplitude,
        "encoder_wave": encoder.ripple,
        "encoder_cycles": encoder.ripple_cycles,
        "covered_percent": fit.joints[0]["covered_percent"],
    }
    # Rotor minus link as measured: the encoder's own wave is part of it, with the opposite sign.
    for name, true, mine in (("gear", gear, found), ("measured", gear - wave, found + lone)):
        off = (mine - mine.mean()) - (true - true.mean())
        out[f"largest_percent_{name}"] = 100.0 * float(np.abs(off).max()) / amplitude
        out[f"rms_percent_{name}"] = 100.0 * float(np.sqrt(np.mean(off**2))) / amplitude
    return out


def arm(k, folder, kind=KIND):
    """All experiments on one joint of one arm."""
    j, quadratic = k % 6, (k // 6 + k) % 2 == 0
    plant = random_arm(kind, seed=k)
    robot = known_of(plant, load_robot(kind))
    bench = Bench(plant=plant, seed=k)
    runs = Runs(folder, k)
    out = {"arm": k, "joint": j + 1}
    heavy = for_load(plant, j, quadratic)
    carrying = robot.replace({"payload": DISC, "gravity": heavy.robot.gravity}, source="benchmark")
    for name, judge in (
        ("stiffness", lambda: judged_stiffness(robot, bench, j, runs)),
        ("velocity", lambda: judged_velocity(robot, bench, j, runs)),
        ("load", lambda: judged_load(carrying, replace(bench, plant=heavy), j, runs, quadratic)),
        ("temperature", lambda: judged_temperature(robot, bench, j, runs)),
        ("kinematic error", lambda: judged_error(robot, bench, j, runs)),
    ):
        try:
            out[name] = judge()
        except Exception as error:  # a failure is a result, too
            traceback.print_exc()
            out[name] = {"failed": f"{type(error).__name__}: {error}"}
    return out


def summary(rows):
    """Median and worst of every number, and how many arms reach the target."""
    found = {}
    for name, target in TARGETS.items():
        # A growth with load that the experiment says it cannot know is no answer, and is counted as such.
        known = [r[name] for r in rows if "nrmse" in r.get(name, {})]
        values = [one["nrmse"] for one in known if one.get("known", True)]
        found[name] = {
            "median": float(np.median(values)), "tenth": float(np.quantile(values, 0.1)),
            "worst": float(np.min(values)), "arms": len(values), "said not to be known": len(known) - len(values),
            "target": target, "reached": int(np.sum(np.array(values) >= target)),
        }  # fmt: skip
    for name in (
        "largest_percent_gear",
        "rms_percent_gear",
        "largest_percent_measured",
        "rms_percent_measured",
    ):
        errors = [r["kinematic error"][name] for r in rows if name in r["kinematic error"]]
        found[f"kinematic error, {name}"] = {
            "median": float(np.median(errors)), "ninetieth": float(np.quantile(errors, 0.9)),
            "worst": float(np.max(errors)), "arms": len(errors),
            "target": ERROR_TARGET, "reached": int(np.sum(np.array(errors) <= ERROR_TARGET)),
        }  # fmt: skip
    right = [
        r["load"]["truth_is_quadratic"] == (r["load"]["chosen"] == "load_quadratic")
        for r in rows if r["load"].get("known")
    ]  # fmt: skip
    found["load, form of the truth chosen"] = {"of": len(right), "times": int(sum(right))}
    squares = [
        r["load"] for r in rows if r["load"].get("truth_is_quadratic") and r["load"]["known"]
    ]
    found["load quadratic above linear"] = {
        "of": len(squares),
        "times": int(sum(s["load_quadratic"] > s["load_linear"] for s in squares)),
        "median_quadratic": float(np.median([s["load_quadratic"] for s in squares])),
        "median_linear": float(np.median([s["load_linear"] for s in squares])),
    }
    warm = [r["temperature"] for r in rows if "bittencourt" in r["temperature"]]
    found["temperature above Bittencourt"] = {
        "of": len(warm),
        "times": int(sum(w["nrmse"] > w["bittencourt"] for w in warm)),
        "median": float(np.median([w["nrmse"] for w in warm])),
        "median_bittencourt": float(np.median([w["bittencourt"] for w in warm])),
    }
    for model in ("cubic", "three segments"):
        values = [r["stiffness"][model] for r in rows if model in r["stiffness"]]
        found[f"stiffness, {model}"] = {
            "median": float(np.median(values)),
            "worst": float(np.min(values)),
        }
    return found


def main():
    """Print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", type=int, default=30)
    parser.add_argument("--first", type=int, default=0, help="seed of the first arm")
    parser.add_argument("--kind", default=KIND, help="kind of arm")
    parser.add_argument(
        "--keep", type=Path, help="folder for recordings, to judge again without simulating"
    )
    chosen = parser.parse_args()
    if chosen.keep is not None:
        chosen.keep.mkdir(parents=True, exist_ok=True)
    rows, started = [], time.perf_counter()
    for k in range(chosen.first, chosen.first + chosen.arms):
        rows.append(arm(k, chosen.keep, chosen.kind))
        print(f"{time.perf_counter() - started:6.0f} s", rows[-1], flush=True)
    found = summary(rows)
    for name, values in found.items():
        print(
            f"{name:32}", {k: round(v, 2) if isinstance(v, float) else v for k, v in values.items()}
        )
    usual = (chosen.kind, chosen.first) == (KIND, 0)
    name = "joint_experiments" + ("" if usual else f"_{chosen.kind}_{chosen.first}")
    print(_report.write(name, {"summary": found, "arms": rows}))


if __name__ == "__main__":
    main()
