"""What a twin refuses, in words: which joint, what it was given, and what is allowed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jointwise.errors import JointwiseError, ParameterError, ShapeError, UnknownNameError
from jointwise.laws.coulomb import Coulomb
from jointwise.laws.damping import Damping
from jointwise.laws.friction import FrictionModel
from jointwise.laws.linear import LinearSpring
from jointwise.laws.maxwell_slip import MaxwellSlip
from jointwise.laws.transmissions import Transmission
from jointwise.motion.fourier import random_fourier
from jointwise.plant.faults import events
from jointwise.plant.outcome import Wall
from jointwise.plant.plant import Plant, Wear
from jointwise.plant.port import TwinPort
from jointwise.plant.surroundings import load_surroundings
from jointwise.plant.thermal import Thermal
from jointwise.plant.twin import Twin
from jointwise.robot.library import load_robot
from jointwise.robot.parts import Law
from twins import plain_plant

ELBOW = "elbow"


def changed(plant, path, value):
    return replace(plant, robot=plant.robot.replace({path: value}, source="test"))


def on_elbow(plant, **changes):
    return replace(plant, joints=(plant.joints[0], replace(plant.joints[1], **changes)))


# ---- commands -------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_commands_that_are_not_finite_are_refused_with_joint_value_and_range(wrong):
    twin = Twin(plant=plain_plant())
    bad = [0.0, wrong]
    event = events((), 1, 2, 1e-3, np.random.default_rng(0))
    reference = np.zeros((3, 3, 2))
    reference[2, 1, 1] = wrong
    port = TwinPort(twin, [0.0, 0.5])
    for call, range_named in (
        (lambda: port.write(bad), r"-100000 to 100000 N m"),
        (lambda: twin.run_torque([[0.0, 0.0], bad], q=[0.0, 0.0]), r"-100000 to 100000 N m"),
        (lambda: twin.init(bad), "rad"),
        (lambda: twin.init([0.0, 0.0], dq=bad), "rad/s"),
        (
            lambda: twin.advance(
                twin.init([0.0, 0.0]), reference, servoed=True, wrench=np.zeros((1, 6)), event=event
            ),
            "rad/s",
        ),
    ):
        with pytest.raises(ParameterError, match=rf"joint {ELBOW}.* is {wrong}.*{range_named}"):
            call()
    for push in ([0, 0, wrong, 0, 0, 0], np.zeros((2, 6)), np.zeros(5)):
        with pytest.raises(JointwiseError, match="wrench"):
            twin.run_torque(np.zeros((3, 2)), q=[0.0, 0.0], wrench=push)


def test_commands_of_another_shape_never_reach_a_kernel():
    twin = Twin(plant=plain_plant())
    start = twin.init([0.0, 0.0])
    fit = {"wrench": np.zeros((1, 6)), "event": events((), 1, 2, 1e-3, np.random.default_rng(0))}
    for wrong in (np.zeros((4, 3, 3)), np.zeros((4, 2, 2)), np.zeros(3), "text"):
        with pytest.raises(ShapeError, match="reference"):
            twin.advance(start, wrong, servoed=True, **fit)
    with pytest.raises(ShapeError, match="event"):
        twin.advance(
            start, np.zeros((4, 3, 2)), servoed=True, **fit | {"event": np.zeros((1, 2, 2))}
        )
    with pytest.raises(ParameterError, match="rows of wrench"):
        twin.advance(start, np.zeros((4, 3, 2)), servoed=True, **fit | {"wrench": np.zeros((3, 6))})


def test_a_motion_with_a_hole_names_joint_and_sample():
    motion = random_fourier(load_robot("two_link"), seed=0, duration=1.0, period=1.0)
    q = motion.q.copy()
    q[7, 1] = np.nan
    with pytest.raises(ParameterError, match=rf"q of joint {ELBOW} at sample 7 is nan"):
        replace(motion, q=q)


# ---- parameters -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("drive.rotor_inertia", 0.0),
        ("drive.rotor_inertia", -1.0),
        ("drive.torque_constant", 0.0),
        ("drive.gear_ratio", 0.0),
        ("limits.torque", np.nan),
        ("link.mass", -1.0),
    ],
)
def test_impossible_drives_and_links_are_refused_with_joint_value_and_range(path, wrong):
    with pytest.raises(
        ParameterError, match=rf"joints\.{ELBOW}\.{path} is {wrong}.*(above|from|not zero)"
    ):
        changed(plain_plant(), f"joints.{ELBOW}.{path}", wrong)


def test_a_link_without_inertia_is_refused_with_its_joint():
    robot = plain_plant().robot
    empty = {f"joints.{ELBOW}.link.mass": 0.0, f"joints.{ELBOW}.link.inertia": (0.0,) * 6}
    with pytest.raises(ParameterError, match=rf"joint {ELBOW} of two_link.*above 0 kg m\^2"):
        replace(plain_plant(), robot=robot.replace(empty, source="test"))


def test_unknown_law_names_are_refused_with_the_joint_and_the_nearest_name():
    robot = load_robot("pendulum")
    wrong = Law(name="coulom + viscous", parameters={})
    with pytest.raises(UnknownNameError, match=r"joint joint.*did you mean 'coulomb'"):
        Plant.stated(robot.replace({"joints.joint.friction": wrong}, source="test"))
    law = Law(name="linear", parameters={"spring_stiffness": -3.0})
    with pytest.raises(ParameterError, match=r"joints\.joint\.transmission.*-3.*above 0"):
        Plant.stated(robot.replace({"joints.joint.transmission": law}, source="test"))


# ---- steps ----------------------------------------------------------------------------------


def test_a_wall_counts_in_the_step():
    plant = plain_plant()
    soft, hard = (
        Wall(normal=(0.0, 0.0, 1.0), distance=0.0, stiffness=k, damping=0.0) for k in (1e3, 1e8)
    )
    free = Twin(plant=plant).step
    assert Twin(plant=plant, wall=soft).step.fastest < 1.5 * free.fastest
    assert Twin(plant=plant, wall=hard).step.substeps > 20 * free.substeps
    with pytest.raises(ParameterError, match=r"joint \w+ is the fastest.*at most"):
        Twin(plant=plant, wall=hard, substeps=free.substeps)


def test_steps_too_small_to_ever_end_are_refused():
    gear = Transmission(stiffness=LinearSpring(spring_stiffness=1e22))
    with pytest.raises(ParameterError, match=r"joint elbow is the fastest.*at most 1000000"):
        Twin(plant=on_elbow(plain_plant(), transmission=gear))
    damped = Transmission(
        stiffness=LinearSpring(spring_stiffness=1e3), damping=Damping(damping=1e12)
    )
    with pytest.raises(ParameterError, match="joint elbow is the fastest"):
        Twin(plant=on_elbow(plain_plant(), transmission=damped))


def test_heat_that_moves_faster_than_the_clock_is_refused_with_its_joint():
    plant = on_elbow(plain_plant(), thermal=Thermal(oil_capacity=1e-4, to_oil=1.0))
    with pytest.raises(ParameterError, match=r"heat of joint elbow.*0\.001.*at most 0\.0001"):
        Twin(plant=plant)
    Twin(plant=plant, period=5e-5)


def test_a_joint_that_burns_up_is_a_divergence_and_no_recording_of_nan():
    plant = on_elbow(plain_plant(), thermal=Thermal(copper_loss=1e5))
    run = Twin(plant=plant).run_torque(np.full((400, 2), [0.0, 30.0]), q=[0.0, 0.5])
    assert run.status == "diverged"
    assert "elbow" in run.message
    assert "degC" in run.message
    assert np.isfinite(run.state.temperature).all()
    assert np.isfinite(run.recording["temperature"]).all()


# ---- wear -----------------------------------------------------------------------------------


def worn(law, parameter, per_radian):
    plant = plain_plant("pendulum", gravity=(0.0, 0.0, 0.0), damping=5.0)
    drift = (Wear(term=0, parameter=parameter, per_radian=per_radian),)
    joint = replace(plant.joints[0], friction=FrictionModel(terms=(law,)), wear=drift)
    return Twin(plant=replace(plant, joints=(joint,)))


SLIP = {"operators": 4, "limit_exponent": 1.0, "stiffness_exponent": 1.0}


def test_wear_stops_where_the_law_ends():
    twin = worn(Coulomb(coulomb=0.5), "coulomb", -1.0)
    run = twin.run_torque(np.full((3000, 1), 2.0), q=[0.0]).raise_for_status()
    assert run.state.x[2, 0] > 1.0
    assert run.state.parameters.min() == 0.0


def test_a_map_of_the_backlash_widens_at_every_place():
    law = MaxwellSlip(coulomb=1.0, half_backlash=(1e-3, 2e-3, 3e-3), **SLIP)
    twin = worn(law, "half_backlash", 1e-4)
    start = twin.init([0.0])
    run = twin.run_torque(np.full((1500, 1), 4.0), q=[0.0]).raise_for_status()
    grown = run.state.parameters - start.parameters
    places = np.flatnonzero(grown)
    np.testing.assert_allclose(start.parameters[places], law.half_backlash)
    travel = np.abs(run.state.x[2, 0] - start.x[2, 0])
    np.testing.assert_allclose(grown[places], 1e-4 * travel, rtol=1e-9)


@pytest.mark.parametrize(
    ("parameter", "says"),
    [("colour", "one of"), ("operators", "as it is"), ("limit_exponent", "as it is")],
)
def test_parameters_that_cannot_drift_are_refused(parameter, says):
    twin = worn(MaxwellSlip(coulomb=1.0, half_backlash=(1e-3,), **SLIP), parameter, 0.1)
    with pytest.raises(ParameterError, match=rf"wear\.parameter.*{says}"):
        twin.run_torque(np.zeros((2, 1)), q=[0.0])


def test_wear_names_a_law_the_joint_has():
    joint = plain_plant("pendulum").joints[0]
    for term in (0, -1, 0.5, True):
        with pytest.raises(ParameterError, match=r"wear\.term"):
            replace(joint, wear=(Wear(term=term, parameter="coulomb", per_radian=1.0),))


# ---- surroundings ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "wall"),
        ("walls = 1", "nothing else"),
        ("[wall]\ndistance = 1.0", "normal"),
        ("[wall]\nnormal = [0, 0, 0]\ndistance = 1.0", "normal"),
        ("[wall]\nnormal = [0, 0, 1]\ndistance = 1.0\nstiffness = -1.0", "stiffness"),
        ("[wall]\nnormal = [0, 0, 1]\ndistance = 1.0\ncolour = 3", "colour"),
        ("[[pushes]]\nforce = [1, 0]\nstart = 0.0", "push 1.*force"),
        ("[[pushes]]\nforce = [1, 0, 0]", "push 1.*start"),
        ("[[pushes]]\nforce = [1, 0, 0]\nstart = nan", "push 1.*start"),
        ("pushes = 3", "pushes"),
        ("[wall", "TOML"),
    ],
)
def test_bad_surroundings_are_refused(tmp_path, text, says):
    path = tmp_path / "around.toml"
    path.write_text(text)
    with pytest.raises(JointwiseError, match=says):
        load_surroundings(path)
