"""Pushing at the tool tells the stiffness of every gear, which the fit from motor encoders alone needs. Spec 07.8."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import jointwise as jw
from jointwise.cli.main import app
from jointwise.errors import FileError, ParameterError, ShapeError
from jointwise.experiments.cartesian_stiffness import fit_cartesian_stiffness
from jointwise.experiments.static_tests import StaticTests, load_static_tests
from jointwise.laws.transmissions import Transmission
from jointwise.motion.plan import plan
from jointwise.plant.servo import Servo
from jointwise.plant.twin import Twin
from plain_twins import known_drives, plain_arm

STIFFNESS = np.array([3.0e4, 2.5e4, 1.8e4, 6e3, 5e3, 4e3])
LOADS = np.hstack([150.0 * np.eye(3), 20.0 * np.roll(np.eye(3), 1, axis=1)])
"""N and N m: along each axis in turn, beside the tool, so that the last joint is turned too."""


@pytest.fixture(scope="module")
def arm():
    return jw.load_robot("ur5e")


@pytest.fixture(scope="module")
def poses(arm):
    return np.array(plan("static", arm, poses=8, dwell=0.1).notes["waypoints"][1:])


def turned(before, after):
    """Rotation vector from one orientation to the other, base axes."""
    r = after @ before.T
    return 0.5 * np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])


def way(arm, q, load, stiffness):
    """What the tool does under a load: equilibrium of springs, gravity and load at the pose it ends in."""
    rest = arm.gravity_torque(q)
    theta = q + rest / stiffness

    def settled(wrench):
        here = q
        for _ in range(60):
            torque = arm.gravity_torque(here) - arm.jacobian(here).T @ wrench
            here = theta - torque / stiffness
        return arm.pose(here)

    before, after = settled(np.zeros(6)), settled(load)
    return np.concatenate([after[:3, 3] - before[:3, 3], turned(before[:3, :3], after[:3, :3])])


def pushes(arm, poses, *, noise=0.0, stiffness=STIFFNESS):
    rng = np.random.default_rng(3)
    q = np.repeat(poses, 3, axis=0)
    load = np.tile(LOADS, (len(poses), 1))
    moved = np.array([way(arm, a, b, stiffness) for a, b in zip(q, load, strict=True)])
    return StaticTests(q=q, load=load, way=moved + noise * rng.standard_normal(moved.shape))


def test_the_stiffness_of_every_gear_is_found_from_exact_tests(arm, poses):
    """The rest is geometry: the Jacobian is that of the pose without the load."""
    fit = fit_cartesian_stiffness(arm, pushes(arm, poses))
    np.testing.assert_allclose(fit.values, STIFFNESS, rtol=0.01)
    assert {p.verdict for p in fit.parameters} == {"identified"}
    law = Transmission.from_law(fit.robot.joints[1].transmission)
    assert law.stiffness.spring_stiffness == fit.values[1]


def test_intervals_hold_under_noise_of_the_sensor(arm, poses):
    hits = []
    for seed in range(10):
        tests = pushes(arm, poses)
        scale = np.array([2e-5] * 3 + [5e-5] * 3)
        noise = scale * np.random.default_rng(seed).standard_normal(tests.way.shape)
        fit = fit_cartesian_stiffness(arm, replace(tests, way=tests.way + noise))
        hits += [p.lower <= t <= p.upper for p, t in zip(fit.parameters, STIFFNESS, strict=True)]
    assert np.mean(hits) > 0.85  # of 60 intervals that shall hold in 95 % of cases


def test_shifts_alone_are_enough_and_a_gear_nobody_loads_is_said_to_be_hidden(arm, poses):
    tests = pushes(arm, poses)
    fit = fit_cartesian_stiffness(
        arm, replace(tests, way=tests.way * [1, 1, 1, np.nan, np.nan, np.nan])
    )
    np.testing.assert_allclose(fit.values[:5], STIFFNESS[:5], rtol=0.02)
    vertical = np.array([[0.0, -1.2, 1.0, -1.0, -1.57, 0.0], [0.3, -0.9, 0.8, -1.0, -1.57, 0.4]])
    down = pushes(arm, vertical)
    only = (
        np.arange(len(down)) % 3 == 2
    )  # along z, and the moments left out: nothing turns the first joint
    load = down.load[only] * [0, 0, 1, 0, 0, 0]
    fit = fit_cartesian_stiffness(arm, StaticTests(q=down.q[only], load=load, way=down.way[only]))
    assert fit.parameters[0].verdict == "not identifiable"
    assert fit.robot.joints[0].transmission == arm.joints[0].transmission


def test_a_twin_pushed_at_the_tool_gives_its_gears_back(poses):
    plant = plain_arm(3, stiff=0.5, link_encoder=False)
    plant = replace(plant, servo=Servo(integral_gain=100.0))
    stiffness = [j.transmission.stiffness.spring_stiffness for j in plant.joints]
    robot, rows = plant.robot, []
    for q in poses[:4]:
        for axis in range(3):
            load = 0.3 * LOADS[axis]  # within the torque limits of the wrist
            moved = []
            for wrench in (np.zeros(6), load):
                twin = Twin(plant=plant, seed=1)
                held = jw.Motion(
                    joint_names=tuple(j.name for j in robot.joints), time=np.arange(1000) * 1e-3,
                    q=np.tile(q, (1000, 1)), dq=np.zeros((1000, 6)), ddq=np.zeros((1000, 6)),
                )  # fmt: skip
                end = twin.run(held, wrench=wrench).raise_for_status().recording["true_q"][-50:]
                moved.append(robot.pose(end.mean(axis=0)))
            before, after = moved
            turn = turned(before[:3, :3], after[:3, :3])
            rows.append((q, load, [*(after[:3, 3] - before[:3, 3]), *turn]))
    q, load, moved = (np.array(part) for part in zip(*rows, strict=True))
    fit = fit_cartesian_stiffness(known_drives(plant), StaticTests(q=q, load=load, way=moved))
    np.testing.assert_allclose(fit.values, stiffness, rtol=0.05)


def test_the_command_reads_a_table_and_its_fit_is_a_robot(arm, poses, tmp_path):
    table, out = tmp_path / "pushes.csv", tmp_path / "stiffness.fit.toml"
    tests = pushes(arm, poses)
    replace(tests, way=tests.way * [1, 1, 1, 1, np.nan, 1]).save(table)
    page = tmp_path / "page.html"
    words = ["fit", "cartesian-stiffness", str(table), "--robot", "ur5e", "-o", str(out)]
    done = CliRunner().invoke(app, [*words, "--json", "--report", str(page)])
    assert done.exit_code == 0, done.output
    found = {p["name"]: p["value"] for p in json.loads(done.stdout)["parameters"]}
    assert found["stiffness_elbow"] == pytest.approx(STIFFNESS[2], rel=0.01)
    assert page.read_text().count("stiffness_elbow") >= 1
    robot = jw.load_robot(out)
    law = Transmission.from_law(robot.joint("elbow").transmission)
    assert law.stiffness.spring_stiffness == found["stiffness_elbow"]
    again = jw.fit("cartesian-stiffness", arm, table)
    assert again["stiffness_elbow"].value == found["stiffness_elbow"]


def test_bad_tables_are_refused_with_what_is_wrong(arm, poses, tmp_path):
    tests = pushes(arm, poses[:2])
    path = tmp_path / "t.csv"
    tests.save(path)
    text = path.read_text()
    for wrong, match in (
        (text.replace("force_x", "kraft_x"), "kraft_x"),
        (text.replace("q_6", "q_7"), "q_7"),
        (text.replace("150.0", "much"), "much"),
        (text.splitlines()[0], "one row per test"),
    ):
        path.write_text(wrong)
        with pytest.raises(FileError, match=match):
            load_static_tests(path, 6)
    with pytest.raises(ParameterError, match="another unit"):
        replace(tests, way=1e3 * tests.way)
    with pytest.raises(ShapeError):
        StaticTests(q=tests.q, load=tests.load[:2], way=tests.way)
    with pytest.raises(ParameterError, match="joints of the tests"):
        fit_cartesian_stiffness(jw.load_robot("two_link"), tests)
    few = StaticTests(q=tests.q[:1], load=tests.load[:1], way=tests.way[:1])
    with pytest.raises(ParameterError, match="push in more poses"):
        fit_cartesian_stiffness(arm, few)
