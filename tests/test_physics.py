"""What mechanics says about any arm: symmetry, energy, closed forms, linearity in the parameters."""

from dataclasses import replace

import numpy as np
import pytest

import mechanics
from jointwise.errors import NumericalError, UnknownValueError
from jointwise.kernels.columns import NAMES
from jointwise.robot.description import Robot
from jointwise.robot.frames import ModifiedDH, Pose, Transform, rpy_of
from jointwise.robot.inertia import NOTHING, Body, transport
from jointwise.robot.parts import Joint
from jointwise.units import UNKNOWN
from known_arms import CENTER, INERTIA, LENGTH, MASS, WEIGHT, pendulum, turning_arm, two_links
from lagrange import Arm
from random_arms import random_arm, random_body, random_motion, random_pose

ROUNDING = 1e-12
"""Some hundred operations of 1e-16 each, and two digits for terms that cancel."""
BY_DIFFERENCES = 1e-7
"""Central differences with step h = 1e-5: truncation h^2 and rounding 1e-16 / h, both about 1e-10, times scale."""
ENERGY_BALANCE = 1e-9

seeds = pytest.mark.parametrize("seed", range(12))


def arm_and_motion(seed, *leading, **options):
    rng = np.random.default_rng(seed)
    robot = random_arm(rng, **options)
    return robot, random_motion(rng, robot, *leading)


def size(values) -> float:
    return float(np.linalg.norm(np.ravel(values)))


# ---- mass and Coriolis matrix ------------------------------------------------------------------


@seeds
def test_mass_matrix_is_symmetric_and_positive_definite(seed):
    robot, (q, *_) = arm_and_motion(seed, 5)
    mass = robot.mass_matrix(q)
    assert np.array_equal(mass, np.swapaxes(mass, -1, -2))
    assert np.linalg.eigvalsh(mass).min() > 0.0


@seeds
def test_mass_matrix_columns_are_torques_of_unit_accelerations(seed):
    """T(2.28)."""
    robot, (q, *_) = arm_and_motion(seed)
    floating = replace(robot, gravity=(0.0, 0.0, 0.0))
    columns = floating.inverse_dynamics(q, np.zeros(robot.n), np.eye(robot.n))
    assert size(columns - robot.mass_matrix(q)) <= ROUNDING * size(columns)


@seeds
def test_rate_of_mass_minus_twice_coriolis_is_skew(seed):
    robot, (q, dq, *_) = arm_and_motion(seed)
    assert mechanics.skewness(robot, q, dq) <= ROUNDING
    assert mechanics.skewness_by_differences(robot, q, dq) <= BY_DIFFERENCES


@seeds
def test_mass_matrix_derivative_is_that_of_the_mass_matrix(seed):
    robot, (q, *_) = arm_and_motion(seed)
    h = 1e-5
    steps = h * np.eye(robot.n)
    by_differences = (robot.mass_matrix(q + steps) - robot.mass_matrix(q - steps)) / (2.0 * h)
    exact = robot.mass_matrix_derivative(q)
    assert size(exact - by_differences) <= BY_DIFFERENCES * max(
        size(exact), size(robot.mass_matrix(q))
    )


def test_printed_coriolis_row_is_a_number_and_not_a_row():
    """Erratum 2: T(2.29) with its last factor is the scalar (C dq)_i; without it, the row C_i."""
    robot, (q, dq, *_) = arm_and_motion(3, joints=4)
    slopes = robot.mass_matrix_derivative(q)  # k, i, j
    coriolis = robot.coriolis_matrix(q, dq)
    for i in range(robot.n):
        column_slopes = slopes[:, :, i].T  # (dM_i/dq)_jk = dM_ji/dq_k
        bracket = column_slopes + column_slopes.T - slopes[i]
        row = 0.5 * dq @ bracket
        printed = row @ dq
        assert size(row - coriolis[i]) <= ROUNDING * size(coriolis)
        assert np.shape(printed) == ()
        assert abs(printed - (coriolis @ dq)[i]) <= ROUNDING * size(coriolis) * size(dq)


# ---- the independent construction --------------------------------------------------------------


