"""Trim of the set-up: slopes, zeros and gains that are there are found, those that are not are not."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import jointwise as jw
from arm_logs import log, smooth_path
from jointwise.cli.main import app
from jointwise.experiments.prediction import model_of, predict
from jointwise.experiments.robot_fit import fit_robot
from jointwise.experiments.trim import Trim, gains_at_joints
from jointwise.laws.coulomb import Coulomb
from jointwise.laws.offset import Offset
from jointwise.laws.viscous import Viscous

LAWS = [(Coulomb(coulomb=1.0), Viscous(viscous=2.0), Offset(offset=0.3))] * 6
FRICTION = ("coulomb", "viscous", "offset")
OFF = Trim(
    slope=(0.012, -0.008),
    zero=(0.0, 0.006, -0.008, 0.01, 0.0, 0.0),
    gain=(0.02, -0.03, 0.04, -0.02, 0.01, 0.0),
)


def recorded(robot, trim, seed, torque="joint_torque"):
    """What the sensors of an arm with this trim say."""
    true = log(trim.robot(robot), LAWS, seed=seed, noise=0.02)
    columns = {
        "q": true["q"],
        torque: true["motor_torque"] @ gains_at_joints(robot, trim.gain),
    }
    return jw.Recording(
        robot=robot.name, joint_names=true.joint_names, time=true.time, columns=columns
    )


@pytest.fixture(scope="module")
def arm():
    return jw.load_robot("ur5e")


@pytest.fixture(scope="module")
def logs(arm):
    return {f"log {seed}": recorded(arm, OFF, seed) for seed in (1, 2, 3)}


@pytest.fixture(scope="module")
def seen(logs):
    return {name: logs[name] for name in ("log 1", "log 2")}


@pytest.fixture(scope="module")
def fit(arm, seen):
    return fit_robot(arm, seen, filter_hz=10.0, friction=FRICTION)


def test_slope_and_zeros_are_found(fit):
    """Of the zeros, that of the first lifting joint; those along parallel axes hide behind link inertias."""
    assert fit.settings["slope"] == pytest.approx(OFF.slope, abs=3e-3)
    assert fit.settings["zero"][1] == pytest.approx(OFF.zero[1], abs=2e-3)
    assert any("mrad from level" in note for note in fit.notes)


def test_gains_of_joints_that_carry_the_same_links_are_found_beside_each_other(fit):
    found, truth = np.array(fit.settings["gain"][1:4]), np.array(OFF.gain[1:4])
    assert np.diff(found) == pytest.approx(np.diff(truth), abs=0.01)


def test_the_robot_found_stands_and_counts_as_the_true_one(arm, fit):
    true = OFF.robot(arm)
    assert fit.robot.gravity == pytest.approx(true.gravity, abs=0.03)
    assert np.linalg.norm(fit.robot.gravity) == pytest.approx(9.81, rel=1e-3)
    assert fit.robot.joints[1].frame.offset == pytest.approx(true.joints[1].frame.offset, abs=2e-3)
    assert "trim" in fit.robot.source_of("gravity")


def test_unseen_torque_is_predicted_as_it_is_measured(arm, fit, seen, logs):
    (part,) = predict(model_of(fit), logs["log 3"], filter_hz=10.0)
    middle = np.searchsorted(logs["log 3"].time, part.time[len(part.time) // 2])
    measured = logs["log 3"]["joint_torque"][middle]
    assert part.measured[len(part.time) // 2] == pytest.approx(measured, abs=0.5)
    believed = fit_robot(arm, seen, filter_hz=10.0, friction=FRICTION, trim=False)
    with_trim, without = (
        np.array([s.rmse for s in jw.validate(f, logs["log 3"])[0].filtered])
        for f in (fit, believed)
    )
    assert (with_trim[:3] < 0.25 * without[:3]).all()
    assert (with_trim < 1.1 * without).all()


def test_a_sound_set_up_is_believed(arm):
    sound = Trim(slope=(0.0, 0.0), zero=(0.0,) * 6, gain=(0.0,) * 6)
    found = fit_robot(arm, recorded(arm, sound, 1), filter_hz=10.0, friction=FRICTION)
    assert not any((*found.settings["slope"], *found.settings["zero"], *found.settings["gain"]))
    assert found.robot.gravity == arm.gravity


@pytest.mark.parametrize("name", ["ur5e", "kr300", "xmate7"])
def test_a_zero_turns_the_joint_in_every_convention_of_frames(name):
    arm = jw.load_robot(name)
    zero = np.linspace(-0.03, 0.04, arm.n)
    off = Trim(slope=(0.0, 0.0), zero=tuple(zero), gain=(0.0,) * arm.n)
    q = np.linspace(0.3, -1.2, arm.n)
    assert off.robot(arm).link_poses(q) == pytest.approx(arm.link_poses(q + zero), abs=1e-12)


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (9.81, 0.0, 0.0), (0.0, 0.0, 0.0)])
def test_a_slope_leans_gravity_of_any_mounting_and_keeps_its_strength(gravity):
    arm = jw.load_robot("ur5e").replace({"gravity": gravity}, source="mounted so")
    off = Trim(slope=(0.01, 0.02), zero=(0.0,) * 6, gain=(0.0,) * 6)
    leaning = np.array(off.robot(arm).gravity)
    strength = np.linalg.norm(gravity)
    assert np.linalg.norm(leaning) == pytest.approx(strength)
    cosine = leaning @ np.array(gravity) / max(strength, 1e-9) ** 2
    assert np.arccos(np.clip(cosine, -1.0, 1.0)) == pytest.approx(
        np.hypot(0.01, 0.02) if strength else np.pi / 2, rel=1e-3
    )


def test_a_payload_is_weighed_in_true_torque(arm, fit):
    true = OFF.robot(arm)
    carried = true.replace({"payload.mass": 2.0}, source="put on")
    t, q, _, _ = smooth_path(6, 20.0, 4)
    loaded = log(carried, LAWS, seed=4, noise=0.02)
    recording = jw.Recording(
        robot=arm.name, joint_names=loaded.joint_names, time=t,
        columns={
            "q": q, "joint_torque": loaded["motor_torque"] @ gains_at_joints(arm, OFF.gain)
        },
    )  # fmt: skip
    found = jw.fit("payload", fit, {"loaded": recording})
    assert found["mass"].value == pytest.approx(2.0, rel=0.05)


def test_what_a_sensor_behind_the_gear_feels_is_not_what_a_motor_feels(arm, logs):
    behind = fit_robot(arm, logs["log 1"], filter_hz=10.0, trim=False)
    assert behind.settings["friction"] == ["memory", "viscous", "offset"]
    sound = Trim(slope=(0.0, 0.0), zero=(0.0,) * 6, gain=(0.0,) * 6)
    motor = recorded(arm, sound, 1, torque="motor_torque")
    before = fit_robot(arm, motor, filter_hz=10.0, trim=False)
    assert before.settings["friction"] == ["coulomb", "viscous", "offset", "load", "degressive"]


def test_the_command_line_leaves_the_set_up_alone_if_told(arm, logs, tmp_path):
    path, out = tmp_path / "log.parquet", tmp_path / "arm.fit.toml"
    logs["log 1"].save(path)
    options = ["--robot", "ur5e", "--filter-hz", "10", "--friction", ",".join(FRICTION)]
    run = CliRunner().invoke
    result = run(app, ["fit", "robot", str(path), *options, "--no-trim", "-o", str(out), "--json"])
    assert result.exit_code == 0, result.output
    assert not any("mrad from level" in note for note in json.loads(result.stdout)["notes"])
    assert jw.load_fit(out).settings["slope"] == [0.0, 0.0]
