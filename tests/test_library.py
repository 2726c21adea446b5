"""The library: every arm loads, says where its numbers came from, and reproduces the test vectors."""

import dataclasses
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import jointwise as jw
from jointwise.cli.main import app
from jointwise.laws.friction import FrictionModel
from jointwise.laws.transmissions import Transmission
from jointwise.robot.description import Robot
from jointwise.robot.frames import ModifiedDH, homogeneous, rotation_z
from jointwise.robot.library_check import UR_LENGTHS, check_library
from jointwise.robot.parts import Joint

NAMES = (
    "emps", "kinova_joint", "kr300", "panda", "pendulum", "two_link", "tx40", "ur10e", "ur16e",
    "ur3e", "ur5", "ur5e", "xmate7",
)  # fmt: skip
UR = ("ur3e", "ur5e", "ur10e", "ur16e", "ur5")


def test_the_library_holds_these_arms():
    assert jw.list_robots() == NAMES


@pytest.mark.parametrize(
    "check", check_library(), ids=lambda c: f"{c.robot} {c.quantity}".replace(" ", "-")
)
def test_the_library_reproduces_its_test_vectors(check):
    assert check.passed, check


@pytest.mark.parametrize("name", NAMES)
def test_every_value_has_a_source(name):
    robot = jw.load_robot(name)
    assert robot.name == name
    assert robot.sources[""]
    for joint in robot.joints:
        for part in ("frame", "link", "limits.torque", "drive.gear_ratio", "friction"):
            assert robot.source_of(f"joints.{joint.name}.{part}") != "not stated"


@pytest.mark.parametrize("name", UR)
def test_unknown_drives_of_ur_arms_are_marked(name):
    unknown = jw.load_robot(name).unknown()
    assert "joints.elbow.drive.rotor_inertia" in unknown
    assert not [path for path in unknown if ".link." in path or ".frame." in path]
    with pytest.raises(jw.UnknownValueError, match="rotor_inertia"):
        jw.load_robot(name).rotor_matrix()


@pytest.mark.parametrize("name", ["emps", "kinova_joint", "kr300", "panda"])
def test_links_nobody_published_are_unknown(name):
    robot = jw.load_robot(name)
    assert {f"joints.{j.name}.link.mass" for j in robot.joints} <= set(robot.unknown())
    with pytest.raises(jw.UnknownValueError, match=r"link\.mass"):
        robot.gravity_torque(np.zeros(robot.n))


def test_the_flange_of_the_panda_at_zero_is_where_its_table_puts_it():
    position = jw.load_robot("panda").pose(np.zeros(7))[:3, 3]
    expected = [0.088, 0.0, 0.333 + 0.316 + 0.384 - 0.107]
    np.testing.assert_allclose(position, expected, atol=1e-12)


def test_arms_read_from_a_urdf_stand_upright_at_zero():
    tx40 = jw.load_robot("tx40").pose(np.zeros(6))[:3, 3]
    np.testing.assert_allclose(tx40, [0.225, 0.035, 0.32 + 0.225], atol=1e-12)
    xmate7 = jw.load_robot("xmate7").pose(np.zeros(7))[:3, 3]
    height = 0.404 + 0.4375 + 0.4125 + 0.2755
    np.testing.assert_allclose(xmate7, [0.0, 0.0, height], atol=1e-12)