@seeds
def test_torque_mass_and_energy_follow_from_lagrange(seed):
    robot, (q, dq, ddq, *_) = arm_and_motion(seed)
    arm = Arm(robot, (q, dq, ddq))
    torque = arm.torque()[0]
    mass = arm.mass_matrix()
    energy = np.array(arm.energy())
    assert size(robot.inverse_dynamics(q, dq, ddq) - torque) <= ROUNDING * size(torque)
    assert size(robot.mass_matrix(q) - mass) <= ROUNDING * size(mass)
    assert size(np.array(robot.energy(q, dq)) - energy) <= ROUNDING * size(energy)


@seeds
def test_torque_is_mass_coriolis_and_gravity(seed):
    robot, (q, dq, ddq, *_) = arm_and_motion(seed)
    torque = robot.inverse_dynamics(q, dq, ddq)
    parts = [robot.mass_matrix(q) @ ddq, robot.coriolis_matrix(q, dq) @ dq, robot.gravity_torque(q)]
    assert size(sum(parts) - torque) <= ROUNDING * sum(map(size, parts))


@seeds
@pytest.mark.parametrize("rotors", [False, True])
def test_forward_dynamics_undoes_inverse_dynamics(seed, rotors):
    robot, (q, dq, ddq, *_) = arm_and_motion(seed, 4)
    torque = robot.inverse_dynamics(q, dq, ddq, rotors=rotors)
    back = robot.forward_dynamics(q, dq, torque, rotors=rotors)
    condition = np.linalg.cond(robot.mass_matrix(q, rotors=rotors)).max()
    assert size(back - ddq) <= 1e-15 * 100.0 * condition * size(ddq)


# ---- energy ------------------------------------------------------------------------------------


@seeds
def test_kinetic_energy_is_the_quadratic_form_of_the_mass_matrix(seed):
    robot, (q, dq, *_) = arm_and_motion(seed)
    kinetic, _ = robot.energy(q, dq)
    form = 0.5 * dq @ robot.mass_matrix(q) @ dq
    assert abs(kinetic - form) <= ROUNDING * form


@seeds
def test_gravity_is_gradient_of_potential(seed):
    robot, (q, *_) = arm_and_motion(seed)
    h = 1e-5
    steps = h * np.eye(robot.n)
    still = np.zeros(robot.n)
    gradient = (robot.energy(q + steps, still)[1] - robot.energy(q - steps, still)[1]) / (2.0 * h)
    heaviest = sum(j.link.mass for j in robot.joints) * 9.81
    assert size(robot.gravity_torque(q) - gradient) <= BY_DIFFERENCES * heaviest


@seeds
def test_energy_changes_by_the_work_of_the_joints(seed):
    rng = np.random.default_rng(seed)
    assert mechanics.energy_imbalance(random_arm(rng), rng) <= ENERGY_BALANCE


# ---- closed forms ------------------------------------------------------------------------------


def test_pendulum_follows_its_closed_form():
    robot = pendulum()
    q, dq, ddq = np.random.default_rng(0).normal(size=(3, 20, 1))
    inertia = INERTIA[0] + MASS[0] * CENTER[0] ** 2
    expected = inertia * ddq + MASS[0] * WEIGHT * CENTER[0] * np.cos(q)
    np.testing.assert_allclose(robot.inverse_dynamics(q, dq, ddq), expected, rtol=0, atol=1e-13)
    kinetic, potential = robot.energy(q, dq)
    np.testing.assert_allclose(kinetic, 0.5 * inertia * dq[:, 0] ** 2, rtol=1e-14)
    np.testing.assert_allclose(
        potential, MASS[0] * WEIGHT * CENTER[0] * np.sin(q[:, 0]), rtol=1e-13
    )


