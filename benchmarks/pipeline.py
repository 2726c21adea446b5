"""From CSV files to a torque model: nine logs to a report, the same CSV with FIGAROH, and one hour at 500 Hz.

    python benchmarks/pipeline.py [--rounds 3] [--hour 3600]

Nine logs: import, fit with the friction an arm of this kind needs, physical bodies, scores on recordings left out,
intervals, and the HTML report; in one process after a first run, and as `jointwise fit robot ... --report` from the
start of the process. FIGAROH gets the same nine CSV files and does less: zero-phase low-pass, its differentiation,
its regressor with Coulomb, viscous, offset and rotor inertia, its decimation by ten, its base parameters, and its
physical fit, without weights, scores, intervals or report. Ours is measured with and without the search for the trim of
the set-up, which the peer has nothing like. The hour is a smooth motion with the friction of a UR5e
and noise; it is fitted in a process of its own, whose peak memory is stated.
"""

# ruff: noqa: E402  numeric libraries read the number of threads when they are imported
from __future__ import annotations

import argparse
import functools
import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import jointwise as jw
from _report import idle_share, write
from jointwise.experiments.robot_fit import fit_robot
from jointwise.recording.import_map_file import load_column_map
from jointwise.recording.import_recording import import_recording
from jointwise.recording.recording import Recording
from jointwise.report.write import write_report

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data" / "ur10e"
MAP = ROOT / "docs" / "column-maps" / "ur10e.toml"
FILTER_HZ = 5.0
SAME_FRICTION = ("coulomb", "viscous", "offset")
NINE_S, HOUR_S, HOUR_MB, TIMES = 5.0, 15.0, 1000.0, 5.0
HOUR_SCRIPT = """
import sys, time
from pathlib import Path
import jointwise as jw
from jointwise.experiments.robot_fit import fit_robot
recording = jw.load_recording(sys.argv[1])
start, cpu = time.perf_counter(), time.process_time()
fit = fit_robot(jw.load_robot("ur5e"), {"hour": recording}, filter_hz=8.0)
spent = time.perf_counter() - start, time.process_time() - cpu
peak = next(r for r in Path("/proc/self/status").read_text().splitlines() if r.startswith("VmHWM"))
print(fit.status.replace(" ", "_"), *spent, float(peak.split()[1]) / 1024.0)
"""


def timed(action: Callable[[], Any]) -> tuple[float, float]:
    """Seconds on the clock and of processor."""
    start, cpu = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - start, time.process_time() - cpu


def best(action: Callable[[], Any], rounds: int) -> dict[str, float]:
    """The least disturbed of several rounds."""
    times = [timed(action) for _ in range(rounds)]
    return {"seconds": min(t[0] for t in times), "processor_seconds": min(t[1] for t in times)}


# ---- nine logs ------------------------------------------------------------------------------


def to_report(logs: list[Path], out: Path, **chosen: Any) -> None:
    """CSV files to a fit and, where `out` is not a folder, its report."""
    robot, columns = jw.load_robot("ur10e"), load_column_map(MAP)
    with ThreadPoolExecutor() as pool:
        read = pool.map(lambda p: import_recording(p, robot=robot, columns=columns), logs)
        recordings = {p.stem: one for p, one in zip(logs, read, strict=True)}
    fit = fit_robot(robot, recordings, filter_hz=FILTER_HZ, torque="current", **chosen)
    if not out.is_dir():
        write_report(out, fit, recordings)


def command_line(logs: list[Path], folder: Path) -> dict[str, float]:
    """`jointwise fit robot` on nine recordings with its report, from the start of the process."""
    paths = []
    for log in logs:
        paths.append(folder / f"{log.stem}.parquet")
        import_recording(log, robot="ur10e", columns=MAP).save(paths[-1])
    words = [sys.executable, "-m", "jointwise", "fit", "robot", *map(str, paths)]
    words += ["--robot", "ur10e", "--filter-hz", f"{FILTER_HZ:g}", "--torque", "current"]
    words += ["-o", str(folder / "fit.toml"), "--report", str(folder / "page.html"), "--json"]
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run(words, check=True, capture_output=True)
        seconds.append(time.perf_counter() - start)
    return {"seconds": min(seconds)}


# ---- the peer -------------------------------------------------------------------------------


