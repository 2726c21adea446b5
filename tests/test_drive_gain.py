"""Torque constants from standstill and from a known payload: made-up numbers, a twin, and a real arm."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from jointwise.cli.main import app
from jointwise.errors import ParameterError, UnknownNameError
from jointwise.experiments.drive_gain import fit_drive_gain
from jointwise.experiments.fit import load_fit
from jointwise.recording.recording import Recording
from jointwise.robot.inertia import Body, body_from_parameters
from jointwise.robot.library import load_robot
from plain_twins import excitations, known_drives, plain_arm, record
from real_logs import need_data, ur10e, ur10e_logs

STATED = (11.976, 9.839, 10.763, 10.763)  # N m/A, joints 2 to 5 of the real UR10e
WEIGHT = Body(mass=3.0, center_of_mass=(0.04, -0.03, 0.09), inertia=(0.0,) * 6)


def held(gains, *, poses=6, noise=0.0, friction=0.0, loads=(10.0, 5.0), column="current_ref"):
    """A two-joint arm that holds poses for a second each and moves between them."""
    rng = np.random.default_rng(4)
    time = np.arange(poses * 200) / 100.0
    rest = (np.arange(len(time)) // 100) % 2 == 0
    pose = np.arange(len(time)) // 200
    torque = rng.uniform(-1.0, 1.0, (poses, 2))[pose] * loads
    torque = (
        torque + np.where(rest, 0.0, 3.0)[:, None]
    )  # the model accelerates, the current does not follow
    held_by_friction = friction * rng.choice([-1.0, 1.0], (poses, 2))[pose]
    current = (np.where(rest[:, None], torque, 0.0) + held_by_friction) / gains
    return Recording(
        robot="two_link",
        joint_names=("shoulder", "elbow"),
        time=time,
        columns={
            "q": np.zeros((len(time), 2)),
            "dq": np.where(rest, 0.0, 0.5)[:, None] * np.ones(2),
            "model_torque": torque,
            column: np.round(current + noise * rng.normal(size=current.shape), 4),
        },
    )


def test_gains_at_standstill_are_exact_without_friction():
    fit = fit_drive_gain(load_robot("two_link"), held((12.0, 7.0)))
    assert np.allclose(fit.values, (12.0, 7.0), rtol=1e-4)
    assert {p.verdict for p in fit.parameters} == {"identified"}
    assert fit.robot.joint("elbow").drive.torque_constant == fit.values[1]
    assert any("stated by the robot file" in note for note in fit.notes)


def test_friction_held_at_rest_widens_the_interval_and_does_not_leave_the_truth():
    rec = held((12.0, 7.0), poses=30, friction=1.0, noise=0.01, column="current")
    fit = fit_drive_gain(load_robot("two_link"), rec)
    for parameter, truth in zip(fit.parameters, (12.0, 7.0), strict=True):
        assert parameter.std > 1e-3 * truth
        assert parameter.verdict == "weak"
        assert parameter.lower < truth < parameter.upper


def test_a_motor_without_load_is_said_to_be_hidden_and_keeps_its_file_value():
    robot = load_robot("two_link")
    fit = fit_drive_gain(robot, held((12.0, 7.0), loads=(10.0, 0.0)))
    assert [p.verdict for p in fit.parameters] == ["identified", "not identifiable"]
    assert fit.robot.joint("elbow").drive == robot.joint("elbow").drive


def test_one_pose_is_no_evidence():
    fit = fit_drive_gain(load_robot("two_link"), held((12.0, 7.0), poses=1))
    assert {p.verdict for p in fit.parameters} == {"weak"}


def test_a_current_of_the_other_sign_is_not_physical():
    fit = fit_drive_gain(load_robot("two_link"), held((-12.0, 7.0)))
    assert [p.verdict for p in fit.parameters] == ["not physical", "identified"]


def test_what_cannot_be_done_is_refused_in_one_sentence():
    robot, rec = load_robot("two_link"), held((12.0, 7.0))
    moving = replace(rec, columns={**rec.columns, "dq": np.ones((len(rec), 2))})
    with pytest.raises(ParameterError, match="rest in the recordings"):
        fit_drive_gain(robot, moving)
    with pytest.raises(UnknownNameError, match="column of this recording"):
        fit_drive_gain(robot, rec, reference="joint_torque")
    with pytest.raises(UnknownNameError, match="reference torque"):
        fit_drive_gain(robot, rec, reference="motor_torque")
    with pytest.raises(ParameterError, match="payload"):
        fit_drive_gain(robot, rec, without=rec)
    with pytest.raises(ParameterError, match="mass"):
        fit_drive_gain(robot, rec, without=rec, payload=replace(WEIGHT, mass=0.0), filter_hz=5.0)


def test_a_known_payload_tells_the_gains_of_the_joints_that_carry_it():
    plant = plain_arm(5)
    known = known_drives(plant)
    blind = known.replace(
        {f"joints.{j.name}.drive.torque_constant": 1.0 for j in known.joints}, source="not known"
    )
    bare = record(plant, excitations(known, [1, 2], duration=10.0))
    own = plant.robot.payload.parameters() + WEIGHT.parameters()
    heavy = plant.robot.replace({"payload": body_from_parameters(own)}, source="test")
    loaded = record(replace(plant, robot=heavy), excitations(known, [1, 2], duration=10.0), seed=1)
    fit = fit_drive_gain(blind, loaded, without=bare, payload=WEIGHT, filter_hz=8.0)
    true = [j.drive.torque_constant for j in plant.robot.joints]
    for k in (1, 2, 3):  # the joints that lift it
        assert fit.parameters[k].verdict == "identified"
        assert fit.values[k] == pytest.approx(true[k], rel=0.03)
    only_loaded = fit_drive_gain(blind, loaded, payload=WEIGHT, filter_hz=8.0)
    assert {p.verdict for p in only_loaded.parameters} == {"not identifiable"}


def test_the_constants_of_the_real_arm_come_out_as_stated():
    need_data()
    logs = {p.stem: with_targets(p) for p in ur10e_logs()}
    fit = fit_drive_gain(load_robot("ur10e"), logs)
    assert np.allclose(fit.values[1:5], STATED, rtol=2e-3)
    verdicts = [p.verdict for p in fit.parameters]
    assert verdicts == ["not identifiable", *4 * ["identified"], "not identifiable"]


def with_targets(path):
    """A log of the UR10e with what the controller asked for."""
    table, rec = np.loadtxt(path, delimiter=","), ur10e(path)
    return replace(
        rec,
        columns={**rec.columns, "current_ref": table[:, 19:25], "model_torque": table[:, 25:31]},
    )


def test_the_command_finds_them_too(tmp_path):
    held((12.0, 7.0)).save(tmp_path / "held.parquet")
    out = tmp_path / "gains.toml"
    words = [
        "fit",
        "drive-gain",
        str(tmp_path / "held.parquet"),
        "--robot",
        "two_link",
        "-o",
        str(out),
    ]
    page = tmp_path / "gains.html"
    done = CliRunner().invoke(app, [*words, "--json", "--report", str(page)])
    assert done.exit_code == 0, done.output
    found = {p["name"]: p["value"] for p in json.loads(done.stdout)["parameters"]}
    assert found["torque_constant_elbow"] == pytest.approx(7.0, rel=1e-4)
    assert "torque_constant_elbow" in page.read_text()
    assert load_fit(out).experiment == "drive-gain"
    wrong = CliRunner().invoke(app, [*words, "--mass", "2", "--filter-hz", "5", "--center", "up"])
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (2, 1)
    assert "three numbers" in wrong.stderr