def test_two_link_arm_follows_its_closed_form():
    robot = two_links()
    q, dq, ddq = np.random.default_rng(1).normal(size=(3, 2))
    (l1, _), (m1, m2), (c1, c2), (i1, i2) = LENGTH, MASS, CENTER, INERTIA
    cos2, sin2 = np.cos(q[1]), np.sin(q[1])
    m22 = i2 + m2 * c2**2
    m12 = m22 + m2 * l1 * c2 * cos2
    m11 = i1 + m1 * c1**2 + m22 + m2 * l1**2 + 2.0 * m2 * l1 * c2 * cos2
    h = m2 * l1 * c2 * sin2
    coriolis = np.array([[-h * dq[1], -h * (dq[0] + dq[1])], [h * dq[0], 0.0]])
    lower = m2 * c2 * np.cos(q[0] + q[1])
    gravity = WEIGHT * np.array([(m1 * c1 + m2 * l1) * np.cos(q[0]) + lower, lower])
    mass = np.array([[m11, m12], [m12, m22]])
    np.testing.assert_allclose(robot.mass_matrix(q), mass, rtol=1e-13)
    np.testing.assert_allclose(robot.coriolis_matrix(q, dq), coriolis, rtol=0, atol=1e-13)
    np.testing.assert_allclose(robot.gravity_torque(q), gravity, rtol=1e-13)
    expected = mass @ ddq + coriolis @ dq + gravity
    np.testing.assert_allclose(robot.inverse_dynamics(q, dq, ddq), expected, rtol=1e-13)
    tip = LENGTH[0] * np.exp(1j * q[0]) + LENGTH[1] * np.exp(1j * (q[0] + q[1]))
    np.testing.assert_allclose(robot.pose(q)[:2, 3], [tip.real, tip.imag], rtol=1e-13)


# ---- linearity in the parameters ---------------------------------------------------------------


@seeds
def test_regressor_times_parameters_is_torque(seed):
    robot, (q, dq, ddq, *_) = arm_and_motion(seed, 3)
    torque = robot.inverse_dynamics(q, dq, ddq)
    assert size(robot.regressor(q, dq, ddq) @ robot.parameters() - torque) <= ROUNDING * size(
        torque
    )


def coupled_wrist():
    """The last motor also turns with the joint before it."""
    coupling = np.eye(4)
    coupling[3, 2] = -1.0
    coupling[2, 1] = 0.5
    return turning_arm(4, coupling=tuple(map(tuple, coupling)))


@pytest.mark.parametrize(
    "robot", [turning_arm(4), coupled_wrist()], ids=["own motors", "coupled motors"]
)
def test_rotor_columns_times_inertias_are_the_rotors_share(robot):
    q, dq, ddq, *_ = random_motion(np.random.default_rng(2), robot, 3)
    inertias = np.array([j.drive.rotor_inertia for j in robot.joints])
    c = robot.coupling_matrix()
    share = ddq @ (c.T @ np.diag(inertias) @ c).T
    columns = robot.regressor(q, dq, ddq, rotors=True)[..., 40:]
    np.testing.assert_allclose(columns @ inertias, share, rtol=1e-13, atol=1e-13)
    with_rotors = robot.inverse_dynamics(q, dq, ddq, rotors=True)
    np.testing.assert_allclose(with_rotors - robot.inverse_dynamics(q, dq, ddq), share, atol=1e-10)
    np.testing.assert_allclose(
        robot.mass_matrix(q, rotors=True) - robot.mass_matrix(q),
        np.broadcast_to(c.T @ np.diag(inertias) @ c, (3, 4, 4)),
        atol=1e-13,
    )


FRICTION = {
    "coulomb": np.sign,
    "viscous": lambda v: v,
    "offset": np.ones_like,
    "coulomb_forward": lambda v: np.where(v > 0.0, 1.0, 0.0),
    "coulomb_backward": lambda v: np.where(v < 0.0, 1.0, 0.0),
    "viscous_square": np.square,
    "viscous_cube": lambda v: v**3,
    "viscous_root": lambda v: np.sign(v) * np.sqrt(np.abs(v)),
}


def test_every_friction_column_has_a_formula_here():
    assert set(FRICTION) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_friction_columns_act_on_the_motors_velocity(name):
    robot = coupled_wrist()
    q, dq, ddq, *_ = random_motion(np.random.default_rng(3), robot, 6)
    dq[0] = 0.0
    c = robot.coupling_matrix()
    columns = robot.regressor(q, dq, ddq, friction=[name])[..., 40:]
    expected = c.T * FRICTION[name](dq @ c.T)[:, None, :]
    np.testing.assert_allclose(columns, expected, rtol=1e-13, atol=0)


