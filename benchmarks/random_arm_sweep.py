"""Largest difference from Pinocchio of every rigid-body quantity over 10,000 random arms.

    python benchmarks/random_arm_sweep.py [--arms 10000] [--seed 2024]

The arms are those of tests/random_arms.py, none left out; errors are normwise and relative.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from _report import write
from pinocchio_oracle import worst_errors

TARGET = 1e-10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=2024)
    options = parser.parse_args()
    start = time.perf_counter()
    worst = worst_errors(options.seed, options.arms)
    seconds = time.perf_counter() - start
    print(f"{options.arms} random arms, seed {options.seed}, {seconds:.0f} s")
    for name, (error, index) in worst.items():
        print(f"  {name:20s} {error:9.1e}   arm {index:5d}   {'' if error <= TARGET else 'MISSED'}")
    results = {
        "arms": options.arms,
        "seed": options.seed,
        "target": TARGET,
        "worst": {name: {"error": error, "arm": index} for name, (error, index) in worst.items()},
    }
    print(f"written to {write('random_arm_sweep', results).name}")
    return 0 if all(error <= TARGET for error, _ in worst.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