def peer(logs: list[Path], urdf: Path) -> None:
    """The same CSV files through FIGAROH's own functions."""
    import pinocchio as pin
    from figaroh.identification.identification_tools import (
        calculate_first_second_order_differentiation,
    )
    from figaroh.identification.physical_fit import build_problem, solve_direct_effort_fit
    from figaroh.tools.qrdecomposition import get_baseParams
    from figaroh.tools.regressor import (
        build_regressor_basic,
        build_regressor_reduced,
        get_index_eliminate,
    )
    from scipy import signal

    arm = jw.load_robot("ur10e")
    constants = np.array([j.drive.torque_constant for j in arm.joints])
    model = pin.buildModelFromUrdf(str(urdf))
    robot = SimpleNamespace(model=model, data=model.createData())
    options: dict[str, Any] = {"has_friction": True, "has_actuator_inertia": True}
    options |= {"has_joint_offset": True, "act_idxv": range(6)}
    stacks, torques = [], []
    for log in logs:
        table = np.loadtxt(log, delimiter=",")
        dt = float(np.mean(np.diff(table[:, 0])))
        b, a = signal.butter(4, FILTER_HZ * 2.0 * dt)
        q = signal.filtfilt(b, a, table[:, 1:7], axis=0)
        q, dq, ddq = calculate_first_second_order_differentiation(model, q, {"ts": dt})
        w = build_regressor_basic(robot, q, dq, ddq, options)
        tau = (table[:-2, 13:19] * constants).T
        w = w.reshape(6, len(q), -1)
        stacks.append(signal.decimate(w, 10, axis=1, zero_phase=True))
        torques.append(signal.decimate(tau, 10, axis=1, zero_phase=True))
    w = np.concatenate(stacks, axis=1).reshape(-1, stacks[0].shape[2])
    tau = np.concatenate(torques, axis=1).ravel()
    joints = [f"j{k + 1}" for k in range(6)]
    parts = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz", "mx", "my", "mz", "m")
    names = [f"{part}_{joint}" for joint in joints for part in parts]
    names += [f"{part}_{joint}" for part in ("fv", "fs", "Ia", "off") for joint in joints]
    dropped, kept_names = get_index_eliminate(w, dict.fromkeys(names, 0.0))
    reduced = build_regressor_reduced(w, dropped)
    _, _, places = get_baseParams(reduced, kept_names)
    np.linalg.lstsq(reduced[:, list(places)], tau, rcond=None)
    prior = np.concatenate([arm.parameters(), np.full(24, 0.1)])
    solve_direct_effort_fit(build_problem(w, tau, names, joints, prior=prior))


# ---- one hour -------------------------------------------------------------------------------


def hour(seconds: float, path: Path) -> None:
    """A recording at 500 Hz: smooth motion, rigid links, rotors, friction with load, noise."""
    robot, rng = jw.load_robot("ur5e"), np.random.default_rng(0)
    t = np.arange(int(seconds * 500.0)) / 500.0
    q, dq, ddq = (np.zeros((len(t), 6)) for _ in range(3))
    for j in range(6):
        for hz in rng.uniform(0.02, 0.6, 8):
            w, phase = 2.0 * np.pi * hz, rng.uniform(0.0, 2.0 * np.pi)
            size = rng.uniform(0.2, 0.5) / (1.0 + 6.0 * hz)
            wave, slope = np.sin(w * t + phase), np.cos(w * t + phase)
            q[:, j] += size * wave
            dq[:, j] += size * w * slope
            ddq[:, j] -= size * w * w * wave
    load = robot.inverse_dynamics(q, dq, ddq)
    coulomb = np.array([5.6, 5.6, 5.6, 1.3, 1.3, 1.3])
    rotor = np.array([0.9, 0.9, 0.9, 0.15, 0.15, 0.15])
    friction = np.tanh(dq / 3e-3) * (coulomb + 0.04 * np.abs(load)) + 0.5 * coulomb * dq
    torque = load + rotor * ddq + friction + 0.2 * rng.standard_normal(q.shape)
    Recording(
        robot="ur5e",
        joint_names=tuple(j.name for j in robot.joints),
        time=t,
        columns={"q": q + 1e-5 * rng.standard_normal(q.shape), "motor_torque": torque},
    ).save(path)


def fitted_hour(seconds: float, folder: Path, rounds: int) -> dict[str, Any]:
    path = folder / "hour.parquet"
    hour(seconds, path)
    runs = []
    for _ in range(rounds):
        words = [sys.executable, "-c", HOUR_SCRIPT, str(path)]
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        status, *numbers = done.stdout.split()
        runs.append((float(numbers[0]), float(numbers[1]), float(numbers[2]), status))
    return {
        "seconds_recorded": seconds,
        "seconds": min(r[0] for r in runs),
        "processor_seconds": min(r[1] for r in runs),
        "peak_mb": max(r[2] for r in runs),
        "status": runs[0][3],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hour", type=float, default=3600.0, help="seconds of the long recording")
    options = parser.parse_args()
    logs = sorted(DATA.glob("*harm*.csv"))
    results: dict[str, Any] = {"idle_share_at_the_start": idle_share(2.0)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if logs:
            to_report(logs, folder / "page.html")  # compiles
            rounds = options.rounds
            results["nine logs to report"] = best(
                lambda: to_report(logs, folder / "p.html"), rounds
            )
            results["the same from the command line"] = command_line(logs, folder)
            theirs = best(lambda: peer(logs, DATA / "ur10e.urdf"), max(1, rounds - 1))
            results["same columns, figaroh"] = theirs
            for name, trim in {"with trim": True, "without trim": False}.items():
                same = {"friction": SAME_FRICTION, "trim": trim}
                ours = best(functools.partial(to_report, logs, folder, **same), 2 * rounds)
                results[f"same columns, jointwise, {name}"] = ours
                results[f"times figaroh, {name}"] = {k: theirs[k] / ours[k] for k in ours}
        results["one hour at 500 Hz"] = fitted_hour(
            options.hour, folder, max(1, options.rounds - 1)
        )
    results["wanted"] = {
        "nine logs, s": NINE_S, "hour, s": HOUR_S, "hour, MB": HOUR_MB, "times figaroh": TIMES,
    }  # fmt: skip
    for key, value in results.items():
        print(f"{key}: {value}")
    print(write("pipeline", results).name)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