def test_columns_come_in_the_order_asked_for():
    robot = turning_arm(4)
    q, dq, ddq, *_ = random_motion(np.random.default_rng(3), robot, 6)
    both = robot.regressor(q, dq, ddq, rotors=True, friction=["viscous", "coulomb"])
    one = robot.regressor(q, dq, ddq, friction=["coulomb"])
    assert both.shape[-1] == 40 + 4 + 8
    assert np.array_equal(both[..., :40], one[..., :40])
    assert np.array_equal(both[..., 48:], one[..., 40:])


# ---- mounting, payload, tool -------------------------------------------------------------------


@seeds
def test_payload_acts_like_a_heavier_last_link(seed):
    robot, (q, dq, ddq, *_) = arm_and_motion(seed)
    payload = random_body(np.random.default_rng(seed + 1000))
    loaded = replace(robot, payload=payload)
    last = robot.joints[-1]
    gamma = last.link.parameters() + transport(robot.flange.matrix()) @ payload.parameters()
    mass = gamma[9]
    c = gamma[6:9] / mass
    tensor = gamma[[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3) - mass * (
        c @ c * np.eye(3) - np.outer(c, c)
    )
    heavier = Body(
        mass=mass,
        center_of_mass=tuple(c),
        inertia=tuple(tensor[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]),
    )
    merged = replace(
        robot, payload=NOTHING, joints=(*robot.joints[:-1], replace(last, link=heavier))
    )
    torque = merged.inverse_dynamics(q, dq, ddq)
    assert size(loaded.inverse_dynamics(q, dq, ddq) - torque) <= ROUNDING * size(torque)


@seeds
def test_turning_base_and_gravity_together_changes_no_torque(seed):
    robot, (q, dq, ddq, *_) = arm_and_motion(seed)
    turn = random_pose(np.random.default_rng(seed)).matrix()
    base = turn @ robot.base.matrix()
    moved = replace(
        robot, base=pose_of(base), gravity=tuple(turn[:3, :3] @ np.array(robot.gravity))
    )
    torque = robot.inverse_dynamics(q, dq, ddq)
    assert size(moved.inverse_dynamics(q, dq, ddq) - torque) <= ROUNDING * size(torque)
    np.testing.assert_allclose(moved.pose(q), turn @ robot.pose(q), atol=1e-13)


@seeds
def test_tool_moves_the_pose_and_no_torque(seed):
    robot, (q, dq, ddq, *_) = arm_and_motion(seed)
    tool = random_pose(np.random.default_rng(seed))
    equipped = replace(robot, tool=tool)
    bare = replace(robot, tool=Pose())
    np.testing.assert_allclose(equipped.pose(q), bare.pose(q) @ tool.matrix(), atol=1e-13)
    assert np.array_equal(equipped.inverse_dynamics(q, dq, ddq), bare.inverse_dynamics(q, dq, ddq))


@seeds
def test_jacobian_maps_joint_to_tool_velocity(seed):
    robot, (q, dq, *_) = arm_and_motion(seed)
    h = 1e-5
    ahead, behind = robot.pose(q + h * dq), robot.pose(q - h * dq)
    rate = (ahead - behind) / (2.0 * h)
    spin = rate[:3, :3] @ robot.pose(q)[:3, :3].T
    twist = np.array([*rate[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]])
    assert size(robot.jacobian(q) @ dq - twist) <= BY_DIFFERENCES * (1.0 + size(dq) ** 3)


@seeds
def test_jacobian_derivative_is_that_of_the_jacobian(seed):
    robot, (q, dq, *_) = arm_and_motion(seed)
    h = 1e-5
    rate = (robot.jacobian(q + h * dq) - robot.jacobian(q - h * dq)) / (2.0 * h)
    assert size(robot.jacobian_derivative(q, dq) - rate) <= BY_DIFFERENCES * (1.0 + size(dq) ** 3)


def test_a_slide_along_gravity_carries_the_weight_beyond_it():
    lift = Joint(name="lift", kind="prismatic", frame=Transform(), link=ball(4.0))
    swing = Joint(
        name="swing", frame=Transform(origin=(0.2, 0.0, 0.1), axis=(0.0, 1.0, 0.0)), link=ball(2.0)
    )
    robot = small_arm(lift, swing)
    q, dq = np.array([0.3, 0.7]), np.array([0.5, 0.0])
    torque = robot.inverse_dynamics(q, dq, [1.5, 0.0])
    assert torque[0] == pytest.approx(6.0 * (9.81 + 1.5), rel=1e-14)
    assert robot.mass_matrix(q)[0, 0] == pytest.approx(6.0, rel=1e-14)


# ---- what cannot be computed is refused --------------------------------------------------------


def test_unknown_inertia_is_named():
    robot = turning_arm(3)
    blind = replace(
        robot.joints[1], link=Body(mass=UNKNOWN, center_of_mass=(0, 0, 0), inertia=UNKNOWN)
    )
    partly = replace(robot, joints=(robot.joints[0], blind, robot.joints[2]))
    with pytest.raises(UnknownValueError) as caught:
        partly.inverse_dynamics(*np.zeros((3, 3)))
    assert caught.value.names == ("joints.joint 2.link.mass", "joints.joint 2.link.inertia")
    assert partly.pose(np.zeros(3)).shape == (4, 4)
    assert partly.regressor(*np.zeros((3, 3))).shape == (3, 30)


def test_unknown_rotor_inertia_is_named_only_where_it_is_used():
    robot = turning_arm(2)
    last = robot.joints[1]
    driveless = replace(last, drive=replace(last.drive, rotor_inertia=UNKNOWN))
    motorless = replace(robot, joints=(robot.joints[0], driveless))
    assert motorless.mass_matrix(np.zeros(2)).shape == (2, 2)
    with pytest.raises(UnknownValueError) as caught:
        motorless.mass_matrix(np.zeros(2), rotors=True)
    assert caught.value.names == ("joints.joint 2.drive.rotor_inertia",)


def test_an_arm_without_mass_has_no_forward_dynamics():
    massless = Joint(name="ghost", frame=ModifiedDH(a=0.5), link=NOTHING)
    robot = small_arm(Joint(name="real", frame=ModifiedDH(), link=ball(1.0)), massless)
    with pytest.raises(NumericalError, match="not positive definite"):
        robot.forward_dynamics(*np.zeros((3, 2)))


def test_one_bad_sample_in_a_batch_is_not_missed():
    """A point mass on the axis of the joint that turns it."""
    robot = small_arm(
        Joint(name="turn", frame=Transform(), link=NOTHING),
        Joint(name="slide", kind="prismatic", frame=Transform(axis=(1, 0, 0)), link=ball(1.0, 0.0)),
    )
    q = np.tile([0.3, 0.4], (5000, 1))
    assert np.isfinite(robot.forward_dynamics(q, np.zeros(2), np.ones(2))).all()
    q[4321, 1] = 0.0
    with pytest.raises(NumericalError):
        robot.forward_dynamics(q, np.zeros(2), np.ones(2))


@pytest.mark.parametrize("seed", range(8))
def test_a_mass_matrix_that_is_singular_but_for_rounding_is_refused(seed):
    """A point mass moved in a plane by three joints; the last pivot is rounding of either sign."""
    robot = small_arm(
        Joint(name="lift", kind="prismatic", frame=Transform(), link=NOTHING),
        Joint(name="turn", frame=Transform(origin=(0.0, 0.1, 0.2), axis=(1, 0, 0)), link=NOTHING),
        Joint(name="slide", kind="prismatic", frame=Transform(), link=ball(1.0, 0.0)),
    )
    q = np.random.default_rng(seed).uniform(-1.0, 1.0, 3)
    with pytest.raises(NumericalError):
        robot.forward_dynamics(q, np.zeros(3), np.ones(3))


def ball(mass: float, inertia: float = 0.01) -> Body:
    return Body(
        mass=mass, center_of_mass=(0.0, 0.0, 0.0), inertia=(inertia, 0, 0, inertia, 0, inertia)
    )


def small_arm(*joints: Joint) -> Robot:
    return Robot(name="small arm", joints=joints)


def pose_of(matrix) -> Pose:
    return Pose(origin=tuple(matrix[:3, 3]), rpy=rpy_of(matrix[:3, :3]))
