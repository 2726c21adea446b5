"""The robot file: what is written is read back bit for bit, units are stated, values have paths and sources."""

import copy
import dataclasses
import math
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jointwise as jw
from jointwise.errors import ShapeError
from jointwise.robot import file, toml_text
from jointwise.robot.capsules import Capsule
from jointwise.robot.description import Robot
from jointwise.robot.frames import CONVENTIONS, ModifiedDH, Pose, StandardDH, Transform
from jointwise.robot.inertia import Body
from jointwise.robot.parts import Drive, Joint, Law, Limits
from jointwise.units import unit_fields

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "robot-file.md"
PARTS = {
    "base, flange, tool": Pose,
    "link, payload": Body,
    "limits": Limits,
    "drive": Drive,
    "capsule": Capsule,
    **{f"frame {name}": cls for name, cls in CONVENTIONS.items()},
}
SHAPES = {0: "number", 3: "3 numbers", 6: "6 numbers"}


def unit_table() -> str:
    rows = [f'| `{quantity}` | `"{unit}"` |' for quantity, unit in file.units().items()]
    return "\n".join(["| quantity | unit |", "|---|---|", *rows])


def field_table() -> str:
    rows = ["| of | field | unit | form | range | when left out |", "|---|---|---|---|---|---|"]
    for owner, cls in PARTS.items():
        defaults = {f.name: f.default for f in dataclasses.fields(cls)}
        for name, (unit, _, length) in unit_fields(cls).items():
            given = defaults[name]
            left_out = "unknown" if given is jw.UNKNOWN else str(given)
            left_out = "required" if given is dataclasses.MISSING else left_out
            allowed = unit.allowed() + (", or infinite" if unit.infinite else "")
            rows.append(
                f"| {owner} | `{name}` | {unit.symbol} | {SHAPES[length]} | {allowed} | {left_out} |"
            )
    return "\n".join(rows)


def rich_robot() -> Robot:
    """A robot that uses everything a file can hold."""
    turning = Joint(
        name="turn 1",
        frame=ModifiedDH(a=0.1, alpha=1 / 3, d=1e-300, offset=math.pi),
        link=Body(
            mass=0.1 + 0.2,
            center_of_mass=(0.0, -0.0, 5e-324),
            inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 1.0),
        ),
        limits=Limits(
            position_lower=-math.inf, position_upper=math.inf, velocity=math.pi, jerk=1e4
        ),
        drive=Drive(gear_ratio=-101.0, torque_constant=12.625, rotor_inertia=0.0),
        transmission=Law(name="odd_polynomial", parameters={"coefficients": (1e4, 2.0, 3.0)}),
        friction=Law(
            name="coulomb + viscous", parameters={"coulomb.coulomb": 3.0, "viscous.viscous": 0.1}
        ),
        capsules=(
            Capsule(start=(0.0, 0.0, 0.0), end=(0.0, 0.0, 1 / 3), radius=0.1),
            Capsule(start=(0.1, 0.0, 0.0), end=(0.1, 0.0, 0.0), radius=0.2),
        ),
    )
    sliding = Joint(
        name='slide "2"',
        kind="prismatic",
        frame=Transform(origin=(0.0, 1.0, 2.0), rpy=(0.1, 0.2, 0.3), axis=(0.0, 1.0, 0.0)),
        limits=Limits(position_lower=-0.5),
    )
    third = Joint(name="d", frame=StandardDH(a=1.0), friction=Law(name="none"))
    return Robot(
        name="rich",
        description="two lines\nwith \\ and \u00e9",
        joints=(turning, sliding, third),
        gravity=(9.81, 0.0, 0.0),
        base=Pose(origin=(1.0, 2.0, 3.0)),
        flange=Pose(rpy=(0.0, 0.0, 0.5)),
        tool=Pose(origin=(0.0, 0.0, 0.1)),
        payload=Body(mass=2.0),
        coupling=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -0.5, 1.0)),
        capsules=(Capsule(start=(0.0, 0.0, -0.5), end=(0.0, 0.0, 0.0), radius=0.1),),
        sources={"": "invented", "joints.turn 1.friction.parameters.viscous.viscous": "measured"},
    )


ROBOTS = {"rich": rich_robot, **{n: lambda n=n: jw.load_robot(n) for n in jw.list_robots()}}


@pytest.mark.parametrize("make", ROBOTS.values(), ids=ROBOTS)
def test_what_is_written_is_read_back_exactly(make, tmp_path):
    robot = make()
    robot.save(tmp_path / "arm.toml")
    again = jw.load_robot(tmp_path / "arm.toml")
    assert again == robot
    assert again.sources == robot.sources
    assert again.to_dict() == robot.to_dict()


@pytest.mark.parametrize("make", ROBOTS.values(), ids=ROBOTS)
def test_a_robot_can_be_copied_and_sent_to_another_process(make):
    robot = make()
    for again in (pickle.loads(pickle.dumps(robot)), copy.deepcopy(robot)):
        assert again == robot
        assert again.sources == robot.sources
        assert again.unknown() == robot.unknown()


