"""Time of the rigid-body and flexible-joint kernels on a UR5e, beside Pinocchio in the same process.

    python benchmarks/kernels.py [--rounds 40] [--wait 120]

One thread unless said. The candidates of one question take turns in every round, so that a busy moment of the machine
hits all of them; stated are the minimum and the median over the rounds, and ratios of minima.
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import numpy as np
import pinocchio as pin

import jointwise as jw
from _report import wait_until_quiet, write
from jointwise.kernels.mass_matrix import forward_dynamics_batch, mass_matrix_batch
from jointwise.kernels.newton_euler import (
    elastic_torque,
    elastic_torque_batch,
    inverse_dynamics,
    inverse_dynamics_batch,
)
from jointwise.kernels.regressor import regressor_batch
from jointwise.robot import samples
from pinocchio_oracle import pinocchio_model

BATCH = 100_000
RECORDING = 31_000
PATIENCE = 6
"""Times as many rounds for two threads: the smallest time needs a moment in which both cores are free."""
Call = Callable[[], object]


def seconds(call: Call, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def race(candidates: dict[str, Call], rounds: int, repeats: int, items: int = 1) -> dict[str, dict]:
    """Microseconds per item of each candidate, minimum and median over interleaved rounds."""
    for call in candidates.values():
        call()
    times: dict[str, list[float]] = {name: [] for name in candidates}
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, call in candidates.items():
                times[name].append(1e6 * seconds(call, repeats) / items)
    finally:
        gc.enable()
    return {name: {"min_us": min(t), "median_us": float(np.median(t))} for name, t in times.items()}


def with_rotors(robot):
    """The arm with an assumed rotor inertia of 1 kg m^2 at each joint; no time depends on the value."""
    drives = {f"joints.{j.name}.drive.rotor_inertia": 1.0 for j in robot.joints}
    return robot.replace(drives, source="assumed for the benchmark")


def threads(count: int) -> None:
    samples.cores = lambda: count


def single_calls(robot, model, motion, rounds):
    data = model.createData()
    q, dq, ddq, d3q, d4q = (np.ascontiguousarray(m[0]) for m in motion)
    arm, n, tau, out = robot.arm, robot.n, np.empty(robot.n), np.empty((3, robot.n))
    stacked = np.ascontiguousarray(np.stack([q, dq, ddq, d3q, d4q]))
    stiffness = np.full(n, 1e4)
    mass, acceleration = np.empty((1, n, n)), np.empty((1, n))
    one = [m[None] for m in (q, dq, tau)]
    extra = np.zeros((n, n))
    return {
        "inverse dynamics, one call": race(
            {
                "kernel": lambda: inverse_dynamics(arm, q, dq, ddq, tau),
                "Robot.inverse_dynamics": lambda: robot.inverse_dynamics(q, dq, ddq),
                "pin.rnea": lambda: pin.rnea(model, data, q, dq, ddq),
            },
            rounds,
            2000,
        ),
        "elastic inverse dynamics, one call": race(
            {
                "kernel, joint torque and two derivatives": lambda: elastic_torque(
                    arm, stacked, out
                ),
                "Robot.elastic_inverse_dynamics": lambda: robot.elastic_inverse_dynamics(
                    q, dq, ddq, d3q, d4q, stiffness=stiffness
                ),
            },
            rounds,
            1000,
        ),
        "mass matrix, one call": race(
            {
                "kernel": lambda: mass_matrix_batch(arm, one[0], mass),
                "Robot.mass_matrix": lambda: robot.mass_matrix(q),
                "pin.crba": lambda: pin.crba(model, data, q),
            },
            rounds,
            1000,
        ),
        "forward dynamics, one call": race(
            {
                "kernel": lambda: forward_dynamics_batch(arm, extra, *one, acceleration),
                "Robot.forward_dynamics": lambda: robot.forward_dynamics(q, dq, tau),
                "pin.aba": lambda: pin.aba(model, data, q, dq, tau),
            },
            rounds,
            1000,
        ),
    }


def batches(robot, model, motion, rounds):
    data = model.createData()
    q, dq, ddq = motion[:3]
    arm, n = robot.arm, robot.n
    tau, y = np.empty_like(q), np.empty((RECORDING, n, 10 * n))
    stacked, rates = np.ascontiguousarray(np.stack(motion, axis=1)), np.empty((BATCH, 3, n))
    recording = [m[:RECORDING] for m in motion[:3]]
    columns = [np.asfortranarray(m.T) for m in (q, dq, ddq)]
    pool = pin.ModelPool(model, 1)
    stack = np.empty((RECORDING * n, 10 * n))

    def pin_loop():
        for k in range(BATCH):
            tau[k] = pin.rnea(model, data, q[k], dq[k], ddq[k])

    def pin_regressor_loop():
        for k in range(RECORDING):
            stack[n * k : n * k + n] = pin.computeJointTorqueRegressor(
                model, data, recording[0][k], recording[1][k], recording[2][k]
            )

    threads(1)
    return {
        "inverse dynamics, 100,000 samples": race(
            {
                "kernel": lambda: inverse_dynamics_batch(arm, q, dq, ddq, tau),
                "Robot.inverse_dynamics": lambda: robot.inverse_dynamics(q, dq, ddq),
                "pin.rneaInParallel(1)": lambda: pin.rneaInParallel(1, pool, *columns),
                "loop over pin.rnea": pin_loop,
            },
            rounds,
            1,
            BATCH,
        ),
        "elastic inverse dynamics, 100,000 samples": race(
            {"kernel": lambda: elastic_torque_batch(arm, stacked, rates)}, rounds, 1, BATCH
        ),
        "stacked regressor, 31,000 samples": race(
            {
                "kernel": lambda: regressor_batch(robot.chain, *recording, y),
                "Robot.regressor": lambda: robot.regressor(*recording),
                "loop over pin.computeJointTorqueRegressor": pin_regressor_loop,
            },
            rounds,
            1,
            RECORDING,
        ),
    }


def two_threads(robot, motion, rounds):
    q, dq, ddq = motion[:3]
    arm, tau = robot.arm, np.empty_like(motion[0])
    y = np.empty((RECORDING, robot.n, 10 * robot.n))
    recording = [m[:RECORDING] for m in motion[:3]]

    def spread(count, kernel, shared, split):
        threads(count)
        samples.spread(kernel, shared, split)

    jobs = {
        "inverse dynamics": (inverse_dynamics_batch, (arm,), [q, dq, ddq, tau]),
        "regressor": (regressor_batch, (robot.chain,), [*recording, y]),
    }
    return {
        f"{name}, two threads": race(
            {
                f"{count} thread{'s' * (count > 1)}": lambda c=count, j=job: spread(c, *j)
                for count in (1, 2)
            },
            rounds,
            1,
            len(job[2][0]),
        )
        for name, job in jobs.items()
    }


def start_up(rounds):
    """Whole processes with a warm cache, in seconds."""
    commands = {
        "python": [sys.executable, "-c", ""],
        "import numpy": [sys.executable, "-c", "import numpy"],
        "import jointwise": [sys.executable, "-c", "import jointwise"],
        "first inverse dynamics": [
            sys.executable,
            "-c",
            "import jointwise as jw; jw.load_robot('ur5e').inverse_dynamics([0] * 6, [0] * 6, [0] * 6)",
        ],
        "import pinocchio": [sys.executable, "-c", "import pinocchio"],
        "jointwise show ur5e": [sys.executable, "-m", "jointwise", "show", "ur5e"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for attempt in range(rounds + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            if attempt:  # the first fills the caches
                times[name].append(time.perf_counter() - start)
    return {name: {"min_s": min(t), "median_s": float(np.median(t))} for name, t in times.items()}


def verdicts(results):
    """Each number that was asked for: what it is, measured, wanted, met."""

    def least(question, name):
        return results[question][name]["min_us"]

    def ratio(question, slow, fast):
        return least(question, slow) / least(question, fast)

    one, many = "inverse dynamics, one call", "inverse dynamics, 100,000 samples"
    elastic, stacked = "elastic inverse dynamics, one call", "stacked regressor, 31,000 samples"
    single = "1 thread"
    start = results["start of a process"]
    imported = start["import jointwise"]["min_s"] - start["python"]["min_s"]
    rows = [
        (
            "Robot.inverse_dynamics, one call / pin.rnea",
            ratio(one, "Robot.inverse_dynamics", "pin.rnea"),
            1.0,
            False,
        ),
        ("its kernel alone / pin.rnea", ratio(one, "kernel", "pin.rnea"), None, False),
        ("batch inverse dynamics, us a sample", least(many, "kernel"), 0.35, False),
        (
            "regressor, times faster than Pinocchio",
            ratio(stacked, "loop over pin.computeJointTorqueRegressor", "kernel"),
            5.0,
            True,
        ),
        (
            "elastic inverse dynamics, us",
            least(elastic, "kernel, joint torque and two derivatives"),
            2.0,
            False,
        ),
        (
            "two threads, inverse dynamics, times",
            ratio("inverse dynamics, two threads", single, "2 threads"),
            1.7,
            True,
        ),
        (
            "two threads, regressor, times",
            ratio("regressor, two threads", single, "2 threads"),
            1.7,
            True,
        ),
        ("import jointwise, s", imported, 0.15, False),
        ("jointwise show ur5e, s", start["jointwise show ur5e"]["min_s"], 1.0, False),
    ]
    return [
        {"what": what, "measured": value, "wanted": wanted, "met": met(value, wanted, at_least)}
        for what, value, wanted, at_least in rows
    ]


def met(value, wanted, at_least):
    if wanted is None:
        return None
    return bool(value >= wanted if at_least else value <= wanted)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--wait", type=float, default=120.0, help="seconds for a quiet machine")
    options = parser.parse_args()
    rounds, wait = options.rounds, options.wait
    robot = with_rotors(jw.load_robot("ur5e"))
    model, _ = pinocchio_model(robot)
    rng = np.random.default_rng(0)
    motion = [s * rng.normal(size=(BATCH, robot.n)) for s in (1.0, 1.0, 3.0, 10.0, 50.0)]
    few = max(3, rounds // 4)
    quiet = {"at the start": wait_until_quiet(wait)}
    results = single_calls(robot, model, motion, rounds)
    results |= batches(robot, model, motion, few)
    quiet["before two threads"] = wait_until_quiet(wait)
    results |= two_threads(robot, motion, PATIENCE * rounds)
    quiet["before the starts"] = wait_until_quiet(wait)
    results["start of a process"] = start_up(few)
    results["numbers asked for"] = verdicts(results)
    show(results)
    for moment, was in quiet.items():
        if was is False:
            print(f"another program was running {moment}; compare ratios only")
    print(f"written to {write('kernels', {'machine quiet': quiet, **results}).name}")
    return 0


def show(results) -> None:
    for question, rows in results.items():
        print(question)
        if isinstance(rows, list):
            for row in rows:
                wanted = "" if row["wanted"] is None else f"wanted {row['wanted']:g}"
                verdict = {True: "met", False: "MISSED", None: ""}[row["met"]]
                print(f"  {row['what']:42s} {row['measured']:8.3f}   {wanted:12s} {verdict}")
            continue
        unit = "s" if question == "start of a process" else "us"
        for name, t in rows.items():
            print(
                f"  {name:42s} {t['min_' + unit]:9.3f} min {t['median_' + unit]:9.3f} median {unit}"
            )


if __name__ == "__main__":
    sys.exit(main())
