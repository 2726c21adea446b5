"""Base parameters from a given matrix: 31,000 samples of a UR5e, beside FIGAROH on the same matrix.

    python benchmarks/base_parameters.py [--rounds 5]

Both get the same array in the same process, one thread, and take turns. FIGAROH's `get_baseParams` expects columns
without influence to be dropped before, so it gets the 49 others; ours is timed with these and with all 60. Whether
both found the same relation is checked before any time is stated.
"""

# ruff: noqa: E402  numeric libraries read the number of threads when they are imported
from __future__ import annotations

import argparse
import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import statistics
import time
from collections.abc import Callable

import numpy as np
from figaroh.tools.qrdecomposition import get_baseParams

import jointwise as jw
from _report import write
from jointwise.robot.independent import independent_columns
from jointwise.robot.regressor import column_names

SAMPLES = 31_000
TARGET = 15.0
SAME = 1e-6
"""Largest relative difference between the torques of both results; FIGAROH rounds its coefficients to six decimals."""


def race(candidates: dict[str, Callable[[], object]], rounds: int) -> dict[str, dict[str, float]]:
    """Seconds of each candidate, minimum and median over interleaved rounds."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, call in candidates.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: {"min_s": min(t), "median_s": statistics.median(t)} for name, t in times.items()}


def stacked_regressor(robot: jw.Robot) -> np.ndarray:
    rng = np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (SAMPLES, 6))
    dq, ddq = rng.normal(size=(2, SAMPLES, 6)) * np.array([2.0, 8.0])[:, None, None]
    return robot.regressor(q, dq, ddq).reshape(-1, 60)


def check_same(w: np.ndarray, names: list[str]) -> int:
    """Both keep as many columns, and each set carries the whole matrix."""
    ours = independent_columns(w, names)
    _, _, theirs = get_baseParams(w, names)
    for kept in (ours.kept, theirs):
        relation = np.linalg.lstsq(w[:, kept], w, rcond=None)[0]
        missing = np.abs(w[:, kept] @ relation - w).max() / np.abs(w).max()
        if missing > SAME:
            raise SystemExit(f"the kept columns miss {missing:.1e} of the matrix")
    if len(ours.kept) != len(theirs):
        raise SystemExit(f"{len(ours.kept)} columns against {len(theirs)}")
    return len(ours.kept)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    robot = jw.load_robot("ur5e")
    names = list(column_names(robot))
    every = stacked_regressor(robot)
    used = np.flatnonzero(np.linalg.norm(every, axis=0) > 1e-9)
    w, used_names = np.ascontiguousarray(every[:, used]), [names[k] for k in used]
    count = check_same(w, used_names)
    times = race(
        {
            "figaroh, 49 columns": lambda: get_baseParams(w, used_names),
            "jointwise, 49 columns": lambda: independent_columns(w, used_names),
            "jointwise, 60 columns": lambda: independent_columns(every, names),
            "jointwise, numeric, own samples": robot.base_parameters,
            "jointwise, analytic": lambda: robot.base_parameters(method="analytic"),
        },
        rounds,
    )
    theirs, ours = times["figaroh, 49 columns"], times["jointwise, 49 columns"]
    ratio = {key: theirs[key] / ours[key] for key in ours}
    for name, t in times.items():
        print(f"{name:32} min {1e3 * t['min_s']:8.2f} ms   median {1e3 * t['median_s']:8.2f} ms")
    print(f"{count} base parameters from {w.shape[0]} x {w.shape[1]}")
    print(f"ratio min {ratio['min_s']:.1f}, median {ratio['median_s']:.1f}, target {TARGET:g}")
    results = {"rows": w.shape[0], "count": count, "rounds": rounds, "times": times}
    path = write("base_parameters", results | {"ratio": ratio, "target": TARGET})
    print(path.name)
    if ratio["min_s"] < TARGET:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