def test_negative_zero_keeps_its_sign(tmp_path):
    rich_robot().save(tmp_path / "arm.toml")
    center = jw.load_robot(tmp_path / "arm.toml").joints[0].link.center_of_mass
    assert math.copysign(1.0, center[1]) == -1.0


numbers = st.floats(-100.0, 100.0)
texts = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=40
)


@given(
    name=texts,
    a=numbers,
    d=numbers,
    upper=st.floats(min_value=1.0),
    value=st.floats(allow_nan=False, allow_infinity=False),
)
@settings(max_examples=60, deadline=None)
def test_any_robot_goes_through_the_text(name, a, d, upper, value):
    robot = Robot(
        name=name,
        description=name,
        joints=(
            Joint(
                name=name.replace(".", "_"),
                frame=ModifiedDH(a=a, d=d),
                limits=Limits(position_lower=-1.0, position_upper=upper),
                friction=Law(name=name, parameters={name: value}),
            ),
        ),
        sources={"": name},
    )
    text = toml_text.text_of(file.to_dict(robot))
    assert file.from_dict(toml_text.parse(text), "text") == robot


def test_the_document_lists_every_field_and_unit():
    text = DOCUMENT.read_text()
    assert unit_table() in text
    assert field_table() in text
    for cls in (Robot, Joint):
        for field in dataclasses.fields(cls):
            assert f"`{field.name}`" in text


def test_a_file_from_before_jerk_limits_is_read(tmp_path):
    text = toml_text.text_of(jw.load_robot("kr300").to_dict())
    older = "".join(line for line in text.splitlines(True) if not line.startswith("jerk"))
    assert older.count("\n") == text.count("\n") - 7
    (tmp_path / "older.toml").write_text(older)
    assert jw.load_robot(tmp_path / "older.toml") == jw.load_robot("kr300")


def test_every_unit_of_a_field_is_stated_in_the_file():
    stated = set(file.units().values()) | {"1"}
    for cls in (Robot, *PARTS.values()):
        assert {unit.symbol for unit, _, _ in unit_fields(cls).values()} <= stated


def test_missing_and_unknown_mean_the_same(tmp_path):
    data = rich_robot().to_dict()
    data["joints"][1] = {"name": "d2", "frame": {"convention": "transform"}}
    data["joints"][2]["link"] = "unknown"
    data["sources"] = {}
    robot = file.from_dict(data, "data")
    assert robot.joints[1].link == robot.joints[2].link == Body()
    assert robot.joints[1].limits == Limits()
    assert robot.joints[1].drive == Drive()
    assert "joints.d2.link.mass" in robot.unknown()


