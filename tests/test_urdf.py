"""URDF against Pinocchio, on real files and on arms that exercise every rule of the reader."""

import math
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import jointwise as jw
import urdf_samples as samples
from jointwise.robot.inertia import NOTHING, Body
from jointwise.robot.parts import Law
from jointwise.robot.urdf import load_urdf

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
REAL = {
    "ur10e": DATA / "ur10e" / "ur10e.urdf",
    "xmate7p": DATA / "xmate7p" / "XM7p.urdf",
    "tx40": DATA / "tx40" / "tx40_mdh_modified.urdf",
}
AGREEMENT = 1e-10


def written(tmp_path, text: str) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    return path


def relative(found, expected) -> float:
    return float(np.max(np.abs(found - expected)) / max(1.0, np.max(np.abs(expected))))


def disagreements(path: Path, robot: jw.Robot, lock=()) -> dict[str, float]:
    """Largest relative difference to Pinocchio over random motions."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    model = pin.buildModelFromXML(path.read_text())
    if lock:
        held = [model.getJointId(name) for name in lock]
        model = pin.buildReducedModel(model, held, pin.neutral(model))
    assert [j.name for j in robot.joints] == list(model.names)[1:]
    data = model.createData()
    rng = np.random.default_rng(7)
    worst = dict.fromkeys(("torque", "gravity", "mass", "pose"), 0.0)
    for _ in range(50):
        q, v, a = rng.uniform(-3, 3, (3, robot.n))
        full = _configuration(pin, model, q)
        mass = np.triu(pin.crba(model, data, full))
        found = {
            "torque": (robot.inverse_dynamics(q, v, a), pin.rnea(model, data, full, v, a)),
            "gravity": (robot.gravity_torque(q), pin.computeGeneralizedGravity(model, data, full)),
            "mass": (robot.mass_matrix(q), mass + np.triu(mass, 1).T),
        }
        if model.existFrame("tool0"):
            pin.framesForwardKinematics(model, data, full)
            frame = data.oMf[model.getFrameId("tool0")].homogeneous
            found["pose"] = (robot.pose(q), frame)
        for key, (ours, theirs) in found.items():
            worst[key] = max(worst[key], relative(ours, theirs))
    return worst


def _configuration(pin, model, q):
    """Pinocchio keeps cosine and sine of endless joints."""
    out = []
    for joint, value in zip(list(model.joints)[1:], q, strict=True):
        out += [math.cos(value), math.sin(value)] if joint.nq == 2 else [value]
    return np.array(out)


@pytest.mark.parametrize("name", REAL)
def test_real_arms_agree_with_pinocchio(name):
    path = REAL[name]
    if not path.exists():
        pytest.skip(f"no real URDF of the {name} at ../shared/data beside the project")
    robot = load_urdf(path)
    assert max(disagreements(path, robot).values()) < AGREEMENT
    assert robot.source_of("joints.anything.link") == f"URDF file {path.name}"
    assert jw.load_robot(path) == jw.load_robot(str(path)) == robot


def test_an_arm_with_every_kind_of_joint_agrees_with_pinocchio(tmp_path):
    path = written(tmp_path, samples.ARM)
    robot = load_urdf(path)
    assert [j.kind for j in robot.joints] == ["revolute", "prismatic", "revolute"]
    assert max(disagreements(path, robot).values()) < AGREEMENT


@pytest.mark.parametrize("locked", ["grip", "follow"])
def test_locked_joints_agree_with_pinocchio(tmp_path, locked):
    other = {"grip": "follow", "follow": "grip"}[locked]
    text = samples.FINGERS.replace('<mimic joint="grip" multiplier="1"/>', "")
    path = written(tmp_path, text)
    robot = load_urdf(path, lock=[locked])
    assert [j.name for j in robot.joints] == ["a", other]
    assert max(disagreements(path, robot, [locked]).values()) < AGREEMENT


def test_a_gripper_that_mimics_can_be_locked(tmp_path):
    robot = load_urdf(written(tmp_path, samples.FINGERS), lock=["grip", "follow"])
    assert robot.n == 1
    assert robot.joints[0].link.mass == 6.0


def test_one_joint_to_lock_may_be_given_as_text(tmp_path):
    text = samples.robot(
        samples.link("l0"), samples.link("l1"), samples.link("l2"),
        samples.joint("j1", "l0", "l1"), samples.joint("grip", "l1", "l2"),
    )  # fmt: skip
    assert load_urdf(written(tmp_path, text), lock="grip").n == 1


def test_an_unknown_joint_to_lock_is_named(tmp_path):
    with pytest.raises(jw.UnknownNameError, match=r"grib.*did you mean 'grip'"):
        load_urdf(written(tmp_path, samples.FINGERS), lock=["grib", "follow"])


def test_the_result_survives_its_own_file(tmp_path):
    robot = load_urdf(written(tmp_path, samples.ARM))
    robot.save(tmp_path / "arm.toml")
    assert jw.load_robot(tmp_path / "arm.toml") == robot


# ---- what is known and what is not ----------------------------------------------------------


def one_joint(tmp_path, inside: str, kind: str = "revolute", body: str = samples.BODY):
    text = samples.robot(
        samples.link("l0", ""),
        samples.link("l1", body),
        samples.joint("j", "l0", "l1", kind, inside),
    )
    return load_urdf(written(tmp_path, text)).joints[0]


def test_a_body_without_any_inertial_is_unknown_never_zero(tmp_path):
    joint = one_joint(tmp_path, samples.LIMIT, body="")
    assert joint.link == Body()
    robot = load_urdf(tmp_path / "arm.urdf")
    assert {f"joints.j.link.{k}" for k in ("mass", "center_of_mass", "inertia")} <= set(
        robot.unknown()
    )
    with pytest.raises(jw.UnknownValueError, match=r"joints\.j\.link\.mass"):
        robot.gravity_torque([0.0])


def test_a_body_stated_to_weigh_nothing_weighs_nothing(tmp_path):
    zero = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
    assert one_joint(tmp_path, samples.LIMIT, body=zero).link == NOTHING


def test_an_inertial_without_turn_is_kept_to_the_bit(tmp_path):
    body = (
        '<inertial><origin xyz="0.1 0.2 0.3"/><mass value="0.7"/>'
        '<inertia ixx="0.01" ixy="0.001" ixz="0.002" iyy="0.02" iyz="0.003" izz="0.015"/></inertial>'
    )
    link = one_joint(tmp_path, samples.LIMIT, body=body).link
    assert link == Body(
        mass=0.7,
        center_of_mass=(0.1, 0.2, 0.3),
        inertia=(0.01, 0.001, 0.002, 0.02, 0.003, 0.015),
    )


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("", ("unknown", "unknown", "unknown", "unknown")),
        ('<limit effort="5" velocity="2"/>', ("unknown", "unknown", "2.0", "5.0")),
        ('<limit upper="1" effort="5" velocity="2"/>', ("0.0", "1.0", "2.0", "5.0")),
        ('<limit lower="-1" effort="5" velocity="2"/>', ("-1.0", "0.0", "2.0", "5.0")),
        ('<limit lower="-1" upper="1" effort="0" velocity="0"/>', ("-1.0", "1.0", "unknown", "unknown")),
        ('<limit lower="0" upper="0" effort="0" velocity="0"/>', ("unknown",) * 4),
    ],
)  # fmt: skip
def test_limits_are_what_the_file_states(tmp_path, inside, expected):
    limits = one_joint(tmp_path, inside).limits
    found = (limits.position_lower, limits.position_upper, limits.velocity, limits.torque)
    assert tuple(map(str, found)) == expected


@pytest.mark.parametrize("inside", ["", samples.LIMIT])
def test_an_endless_joint_has_infinite_limits(tmp_path, inside):
    limits = one_joint(tmp_path, inside, "continuous").limits
    assert (limits.position_lower, limits.position_upper) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("inside", "parameters"),
    [
        ("", None),
        ('<dynamics damping="0.0" friction="0.0"/>', None),
        ('<dynamics damping="0.5"/>', {"coulomb.coulomb": 0.0, "viscous.viscous": 0.5}),
        (
            '<dynamics damping="0.5" friction="2"/>',
            {"coulomb.coulomb": 2.0, "viscous.viscous": 0.5},
        ),
    ],
)
def test_friction_of_zero_is_unknown(tmp_path, inside, parameters):
    friction = one_joint(tmp_path, inside).friction
    if parameters is None:
        assert friction is jw.UNKNOWN
    else:
        assert friction == Law(name="coulomb + viscous", parameters=parameters)


def test_the_axis_is_made_a_unit_vector_and_defaults_to_x(tmp_path):
    path = written(tmp_path, samples.chain(1).replace('xyz="0 0.6 0.8"', 'xyz="0 3 4"'))
    assert load_urdf(path).joints[0].frame.axis == (0.0, 0.6, 0.8)
    path.write_text(samples.chain(1).replace('<axis xyz="0 0.6 0.8"/>', ""))
    assert load_urdf(path).joints[0].frame.axis == (1.0, 0.0, 0.0)


def test_joint_frames_are_kept_to_the_bit(tmp_path):
    frame = load_urdf(written(tmp_path, samples.chain(2))).joints[1].frame
    assert (frame.origin, frame.rpy) == ((0.1, 0.0, 0.3), (0.2, 0.0, 1.57))


def test_joints_come_from_root_to_tip_whatever_their_order_in_the_file(tmp_path):
    parts = [samples.joint(f"j{k}", f"l{k - 1}", f"l{k}") for k in (3, 1, 2)]
    parts += [samples.link(f"l{k}") for k in (2, 0, 3, 1)]
    robot = load_urdf(written(tmp_path, samples.robot(*parts)))
    assert [j.name for j in robot.joints] == ["j1", "j2", "j3"]


@pytest.mark.parametrize(("frame", "moved"), [("tool0", True), ("flange", True), ("sensor", False)])
def test_the_flange_is_a_link_called_so(tmp_path, frame, moved):
    text = samples.robot(
        samples.link("l0"), samples.link("l1"), samples.link(frame, ""),
        samples.joint("j", "l0", "l1"), samples.joint("fix", "l1", frame, "fixed"),
    )  # fmt: skip
    robot = load_urdf(written(tmp_path, text))
    assert bool(any(robot.flange.origin)) == moved
    assert (frame in robot.source_of("flange")) == moved


def test_the_roots_own_inertia_does_not_matter(tmp_path):
    heavy = load_urdf(written(tmp_path, samples.ARM))
    light = load_urdf(written(tmp_path, samples.ARM.replace(samples.BODY, "", 1)))
    assert heavy.joints == light.joints


def test_nothing_but_the_urdf_is_opened(tmp_path):
    mesh = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    names = ["package://p/x.stl", "a..b/x..stl", "file:///x.dae", "x.stl", "http://localhost/x"]
    text = samples.chain(2).replace(samples.BODY, samples.BODY + "".join(map(mesh.format, names)))
    path = written(tmp_path, text)
    load_urdf(path)  # modules and kernels are loaded now
    opened = []
    watching = True

    def watch(event, arguments):
        named = not arguments or not isinstance(arguments[0], int)  # a number: already open
        if watching and named and event.split(".")[0] in ("open", "socket", "subprocess"):
            opened.append((event, str(arguments[0])))

    sys.addaudithook(watch)
    try:
        load_urdf(path)
    finally:
        watching = False
    assert opened == [("open", str(path))]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_text_with_a_byte_order_mark_is_text(tmp_path, encoding):
    path = tmp_path / "arm.urdf"
    path.write_bytes(samples.chain(1).replace('name="arm"', 'name="\u00e9"').encode(encoding))
    assert load_urdf(path).name == "\u00e9"


def test_reading_says_nothing(tmp_path, capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_urdf(written(tmp_path, samples.ARM))
    assert capfd.readouterr() == ("", "")
