"""What the drive electronics of the twin do: heat, sampling, servo, and the error estimate of the step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm

from jointwise.laws.friction import FrictionModel
from jointwise.laws.viscous import Viscous
from jointwise.plant.faults import events
from jointwise.plant.outcome import TwinState
from jointwise.plant.sensors import JointSensors, Sampling, TemperatureSensor
from jointwise.plant.servo import Servo
from jointwise.plant.thermal import Thermal
from jointwise.plant.twin import Twin, run_all
from twins import chirp, plain_plant

WEIGHTLESS = (0.0, 0.0, 0.0)
HEAT = Thermal(
    ambient_degc=20.0,
    start_degc=25.0,
    housing_capacity=30.0,
    oil_capacity=4.0,
    to_ambient=2.0,
    to_oil=1.5,
    copper_loss=0.3,
)


def calm(n):
    return {"wrench": np.zeros((1, 6)), "event": events((), 1, n, 1e-3, np.random.default_rng(0))}


def test_losses_heat_housing_and_oil_as_two_masses_do():
    """Locked by its friction and held by its gear, a joint under constant torque warms by copper loss alone."""
    held = FrictionModel(terms=(Viscous(viscous=1e5),))
    plant = plain_plant("pendulum", gravity=WEIGHTLESS, friction=held)
    plant = replace(plant, joints=(replace(plant.joints[0], thermal=HEAT),))
    run = Twin(plant=plant).run_torque(np.full((20000, 1), 5.0), q=[0.0])
    # dT/dt = A T + b in housing and oil above ambient, 20 s.
    a = np.array([[-(2.0 + 1.5) / 30.0, 1.5 / 30.0], [1.5 / 4.0, -1.5 / 4.0]])
    b = np.array([0.3 * 25.0 / 30.0, 0.0])
    steady = -np.linalg.solve(a, b)
    exact = 20.0 + steady + expm(20.0 * a) @ ([5.0, 5.0] - steady)
    # Explicit steps of 1 ms on time constants of 2.4 s and more: 2e-4 of the change, and 0.03 J of friction.
    np.testing.assert_allclose(run.state.temperature[:, 0], exact, rtol=0, atol=5e-3)


def test_friction_heats_by_the_work_it_takes():
    rubbing = FrictionModel(terms=(Viscous(viscous=4.0),))
    lossless = replace(HEAT, to_ambient=0.0, copper_loss=0.0)
    plant = plain_plant("pendulum", gravity=WEIGHTLESS, friction=rubbing, damping=2.0)
    plant = replace(plant, joints=(replace(plant.joints[0], thermal=lossless),))
    run = Twin(plant=plant).run_torque(np.full((3000, 1), 6.0), q=[0.0])
    work = 4.0 * 1e-3 * np.sum(run.recording["true_dtheta"] ** 2)
    gained = np.array([30.0, 4.0]) @ (run.state.temperature[:, 0] - 25.0)
    assert gained == pytest.approx(work, rel=2e-3)  # a sum over periods for an integral
    assert gained > 1.0


def test_a_sample_taken_late_shows_the_arm_later():
    plant = plain_plant(damping=5.0)
    twin = Twin(plant=plant, seed=4, sampling=Sampling(stride=1, jitter=1e-4))
    rec = twin.run_torque(chirp(400, 2, 20.0), q=[0.0, 0.5]).recording
    late = (rec.time - 1e-3 * np.arange(400))[:, None]
    assert np.abs(late).max() > 1e-4
    for seen, true, rate in (("q", "true_q", "true_dq"), ("theta", "true_theta", "true_dtheta")):
        np.testing.assert_allclose(rec[seen], rec[true] + late * rec[rate], rtol=0, atol=1e-12)
        assert np.abs(rec[seen] - rec[true]).max() > 1e-5


def test_the_temperature_sensor_sees_the_housing_rounded_and_off():
    sensor = TemperatureSensor(resolution=0.25, offset=1.1)
    plant = plain_plant("pendulum", gravity=WEIGHTLESS)
    joint = replace(plant.joints[0], thermal=HEAT, sensors=JointSensors(temperature=sensor))
    plant = replace(plant, joints=(joint,))
    rec = Twin(plant=plant).run_torque(np.zeros((10, 1)), q=[0.0]).recording
    np.testing.assert_array_equal(rec["temperature"][:3], 26.0)  # 25 + 1.1 to the nearest quarter


def test_the_servo_is_the_printed_cascade():
    """Torque of a standing arm: inertia times K_V of the velocity error and of its integral, sample by sample."""
    gains = Servo(position_gain=10.0, velocity_gain=50.0, integral_gain=8.0, feedforward="none")
    stuck = FrictionModel(terms=(Viscous(viscous=1e7),))
    plant = plain_plant("pendulum", gravity=WEIGHTLESS, servo=gains, friction=stuck)
    twin = Twin(plant=plant)
    reference = np.zeros((40, 3, 1))
    reference[:, 0] = 0.02
    reference[:, 1] = 0.1
    reference[:, 2] = 0.7
    _, out, _, _ = twin.advance(twin.init([0.0]), reference, servoed=True, **calm(1))
    robot = plant.robot
    inertia = robot.mass_matrix([0.0], rotors=True)[0, 0]
    error = (
        0.1 + 10.0 * 0.02
    )  # minus the measured speed, which starts at its reference and decays by the filter
    share = 1.0 - np.exp(-2.0 * np.pi * 200.0 * 1e-3)
    speed = 0.1 * (1.0 - share) ** np.arange(1, 41)
    integral = np.cumsum(8.0 * 1e-3 * (error - speed))
    expected = 0.7 + inertia * 50.0 * (error - speed + integral)
    # The rotor creeps by the torque over 1e7 N m s/rad.
    np.testing.assert_allclose(out[:, 6, 0], expected, rtol=1e-4)


def test_the_integrator_stands_still_while_the_torque_is_limited():
    stuck = FrictionModel(terms=(Viscous(viscous=1e6),))
    plant = plain_plant("pendulum", gravity=WEIGHTLESS, friction=stuck)
    name = plant.robot.joints[0].name
    robot = plant.robot.replace({f"joints.{name}.limits.torque": 2.0}, source="test")
    twin = Twin(plant=replace(plant, robot=robot))
    reference = np.zeros((500, 3, 1))
    reference[:, 0] = 1.0
    start = twin.init([0.0])
    state, out, _, _ = twin.advance(start, reference, servoed=True, **calm(1))
    np.testing.assert_array_equal(out[:, 6, 0], 2.0)
    assert state.servo[0, 0] == start.servo[0, 0]


@pytest.mark.parametrize(("method", "counts"), [("semi_implicit", (8, 64)), ("rk4", (2, 6))])
def test_the_stated_error_of_the_step_is_the_error_it_makes(method, counts):
    """An undamped joint swings in its only mode for one radian of it."""
    plant = plain_plant("pendulum", stiffness=900.0, rotor=0.4, gravity=WEIGHTLESS)
    link = plant.robot.mass_matrix([0.0])[0, 0]
    rate = np.sqrt(900.0 * (1.0 / link + 1.0 / 0.4))
    for count in counts:
        twin = Twin(plant=plant, method=method, period=1.0 / rate, substeps=count)
        assert twin.step.fastest == pytest.approx(rate, rel=1e-9)
        shape = 1e-3 * np.array([1.0 / link, -1.0 / 0.4])
        start: TwinState = twin.init([0.0])
        start.x[0], start.x[2] = shape
        end, *_ = twin.advance(start, np.zeros((1, 3, 1)), servoed=False, **calm(1))
        place = end.x[[0, 2], 0] - np.cos(1.0) * shape
        speed = end.x[[1, 3], 0] / rate + np.sin(1.0) * shape
        error = np.linalg.norm([place, speed]) / np.linalg.norm(shape)
        assert 0.5 * twin.step.relative_error < error < 1.5 * twin.step.relative_error


def test_several_arms_at_once_are_each_arm_alone():
    from jointwise.motion.fourier import random_fourier
    from jointwise.plant.population import random_arm

    twins = [Twin(plant=random_arm("ur5e", seed=k), seed=k) for k in range(3)]
    motion = random_fourier(twins[0].plant.robot, seed=0, duration=0.3, period=0.3)
    for together, twin in zip(run_all(twins, motion), twins, strict=True):
        alone = twin.run(motion)
        np.testing.assert_array_equal(together.state.x, alone.state.x)
        np.testing.assert_array_equal(together.recording["current"], alone.recording["current"])
