"""Physically consistent fits in the stress case, beside FIGAROH's on the same equations.

    python benchmarks/physical.py [--seeds 20]

UR5, 300 random states, torque noise of 5 N m, every friction coefficient 0.02, rotor inertias 0.1 kg m^2, a prior 20 %
above the truth in every value. Every link must be a body that can exist, no rotor inertia and no friction coefficient
may be negative, and the residual may be at most 1.02 times that of least squares without any condition. Each seed
draws states and noise; none is left out. FIGAROH's `solve_direct_effort_fit` gets the same rows, columns and prior.
"""

# ruff: noqa: E402  numeric libraries read the number of threads when they are imported
from __future__ import annotations

import argparse
import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import time

import numpy as np
from figaroh.identification.physical_fit import build_problem, solve_direct_effort_fit

import jointwise as jw
from _report import write
from jointwise.estimators.physical import physical
from jointwise.estimators.problem import Problem
from jointwise.estimators.pseudo_inertia import pseudo_inertia

SAMPLES, NOISE, OFF = 300, 5.0, 1.2
ROTOR, RUB = 0.1, 0.02
FRICTION = ("coulomb", "viscous")
ALLOWED = 1.02
FEASIBLE = -1e-8
"""The tolerance of the peer on eigenvalues of a pseudo-inertia."""
THEIR_ORDER = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz", "mx", "my", "mz", "m")


def their_names(robot: jw.Robot) -> list[str]:
    """The columns by the names FIGAROH gives them; rotors, Coulomb and viscous friction as it sorts them."""
    joints = [f"j{k + 1}" for k in range(robot.n)]
    links = [f"{part}_{joint}" for joint in joints for part in THEIR_ORDER]
    return links + [f"{part}_{joint}" for part in ("Ia", "fs", "fv") for joint in joints]


def smallest_eigenvalue(theta: np.ndarray) -> float:
    return float(np.linalg.eigvalsh(pseudo_inertia(theta[:60].reshape(6, 10))).min())


def judged(theta: np.ndarray, y: np.ndarray, tau: np.ndarray, free: float) -> dict[str, float]:
    """What the stress case asks of an estimate."""
    return {
        "smallest_eigenvalue": smallest_eigenvalue(theta),
        "smallest_rotor": float(theta[60:66].min()),
        "smallest_friction": float(theta[66:].min()),
        "rms_ratio": float(np.sqrt(np.mean((y @ theta - tau) ** 2)) / free),
    }


def one(robot: jw.Robot, base, seed: int) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (SAMPLES, 6))
    dq, ddq = rng.normal(size=(2, SAMPLES, 6)) * np.array([1.5, 4.0])[:, None, None]
    y = robot.regressor(q, dq, ddq, rotors=True, friction=FRICTION)
    truth = np.concatenate([robot.parameters(), np.full(6, ROTOR), np.full(12, RUB)])
    tau = y @ truth + NOISE * rng.normal(size=(SAMPLES, 6))
    rows, torque = y.reshape(-1, y.shape[-1]), tau.ravel()
    w = base.regressor(rows)
    free = float(np.sqrt(np.mean((w @ np.linalg.lstsq(w, torque, rcond=None)[0] - torque) ** 2)))
    start = time.perf_counter()
    found = physical(
        Problem.from_rows(base.names, base.regressor(y), tau),
        columns=base.columns,
        matrix=base.matrix,
        prior=OFF * truth,
        weights=np.ones(6),
    )
    ours = time.perf_counter() - start
    start = time.perf_counter()
    joints = [f"j{k + 1}" for k in range(robot.n)]
    record = solve_direct_effort_fit(
        build_problem(rows, torque, their_names(robot), joints, prior=OFF * truth)
    )
    theirs = time.perf_counter() - start
    out = {"jointwise": {**judged(found.standard, rows, torque, free), "seconds": ours}}
    if record.theta is not None:
        accepted = {"accepted": record.accepted, "seconds": theirs}
        out["figaroh"] = {**judged(record.theta, rows, torque, free), **accepted}
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    count = parser.parse_args().seeds
    robot = jw.load_robot("ur5")
    base = robot.base_parameters(rotors=True, friction=FRICTION)
    cases = [one(robot, base, seed) for seed in range(count)]
    results = {}
    for who in ("jointwise", "figaroh"):
        mine = [case[who] for case in cases if who in case]
        worst = {
            "seeds": len(mine),
            "infeasible_links": sum(c["smallest_eigenvalue"] < FEASIBLE for c in mine),
            "with_negative_rotor": sum(c["smallest_rotor"] < 0.0 for c in mine),
            "with_negative_friction": sum(c["smallest_friction"] < 0.0 for c in mine),
            "smallest_rotor": min(c["smallest_rotor"] for c in mine),
            "largest_rms_ratio": max(c["rms_ratio"] for c in mine),
            "median_seconds": float(np.median([c["seconds"] for c in mine])),
        }
        results[who] = worst
        print(f"{who}: " + ", ".join(f"{k} {v:.4g}" for k, v in worst.items()))
    ours = results["jointwise"]
    met = ours["largest_rms_ratio"] <= ALLOWED and not any(
        ours[k] for k in ("infeasible_links", "with_negative_rotor", "with_negative_friction")
    )
    print(write("physical", {"allowed_rms_ratio": ALLOWED, "met": met, **results}).name)
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
