"""The twin as a component and as a robot: repeatable, resumable, honest about divergence, with sensors and faults."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jointwise.errors import JointwiseError, NumericalError, ParameterError, ShapeError
from jointwise.laws.coulomb import Coulomb
from jointwise.laws.friction import FrictionModel
from jointwise.laws.viscous import Viscous
from jointwise.motion.fourier import random_fourier
from jointwise.plant.faults import Fault, load_faults
from jointwise.plant.plant import Plant, Wear
from jointwise.plant.population import ARMS, random_arm
from jointwise.plant.port import TwinPort
from jointwise.plant.sensors import CurrentSensor, Encoder, JointSensors, Sampling
from jointwise.plant.servo import Servo
from jointwise.plant.twin import Twin, Wall
from jointwise.robot.library import load_robot
from jointwise.robot.parts import Law
from twins import chirp, plain_plant

SEED = 3


@pytest.fixture(scope="module")
def plant():
    return random_arm("ur5e", seed=SEED)


@pytest.fixture(scope="module")
def motion(plant):
    return random_fourier(plant.robot, seed=1, duration=1.5, period=1.5)


@pytest.fixture(scope="module")
def run(plant, motion):
    return Twin(plant=plant, seed=SEED).run(motion).raise_for_status()


def same(a, b):
    return set(a.columns) == set(b.columns) and all(
        np.array_equal(a[k], b[k], equal_nan=True) for k in a.columns
    )


def test_same_seed_same_bytes(plant, motion, run):
    assert same(Twin(plant=plant, seed=SEED).run(motion).recording, run.recording)


def test_another_seed_measures_other_noise(plant, motion, run):
    other = Twin(plant=plant, seed=SEED + 1).run(motion).recording
    assert not np.array_equal(other["current"], run.recording["current"])


def test_a_run_resumed_from_its_state_is_the_same_run(plant):
    twin = Twin(plant=plant, seed=SEED, sampling=Sampling(stride=1, jitter=1e-4))
    reference = np.zeros((40, 3, 6))
    reference[:, 0] = 0.3
    calm = {"servoed": True, "wrench": np.zeros((1, 6)), "event": no_events(6)}
    start = twin.init(np.full(6, 0.3))
    kept = [np.copy(a) for a in start[:5]]
    whole, records, times, _ = twin.advance(start, reference, **calm)
    half, first, t1, _ = twin.advance(start, reference[:17], **calm)
    rest, second, t2, _ = twin.advance(half, reference[17:], **calm)
    np.testing.assert_array_equal(np.concatenate([first, second]), records)
    np.testing.assert_array_equal(np.concatenate([t1, t2]), times)
    np.testing.assert_array_equal(rest.x, whole.x)
    for before, now in zip(kept, start[:5], strict=True):
        np.testing.assert_array_equal(before, now)


def no_events(n):
    from jointwise.plant.faults import events

    return events((), 1, n, 1e-3, np.random.default_rng(0))


def test_the_servo_follows_the_motion(run):
    error = np.abs(run.recording["true_q"] - run.recording["q_ref"])
    assert error.max() < 0.02


def test_an_arm_at_rest_stays_at_rest():
    plant = plain_plant("ur5e", damping=20.0)
    q = np.array([0.1, -1.0, 0.8, 0.2, 0.4, 0.0])
    hold = np.tile(plant.robot.gravity_torque(q), (200, 1))
    x = Twin(plant=plant).run_torque(hold, q=q).state.x
    np.testing.assert_allclose(x[0], q, rtol=0, atol=1e-9)


def test_a_run_begins_in_balance_behind_bent_and_uneven_gears(plant):
    """At rest the gears carry gravity: elastic torque at rotor - kinematic error - link is what holds the links."""
    q = np.array([0.4, -1.2, 1.0, -0.5, 0.8, 0.3])
    x = Twin(plant=plant).init(q).x
    for j, joint in enumerate(plant.joints):
        gear = joint.transmission
        stretch = x[2, j] - gear.kinematic_error.error(x[2, j]) - q[j]
        load = plant.robot.gravity_torque(q)[j]
        assert gear.stiffness.torque(stretch) == pytest.approx(load, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ["ur5e", "ur10e"])
def test_traced_step_equals_the_generic_one(name):
    arm = random_arm(name, seed=7)
    path = random_fourier(arm.robot, seed=2, duration=0.5, period=0.5)
    generic = Twin(plant=arm, seed=1).run(path)
    traced = Twin(plant=arm, seed=1, traced=True).run(path)
    np.testing.assert_allclose(traced.state.x, generic.state.x, rtol=0, atol=1e-12)
    for column in generic.recording.columns:
        np.testing.assert_allclose(
            traced.recording[column], generic.recording[column], rtol=0, atol=1e-12
        )


def test_population_is_repeatable_and_varied():
    assert random_arm("ur5e", seed=5) == random_arm("ur5e", seed=5)
    levels = {random_arm("ur5e", seed=k).joints[0].friction.terms[0].coulomb for k in range(8)}
    assert len(levels) == 8


@pytest.mark.parametrize("name", ARMS)
def test_every_kind_of_arm_runs(name):
    arm = random_arm(name, seed=0)
    path = random_fourier(arm.robot, seed=0, duration=1.0, period=1.0)
    assert Twin(plant=arm).run(path).status == "completed"


def many_arms(count, seconds):
    for seed in range(count):
        arm = random_arm("ur5e", seed=seed)
        path = random_fourier(arm.robot, seed=seed, duration=seconds)
        outcome = Twin(plant=arm, seed=seed).run(path, truth=False)
        assert outcome.status == "completed", outcome.message


def test_random_arms_do_not_diverge():
    many_arms(6, 10.0)


@pytest.mark.soak
def test_two_hundred_random_arms_do_not_diverge():
    many_arms(200, 60.0)


# ---- divergence and refusal -----------------------------------------------------------------


def test_a_diverging_run_returns_the_recording_up_to_then():
    wild = plain_plant(servo=Servo(velocity_gain=1e5, position_gain=1e4))
    path = random_fourier(wild.robot, seed=0, duration=2.0, period=2.0)
    outcome = Twin(plant=wild).run(path)
    assert outcome.status == "diverged"
    assert 0.0 < outcome.time < 2.0
    assert np.isfinite(outcome.state.x).all()
    assert len(outcome.recording) >= round(outcome.time / 1e-3)
    with pytest.raises(NumericalError, match="diverged after"):
        outcome.raise_for_status()


def test_an_unstable_step_is_refused_with_the_joint_and_the_allowed_step(plant):
    with pytest.raises(ParameterError, match=r"joint \w+ is the fastest.*at most"):
        Twin(plant=plant, period=0.02, substeps=1)


def test_impossible_plants_are_refused():
    good = plain_plant()
    zero = {f"joints.{good.robot.joints[0].name}.drive.rotor_inertia": 0.0}
    weightless = good.robot.replace(zero, source="test")
    with pytest.raises(ParameterError, match="rotor_inertia"):
        replace(good, robot=weightless)
    with pytest.raises(ParameterError, match="number of plant joints"):
        Plant(robot=good.robot, joints=good.joints[:1])
    with pytest.raises(JointwiseError, match="does not know"):
        Plant(robot=load_robot("ur3e"), joints=(good.joints[0],) * 6)


@pytest.mark.parametrize(
    ("part", "law", "says"),
    [
        ("friction", Law(name="coulom"), ["friction law for joint joint", "'coulomb'", "viscous"]),
        ("friction", Law(name="viscous"), ["joints.joint.friction", "viscous.viscous"]),
        ("transmission", Law(name="liner"), ["for joint joint", "'linear'"]),
        ("transmission", Law(name="linear", parameters={"spring_stiffness": -1.0}),
         ["joints.joint.transmission", "-1"]),
    ],
)  # fmt: skip
def test_laws_nobody_knows_are_refused_with_their_joint(part, law, says):
    robot = load_robot("pendulum").replace({f"joints.joint.{part}": law}, source="test")
    with pytest.raises(JointwiseError) as caught:
        Plant.stated(robot)
    assert [word for word in says if word not in str(caught.value)] == []


@pytest.mark.parametrize("bad", [np.zeros((10, 3)), "torque", None, [[0.0, 1j]]])
def test_commands_of_another_shape_or_kind_are_refused(bad):
    with pytest.raises(ShapeError):
        Twin(plant=plain_plant()).run_torque(bad, q=[0.0, 0.0])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_command_that_is_not_finite_is_refused_with_its_joint_and_the_limits(bad):
    twin = Twin(plant=plain_plant())
    torque = np.zeros((10, 2))
    torque[3, 1] = bad
    name = twin.plant.robot.joints[1].name
    with pytest.raises(ParameterError, match=rf"joint {name} in period 3 .*{bad}.*-100000 to 1"):
        twin.run_torque(torque, q=[0.0, 0.0])
    with pytest.raises(ParameterError, match=f"joint {name}"):
        TwinPort(twin, [0.0, 0.0]).write([0.0, bad])


@pytest.mark.parametrize(
    ("field", "value"),
    [("method", "euler"), ("substeps", 0), ("substeps", 1.5), ("period", 0.0), ("seed", -1)],
)
def test_twin_options_are_checked(field, value):
    with pytest.raises(ParameterError):
        Twin(plant=plain_plant(), **{field: value})


def test_a_motion_beyond_the_limits_is_refused(plant, motion):
    fast = replace(motion, dq=motion.dq * 100.0)
    with pytest.raises(ParameterError, match="velocity of"):
        Twin(plant=plant).run(fast)


# ---- sensors, heat, wear, surroundings ------------------------------------------------------


def test_perfect_sensors_report_the_truth():
    rec = (
        Twin(plant=plain_plant(damping=5.0)).run_torque(chirp(300, 2, 5.0), q=[0.0, 0.5]).recording
    )
    np.testing.assert_array_equal(rec["q"], rec["true_q"])
    np.testing.assert_array_equal(rec["theta"], rec["true_theta"])
    # The sample of a tick sees the torque of the period before it.
    np.testing.assert_allclose(rec["current"][1:], rec["command_torque"][:-1] / 10.0, atol=1e-12)


def with_sensors(plant, sensors):
    return replace(plant, joints=tuple(replace(j, sensors=sensors) for j in plant.joints))


def test_encoders_round_and_arms_may_lack_the_link_encoder():
    sensors = JointSensors(motor_encoder=Encoder(resolution=1e-3, offset=0.25), link_encoder=None)
    rec = (
        Twin(plant=with_sensors(plain_plant(), sensors))
        .run_torque(chirp(200, 2, 5.0), q=[0.0, 0.5])
        .recording
    )
    assert "q" not in rec
    steps = rec["theta"] / 1e-3
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-6)
    assert np.abs(rec["theta"] - 0.25 - rec["true_theta"]).max() <= 0.5e-3 + 1e-12


def test_current_offsets_show_as_ripple():
    sensors = JointSensors(current=CurrentSensor(offset_a=0.2))
    rec = (
        Twin(plant=with_sensors(plain_plant(), sensors))
        .run_torque(chirp(400, 2, 5.0), q=[0.0, 0.5])
        .recording
    )
    ripple = rec["current"][1:] - rec["command_torque"][:-1] / 10.0
    assert 0.05 < np.abs(ripple).max() <= 0.2 * 1.2


def test_jitter_moves_stamps_and_samples_together(plant, motion):
    twin = Twin(plant=plant, seed=SEED, sampling=Sampling(stride=4, jitter=2e-4))
    rec = twin.run(motion).recording
    off = rec.time - np.round(rec.time / 4e-3) * 4e-3
    assert 1e-4 < off.std() < 3e-4
    assert len(rec) == -(-1501 // 4)


def test_work_heats_and_the_oil_lags(plant):
    path = random_fourier(plant.robot, seed=4, duration=20.0)
    start = Twin(plant=plant).init(path.q[0]).temperature
    run = Twin(plant=plant).run(path)
    assert (run.state.temperature[1] > start[1] - 1.0).all()
    assert not np.allclose(run.state.temperature[0], run.state.temperature[1])


def test_wear_raises_friction_with_travel():
    friction = FrictionModel(terms=(Viscous(viscous=1.0),))
    new = plain_plant("pendulum", friction=friction, gravity=(0.0, 0.0, 0.0), damping=2.0)
    worn = replace(
        new,
        joints=tuple(
            replace(j, wear=(Wear(term=0, parameter="viscous", per_radian=0.5),))
            for j in new.joints
        ),
    )
    twin = Twin(plant=worn)
    run = twin.run_torque(np.full((2000, 1), 1.0), q=[0.0])
    travel = np.sum(np.abs(np.diff(run.recording["true_theta"][:, 0], append=run.state.x[2, 0])))
    grown = run.state.parameters - twin.init([0.0]).parameters
    np.testing.assert_allclose(grown.max(), 0.5 * travel, rtol=1e-6)


def test_a_push_at_the_tool_bends_the_joints_as_its_jacobian_says():
    plant = plain_plant("two_link", gravity=(0.0, 0.0, 0.0), damping=30.0)
    held = FrictionModel(terms=(Viscous(viscous=200.0),))
    plant = replace(plant, joints=tuple(replace(j, friction=held) for j in plant.joints))
    q, force = np.array([0.3, 0.6]), np.array([2.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    expected = plant.robot.jacobian(q).T @ force
    # Motors that carry the push keep the rotors still; the links give way by torque over stiffness.
    hold = np.tile(-expected, (4000, 1))
    x = Twin(plant=plant).run_torque(hold, q=q, wrench=force).raise_for_status().state.x
    np.testing.assert_allclose((x[0] - x[2]) * 2e3, plant.robot.jacobian(x[0]).T @ force, atol=2e-2)


def test_a_wall_stops_the_tool():
    plant = plain_plant("two_link", gravity=(0.0, 0.0, 0.0), damping=5.0)
    q = np.array([0.0, 0.3])
    tool = plant.robot.pose(q)[:3, 3]
    torque = np.tile(plant.robot.jacobian(q)[:3].T @ np.array([0.0, 0.0, -20.0]), (300, 1))
    wall = Wall(
        normal=(0.0, 0.0, 1.0), distance=float(tool[2]) - 0.02, stiffness=1e5, damping=300.0
    )
    free = Twin(plant=plant).run_torque(torque, q=q).state.x[0]
    stopped = Twin(plant=plant, wall=wall).run_torque(torque, q=q).raise_for_status().state.x[0]
    assert plant.robot.pose(free)[2, 3] < wall.distance - 0.05
    assert plant.robot.pose(stopped)[2, 3] > wall.distance - 0.005


def test_the_port_applies_limited_torques():
    plant = plain_plant()
    limits = {f"joints.{j.name}.limits.torque": 5.0 for j in plant.robot.joints}
    plant = replace(plant, robot=plant.robot.replace(limits, source="test"))
    port = TwinPort(Twin(plant=plant), [0.0, 0.5])
    applied = port.write([100.0, -1.0])
    np.testing.assert_array_equal(applied, [5.0, -1.0])
    assert port.read().time == pytest.approx(1e-3)
    with pytest.raises(ShapeError):
        port.write([0.0])


# ---- faults ---------------------------------------------------------------------------------


def faulty(plant, motion, *faults):
    return Twin(plant=plant, seed=SEED, faults=faults).run(motion).recording


def test_a_frozen_encoder_repeats_itself(plant, motion):
    rec = faulty(plant, motion, Fault(kind="frozen_motor_encoder", joint=2, start=0.5, stop=0.7))
    frozen = rec["theta"][(rec.time >= 0.5) & (rec.time < 0.7), 1]
    assert np.ptp(frozen) == 0.0


def test_spikes_are_single_and_large(plant, motion, run):
    fault = Fault(kind="spiking_link_encoder", joint=1, start=0.0, stop=1.5, size=0.5, every=50.0)
    rec = faulty(plant, motion, fault)
    off = np.abs(rec["q"][:, 0] - rec["true_q"][:, 0])
    assert 10 <= np.sum(off > 0.4) <= 60


def test_a_wrapped_encoder_stays_in_one_turn(plant, motion):
    rec = faulty(plant, motion, Fault(kind="encoder_wrap", joint=1, start=0.0, stop=9.0, size=0.2))
    assert np.abs(rec["q"][:, 0]).max() <= 0.1 + 1e-4


def test_saturation_limits_the_torque(plant, motion):
    rec = faulty(
        plant, motion, Fault(kind="current_saturation", joint=2, start=0.0, stop=9.0, size=0.1)
    )
    assert np.abs(rec["command_torque"][:, 1]).max() <= 15.0 + 1e-9


def test_lost_and_late_samples(plant, motion, run):
    rec = faulty(plant, motion, Fault(kind="lost_samples", start=0.0, stop=9.0, size=0.3))
    assert 0.6 < len(rec) / len(run.recording) < 0.8
    late = faulty(
        plant, motion, Fault(kind="late_samples", start=0.0, stop=9.0, size=0.3, delay=0.02)
    )
    assert (np.diff(late.time) < 0).any()


def test_a_collision_moves_the_arm(plant, motion, run):
    rec = faulty(plant, motion, Fault(kind="collision", start=0.5, stop=0.6, size=150.0))
    assert np.abs(rec["true_q"] - run.recording["true_q"]).max() > 1e-3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("faults = 3", r"\[\[faults\]\]"),
        ("[[faults]]\nkind = 'frozen'\nstart = 0\nstop = 1\njoint = 1", "kind of fault"),
        ("[[faults]]\nkind = 'encoder_wrap'\nstart = 2\nstop = 1\njoint = 1", "stop"),
        ("[[faults]]\nkind = 'encoder_wrap'\nstart = 0\njoint = 1", "stop"),
        ("[[faults]]\nkind = 'encoder_wrap'\nstart = 0\nstop = 1\nsize = 1", "joint"),
        ("[[faults]]\nkind = 'encoder_wrap'\nstart = 0\nstop = 1\njoint = 1", "size"),
        ("[[faults]]\nkind = 'collision'\nstart = 0\nstop = 1\nsize = 9\njoint = 1", "whole arm"),
        ("[[faults]]\nkind = 'encoder_wrap'\nstart = 0\nstop = 1\njoint = 1\nforce = 2", "force"),
        ("[[faults", "TOML"),
    ],
)
def test_bad_fault_files_are_refused(tmp_path, text, says):
    path = tmp_path / "faults.toml"
    path.write_text(text)
    with pytest.raises(JointwiseError, match=says):
        load_faults(path)


def test_a_fault_on_a_joint_the_arm_lacks_is_refused(plant):
    with pytest.raises(ParameterError, match="joint"):
        Twin(plant=plant, faults=(Fault(kind="encoder_wrap", joint=9, start=0, stop=1, size=1),))


def test_coulomb_friction_holds_a_light_push():
    friction = FrictionModel(terms=(Coulomb(coulomb=5.0), Viscous(viscous=1.0)))
    plant = plain_plant("pendulum", friction=friction, gravity=(0.0, 0.0, 0.0), damping=5.0)
    x = Twin(plant=plant).run_torque(np.full((500, 1), 2.0), q=[0.0]).state.x
    assert abs(x[2, 0]) < 0.02