def test_motor_6_of_the_tx40_turns_with_joint_5():
    robot = jw.load_robot("tx40")
    ratio = np.array([joint.drive.gear_ratio for joint in robot.joints])
    motor = ratio * (robot.coupling_matrix() @ [0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    assert motor.tolist() == [0.0, 0.0, 0.0, 0.0, 45.0, 32.0]


def test_gravity_does_not_load_the_drives_that_move_level():
    for name in ("emps", "kinova_joint"):
        robot = jw.load_robot(name)
        link = {"mass": 5.0, "center_of_mass": (0.1, 0.2, 0.3), "inertia": (1, 0, 0, 1, 0, 1)}
        place = f"joints.{robot.joints[0].name}.link"
        known = robot.replace({f"{place}.{k}": v for k, v in link.items()}, source="a test")
        np.testing.assert_allclose(known.gravity_torque([[0.3], [1.4]]), 0.0, atol=1e-12)


def test_the_links_of_the_kr300_are_unknown_and_say_so():
    robot = jw.load_robot("kr300")
    assert robot.rotor_matrix().shape == (6, 6)
    with pytest.raises(jw.UnknownValueError, match=r"joints\.A1\.link\.mass"):
        robot.gravity_torque(np.zeros(6))


@pytest.mark.parametrize("name", NAMES)
def test_the_laws_of_the_library_are_laws(name):
    for joint in jw.load_robot(name).joints:
        for law, kind in ((joint.transmission, Transmission), (joint.friction, FrictionModel)):
            if law is not jw.UNKNOWN:
                assert kind.from_law(law).to_law().parameters == law.parameters


@pytest.mark.parametrize("name", ["pendulum", "two_link"])
def test_teaching_arms_know_everything(name):
    assert jw.load_robot(name).unknown() == ()


def ur5_by_its_table() -> Robot:
    """The UR5 in the manufacturer's frames: masses, centres and tensors of its description package."""
    from jointwise.robot.inertia import Body

    a2, a3, d1, d4, d5, d6 = UR_LENGTHS["ur5"]
    h = np.pi / 2
    rows = [(0, 0, d1), (0, h, 0), (a2, 0, 0), (a3, 0, d4), (0, h, d5), (0, -h, d6)]
    bodies = [
        (3.7, (0, -0.00193, -0.02561), (0.014972358333333331, 0.014972358333333331, 0.01040625)),
        (8.393, (-0.2125, 0, 0.11336), (0.0151074, 0.13388583541666665, 0.13388583541666665)),
        (2.33, (-0.24225, 0, 0.0265), (0.004095, 0.031216803515624995, 0.031216803515624995)),
        (1.219, (0, -0.01634, -0.0018), (0.002013889583333333, 0.002013889583333333, 0.0021942)),
        (1.219, (0, 0.01634, -0.0018), (0.0018310395833333333, 0.0018310395833333333, 0.0021942)),
        (0.1879, (0, 0, -0.001159), (8.062475833333332e-05, 8.062475833333332e-05, 0.0001321171875)),
    ]  # fmt: skip
    joints = [
        Joint(
            name=f"j{k}",
            frame=ModifiedDH(a=a, alpha=alpha, d=d),
            link=Body(mass=m, center_of_mass=c, inertia=(xx, 0, 0, yy, 0, zz)),
        )
        for k, ((a, alpha, d), (m, c, (xx, yy, zz))) in enumerate(zip(rows, bodies, strict=True))
    ]
    return Robot(name="table", joints=tuple(joints))


def test_the_ur5_in_kovincics_frames_is_the_manufacturers_ur5():
    ours, theirs = jw.load_robot("ur5"), ur5_by_its_table()
    q, dq, ddq = np.random.default_rng(3).uniform(-3, 3, (3, 100, 6))
    turned = homogeneous(rotation_z(np.pi), (0.0, 0.0, 0.0))
    np.testing.assert_allclose(ours.pose(q), turned @ theirs.pose(q), atol=1e-13)
    np.testing.assert_allclose(ours.gravity_torque(q), theirs.gravity_torque(q), atol=1e-11)
    np.testing.assert_allclose(ours.mass_matrix(q), theirs.mass_matrix(q), atol=1e-12)
    expected = theirs.inverse_dynamics(q, dq, ddq)
    np.testing.assert_allclose(ours.inverse_dynamics(q, dq, ddq), expected, atol=1e-11)


def test_torque_constants_are_on_the_output_side():
    ur5 = [joint.drive.torque_constant for joint in jw.load_robot("ur5").joints]
    assert ur5 == [12.625] * 3 + [9.3122] * 3
    ur5e = [joint.drive.torque_constant for joint in jw.load_robot("ur5e").joints]
    motor = [0.1005, 0.1005, 0.1003, 0.0802, 0.0812, 0.0800]
    np.testing.assert_allclose(ur5e, [101 * k for k in motor], rtol=1e-12)
    ur10e = [joint.drive.torque_constant for joint in jw.load_robot("ur10e").joints]
    assert ur10e == [11.976, 11.976, 9.839, 10.763, 10.763, 10.763]
    assert "inferred" in jw.load_robot("ur10e").source_of("joints.elbow.drive.torque_constant")


def test_an_arm_is_loaded_once():
    assert jw.load_robot("ur5e") is jw.load_robot("ur5e")
    assert dataclasses.replace(jw.load_robot("ur5e")) == jw.load_robot("ur5e")


@pytest.mark.parametrize(
    ("given", "error", "fragments"),
    [
        ("ur5f", jw.UnknownNameError, ["'ur5f'", "did you mean 'ur5", "two_link"]),
        ("UR5E", jw.UnknownNameError, ["'UR5E'", "ur5e"]),
        ("", jw.UnknownNameError, ["''", "ur5e"]),
        ("..", jw.UnknownNameError, ["'..'"]),
        ("nowhere.toml", jw.FileError, ["nowhere.toml", "cannot be read", "No such file"]),
        ("no/where.urdf", jw.FileError, ["no/where.urdf", "No such file"]),
        ("library/ur5e", jw.FileError, ["library/ur5e", ".toml, .urdf, .xml"]),
        ("./arm.yaml", jw.FileError, ["arm.yaml", ".toml, .urdf, .xml"]),
        ("a\x00b.toml", jw.FileError, ["a?b.toml", "null"]),
        (None, jw.ParameterError, ["None", "a library name or a path"]),
        (5, jw.ParameterError, ["5", "a library name or a path"]),
        (b"ur5e", jw.ParameterError, ["ur5e", "a library name or a path"]),
    ],
)
def test_what_is_neither_name_nor_file_is_refused(given, error, fragments):
    with pytest.raises(error) as caught:
        jw.load_robot(given)
    assert all(fragment in str(caught.value) for fragment in fragments), str(caught.value)


def test_a_path_object_is_always_a_path(tmp_path):
    jw.load_robot("pendulum").save(tmp_path / "ur5e.toml")
    assert jw.load_robot(tmp_path / "ur5e.toml").name == "pendulum"
    with pytest.raises(jw.FileError, match="ends in none of"):
        jw.load_robot(tmp_path / "ur5e")


@pytest.mark.parametrize("extra", [(), ("--json",)])
def test_the_command_line_checks_the_library(extra, monkeypatch):
    from jointwise.robot import library_check

    run = CliRunner().invoke(app, ["robots", "--check", *extra])
    assert run.exit_code == 0, run.output
    if extra:
        assert all(row["passed"] for row in json.loads(run.stdout))
    else:
        assert "FAILED" not in run.stdout
    wrong = library_check.Check("ur5e", "mass matrix", float("nan"), 1e-6)
    monkeypatch.setattr(library_check, "check_library", lambda: (wrong,))
    assert CliRunner().invoke(app, ["robots", "--check"]).exit_code == 1
