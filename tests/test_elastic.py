"""Elastic inverse dynamics: exact time derivatives of the joint torque, and the rotor motion that follows from them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from jointwise.errors import ParameterError, ShapeError, UnknownValueError
from jointwise.units import UNKNOWN
from known_arms import turning_arm, two_links
from mechanics import torque_rates_error
from random_arms import random_arm, random_motion

HIGH_ORDER = 1e-9
"""Agreement asked for with an independent reference; both sides lose about 1e-15 times the size of their terms."""
STEP = 0.004
BY_STENCIL = 1e-8
"""Tenth-order stencils with step h = 4 ms on a motion with derivatives of order 10^k: truncation (10 h)^10 = 1e-14
of the second derivative, rounding 1e-15 / h^2 = 1e-10 of the value, some ten times that when values cancel."""

seeds = pytest.mark.parametrize("seed", range(12))


def size(values) -> float:
    return float(np.linalg.norm(np.asarray(values, dtype=np.longdouble).ravel()))


def polynomial(motion, t):
    """The motion with these derivatives at zero, and its derivatives, at times t."""
    powers = [np.asarray(t)[..., None] ** k for k in range(5)]
    factorial = (1.0, 1.0, 2.0, 6.0, 24.0)
    return [
        sum(motion[j] * powers[j - d] / factorial[j - d] for j in range(d, 5)) for d in range(5)
    ]


def stencil(values, derivative):
    """First or second time derivative from values at -5..5 steps."""
    points = np.arange(-5, 6)
    powers = np.vander(points, increasing=True).T.astype(float)
    target = np.zeros(11)
    target[derivative] = (1.0, 2.0)[derivative - 1]
    return np.tensordot(np.linalg.solve(powers, target), values, 1) / STEP**derivative


class CubicStiffness:
    """tau_E = k1 phi + k3 phi^3, inverted in closed form."""

    def __init__(self, k1, k3):
        self.k1, self.k3 = k1, k3

    def torque(self, phi):
        return self.k1 * phi + self.k3 * phi**3

    def deformation(self, torque):
        scale = np.sqrt(4.0 * self.k1 / (3.0 * self.k3))
        return scale * np.sinh(np.arcsinh(4.0 * torque / (self.k3 * scale**3)) / 3.0)

    def stiffness(self, phi):
        return self.k1 + 3.0 * self.k3 * phi**2

    def stiffness_slope(self, phi):
        return 6.0 * self.k3 * phi


# ---- derivatives of the joint torque -----------------------------------------------------------


@seeds
def test_torque_rates_follow_from_lagrange(seed):
    """Another formula, another arithmetic."""
    rng = np.random.default_rng(seed)
    robot = random_arm(rng)
    assert torque_rates_error(robot, random_motion(rng, robot)) <= HIGH_ORDER


@seeds
def test_torque_rates_are_those_of_inverse_dynamics(seed):
    rng = np.random.default_rng(seed)
    robot = random_arm(rng)
    motion = random_motion(rng, robot)
    along = polynomial(motion, STEP * np.arange(-5, 6))
    torque = robot.inverse_dynamics(*along[:3])
    rates = robot.joint_torque_rates(*motion)
    assert np.array_equal(rates.torque, torque[5])
    for derivative in (1, 2):
        reference = stencil(torque, derivative)
        assert size(rates[derivative] - reference) <= BY_STENCIL * (size(reference) + size(torque))


@seeds
def test_torque_acceleration_has_its_closed_form(seed):
    """T(2.66), T(2.67): ddtau = M q4 + (2 dM + C) q3 + (ddM + 2 dC) ddq + ddC dq + ddg."""
    rng = np.random.default_rng(seed)
    robot = random_arm(rng)
    motion = random_motion(rng, robot)
    q, dq, ddq, d3q, d4q = motion
    along = polynomial(motion, STEP * np.arange(-5, 6))
    mass = robot.mass_matrix(along[0])
    coriolis = robot.coriolis_matrix(along[0], along[1])
    gravity = robot.gravity_torque(along[0])
    mass_rate = np.einsum("kij,k->ij", robot.mass_matrix_derivative(q), dq)
    c = (2.0 * mass_rate + coriolis[5]) @ d3q
    c += (stencil(mass, 2) + 2.0 * stencil(coriolis, 1)) @ ddq
    c += stencil(coriolis, 2) @ dq + stencil(gravity, 2)
    exact = robot.joint_torque_rates(*motion).acceleration
    parts = size(mass) * size(d4q) + size(c)
    assert size(mass[5] @ d4q + c - exact) <= BY_STENCIL * parts


def test_a_batch_of_motions_is_each_motion():
    robot = turning_arm(3)
    motion = random_motion(np.random.default_rng(1), robot, 2, 3)
    rates = robot.joint_torque_rates(*motion)
    one = robot.joint_torque_rates(*(m[1, 2] for m in motion))
    assert rates.rate.shape == (2, 3, 3)
    assert all(np.array_equal(a[1, 2], b) for a, b in zip(rates, one, strict=True))


# ---- rotor motion and motor torque -------------------------------------------------------------

STIFFNESS = np.array([9000.0, 8000.0, 5000.0])


def drives_of(robot):
    return np.array([j.drive.rotor_inertia for j in robot.joints])


def test_linear_feedforward_has_its_closed_form():
    """T(2.69) as corrected: tau_m = B K^-1 (M v + c) + (M + B) ddq + C dq + g, with M v + c = ddtau."""
    robot = turning_arm(3)
    motion = random_motion(np.random.default_rng(4), robot)
    inertia = drives_of(robot)
    torque, _, acceleration = robot.joint_torque_rates(*motion)
    expected = inertia / STIFFNESS * acceleration + inertia * motion[2] + torque
    found = robot.elastic_inverse_dynamics(*motion, stiffness=STIFFNESS)
    assert size(found.motor_torque - expected) <= 1e-13 * size(expected)


def test_printed_feedforward_counts_the_rotor_twice():
    """Erratum 44: T(2.69) in print adds B ddq once more; the error is exactly that."""
    robot = turning_arm(3)
    motion = random_motion(np.random.default_rng(4), robot)
    inertia = np.diag(drives_of(robot))
    torque, _, acceleration = robot.joint_torque_rates(*motion)
    ddq = motion[2]
    printed = inertia @ (acceleration / STIFFNESS + ddq) + inertia @ ddq + torque
    found = robot.elastic_inverse_dynamics(*motion, stiffness=STIFFNESS).motor_torque
    assert size(printed - found - inertia @ ddq) <= 1e-12 * size(found)
    assert size(printed - found) > 0.01 * size(found)


LAWS = {
    "linear": (STIFFNESS, lambda phi: STIFFNESS * phi),
    "cubic": (law := CubicStiffness(STIFFNESS, 40.0 * STIFFNESS), law.torque),
}


@pytest.mark.parametrize("name", LAWS)
def test_rotor_velocity_and_acceleration_are_derivatives_of_its_position(name):
    robot = turning_arm(3)
    motion = random_motion(np.random.default_rng(5), robot)
    stiffness, elastic_torque = LAWS[name]
    along = robot.elastic_inverse_dynamics(
        *polynomial(motion, STEP * np.arange(-5, 6)), stiffness=stiffness
    )
    here = robot.elastic_inverse_dynamics(*motion, stiffness=stiffness)
    phi = here.rotor_position - motion[0]
    assert size(elastic_torque(phi) - here.joint_torque) <= 1e-10 * size(here.joint_torque)
    for derivative, found in ((1, here.rotor_velocity), (2, here.rotor_acceleration)):
        reference = stencil(along.rotor_position, derivative)
        assert size(found - reference) <= BY_STENCIL * (size(reference) + size(here.rotor_position))


@pytest.mark.parametrize("name", LAWS)
def test_rotor_equation_holds(name):
    """T(2.24): B ddtheta + tau_J = tau_m."""
    robot = turning_arm(3)
    motion = random_motion(np.random.default_rng(5), robot, 4)
    m = robot.elastic_inverse_dynamics(*motion, stiffness=LAWS[name][0])
    expected = drives_of(robot) * m.rotor_acceleration + m.joint_torque
    assert size(m.motor_torque - expected) <= 1e-14 * size(expected)


def test_the_two_mass_equations_give_the_fourth_derivative_back():
    """From theta and tau_m alone, T(2.23) and T(2.24) return ddq and q4 of the planned motion."""
    robot = turning_arm(3)
    motion = random_motion(np.random.default_rng(6), robot)
    q, dq, ddq, d3q, d4q = motion
    m = robot.elastic_inverse_dynamics(*motion, stiffness=STIFFNESS)
    joint_torque = STIFFNESS * (m.rotor_position - q)
    assert size(robot.forward_dynamics(q, dq, joint_torque) - ddq) <= 1e-9 * size(ddq)
    ddtheta = (m.motor_torque - joint_torque) / drives_of(robot)
    c = robot.joint_torque_rates(q, dq, ddq, d3q, np.zeros(3)).acceleration
    fourth = np.linalg.solve(robot.mass_matrix(q), STIFFNESS * (ddtheta - ddq) - c)
    assert size(fourth - d4q) <= 1e-7 * size(d4q)  # theta - q is 1e-4 of theta: four digits less


def test_an_elastic_arm_driven_by_its_feedforward_follows_the_motion():
    """Integrating T(2.23), T(2.24) under the computed motor torque leads along the planned path."""
    robot = two_links()
    stiffness = np.array([3000.0, 2000.0])
    rate = np.array([3.0, 4.0])

    def plan(t):
        phase = rate * t + [0.3, 0.5]
        wave = [np.sin(phase), np.cos(phase), -np.sin(phase), -np.cos(phase), np.sin(phase)]
        return [0.5 * rate**k * w for k, w in enumerate(wave)]

    def motors(t):
        return robot.elastic_inverse_dynamics(*plan(t), stiffness=stiffness)

    def slope(t, x):
        q, dq, theta, dtheta = x.reshape(4, 2)
        torque = stiffness * (theta - q)
        ddq = robot.forward_dynamics(q, dq, torque)
        ddtheta = (motors(t).motor_torque - torque) / drives_of(robot)
        return np.concatenate([dq, ddq, dtheta, ddtheta])

    start = motors(0.0)
    x0 = np.concatenate([*plan(0.0)[:2], start.rotor_position, start.rotor_velocity])
    end = solve_ivp(slope, (0.0, 0.3), x0, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    wanted = np.concatenate(
        [*plan(0.3)[:2], motors(0.3).rotor_position, motors(0.3).rotor_velocity]
    )
    assert size(end - wanted) <= 1e-7 * size(
        wanted
    )  # undamped vibration at 20 Hz keeps the tolerance of each step


def test_a_very_stiff_joint_leaves_the_rigid_arm():
    """T(2.63)."""
    robot = turning_arm(3)
    motion = random_motion(np.random.default_rng(7), robot)
    m = robot.elastic_inverse_dynamics(*motion, stiffness=1e15)
    rigid = robot.inverse_dynamics(*motion[:3], rotors=True)
    assert size(m.motor_torque - rigid) <= 1e-9 * size(rigid)


def test_coupled_motors_get_the_torque_of_the_coupled_rotor_matrix():
    coupling = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 1.0))
    robot = turning_arm(3, coupling=coupling)
    motion = random_motion(np.random.default_rng(8), robot)
    m = robot.elastic_inverse_dynamics(*motion, stiffness=STIFFNESS)
    expected = robot.rotor_matrix() @ m.rotor_acceleration + m.joint_torque
    assert size(m.motor_torque - expected) <= 1e-13 * size(expected)


@pytest.mark.parametrize("stiffness", [0.0, -5.0, np.nan, np.inf])
def test_a_stiffness_that_is_none_is_refused(stiffness):
    with pytest.raises((ParameterError, ShapeError), match="stiffness"):
        turning_arm(2).elastic_inverse_dynamics(*np.zeros((5, 2)), stiffness=stiffness)


def test_unknown_rotor_inertia_is_named():
    robot = turning_arm(2)
    last = robot.joints[1]
    unknown = replace(last, drive=replace(last.drive, rotor_inertia=UNKNOWN))
    robot = replace(robot, joints=(robot.joints[0], unknown))
    assert robot.joint_torque_rates(*np.zeros((5, 2))).rate.shape == (2,)
    with pytest.raises(UnknownValueError, match=r"joint 2\.drive\.rotor_inertia"):
        robot.elastic_inverse_dynamics(*np.zeros((5, 2)), stiffness=1e4)
