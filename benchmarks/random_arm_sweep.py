"""Largest difference from Pinocchio of every rigid-body quantity, and from what mechanics demands, over random arms.

    python benchmarks/random_arm_sweep.py [--arms 10000] [--seed 2024]

The arms are those of tests/random_arms.py, none left out; errors are normwise and relative. What mechanics demands is
stated in tests/mechanics.py; its reference for elastic inverse dynamics takes long, so it sees every tenth arm.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import numpy as np

import mechanics
from _report import write
from pinocchio_oracle import worst_errors
from random_arms import random_arm, random_motion

TARGET = 1e-10
DEMANDS = {
    "dM/dt - 2C, exact derivative": 1e-7,
    "dM/dt - 2C, by differences": 1e-7,
    "energy balance": 1e-9,
    "torque rates": 1e-9,
}
RARE = 10


def worst_violations(seed: int, count: int) -> dict[str, tuple[float, int]]:
    """Largest violation of each demand over `count` random arms, and which arm it was."""
    rng = np.random.default_rng(seed)
    worst = dict.fromkeys(DEMANDS, (0.0, -1))
    for index in range(count):
        robot = random_arm(rng)
        motion = random_motion(rng, robot)
        found = {
            "dM/dt - 2C, exact derivative": mechanics.skewness(robot, *motion[:2]),
            "dM/dt - 2C, by differences": mechanics.skewness_by_differences(robot, *motion[:2]),
            "energy balance": mechanics.energy_imbalance(robot, rng),
        }
        if index % RARE == 0:
            found["torque rates"] = mechanics.torque_rates_error(robot, motion)
        for name, error in found.items():
            if not error <= worst[name][0]:
                worst[name] = (error, index)
    return worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=2024)
    options = parser.parse_args()
    start = time.perf_counter()
    worst = worst_errors(options.seed, options.arms)
    targets = dict.fromkeys(worst, TARGET) | DEMANDS
    worst |= worst_violations(options.seed, options.arms)
    seconds = time.perf_counter() - start
    print(f"{options.arms} random arms, seed {options.seed}, {seconds:.0f} s")
    for name, (error, index) in worst.items():
        verdict = "" if error <= targets[name] else "MISSED"
        print(
            f"  {name:30s} {error:9.1e}   wanted {targets[name]:.0e}   arm {index:5d}   {verdict}"
        )
    results = {
        "arms": options.arms,
        "arms for torque rates": -(-options.arms // RARE),
        "seed": options.seed,
        "worst": {
            name: {"error": error, "target": targets[name], "arm": index}
            for name, (error, index) in worst.items()
        },
    }
    print(f"written to {write('random_arm_sweep', results).name}")
    return 0 if all(error <= targets[name] for name, (error, _) in worst.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
