"""The full flexible-joint model: inertial coupling S(q) and every Christoffel block, against energy and differences."""

from dataclasses import replace

import numpy as np
import pytest

from jointwise.errors import ParameterError, UnknownValueError
from jointwise.robot.inertia import Body
from jointwise.units import UNKNOWN
from known_arms import turning_arm
from lagrange import Arm
from random_arms import random_arm

ROUNDING = 1e-12
BY_DIFFERENCES = 1e-7
"""Central differences with step 1e-5: truncation and rounding both about 1e-10 of the matrix."""

seeds = pytest.mark.parametrize("seed", range(12))


def arm_and_state(seed):
    rng = np.random.default_rng(seed)
    robot = random_arm(rng)
    q, dq = rng.uniform(-1.0, 1.0, (2, robot.n))
    return robot, q, 2.0 * dq, 2.0 * rng.normal(size=robot.n)


def size(values) -> float:
    return float(np.linalg.norm(np.asarray(values, dtype=np.longdouble).ravel()))


def christoffel(slopes, rates):
    """C_ij = 1/2 sum_k (dM_ij/dx_k + dM_ik/dx_j - dM_jk/dx_i) dx_k from slopes[k, i, j]."""
    kij = np.einsum("kij,k->ij", slopes, rates)
    jik = np.einsum("jik,k->ij", slopes, rates)
    ijk = np.einsum("ijk,k->ij", slopes, rates)
    return 0.5 * (kij + jik - ijk)


def mass_slopes(robot, q):
    """Derivatives of the 2n x 2n mass matrix with respect to (q; theta) by differences; it does not depend on theta."""
    n, h = robot.n, 1e-5
    still = np.zeros(n)
    slopes = np.zeros((2 * n, 2 * n, 2 * n))
    steps = h * np.eye(n)
    ahead = robot.flexible_model(q + steps, still, still).mass
    behind = robot.flexible_model(q - steps, still, still).mass
    slopes[:n] = (ahead - behind) / (2.0 * h)
    return slopes


# ---- the mass matrix against an explicit construction with rotor bodies ------------------------


def with_rotor_masses(robot, rng):
    """The arm whose links carry its rotors, except for their axial inertia, and what each rotor is.

    Motor j sits on link j-1 at joint j, its mass on the spin axis, its transversal inertia about that axis.
    """
    rotors = [
        (rng.uniform(0.1, 1.0), rng.uniform(-0.1, 0.1), rng.uniform(1e-3, 1e-2))
        for _ in robot.joints
    ]  # mass, place along the axis, transversal inertia
    still = Arm(robot, np.zeros((2, robot.n)))
    links = []
    for j, joint in enumerate(robot.joints):
        parameters = joint.link.parameters()
        if j + 1 < robot.n:
            mass, along, transversal = rotors[j + 1]
            here, there = still.links[j][0], still.joints[j + 1][0]
            axis = np.array(here[:3, :3].T @ still.axes[j + 1][0], dtype=float)
            origin = np.array(here[:3, :3].T @ (there[:3, 3] - here[:3, 3]), dtype=float)
            rotor = Body(
                mass=mass,
                center_of_mass=tuple(origin + along * axis),
                inertia=entries(transversal * (np.eye(3) - np.outer(axis, axis))),
            )
            parameters = parameters + rotor.parameters()
        links.append(body(parameters))
    joints = tuple(replace(j, link=b) for j, b in zip(robot.joints, links, strict=True))
    return replace(robot, joints=joints), rotors


def entries(tensor):
    return tuple(tensor[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]])


