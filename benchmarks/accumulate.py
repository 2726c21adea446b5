"""1.8 million samples of a UR5e streamed into the triangular factor: time a sample, and memory.

    python benchmarks/accumulate.py [--samples 1800000]

One hour at 500 Hz for every joint. Chunks are made one at a time, as a reader of a long recording would; the stack of
all of them would need 5.3 GB. Each case runs in a process of its own, so that its peak memory is its own.
"""

# ruff: noqa: E402  numeric libraries read the number of threads when they are imported
from __future__ import annotations

import argparse
import multiprocessing
import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import time
from pathlib import Path

import numpy as np

import jointwise as jw
from _report import write
from jointwise.robot.regressor import Accumulator

CHUNK = 20_000
TARGET_MB = 300.0
FRICTION = ("coulomb", "viscous")
CASES = {
    "60 columns": {"friction": (), "base": False},
    "36 base parameters": {"friction": (), "base": True},
    "48 base parameters with friction": {"friction": FRICTION, "base": True},
}


def peak_mb() -> float:
    """Largest resident memory of this process so far; without /proc, that of the process it came from counts too."""
    status = Path("/proc/self/status")
    if status.exists():
        row = next(r for r in status.read_text().splitlines() if r.startswith("VmHWM"))
        return float(row.split()[1]) / 1024.0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def chunks(count: int, robot: jw.Robot):
    """Motions of all joints and a torque that base parameters explain up to noise."""
    rng = np.random.default_rng(0)
    for start in range(0, count, CHUNK):
        size = min(CHUNK, count - start)
        q = rng.uniform(-np.pi, np.pi, (size, 6))
        dq, ddq = 2.0 * rng.normal(size=(size, 6)), 8.0 * rng.normal(size=(size, 6))
        tau = robot.inverse_dynamics(q, dq, ddq) + rng.normal(size=(size, 6))
        yield q, dq, ddq, tau


def accumulate(case: str, count: int) -> dict[str, float]:
    """Stream `count` samples; only the accumulation itself is timed."""
    options = CASES[case]
    robot = jw.load_robot("ur5e")
    friction = options["friction"]
    base = robot.base_parameters(friction=friction)
    sums = Accumulator(robot, friction=friction, base=base if options["base"] else None)
    for chunk in chunks(CHUNK, robot):  # kernels are compiled or loaded before memory is noted
        Accumulator(robot, friction=friction).add(*chunk)
    before, spent = peak_mb(), 0.0
    for chunk in chunks(count, robot):
        start = time.perf_counter()
        sums.add(*chunk)
        spent += time.perf_counter() - start
    columns = list(base.kept) if not options["base"] else list(range(base.count))
    factor = sums.factor[:, [*columns, -1]]
    found = np.linalg.lstsq(factor[:, :-1], factor[:, -1], rcond=None)[0]
    truth = base.values(np.concatenate([robot.parameters(), np.zeros(6 * len(friction))]))
    return {
        "samples": sums.samples,
        "us_per_sample": 1e6 * spent / count,
        "peak_mb": peak_mb(),
        "growth_mb": peak_mb() - before,
        "largest_error": float(np.abs(found - truth).max()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1_800_000)
    count = parser.parse_args().samples
    results = {}
    for case in CASES:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            results[case] = pool.apply(accumulate, (case, count))
        r = results[case]
        print(
            f"{case:34} {r['us_per_sample']:5.2f} us a sample   peak {r['peak_mb']:.0f} MB, "
            f"grown by {r['growth_mb']:.1f} MB   largest error {r['largest_error']:.1e}"
        )
    print(write("accumulate", {"cases": results, "target_mb": TARGET_MB}).name)
    if max(r["peak_mb"] for r in results.values()) > TARGET_MB:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
