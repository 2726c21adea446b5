"""Each thing a sensor adds, each thing friction feels, and where the servo looks: one at a time against its formula."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jointwise.laws.friction import FrictionModel
from jointwise.laws.load import LinearLoad
from jointwise.laws.maxwell_slip import MaxwellSlip
from jointwise.laws.temperature import TemperatureChange
from jointwise.laws.viscous import Viscous
from jointwise.motion.fourier import random_fourier
from jointwise.plant.faults import Fault, events
from jointwise.plant.outcome import Wall
from jointwise.plant.plant import Plant
from jointwise.plant.port import TwinPort
from jointwise.plant.push import HandPush
from jointwise.plant.sensors import CurrentSensor, Encoder, JointSensors, TemperatureSensor
from jointwise.plant.thermal import Thermal
from jointwise.plant.twin import Twin
from jointwise.robot.inertia import Body, body_from_parameters
from twins import chirp, plain_plant

WEIGHTLESS = (0.0, 0.0, 0.0)


def every_joint(plant: Plant, **changes) -> Plant:
    return replace(plant, joints=tuple(replace(joint, **changes) for joint in plant.joints))


# ---- sensors --------------------------------------------------------------------------------


def test_every_noise_has_its_size_and_none_is_another():
    sensors = JointSensors(
        motor_encoder=Encoder(noise=1e-4), link_encoder=Encoder(noise=3e-4),
        current=CurrentSensor(noise=0.2), temperature=TemperatureSensor(noise=0.5),
    )  # fmt: skip
    plant = every_joint(plain_plant(gravity=WEIGHTLESS), sensors=sensors)
    rec = Twin(plant=plant, seed=2).run_torque(np.zeros((4000, 2)), q=[0.0, 0.5]).recording
    off = {
        "motor": (rec["theta"] - rec["true_theta"], 1e-4),
        "link": (rec["q"] - rec["true_q"], 3e-4),
        "a": (rec["phase_a"], 0.2),
        "b": (rec["phase_b"], 0.2),
        "temperature": (rec["temperature"] - 22.0, 0.5),
    }
    for values, size in off.values():
        # Standard error of a standard deviation of 4,000 numbers: 1.1 %.
        assert values.std(axis=0) == pytest.approx(np.full(2, size), rel=0.05)
    columns = np.hstack([values / size for values, size in off.values()])
    shared = np.corrcoef(columns.T) - np.eye(columns.shape[1])
    assert np.abs(shared).max() < 5.0 / np.sqrt(4000)


def test_the_ripple_of_an_encoder_is_a_sine_of_its_cycles():
    sensors = JointSensors(
        motor_encoder=Encoder(ripple=1e-3, ripple_cycles=7.0),
        link_encoder=Encoder(ripple=2e-3, ripple_cycles=3.0, offset=0.1),
    )
    plant = every_joint(plain_plant(damping=5.0), sensors=sensors)
    rec = Twin(plant=plant).run_torque(chirp(400, 2, 20.0), q=[0.0, 0.5]).recording
    for seen, true, size, cycles, zero in (
        ("theta", "true_theta", 1e-3, 7.0, 0.0),
        ("q", "true_q", 2e-3, 3.0, 0.1),
    ):
        expected = rec[true] + zero + size * np.sin(cycles * rec[true])
        np.testing.assert_allclose(rec[seen], expected, rtol=0, atol=1e-12)


def test_phase_currents_have_gain_and_offset_of_their_own():
    current = CurrentSensor(
        offset_a=0.2, offset_b=-0.1, gain_error_a=0.03, gain_error_b=-0.05, pole_pairs=5.0
    )
    plant = every_joint(plain_plant(damping=5.0), sensors=JointSensors(current=current))
    rec = Twin(plant=plant).run_torque(chirp(300, 2, 20.0), q=[0.0, 0.5]).recording
    wanted = rec["command_torque"][:-1] / 10.0  # what drove the motor when the sample was taken
    angle = 5.0 * 100.0 * rec["true_theta"][1:]
    for name, lag, gain, offset in (
        ("phase_a", 0.0, 1.03, 0.2),
        ("phase_b", 2.0 * np.pi / 3.0, 0.95, -0.1),
    ):
        expected = offset - gain * wanted * np.sin(angle - lag)
        np.testing.assert_allclose(rec[name][1:], expected, rtol=0, atol=1e-11)


def test_late_samples_are_stamped_after_their_time_and_by_no_more_than_the_delay():
    fault = Fault(kind="late_samples", start=0.1, stop=0.4, size=0.5, delay=0.02)
    twin = Twin(plant=plain_plant(gravity=WEIGHTLESS), faults=(fault,))
    rec = twin.run_torque(np.zeros((500, 2)), q=[0.0, 0.0]).recording
    late = rec.time - 1e-3 * np.arange(500)
    inside = (np.arange(500) >= 100) & (np.arange(500) < 400)
    assert np.abs(late[~inside]).max() < 1e-12
    assert late.min() > -1e-12
    assert 0.01 < late.max() <= 0.02
    assert 0.4 < np.mean(late[inside] > 0.0) < 0.6


# ---- friction and heat ----------------------------------------------------------------------


def test_friction_feels_the_torque_of_its_joint_and_the_temperature_of_the_oil():
    laws = (LinearLoad(load_linear=0.05), TemperatureChange(slope=-0.2, cube=0.0))
    warm = Thermal(housing_capacity=5.0, oil_capacity=1.0, copper_loss=0.05)
    plant = plain_plant(damping=5.0, friction=FrictionModel(terms=(*laws, Viscous(viscous=20.0))))
    plant = every_joint(plant, thermal=warm, link_friction=FrictionModel(terms=laws[:1]))
    rec = Twin(plant=plant).run_torque(chirp(1500, 2, 30.0), q=[0.0, 0.5]).recording
    oil, load = rec["true_oil_temperature"], np.abs(rec["true_joint_torque"])
    assert np.abs(oil - rec["temperature"]).max() > 1.0
    omega = rec["true_dtheta"]
    expected = 0.05 * np.sign(omega) * load + 20.0 * omega
    expected -= 0.2 * (oil - 20.0) * np.sign(omega) * np.sqrt(np.abs(omega))
    np.testing.assert_allclose(rec["true_friction"], expected, rtol=0, atol=1e-10)
    on_link = 0.05 * np.sign(rec["true_dq"]) * load
    np.testing.assert_allclose(rec["true_link_friction"], on_link, rtol=0, atol=1e-10)


def test_friction_of_the_link_heats_as_that_of_the_rotor_does():
    rubbing = FrictionModel(terms=(Viscous(viscous=4.0),))
    lossless = Thermal(to_ambient=0.0, copper_loss=0.0, housing_capacity=30.0, oil_capacity=4.0)
    plant = plain_plant("pendulum", gravity=WEIGHTLESS, link_friction=rubbing, damping=2.0)
    run = Twin(plant=every_joint(plant, thermal=lossless)).run_torque(
        np.full((3000, 1), 6.0), q=[0.0]
    )
    work = 4.0 * 1e-3 * np.sum(run.recording["true_dq"] ** 2)
    gained = np.array([30.0, 4.0]) @ (run.state.temperature[:, 0] - 22.0)
    assert gained == pytest.approx(work, rel=2e-3)  # a sum over periods for an integral
    assert gained > 1.0


def test_presliding_stiffness_counts_in_the_step():
    """A rotor held by slipping springs beside its gear swings at sqrt of both stiffnesses over its inertia."""
    slip = MaxwellSlip(
        coulomb=5.0, operators=1, limit_exponent=0.0, stiffness_exponent=0.0, half_backlash=(1e-3,)
    )
    stiff = plain_plant("pendulum", rotor=0.01, friction=FrictionModel(terms=(slip,)))
    link = stiff.robot.mass_matrix([0.0])[0, 0]
    k = np.array([[2e3, -2e3], [-2e3, 2e3 + 5e3]])
    rates = np.sqrt(np.linalg.eigvals(np.diag([1.0 / link, 1.0 / 0.01]) @ k).max())
    assert Twin(plant=stiff).step.fastest == pytest.approx(rates, rel=1e-6)


# ---- servo, payload, contact ----------------------------------------------------------------


@pytest.mark.parametrize("which", ["link", "motor"])
def test_the_position_loop_closes_on_the_link_encoder_where_there_is_one(which):
    off = Encoder(offset=0.01)
    sensors = JointSensors(link_encoder=off)
    if which == "motor":
        sensors = JointSensors(motor_encoder=off, link_encoder=None)
    plant = plain_plant("pendulum", gravity=WEIGHTLESS, damping=5.0)
    plant = every_joint(
        plant, sensors=sensors, friction=FrictionModel(terms=(Viscous(viscous=1.0),))
    )
    motion = random_fourier(plant.robot, seed=0, duration=4.0, period=4.0)
    hold = replace(
        motion,
        **{name: np.zeros_like(motion.q) for name in ("q", "dq", "ddq")},
        d3q=None, d4q=None, path=None,
    )  # fmt: skip
    end = Twin(plant=plant).run(hold).raise_for_status().state.x
    assert end[0, 0] == pytest.approx(-0.01, abs=1e-5)


def test_a_payload_is_a_part_of_the_last_link():
    plant = plain_plant(damping=5.0)
    tool = Body(mass=1.5, center_of_mass=(0.05, 0.02, 0.1), inertia=(0.02, 0, 0, 0.02, 0, 0.01))
    carrying = replace(plant, robot=plant.robot.replace({"payload": tool}, source="test"))
    last = plant.robot.joints[-1]
    # Parameters of inertia about one frame add up; the flange of this arm is the frame of its last link.
    whole = body_from_parameters(last.link.parameters() + tool.parameters())
    grown = {
        f"joints.{last.name}.link.mass": whole.mass,
        f"joints.{last.name}.link.center_of_mass": whole.center_of_mass,
        f"joints.{last.name}.link.inertia": whole.inertia,
    }
    merged = replace(plant, robot=plant.robot.replace(grown, source="test"))
    torque = chirp(300, 2, 20.0)
    ends = [
        Twin(plant=p, substeps=4).run_torque(torque, q=[0.0, 0.5]).state.x
        for p in (carrying, merged, plant)
    ]
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-9)
    assert np.abs(ends[0] - ends[2]).max() > 1e-3


def test_pushes_of_a_twin_are_those_given_to_its_run_and_reach_a_port():
    push = HandPush(force=(10.0, 0.0, 5.0), start=0.02, rise=0.05, hold=0.1, release=0.05)
    plant = plain_plant(damping=5.0)
    torque = np.zeros((200, 2))
    pushed = Twin(plant=plant, pushes=(push,))
    inside = pushed.run_torque(torque, q=[0.0, 0.5]).state.x
    given = Twin(plant=plant).run_torque(torque, q=[0.0, 0.5], wrench=push.wrench(200)).state.x
    np.testing.assert_array_equal(inside, given)
    twice = Twin(plant=plant, pushes=(push, push)).run_torque(torque, q=[0.0, 0.5]).state.x
    assert np.abs(twice - inside).max() > 1e-3
    port, calm = TwinPort(pushed, [0.0, 0.5]), TwinPort(Twin(plant=plant), [0.0, 0.5])
    for _ in range(100):
        for one in (port, calm):
            one.write([0.0, 0.0])
    assert np.abs(port.state.x - calm.state.x).max() > 1e-4


def test_a_wall_never_pulls():
    """The tool leaves a sticky (strongly damped) wall as fast as free, because the force only ever pushes."""
    plant = plain_plant(gravity=WEIGHTLESS, stiffness=1e5)
    q = np.array([0.0, 0.3])
    height = float(plant.robot.pose(q)[2, 3])
    away = Wall(normal=(0.0, 0.0, 1.0), distance=height + 1e-9, stiffness=0.0, damping=1e4)
    calm = {"wrench": np.zeros((1, 6)), "event": events((), 1, 2, 1e-3, np.random.default_rng(0))}
    ends = []
    for wall in (None, away):
        twin = Twin(plant=plant, wall=wall, substeps=200)
        start = twin.init(q, dq=[0.5, 0.0])
        ends.append(twin.advance(start, np.zeros((50, 3, 2)), servoed=False, **calm)[0].x)
    np.testing.assert_array_equal(*ends)