def body(gamma):
    mass = gamma[9]
    c = gamma[6:9] / mass
    tensor = gamma[[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3)
    return Body(
        mass=mass,
        center_of_mass=tuple(c),
        inertia=entries(tensor - mass * (c @ c * np.eye(3) - np.outer(c, c))),
    )


def energy_with_rotors(robot, rotors, q, dq, dtheta):
    """Kinetic energy of bare links and of rotors as bodies of their own, each turning r dtheta about its axis."""
    arm = Arm(robot, (q, dq))
    total, _ = arm.energy()
    for j, (joint, (mass, along, transversal)) in enumerate(zip(robot.joints, rotors, strict=True)):
        ratio = joint.drive.gear_ratio
        axial = joint.drive.rotor_inertia / ratio**2
        carrier = arm.links[j - 1] if j else np.stack([np.eye(4), np.zeros((4, 4))])
        spin = carrier[1][:3, :3] @ carrier[0][:3, :3].T
        carried = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        axis = arm.axes[j][0]
        at = arm.joints[j][0][:3, 3] + along * axis
        velocity = carrier[1][:3, 3] + spin @ (at - carrier[0][:3, 3])
        turning = carried + ratio * dtheta[j] * axis
        lateral = turning - (turning @ axis) * axis
        if j:  # on the base only the spin counts
            total = total + mass * (velocity @ velocity) / 2 + transversal * (lateral @ lateral) / 2
        total = total + axial * (turning @ axis) ** 2 / 2
    return total


@seeds
def test_mass_matrix_is_the_energy_of_links_and_spinning_rotors(seed):
    """T(2.5), T(2.10), T(2.12): the Hessian of an energy written with explicit rotor bodies."""
    rng = np.random.default_rng(seed)
    bare, q, *_ = arm_and_state(seed)
    loaded, rotors = with_rotor_masses(bare, rng)
    n = bare.n

    def energy(rates):
        return energy_with_rotors(bare, rotors, q, rates[:n], rates[n:])

    unit = np.eye(2 * n)
    alone = np.array([energy(e) for e in unit])
    hessian = np.array(
        [
            [energy(unit[i] + unit[j]) - alone[i] - alone[j] for j in range(2 * n)]
            for i in range(2 * n)
        ]
    )
    mass = loaded.flexible_model(q, np.zeros(n), np.zeros(n)).mass
    for rows in (slice(0, n), slice(n, 2 * n)):
        for columns in (slice(0, n), slice(n, 2 * n)):
            block = hessian[rows, columns]
            scale = max(size(block), 1e-3 * size(hessian[:n, n:]))
            assert size(mass[rows, columns] - block) <= ROUNDING * scale + 1e-15 * size(hessian)


@seeds
def test_mass_matrix_is_symmetric_and_positive_definite(seed):
    robot, q, dq, dtheta = arm_and_state(seed)
    mass = robot.flexible_model(q, dq, dtheta).mass
    assert np.array_equal(mass, mass.T)
    assert np.linalg.eigvalsh(mass).min() > 0.0


@seeds
def test_coupling_is_strictly_upper_triangular(seed):
    """T(2.11)."""
    robot, q, dq, dtheta = arm_and_state(seed)
    n = robot.n
    coupling = robot.flexible_model(q, dq, dtheta).mass[:n, n:]
    assert np.array_equal(coupling, np.triu(coupling, 1))


def test_coupling_of_neighbours_is_constant_and_others_turn_with_the_joints_between():
    """Narrower than T(2.11): S_ij depends on q_(i+1) ... q_(j-1) only."""
    robot = turning_arm(5)
    rng = np.random.default_rng(1)
    q = rng.uniform(-1.0, 1.0, 5)
    still = np.zeros(5)
    here = robot.flexible_model(q, still, still).mass[:5, 5:]
    largest = 0.0
    for k in range(5):
        turned = q.copy()
        turned[k] += 0.7
        change = np.abs(robot.flexible_model(turned, still, still).mass[:5, 5:] - here)
        largest = max(largest, change.max())
        for i in range(5):
            for j in range(5):
                if not i < k < j:
                    assert change[i, j] <= 1e-14
    assert largest > 1e-3


def test_coupling_with_the_printed_indices_is_zero():
    """Erratum 3: T(2.12) prints d2T / d(dq_j) d(dtheta_i) for i < j, which no arm has; the mixed term is S_ij."""
    robot = turning_arm(4)
    n = robot.n
    q = np.array([0.2, -0.7, 1.1, 0.4])
    rotors = [(0.5, 0.0, 1e-3)] * n

    def mixed(joint, rotor):
        def energy(dq, dtheta):
            return energy_with_rotors(robot, rotors, q, dq, dtheta)

        one, zero = np.eye(n), np.zeros(n)
        return float(
            energy(one[joint], one[rotor]) - energy(one[joint], zero) - energy(zero, one[rotor])
        )

    coupling = robot.flexible_model(q, np.zeros(n), np.zeros(n)).mass[:n, n:]
    for i in range(n):
        for j in range(i + 1, n):
            assert abs(mixed(i, j) - coupling[i, j]) <= 1e-12
            assert abs(mixed(j, i)) <= 1e-12  # the printed order of the indices
    assert np.abs(coupling).max() > 1e-3


def test_links_feel_exactly_the_dragged_axial_inertia():
    """T(2.10): M = M_links + S B^-1 S^T."""
    robot = turning_arm(4)
    q, still = np.array([0.2, -0.7, 1.1, 0.4]), np.zeros(4)
    full = robot.flexible_model(q, still, still).mass
    coupling, inertia = full[:4, 4:], full[4:, 4:]
    np.testing.assert_allclose(
        full[:4, :4],
        robot.mass_matrix(q) + coupling @ np.linalg.inv(inertia) @ coupling.T,
        rtol=1e-13,
    )
    np.testing.assert_array_equal(inertia, np.diag([j.drive.rotor_inertia for j in robot.joints]))


# ---- Coriolis blocks ---------------------------------------------------------------------------


@seeds
def test_coriolis_blocks_are_the_christoffel_symbols_of_all_coordinates(seed):
    """T(2.15)-(2.18) against differences of the 2n x 2n mass matrix, block by block."""
    robot, q, dq, dtheta = arm_and_state(seed)
    n = robot.n
    rates = np.concatenate([dq, dtheta])
    slopes = mass_slopes(robot, q)
    reference = christoffel(slopes, rates)
    model = robot.flexible_model(q, dq, dtheta)
    for rows in (slice(0, n), slice(n, 2 * n)):
        for columns in (slice(0, n), slice(n, 2 * n)):
            scale = size(model.mass[rows, columns]) + size(model.mass[:n, n:])
            error = model.coriolis[rows, columns] - reference[rows, columns]
            assert size(error) <= BY_DIFFERENCES * scale * size(rates)
    assert not model.coriolis[n:, n:].any()


@seeds
def test_rate_of_mass_minus_twice_coriolis_is_skew(seed):
    robot, q, dq, dtheta = arm_and_state(seed)
    rate = np.einsum("kij,k->ij", mass_slopes(robot, q)[: robot.n], dq)
    model = robot.flexible_model(q, dq, dtheta)
    surplus = rate - 2.0 * model.coriolis
    assert size(surplus + surplus.T) <= BY_DIFFERENCES * size(model.mass) * size(dq)


@seeds
def test_printed_row_of_the_coriolis_matrix_is_a_number(seed):
    """Erratum 2: T(2.13) with its trailing rates is the scalar (C x')_i; without them the row C_i."""
    robot, q, dq, dtheta = arm_and_state(seed)
    rates = np.concatenate([dq, dtheta])
    slopes = mass_slopes(robot, q)
    coriolis = robot.flexible_model(q, dq, dtheta).coriolis
    tolerance = BY_DIFFERENCES * size(robot.flexible_model(q, dq, dtheta).mass) * size(rates)
    for i in range(2 * robot.n):
        column_slopes = slopes[:, :, i].T
        row = 0.5 * rates @ (column_slopes + column_slopes.T - slopes[i])
        assert size(row - coriolis[i]) <= tolerance
        assert np.ndim(row @ rates) == 0


@seeds
def test_without_spinning_rotors_and_ratio_the_rigid_arm_is_left(seed):
    """Assumption A3: reflected inertia stays, coupling goes with 1/r."""
    robot, q, dq, dtheta = arm_and_state(seed)
    geared = tuple(replace(j, drive=replace(j.drive, gear_ratio=1e6)) for j in robot.joints)
    robot = replace(robot, joints=geared)
    n = robot.n
    model = robot.flexible_model(q, dq, dtheta)
    assert size(model.mass[:n, n:]) <= 1e-6 * n * size(model.mass[n:, n:])
    assert size(model.mass[:n, :n] - robot.mass_matrix(q)) <= 1e-9 * size(model.mass)
    still = robot.flexible_model(q, dq, np.zeros(n)).coriolis[:n, :n]
    assert size(still - robot.coriolis_matrix(q, dq)) <= 1e-9 * size(model.mass) * size(dq)


@seeds
def test_gravity_acts_on_the_links_only(seed):
    robot, q, dq, dtheta = arm_and_state(seed)
    gravity = robot.flexible_model(q, dq, dtheta).gravity
    scale = size(robot.mass_matrix(q)) * 9.81
    assert size(gravity[: robot.n] - robot.gravity_torque(q)) <= 1e-13 * scale
    assert not gravity[robot.n :].any()


def test_leading_axes_are_kept():
    robot = turning_arm(3)
    q, dq, dtheta = np.random.default_rng(2).normal(size=(3, 2, 5, 3))
    model = robot.flexible_model(q, dq, dtheta)
    one = robot.flexible_model(q[1, 4], dq[1, 4], dtheta[1, 4])
    assert model.mass.shape == model.coriolis.shape == (2, 5, 6, 6)
    assert model.gravity.shape == (2, 5, 6)
    assert all(np.array_equal(a[1, 4], b) for a, b in zip(model, one, strict=True))


# ---- what it cannot answer ---------------------------------------------------------------------


@pytest.mark.parametrize("part", ["gear_ratio", "rotor_inertia"])
def test_unknown_drive_values_are_named(part):
    robot = turning_arm(2)
    last = robot.joints[1]
    unknown = replace(last, drive=replace(last.drive, **{part: UNKNOWN}))
    robot = replace(robot, joints=(robot.joints[0], unknown))
    with pytest.raises(UnknownValueError, match=rf"joints\.joint 2\.drive\.{part}"):
        robot.flexible_model(*np.zeros((3, 2)))


def test_coupled_motors_are_refused():
    robot = turning_arm(2, coupling=((1.0, 0.0), (-1.0, 1.0)))
    with pytest.raises(ParameterError, match="coupling"):
        robot.flexible_model(*np.zeros((3, 2)))
