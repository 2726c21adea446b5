"""Friction with memory from ordinary recordings of real arms: what each step of the friction ladder leaves.

    python benchmarks/memory.py ur10e LOG.csv...    unloaded logs, columns as in docs/column-maps/ur10e.toml
    python benchmarks/memory.py emps DATA_EMPS.mat

Every recording (of a single one, every half) is predicted by the fit to all others. Errors are RMS over all left-out
samples, moving and standing joints apart, with the state before a recording read off its first second, which is not
scored. Writes benchmarks/results/memory_NAME.json and prints the tables.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from _report import write
from jointwise.experiments.fit import Fit
from jointwise.experiments.robot_fit import fit_robot
from jointwise.experiments.robot_result import LADDER_ERRORS
from jointwise.recording.recording import Recording
from jointwise.robot.library import load_robot

FILTER_HZ = {"ur10e": 5.0, "emps": 100.0}
STANDING = 0.02
"""rad/s: slower counts as standing on the UR10e."""
DAMAGED_ROWS = {"ur-19_09_27-11_32_02.csv": 25}
"""Rows of uninitialised memory at the start of a log."""


def main(name: str, paths: list[str]) -> None:
    """Climb the ladder and write what was found."""
    logs = {Path(p).stem: reader(name)(Path(p)) for p in paths}
    begin = time.perf_counter()
    fit = fit_robot(
        load_robot(name), logs, filter_hz=FILTER_HZ[name], friction=("auto",), method="bounded",
        moving=STANDING if name == "ur10e" else None,
    )  # fmt: skip
    rows = table(fit)
    for row in rows:
        print(row["step"], "moving", row["moving"], "standing", row["standing"])
    print("taken:", fit.settings["ladder_chosen"])
    found = {
        "robot": name,
        "recordings": list(logs),
        "filter_hz": FILTER_HZ[name],
        "seconds": time.perf_counter() - begin,
        "steps": rows,
        "chosen": fit.settings["ladder_chosen"],
        "compliance_rad_per_nm": list(fit.settings["compliance"]),
        "residual_follows": [[j["residual_follows"], j["correlation"]] for j in fit.joints],
    }
    print(write(f"memory_{name}", found))


def table(fit: Fit) -> list[dict[str, object]]:
    """One row per step: errors per joint, score, how much worse than the best."""
    s = fit.settings
    return [
        {
            "step": step,
            "moving": pooled(errors)[0],
            "standing": pooled(errors)[1],
            "score": score,
            "excess": excess,
            "excess_standard_error": error,
        }
        for step, errors, score, excess, error in zip(
            s["ladder"], fit.arrays[LADDER_ERRORS], s["ladder_score"], s["ladder_excess"],
            s["ladder_excess_error"], strict=True,
        )
    ]  # fmt: skip


def pooled(errors: np.ndarray) -> list[list[float]]:
    """RMS over recordings, [moving, standing] per joint."""
    return np.round(np.sqrt(np.nanmean(errors**2, axis=0)).T, 4).tolist()


def reader(name: str):
    """How the logs of this robot are read."""
    return ur10e if name == "ur10e" else emps


def ur10e(path: Path) -> Recording:
    """A log without header: time, positions, velocities, currents."""
    rows = np.genfromtxt(path, delimiter=",", invalid_raise=False)[DAMAGED_ROWS.get(path.name, 0) :]
    return Recording(
        robot="ur10e",
        joint_names=tuple(j.name for j in load_robot("ur10e").joints),
        time=rows[:, 0],
        columns={"q": rows[:, 1:7], "dq": rows[:, 7:13], "current": rows[:, 13:19]},
    )


def emps(path: Path) -> Recording:
    """The benchmark's MATLAB file; the drive's force from its voltage."""
    from scipy.io import loadmat

    raw = loadmat(path)
    return Recording(
        robot="emps",
        joint_names=tuple(j.name for j in load_robot("emps").joints),
        time=raw["t"].ravel(),
        columns={"q": raw["qm"], "motor_torque": raw["vir"] * float(raw["gtau"].squeeze())},
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