def test_saving_leaves_nothing_behind_and_keeps_links(tmp_path):
    robot = jw.load_robot("pendulum")
    (tmp_path / "real.toml").write_text("old")
    (tmp_path / "arm.toml").symlink_to(tmp_path / "real.toml")
    robot.save(tmp_path / "arm.toml")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["arm.toml", "real.toml"]
    assert (tmp_path / "arm.toml").is_symlink()
    assert jw.load_robot(tmp_path / "real.toml") == robot


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failed_save_keeps_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "arm.toml"
    jw.load_robot("pendulum").save(path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(jw.FileError, match="No space left"):
        jw.load_robot("two_link").save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["arm.toml"]


def test_saving_into_a_missing_folder_is_one_clear_error(tmp_path):
    with pytest.raises(jw.FileError, match="cannot be written"):
        jw.load_robot("pendulum").save(tmp_path / "no" / "arm.toml")


def test_a_robot_that_would_not_read_back_is_not_written(tmp_path):
    robot = jw.load_robot("pendulum").with_sources({"joints.nothing": "somebody"})
    with pytest.raises(jw.FileError, match=r"joints\.nothing"):
        robot.save(tmp_path / "arm.toml")
    assert not list(tmp_path.iterdir())


# ---- values by path -------------------------------------------------------------------------


def test_replace_changes_values_and_notes_their_source():
    robot = jw.load_robot("ur5e").replace(
        {"joints.elbow.link.mass": 2.9, "gravity": np.array([9.81, 0, 0]), "payload": Body(mass=1)},
        source="weighed",
    )
    assert robot.joint("elbow").link.mass == 2.9
    assert robot.gravity == (9.81, 0.0, 0.0)
    assert robot.source_of("joints.elbow.link.mass") == "weighed"
    assert robot.source_of("joints.elbow.link.inertia").startswith("Universal Robots description")
    assert robot.unknown()[-2:] == ("payload.center_of_mass", "payload.inertia")


def test_a_note_on_a_part_replaces_notes_below_it():
    robot = jw.load_robot("ur5e").replace({"joints.elbow.limits": Limits()}, source="new")
    assert robot.source_of("joints.elbow.limits.acceleration") == "new"
    assert "joints.elbow.limits.acceleration" not in robot.sources


def test_values_that_only_fit_together_change_together():
    robot = jw.load_robot("ur5e").replace(
        {"joints.elbow.limits.position_lower": 7.0, "joints.elbow.limits.position_upper": 8.0},
        source="test",
    )
    assert robot.joint("elbow").limits.position_lower == 7.0


def test_a_renamed_joint_keeps_its_notes():
    robot = jw.load_robot("ur5e")
    note = robot.source_of("joints.elbow.frame")
    renamed = robot.replace({"joints.elbow.name": "knee"}, source="taste")
    assert renamed.source_of("joints.knee.frame") == note
    assert not [path for path in renamed.sources if path.startswith("joints.elbow")]


def test_nothing_changed_is_the_same_robot():
    robot = jw.load_robot("ur5e")
    assert robot.replace({}, source="nobody") is robot


def test_single_parameters_of_a_law_have_paths():
    path = "joints.A1.friction.parameters.viscous.viscous"
    robot = jw.load_robot("kr300").replace({path: 5.0}, source="me")
    assert robot.joint("A1").friction.parameters == {
        "coulomb.coulomb": 200.0,
        "viscous.viscous": 5.0,
    }
    assert robot.source_of(path) == "me"


@pytest.mark.parametrize(
    ("changes", "error", "fragments"),
    [
        ({"joints.ellbow.link.mass": 1.0}, jw.UnknownNameError, ["ellbow", "'elbow'", "wrist_3"]),
        (
            {"joints.elbow.link.mas": 1.0},
            jw.UnknownNameError,
            ["joints.elbow.link", "'mas'", "'mass'"],
        ),
        ({"graviti": (0, 0, 0)}, jw.UnknownNameError, ["graviti", "'gravity'"]),
        ({"gravity.z": 3.0}, jw.UnknownNameError, ["gravity", "'z'"]),
        ({"": 3.0}, jw.UnknownNameError, ["''"]),
        ({"sources": {}}, jw.UnknownNameError, ["sources"]),
        (
            {"joints.elbow.friction.parameters.v": 1.0},
            jw.UnknownNameError,
            ["friction", "parameters"],
        ),
        (
            {"joints.elbow.link.mass": -1.0},
            jw.ParameterError,
            ["joints.elbow.link.mass", "-1.0", "kg"],
        ),
        ({"joints.elbow.link.mass": "3"}, jw.ParameterError, ["joints.elbow.link.mass", "'3'"]),
        (
            {"joints.elbow.link.mass": math.nan},
            jw.ParameterError,
            ["joints.elbow.link.mass", "nan"],
        ),
        ({"joints.elbow.link": 3.0}, jw.ParameterError, ["joints.elbow.link", "3.0", "Body"]),
        ({"joints.elbow.friction": {}}, jw.ParameterError, ["joints.elbow.friction", "Law"]),
        ({"joints.elbow.frame": Pose()}, jw.ParameterError, ["joints.elbow.frame", "Transform"]),
        ({"joints.elbow": None}, jw.ParameterError, ["joints.elbow", "None", "Joint"]),
        ({"joints": ()}, jw.ParameterError, ["number of joints", "0"]),
        ({"joints": "abc"}, jw.ParameterError, ["joints", "abc"]),
        ({"payload": 2.0}, jw.ParameterError, ["payload", "Body"]),
        ({"base": None}, jw.ParameterError, ["base", "Pose"]),
        ({"gravity": (0, 0)}, jw.ParameterError, ["gravity", "3 numbers"]),
        ({"name": "a\nb"}, jw.ParameterError, ["name", "printable"]),
        ({"description": 3}, jw.ParameterError, ["description", "text"]),
        ({"joints.elbow.name": "wrist_1"}, jw.ParameterError, ["wrist_1", "once"]),
        ({"joints.elbow.name": "a.b"}, jw.ParameterError, ["a.b", "dots"]),
        ({"coupling": np.zeros((6, 6))}, jw.ParameterError, ["coupling", "invertible"]),
        ({"coupling": np.eye(5)}, ShapeError, ["coupling", "6, 6"]),
        (
            {"payload": Body(), "payload.mass": 1.0},
            jw.ParameterError,
            ["payload.mass", "same change"],
        ),
        ({"payload.mass": 1.0, "payload": Body()}, jw.ParameterError, ["payload", "same change"]),
        (
            {"joints.elbow.limits.position_upper": -9.0},
            jw.ParameterError,
            ["joints.elbow.limits", "-9"],
        ),
        ({"joints.elbow.drive.gear_ratio": 0.0}, jw.ParameterError, ["gear_ratio", "not zero"]),
        ({"joints.elbow.drive.gear_ratio": 10**400}, jw.ParameterError, ["gear_ratio", "1000"]),
    ],
)
def test_changes_that_cannot_be_made_name_path_and_value(changes, error, fragments):
    with pytest.raises(error) as caught:
        jw.load_robot("ur5e").replace(changes, source="test")
    assert all(fragment in str(caught.value) for fragment in fragments), str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", [None, 3, "a\x00b", "x" * 5000])
def test_a_source_is_text(source):
    with pytest.raises(jw.ParameterError, match="source"):
        jw.load_robot("ur5e").replace({"payload.mass": 1.0}, source=source)
