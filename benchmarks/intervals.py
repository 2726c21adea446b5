"""Do 95 % intervals of base parameters hold the truth in 95 % of cases? Random arms, four motions of 20 s each.

`plain`: what a torque model leaves out is off (linear gears, Coulomb, viscous and offset friction, sensors with
noise and steps only). `full`: everything `random_arm` draws is on. The robot given to the fit is the data sheet without
the tool the arm carries; torque constants and gear ratios are the true ones. Counted are parameters with a verdict of
identified or weak, and beside them all. Arms that are done are read from the result, so a run can be continued.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np

from _report import RESULTS, write
from jointwise.experiments.prediction import model_of
from jointwise.experiments.robot_fit import fit_robot
from jointwise.plant.population import random_arm

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from plain_twins import excitations, known_drives, plain_arm, record, true_base

NAME = "intervals"
PROCESSES = 2
FILTER_HZ = 10.0
FRICTION = {
    "plain": ("coulomb", "viscous", "offset"),
    "full": ("coulomb", "viscous", "offset", "load", "degressive"),
}
TOLD = ("identified", "weak")


def one_arm(kind: str, seed: int) -> dict[str, Any]:
    """Hits of one arm."""
    plant = plain_arm(seed) if kind == "plain" else random_arm("ur5e", seed=seed)
    known = known_drives(plant)
    motions = excitations(known, [10 * seed + k for k in range(4)])
    recordings = record(plant, motions, seed=seed)
    fit = fit_robot(
        known, recordings, filter_hz=FILTER_HZ, friction=FRICTION[kind], torque="current"
    )
    truth = true_base(plant, model_of(fit).design)
    base = fit.parameters[: len(truth)]
    hits = np.array([p.lower <= t <= p.upper for p, t in zip(base, truth, strict=True)])
    told = np.array([p.verdict in TOLD for p in base])
    wide = np.array([p.upper - p.lower for p in base]) / np.maximum(np.abs(truth), 0.05)
    return {
        "told": int(told.sum()),
        "told_hits": int(hits[told].sum()),
        "all": len(base),
        "all_hits": int(hits.sum()),
        "median_relative_width": float(np.median(wide)),
        "delay_ms": [1e3 * delay for delay in fit.settings["delay_s"]],
        "above_floor": [j["residual_rms"] / j["noise_floor"] for j in fit.joints],
        "follows": [j["residual_follows"] for j in fit.joints],
        "says_so": any("stands above the noise" in note for note in fit.notes),
    }


def summary(arms: dict[str, dict[str, Any]]) -> dict[str, float]:
    """Coverage over all arms."""
    total = {k: sum(a[k] for a in arms.values()) for k in ("told", "told_hits", "all", "all_hits")}
    return {
        "arms": len(arms),
        "parameters": total["told"],
        "coverage": total["told_hits"] / total["told"],
        "coverage_all": total["all_hits"] / total["all"],
        "worst_arm": min(a["told_hits"] / a["told"] for a in arms.values()),
        "median_relative_width": float(
            np.median([a["median_relative_width"] for a in arms.values()])
        ),
        "share_of_arms_said_above_noise": float(np.mean([a["says_so"] for a in arms.values()])),
        "median_residual_over_floor": float(np.median([a["above_floor"] for a in arms.values()])),
    }


def main() -> None:
    """Measure, print and store after each arm."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--arms", type=int, default=50)
    parser.add_argument("--first", type=int, default=100, help="seed of the first arm")
    options = parser.parse_args()
    path = RESULTS / f"{NAME}.json"
    done: dict[str, dict[str, Any]] = {"plain": {}, "full": {}}
    if path.exists():
        done = json.loads(path.read_text())["results"]["arms"]
    jobs = [
        (kind, seed)
        for seed in range(options.first, options.first + options.arms)
        for kind in FRICTION
        if str(seed) not in done[kind]
    ]
    with ProcessPoolExecutor(PROCESSES) as pool:
        futures = {pool.submit(one_arm, *job): job for job in jobs}
        for future in as_completed(futures):
            kind, seed = futures[future]
            done[kind][str(seed)] = future.result()
            report = {k: summary(v) for k, v in done.items() if v}
            write(NAME, {"summary": report, "arms": done})
            print(kind, seed, f"{report[kind]['coverage']:.3f}", flush=True)
    for kind, arms in done.items():
        print(kind, json.dumps(summary(arms), indent=1))


if __name__ == "__main__":
    main()
