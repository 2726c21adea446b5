"""Optimised excitation of a UR5e, 31 s: condition number of the thesis' regressor, beside other ways to move.

    python benchmarks/excitation.py

The regressor has 36 base parameters, Coulomb and viscous friction: 48 columns as they are, without scaling (spec 08.1,
J2 4.4; the thesis' own trajectory: 66). Nobody publishes the acceleration limit of the arm, so two are stated. Each
result is checked against every limit and for collisions at ten times its rate, again and apart from the planner, and
its condition number is computed by a plain SVD of the whole stack.
"""

# ruff: noqa: E402  numeric libraries read the number of threads when they are imported
from __future__ import annotations

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import time

import numpy as np

import jointwise as jw
from _report import wait_until_quiet, write
from jointwise.motion.motion import Motion
from jointwise.motion.plan import plan
from jointwise.robot.clearance import clearance

DURATION = 31.0
THESIS = 66.0
AIM = 30.0
SECONDS = 60.0
FRICTION = ("coulomb", "viscous")
ACCELERATIONS = (2.0 * np.pi / 3.0, 5.0)
"""rad/s^2: that of the thesis' waypoint cycle, and a moderate one."""
FINER = 10


def conditions(robot: jw.Robot, motion: Motion) -> dict[str, float]:
    """Plain and scaled condition number of the stack at 100 Hz."""
    base = robot.base_parameters(friction=FRICTION)
    coarse = motion.resampled(100.0)
    y = robot.regressor(coarse.q, coarse.dq, coarse.ddq, friction=FRICTION)
    w = base.regressor(y).reshape(-1, base.count)
    return {
        "columns": base.count,
        "condition": float(np.linalg.cond(w)),
        "scaled_condition": float(np.linalg.cond(w / np.linalg.norm(w, axis=0))),
    }


def respected(robot: jw.Robot, motion: Motion, acceleration: float) -> dict[str, object]:
    """Largest use of each limit, and the smallest distance, on a grid ten times as fine."""
    motion.check(robot, finer=FINER)
    time_ = np.arange(int(DURATION * 1000.0 * FINER) + 1) / (1000.0 * FINER)
    q, dq, ddq = motion.path.at(time_)[:3]
    torque = np.array([150.0, 150.0, 150.0, 28.0, 28.0, 28.0])
    used = {
        "velocity": float((np.abs(dq) / np.pi).max()),
        "acceleration": float((np.abs(ddq) / acceleration).max()),
        "torque": float((np.abs(robot.inverse_dynamics(q, dq, ddq)) / torque).max()),
        "smallest_distance_m": float(clearance(robot, q, floor=0.0).min()),
    }
    ok = max(used["velocity"], used["acceleration"], used["torque"]) <= 1.0 + 1e-9
    return {**used, "respected": bool(ok and used["smallest_distance_m"] > 0.0)}


def one(robot: jw.Robot, kind: str, acceleration: float, **options: object) -> dict[str, object]:
    start, cpu = time.perf_counter(), time.process_time()
    motion = plan(kind, robot, duration=DURATION, max_acceleration=acceleration, **options)
    spent = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}
    return {
        "kind": kind,
        "max_acceleration": acceleration,
        **options,
        **spent,
        **conditions(robot, motion),
        **respected(robot, motion, acceleration),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wait", type=float, default=120.0, help="seconds to wait for quiet")
    quiet = wait_until_quiet(parser.parse_args().wait)
    robot = jw.load_robot("ur5e")
    plan("fourier", robot, duration=5.0, harmonics=4, starts=1)  # compiles the kernels
    rows = [
        one(robot, "fourier", a, objective=objective)
        for a in ACCELERATIONS
        for objective in ("condition", "scaled_condition", "log_det", "hadamard")
    ]
    rows += [one(robot, "random", a, seed=seed) for a in ACCELERATIONS for seed in (1, 2)]
    aimed = [r for r in rows if r.get("objective") == "condition"]
    for r in rows:
        print(
            f"{r['kind']:8} {r.get('objective', ''):16} {r['max_acceleration']:.2f} rad/s^2: condition "
            f"{r['condition']:.1f}, scaled {r['scaled_condition']:.1f}, {r['seconds']:.0f} s "
            f"({r['cpu_seconds']:.0f} s of processor), limits {'kept' if r['respected'] else 'BROKEN'}"
        )
    verdict = {
        "below_thesis": all(r["condition"] < THESIS for r in aimed),
        "below_aim": all(r["condition"] < AIM for r in aimed),
        "in_time": all(r["seconds"] < SECONDS for r in aimed),
        "limits_respected": all(r["respected"] for r in rows),
        "machine_was_quiet": quiet,
    }
    print(verdict)
    write("excitation", {"duration_s": DURATION, "rows": rows, "verdict": verdict})


if __name__ == "__main__":
    main()
