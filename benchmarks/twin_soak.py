"""Random arms under long excitation: none may diverge, all stay near their path.

    python benchmarks/twin_soak.py [--arms 200] [--seconds 60]

Arm k is `random_arm("ur5e", seed=k)` on `random_fourier(seed=k)`, none left out; the same runs as the soak test.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from _report import write
from jointwise.motion.fourier import random_fourier
from jointwise.plant.population import random_arm
from jointwise.plant.twin import Twin
from jointwise.robot.samples import cores


def one(seed: int, seconds: float) -> dict[str, object]:
    """What became of one arm: status, largest error of the position servo, warmest oil."""
    arm = random_arm("ur5e", seed=seed)
    run = Twin(plant=arm, seed=seed).run(random_fourier(arm.robot, seed=seed, duration=seconds))
    rec = run.recording
    return {
        "status": run.status,
        "time": run.time,
        "error": float(np.abs(rec["true_q"] - rec["q_ref"]).max()),
        "oil": float(rec["true_oil_temperature"].max()),
    }


def main() -> int:
    """Run, print and store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with ThreadPoolExecutor(cores()) as pool:
        rows = list(pool.map(lambda k: one(k, options.seconds), range(options.arms)))
    diverged = [k for k, row in enumerate(rows) if row["status"] != "completed"]
    errors = np.array([row["error"] for row in rows])
    results = {
        "arms": options.arms,
        "seconds": options.seconds,
        "diverged": diverged,
        "servo_error_rad": {
            "median": float(np.median(errors)),
            "worst": float(errors.max()),
            "arm": int(errors.argmax()),
        },
        "warmest_oil_degc": max(row["oil"] for row in rows),
    }
    print(f"{options.arms} arms, {options.seconds:g} s each, diverged: {diverged or 'none'}")
    print(
        f"largest error of the servo: median {np.median(errors):.2e}, worst {errors.max():.2e} rad"
    )
    print(f"written to {write('twin_soak', results).name}")
    return 1 if diverged else 0


if __name__ == "__main__":
    sys.exit(main())
