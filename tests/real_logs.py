"""Real recordings of ../shared/data as `Recording`, read by hand; None of it is kept in the repository."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jointwise.recording.recording import Recording

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


def need_data():
    """Skip the test, saying so, where the measured data are absent."""
    if not DATA.is_dir():
        pytest.skip("the measured recordings of ../shared/data are absent")


def _recording(robot, names, time, **columns):
    return Recording(robot=robot, joint_names=tuple(names), time=time, columns=columns)


def _names(robot):
    from jointwise.robot.library import load_robot

    return [j.name for j in load_robot(robot).joints]


def ur10e(path):
    """One log of the UR10e; files of 2019-09-27 have no target current."""
    table = np.loadtxt(path, delimiter=",")
    return _recording(
        "ur10e",
        _names("ur10e"),
        table[:, 0],
        q=table[:, 1:7],
        dq=table[:, 7:13],
        current=table[:, 13:19],
    )


def ur10e_logs():
    """Name and path of every log of the UR10e that was recorded as it should be."""
    return [p for p in sorted((DATA / "ur10e").glob("*.csv")) if "19_09_27" not in p.name]


def ur3e():
    """The wave of the UR3e."""
    path = DATA / "ur3e" / "wave_currentData_100v_40a.csv"
    with path.open() as file:
        header = file.readline().split()
    rows = [r for r in path.read_text().splitlines()[1:] if r.strip()]
    table = np.array([[float(v) for v in r.split()] for r in rows])
    column = {
        name: table[:, [header.index(f"{field}_{j}") for j in range(6)]]
        for name, field in {
            "q": "actual_q", "dq": "actual_qd", "q_ref": "target_q", "dq_ref": "target_qd",
            "ddq_ref": "target_qdd", "current": "actual_current",
        }.items()
    }  # fmt: skip
    return _recording("ur3e", _names("ur3e"), table[:, 0], **column)


def kr300():
    """The KUKA: encoders on both sides; on the wrist the link side was not measured."""
    path = DATA / "kr300" / "kr300_a.csv"
    with path.open() as file:
        header = file.readline().strip().split(",")
    table = np.loadtxt(path, delimiter=",", skiprows=1)

    def six(name):
        return table[:, [header.index(f"{name}_{j}") for j in range(1, 7)]]

    q = np.deg2rad(six("link_position_deg"))
    q[:, 3:] = np.nan
    return _recording(
        "kr300",
        _names("kr300"),
        table[:, 0],
        theta=np.deg2rad(six("motor_position_deg")),
        q=q,
        dtheta=np.deg2rad(six("motor_velocity_deg_s")),
        q_ref=np.deg2rad(six("reference_position_deg")),
        motor_torque=six("motor_torque_nm"),
    )


def panda():
    """The Panda, 1 kHz with jitter."""
    table = np.loadtxt(DATA / "panda" / "panda_first70.csv", delimiter=",", skiprows=1)
    return _recording(
        "panda", _names("panda"), table[:, 0],
        q=table[:, 1:8], dq=table[:, 8:15], joint_torque=table[:, 15:22],
    )  # fmt: skip


def xmate7p():
    """The xMate 7 Pro, 50 Hz."""
    table = np.loadtxt(DATA / "xmate7p" / "xMate7p_traj1_results.csv", delimiter=",")
    return _recording(
        "xmate7", _names("xmate7"), np.arange(len(table)) / 50.0,
        q=table[:, :7], dq=table[:, 7:14], joint_torque=table[:, 21:28],
    )  # fmt: skip


def xmate_two_sensors():
    """The xMate with joint torque sensor, 1 kHz."""
    folder = DATA / "xmate_motor_and_sensor"
    q, dq, torque = (np.loadtxt(folder / f"excit_{k}_record.txt") for k in ("ang", "vel", "torque"))
    return _recording(
        "xmate7", _names("xmate7"), np.arange(len(q)) / 1000.0,
        q=q, dq=dq, joint_torque=torque,
    )  # fmt: skip


def tx40():
    """The TX40 with its wrist coupling, 5 kHz."""
    ratio = np.array([32.0, 32.0, 45.0, -48.0, 45.0, 32.0])
    motor = np.loadtxt(DATA / "tx40" / "pos_read_data.csv", delimiter=",", skiprows=1)
    torque = np.loadtxt(DATA / "tx40" / "curr_data.csv", delimiter=",", skiprows=1)
    coupling = np.diag(ratio)
    coupling[5, 4] = 32.0
    q = np.linalg.solve(coupling, motor.T).T + np.array([0, -np.pi / 2, np.pi / 2, 0, 0, 0])
    return _recording(
        "tx40", _names("tx40"), np.arange(len(q)) / 5000.0,
        q=q, motor_torque=torque @ coupling,
    )  # fmt: skip


def emps():
    """The linear drive, 1 kHz; rad and N m stand for m and N."""
    from scipy.io import loadmat

    raw = loadmat(DATA / "emps" / "DATA_EMPS.mat")
    return _recording(
        "emps", _names("emps"), raw["t"].ravel(), q=raw["qm"], q_ref=raw["qg"],
        motor_torque=raw["vir"] * float(raw["gtau"].squeeze()),
    )  # fmt: skip
