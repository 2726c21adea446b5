"""Methods for hysteresis beside each other: the order of the thesis, convergence from any start, and a peer on LuGre.

    python benchmarks/hysteresis.py order [--arms 30] [--first 0] [--keep FOLDER]
    python benchmarks/hysteresis.py convergence
    python benchmarks/hysteresis.py lugre          (the peer needs `pip install "mujoco[sysid]"`)

Order: arm k of `random_arm` works on joint k mod 6. Slow strokes over the turn give kinematic error and the half
backlash over the turn (E-GMS); J1's strokes, another run, give torques from their first 50 s and are the judge from
then on. "static" are the maps of the velocity and temperature experiments (spec 09.8: no unknowns); "static refitted"
is the sign of motion beside the same plain columns, fitted to the same 50 s as the others.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import _report
from joint_experiments import KIND, Runs
from jointwise.estimators import slip
from jointwise.estimators.slip_convex import convex
from jointwise.estimators.variable_projection import search_of, variable_projection
from jointwise.experiments.calibrate.chain import known_of
from jointwise.experiments.calibrate.rig import Bench
from jointwise.experiments.joint import (
    e_gms,
    hysteresis,
    kinematic_error,
    stiffness,
    temperature,
    velocity,
)
from jointwise.experiments.joint.common import read
from jointwise.experiments.metrics import nrmse_percent
from jointwise.laws.columns import columns_along
from jointwise.laws.friction import FrictionModel
from jointwise.plant.population import random_arm
from jointwise.robot.library import load_robot

OPERATORS = 4
ESTIMATION_S, CYCLES = 50.0, 24
"""J1 4.4.4: 50,000 samples at 1 kHz; the strokes are those of J3(21), 24 cycles of 8.5 s instead of 120."""
ROOM, WARM = 25.0, (12.0, 28.0, 44.0)
METHODS = ("variable projection", "genetic", "convex", "polynomial", "preassigned", "linear")
STARTS, TRUTHS, LONG = 100, 3, 50_000
SAME = 1e-6
"""N m beside the torque of all operators: two fits to noise-free data that leave less are the same."""


def order(k, folder):
    """Scores of all methods on one joint."""
    j = k % 6
    plant = random_arm(KIND, seed=k)
    bench, runs = Bench(plant=plant, seed=k), Runs(folder, k)
    robot = known_of(plant, load_robot(KIND))
    loads = runs("stiffness", lambda: bench.loaded(stiffness.plan(robot, j + 1), j, 3))
    turn = kinematic_error.plan(robot, j + 1, cycles=24)
    strokes = runs("strokes", lambda: bench.run(turn, 7, temperature=ROOM))
    motion = hysteresis.plan(robot, j + 1, cycles=CYCLES)
    judge = runs("hysteresis", lambda: bench.run(motion, 8, temperature=ROOM))
    robot = stiffness.fit(robot, {"loads": loads}, j + 1).robot
    robot = kinematic_error.fit(robot, {"strokes": strokes}, j + 1).robot
    table = e_gms.fit(robot, {"strokes": strokes}, j + 1).arrays["half_backlash"]
    given = read(robot, {"judge": judge}, j + 1, filter_hz=hysteresis.FILTER_HZ)
    samples = given.parts[0]
    angle = 2.0 * np.pi * np.arange(len(table) + 1) / len(table)
    width = np.interp(samples.theta % (2.0 * np.pi), angle, [*table, table[0]])
    data, _ = hysteresis.slip_samples(robot, samples, j, given.angle, width=width)
    early = np.arange(len(data.shift)) < ESTIMATION_S / samples.time[-1] * len(data.shift)
    known = replace(data, used=data.used & early)
    unseen = data.used & ~early
    out = {"arm": k, "joint": j + 1, "knots": len(table)}
    for name in METHODS:
        started = time.perf_counter()
        found = hysteresis.METHODS[name](known, OPERATORS)
        out[f"{name}, s"] = time.perf_counter() - started
        out[name] = nrmse_percent(data.torque[unseen], slip.predict(data, found)[unseen])
    sign = np.column_stack([np.sign(data.shift), data.extra])
    best = np.linalg.lstsq(sign[known.used], data.torque[known.used], rcond=None)[0]
    out["static refitted"] = nrmse_percent(data.torque[unseen], (sign @ best)[unseen])
    maps = static_maps(robot, bench, j, runs, samples)
    step = len(samples) // len(data.shift)
    thin = maps[: len(data.shift) * step].reshape(-1, step).mean(axis=1)
    # Offset of the current and gravity belong to the run, for the maps as for every other method.
    plain = data.extra[:, 3:]
    rest = np.linalg.lstsq(plain[known.used], (data.torque - thin)[known.used], rcond=None)[0]
    out["static"] = nrmse_percent(data.torque[unseen], (thin + plain @ rest)[unseen])
    return out


def static_maps(robot, bench, j, runs, samples):
    """Friction by the maps of the velocity and temperature experiments along other samples."""
    plan = velocity.plan(robot, j + 1)
    used = runs("velocity", lambda: bench.run(plan, 1, temperature=35.0))
    robot = velocity.fit(robot, {"used": used}, j + 1).robot
    warmth = float(velocity.fit(robot, {"used": used}, j + 1).settings["temperature_degc"])
    sweeps = temperature.plan(robot, j + 1)
    several = {
        f"{t:g}": runs(f"temperature-{t:g}", lambda t=t, n=n: bench.run(sweeps, 100 + n, temperature=t))
        for n, t in enumerate(WARM)
    }  # fmt: skip
    robot = temperature.fit(robot, several, j + 1, reference_degc=warmth).robot
    terms = FrictionModel.from_law(robot.joints[j].friction).terms
    still = np.zeros(len(samples))
    columns = columns_along(
        terms, samples.theta, samples.omega, still, samples.temperature, 1.0 / samples.rate_hz
    )
    return columns.sum(axis=1)


def order_of(arms, first, folder):
    """The table, and whether the order of the thesis holds."""
    rows = []
    for k in range(first, first + arms):
        rows.append(order(k, folder))
        print({n: round(v, 2) if isinstance(v, float) else v for n, v in rows[-1].items()}, flush=True)  # fmt: skip
    names = (*METHODS, "static refitted", "static")
    found = {
        name: {
            "median": float(np.median([r[name] for r in rows])),
            "tenth": float(np.quantile([r[name] for r in rows], 0.1)),
            "worst": float(np.min([r[name] for r in rows])),
        }
        for name in names
    }
    for name in METHODS:
        found[name]["seconds"] = float(np.median([r[f"{name}, s"] for r in rows]))
    m = {name: found[name]["median"] for name in names}
    found["order holds"] = bool(
        m["variable projection"] >= m["polynomial"] >= m["preassigned"] > m["linear"] > m["static"]
    )
    found["nonlinear above polynomial"] = m["variable projection"] - m["polynomial"]
    found["polynomial above static"] = m["polynomial"] - m["static"]
    found["polynomial above static refitted"] = m["polynomial"] - m["static refitted"]
    return {"summary": found, "arms": rows}


def made(rng, samples):
    """Noise-free torque of four random springs on a backlash that changes with the position, 1 kHz."""
    t = 1e-3 * np.arange(samples)
    way = np.where(t % 2.0 < 1.0, 1.0, -0.8)
    position = 1e-3 * np.cumsum(0.1 * way * np.abs(np.sin(np.pi * t)))
    width = 1e-3 * (1.0 + 0.25 * np.cos(20.0 * position))
    limits = np.sort(np.exp(rng.uniform(np.log(0.01), 0.0, OPERATORS)))
    torques = rng.uniform(0.5, 2.0, OPERATORS)
    blank = slip.slip_data(position, np.zeros(samples), width=width)
    torque = slip.columns(blank, limits) @ torques
    return slip.slip_data(position, torque, width=width), torques


def convergence():
    """From random starts, and from none: does every fit end at the same place, and how long does it take.

    Seconds of the processor, one thread: what other processes take does not count.
    """
    made(np.random.default_rng(0), 3000)
    variable_projection(made(np.random.default_rng(0), 3000)[0], OPERATORS)  # compiles
    out = []
    for truth in range(TRUTHS):
        data, torques = made(np.random.default_rng([truth, 55]), LONG)
        span = data.grid()[[0, -1]]
        left, seconds = [], []
        for start in range(STARTS):
            rng = np.random.default_rng([truth, start])
            first = np.exp(rng.uniform(*np.log(span), OPERATORS))
            begun = time.process_time()
            left.append(variable_projection(data, OPERATORS, start=first).rmse)
            seconds.append(time.process_time() - begun)
        begun = time.process_time()
        none = variable_projection(data, OPERATORS).rmse
        alone = time.process_time() - begun
        begun = time.process_time()
        smooth = convex(data)
        out.append(
            {
                "starts": STARTS,
                "same optimum": int(np.sum(np.array(left) < SAME * torques.sum())),
                "largest rmse": float(max(left)),
                "rmse without a start": none,
                "seconds median": float(np.median(seconds)),
                "seconds longest": float(max(seconds)),
                "seconds without a start": alone,
                "convex seconds": time.process_time() - begun,
                "convex rmse over torque": smooth.rmse / float(torques.sum()),
            }
        )
        print(out[-1], flush=True)
    return out


LUGRE = """<mujoco><option timestep="0.002" integrator="implicitfast"/><worldbody><body>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="j" type="hinge" axis="0 0 1"/></body></worldbody>
<actuator><dcmotor name="m" joint="j" motorconst="1" resistance="1" lugre="{} {} {} {} {}"/></actuator>
<sensor><jointpos joint="j"/><jointvel joint="j"/></sensor></mujoco>"""
TRUE = {"stiffness": 5e3, "damping": 30.0, "coulomb": 5.0, "static": 6.0, "speed": 0.05}
PLACES = {
    "stiffness": ("dyn", 5), "damping": ("dyn", 6), "coulomb": ("bias", 3), "static": ("bias", 4),
    "speed": ("bias", 5),
}  # fmt: skip
SPREAD = 10.0
"""Starts are drawn within this factor of the truth both ways, and the search may go so far."""
PEER_STARTS, PEER_S = 12, 4.0
WRONG = 1.05
"""A start is wrong where it leaves so many times the error of the best one."""


def lugre():
    """mujoco.sysid on a joint with LuGre friction from random starts; slipping springs on the same motion."""
    try:
        import mujoco
        from mujoco import rollout, sysid

        sysid.Parameter  # noqa: B018 -- there only with the extra packages of the peer
    except (ImportError, AttributeError):
        return {"peer": "not installed"}
    spec = mujoco.MjSpec.from_string(LUGRE.format(*TRUE.values()))
    model = spec.compile()
    data = mujoco.MjData(model)
    count = round(PEER_S / model.opt.timestep)
    t = model.opt.timestep * np.arange(count)
    control = (9.0 * np.sin(2.0 * np.pi * 0.5 * t) + 4.0 * np.sin(2.0 * np.pi * 1.3 * t))[:, None]
    begin = sysid.create_initial_state(model, data.qpos, data.qvel, data.act)
    state, sensed = (np.squeeze(v, axis=0) for v in rollout.rollout(model, data, begin, control[:-1]))  # fmt: skip
    sensed = sensed + 1e-5 * np.random.default_rng(0).standard_normal(sensed.shape)
    sequences = sysid.ModelSequences(
        "joint", spec, "measured", begin, sysid.TimeSeries(t, control),
        sysid.TimeSeries.from_names(state[:, 0], sensed, model),
    )  # fmt: skip
    ends = []
    for start in range(PEER_STARTS):
        rng = np.random.default_rng([start, 3])
        chosen = sysid.ParameterDict()
        for name, (array, place) in PLACES.items():

            def put(s, p, array=array, place=place):
                getattr(s.actuator("m"), f"{array}prm")[place] = p.value[0]

            true = TRUE[name]
            low, high = true / SPREAD, true * SPREAD
            chosen.add(sysid.Parameter(name, true, low, high, modifier=put))
            chosen[name].value[:] = true * np.exp(rng.uniform(-1.0, 1.0) * np.log(SPREAD) * 0.99)
        begun = time.perf_counter()
        residual = sysid.build_residual_fn(models_sequences=[sequences])
        found, result = sysid.optimize(
            initial_params=chosen, residual_fn=residual, optimizer="mujoco", verbose=False
        )
        off = np.concatenate(residual(result.x, found)[0])
        ends.append(
            {
                "seconds": time.perf_counter() - begun,
                "cost": float(off @ off),
                **{n: float(found[n].value[0]) for n in TRUE},
            }
        )
        print(ends[-1], flush=True)
    best = min(e["cost"] for e in ends)
    return {
        "starts": PEER_STARTS,
        "samples": count,
        "wrong": int(sum(e["cost"] > WRONG * best for e in ends)),
        "seconds": [min(e["seconds"] for e in ends), max(e["seconds"] for e in ends)],
        "ends": ends,
        "slipping springs": springs(t[:-1], state, control[:-1, 0]),
    }


def springs(t, state, torque):
    """The same motion and torque read by slipping springs, from as many random starts: all end at the same place."""
    position, rate = state[:, 1], state[:, 2]
    alpha = np.gradient(rate, t)
    data = slip.slip_data(position, torque, extra=np.column_stack([alpha, rate]))
    search, left, seconds = search_of(data), [], []
    for start in range(PEER_STARTS):
        rng = np.random.default_rng([start, 4])
        first = np.exp(rng.uniform(*np.log(search.grid[[0, -1]]), OPERATORS))
        begun = time.perf_counter()
        left.append(variable_projection(data, OPERATORS, start=first).rmse)
        seconds.append(time.perf_counter() - begun)
    return {
        "wrong": int(sum(v > WRONG * min(left) for v in left)),
        "seconds": [min(seconds), max(seconds)],
        "rmse": min(left),
    }


def main():
    """Print and write the tables; one file for each part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("order", "convergence", "lugre"))
    parser.add_argument("--arms", type=int, default=30)
    parser.add_argument("--first", type=int, default=0, help="seed of the first arm")
    parser.add_argument("--keep", type=Path, help="folder for recordings")
    chosen = parser.parse_args()
    if chosen.keep is not None:
        chosen.keep.mkdir(parents=True, exist_ok=True)
    if chosen.part == "order":
        found = order_of(chosen.arms, chosen.first, chosen.keep)
        for name, values in found["summary"].items():
            print(f"{name:34}", values)
    else:
        found = {"convergence": convergence, "lugre": lugre}[chosen.part]()
    print(_report.write(f"hysteresis_{chosen.part}", found))


if __name__ == "__main__":
    main()
