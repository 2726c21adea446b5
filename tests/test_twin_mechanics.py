"""The twin against closed forms, an independent integrator, MuJoCo, and its own energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from jointwise.laws.damping import Damping
from jointwise.laws.e_gms import EGMS
from jointwise.laws.friction import FrictionModel
from jointwise.laws.kinematic_error import FourierError
from jointwise.laws.odd_polynomial import OddPolynomial
from jointwise.laws.transmissions import Transmission
from jointwise.laws.viscous import Viscous
from jointwise.plant.twin import Twin
from jointwise.robot.library import load_robot
from twins import chirp, plain_plant

WEIGHTLESS = (0.0, 0.0, 0.0)


def final_state(plant, torque, q, **options):
    run = Twin(plant=plant, **options).run_torque(torque, q=q).raise_for_status()
    return run.state.x


def one_joint():
    friction = FrictionModel(terms=(Viscous(viscous=0.8),))
    return plain_plant(
        "pendulum", stiffness=900.0, damping=1.5, rotor=0.4, gravity=WEIGHTLESS, friction=friction
    )


def one_joint_exactly(plant, torque, period=1e-3):
    """Matrix exponential of the linear joint, torque held over each period."""
    link = plant.robot.mass_matrix([0.0])[0, 0]
    k, d, b, f = 900.0, 1.5, 0.4, 0.8
    a = np.array(
        [
            [0, 1, 0, 0],
            [-k / link, -d / link, k / link, d / link],
            [0, 0, 0, 1],
            [k / b, d / b, -k / b, -(d + f) / b],
        ]
    )
    augmented = np.zeros((5, 5))
    augmented[:4, :4] = a
    augmented[3, 4] = 1.0 / b
    step = expm(augmented * period)
    x = np.zeros(4)
    for value in torque[:, 0]:
        x = (step @ np.append(x, value))[:4]
    return x


def test_one_joint_follows_the_matrix_exponential():
    plant, torque = one_joint(), chirp(300, 1, 3.0)
    x = final_state(plant, torque, [0.0], method="rk4", substeps=20)[:, 0]
    # RK4 at |lambda| dt = 0.004: truncation far below the rounding of 6,000 steps.
    np.testing.assert_allclose(x, one_joint_exactly(plant, torque), rtol=0, atol=1e-10)


def test_one_joint_has_no_coupling_and_follows_it_with_the_full_model_too():
    """S(q) is strictly upper triangular, so a single joint is the same under T(2.22); friction and damping included."""
    plant, torque = one_joint(), chirp(300, 1, 3.0)
    coupled = replace(plant, inertial_coupling=True)
    x = final_state(coupled, torque, [0.0], method="rk4", substeps=20)[:, 0]
    np.testing.assert_allclose(x, one_joint_exactly(plant, torque), rtol=0, atol=1e-10)


@pytest.mark.parametrize(("method", "order"), [("semi_implicit", 1), ("rk4", 4)])
def test_order_of_each_integrator(method, order):
    plant, torque = one_joint(), chirp(100, 1, 3.0)
    exact = one_joint_exactly(plant, torque)
    counts = np.array([4, 8, 16] if order == 1 else [1, 2, 4])
    errors = [
        np.abs(
            final_state(plant, torque, [0.0], method=method, substeps=int(c))[:, 0] - exact
        ).max()
        for c in counts
    ]
    slope = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert abs(slope - order) < 0.1, (slope, errors)


def test_two_links_follow_an_independent_integrator():
    friction = FrictionModel(terms=(Viscous(viscous=0.5),))
    plant = plain_plant(damping=1.0, friction=friction)
    robot, torque = plant.robot, chirp(200, 2, 10.0)
    twin = Twin(plant=plant, method="rk4", substeps=20)
    start = twin.init([0.4, -0.3]).x

    def rates(t, y, tau):
        q, dq, theta, dtheta = y.reshape(4, 2)
        joint = 2e3 * (theta - q) + 1.0 * (dtheta - dq)
        ddq = robot.forward_dynamics(q, dq, joint)
        return np.concatenate([dq, ddq, dtheta, (tau - joint - 0.5 * dtheta) / 0.5])

    y = start.reshape(-1)
    for value in torque:
        y = solve_ivp(
            rates, (0.0, 1e-3), y, args=(value,), method="DOP853", rtol=1e-12, atol=1e-12
        ).y[:, -1]
    x = final_state(plant, torque, [0.4, -0.3], method="rk4", substeps=20)
    # 200 restarts of the reference at 1e-12 each, amplified by the arm's own dynamics.
    np.testing.assert_allclose(x.reshape(-1), y, rtol=0, atol=2e-9)


def energy(plant, x):
    q, dq, theta, dtheta = x
    kinetic, potential = plant.robot.energy(q, dq)
    rotor = 0.5 * dtheta @ plant.robot.rotor_matrix() @ dtheta
    return float(kinetic + potential + rotor + 0.5 * 2e3 * np.sum((theta - q) ** 2))


@pytest.mark.parametrize("coupled", [False, True], ids=["reduced", "with S(q)"])
def test_without_losses_energy_stays(coupled):
    plant = plain_plant("ur5e", rotor=0.5, inertial_coupling=coupled)
    if coupled:
        # A ratio of 3 makes the coupling S = B / r large enough to be seen.
        changes = {f"joints.{j.name}.drive.gear_ratio": 3.0 for j in plant.robot.joints}
        plant = replace(plant, robot=plant.robot.replace(changes, source="test"))
    twin = Twin(plant=plant, method="rk4", period=1e-4, substeps=4)
    state = twin.init(np.full(6, 0.3))
    state.x[1] = state.x[3] = 0.2
    hold = np.zeros((500, 3, 6))
    before = total_energy(plant, state.x)
    after, _, _, done = twin.advance(
        state, hold, servoed=False, wrench=np.zeros((1, 6)), event=calm(6)
    )
    assert done == 500
    swing = np.ptp([before, total_energy(plant, after.x)])
    assert swing <= 1e-9 * abs(before)


def calm(n):
    from jointwise.plant.faults import events

    return events((), 1, n, 1e-3, np.random.default_rng(0))


def total_energy(plant, x):
    return rigid_energy(plant, x) + 0.5 * 2e3 * np.sum((x[2] - x[0]) ** 2)


def rigid_energy(plant, x):
    """Of links and rotors, without that of the springs."""
    q, dq, _, dtheta = x
    model = plant.robot.flexible_model(q, dq, dtheta)
    mass = model.mass
    if not plant.inertial_coupling:
        n = plant.robot.n
        mass = np.zeros((2 * n, 2 * n))
        mass[:n, :n] = plant.robot.mass_matrix(q)
        mass[n:, n:] = plant.robot.rotor_matrix()
    rates = np.concatenate([dq, dtheta])
    return 0.5 * rates @ mass @ rates + float(plant.robot.energy(q, dq)[1])


def test_energy_balance_with_all_losses_accounted():
    """d(energy) = motor work - work of damping and friction, to 1e-6 of the energy turned over in a second."""
    friction = FrictionModel(terms=(Viscous(viscous=2.0),))
    plant = plain_plant(damping=3.0, friction=friction, link_friction=friction)
    period = 5e-5
    torque = chirp(20000, 2, 20.0, period)
    twin = Twin(plant=plant, method="rk4", period=period, substeps=1)
    start = twin.init([0.2, 0.5])
    run = twin.run_torque(torque, q=[0.2, 0.5]).raise_for_status()
    rec = run.recording
    dq = np.vstack([rec["true_dq"], run.state.x[1]])
    dtheta = np.vstack([rec["true_dtheta"], run.state.x[3]])
    theta = np.vstack([rec["true_theta"], run.state.x[2]])
    work = np.sum(torque * np.diff(theta, axis=0))

    def integral(rate):
        # Simpson over pairs of periods: its error is far below the tolerance at 50 us.
        return period / 3.0 * np.sum(rate[:-2:2] + 4.0 * rate[1:-1:2] + rate[2::2])

    lost = 2.0 * integral(np.sum(dtheta**2, axis=1)) + 2.0 * integral(np.sum(dq**2, axis=1))
    lost += 3.0 * integral(np.sum((dtheta - dq) ** 2, axis=1))
    change = energy(plant, run.state.x) - energy(plant, start.x)
    turned_over = np.sum(np.abs(torque * np.diff(theta, axis=0)))
    assert abs(change - (work - lost)) <= 1e-6 * turned_over


@pytest.mark.parametrize("coupled", [False, True], ids=["reduced", "with S(q)"])
def test_energy_balance_with_memory_load_and_kinematic_error(coupled):
    """The same with hysteresis that grows with load, a stiffening gear and a kinematic error, which does no work."""
    hysteresis = EGMS(
        coulomb=4.0, load_linear=0.05, operators=4, limit_exponent=1.0, stiffness_exponent=0.5,
        half_backlash=(0.05,),
    )  # fmt: skip
    spring = OddPolynomial(coefficients=(2e3, 4e6))
    error = FourierError(gear_ratio=10.0, output_cosine=(2e-3,), output_sine=(1e-3,))
    gear = Transmission(stiffness=spring, damping=Damping(damping=3.0), kinematic_error=error)
    plant = plain_plant(damping=3.0)
    friction = FrictionModel(terms=(hysteresis, Viscous(viscous=0.5)))
    joint = replace(plant.joints[0], transmission=gear, friction=friction)
    plant = replace(plant, joints=(joint,) * 2, inertial_coupling=coupled)
    period = 2e-5
    torque = chirp(50000, 2, 30.0, period)
    run = Twin(plant=plant, method="rk4", period=period, substeps=1).run_torque(
        torque, q=[0.2, 0.5]
    )
    rec = run.raise_for_status().recording
    q, dq, theta, dtheta = (rec[f"true_{k}"] for k in ("q", "dq", "theta", "dtheta"))

    def stored(k):
        stretch = theta[k] - error.error(theta[k]) - q[k]
        elastic = 0.5 * 2e3 * stretch**2 + 0.25 * 4e6 * stretch**4
        return rigid_energy(plant, (q[k], dq[k], theta[k], dtheta[k])) + np.sum(elastic)

    def trapezoid(force, way):
        return 0.5 * np.sum((force[1:] + force[:-1]) * np.diff(way, axis=0))

    work = np.sum(torque[:-1] * np.diff(theta, axis=0))
    stretching = dtheta * (1.0 - error.slope(theta)) - dq
    lost = 3.0 * 0.5 * period * np.sum(stretching[1:] ** 2 + stretching[:-1] ** 2)
    lost += trapezoid(rec["true_friction"], theta)
    turned_over = np.sum(np.abs(torque[:-1] * np.diff(theta, axis=0)))
    assert lost > 0.1 * turned_over
    assert abs(stored(-1) - stored(0) - (work - lost)) <= 1e-6 * turned_over


def mujoco_twin(robot, stiffness, damping, rotor, slip=()):
    """Two hinges per joint: the rotor with its armature, and the sprung link hinge on the same axis.

    `slip` are stiffness and limit of the springs that slip on every rotor, as tendons that yield.
    """
    mujoco = pytest.importorskip("mujoco")
    spec = mujoco.MjSpec()
    spec.option.gravity = robot.gravity
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.compiler.autolimits = True
    body = spec.worldbody
    for joint in robot.joints:
        before = joint.frame.before()
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, before[:3, :3].ravel())
        tiny = {"mass": 1e-9, "inertia": [1e-12] * 3, "ipos": [0, 0, 0]}
        rotor_body = body.add_body(
            pos=before[:3, 3], quat=quaternion, explicitinertial=True, **tiny
        )
        rotor_body.add_joint(name=f"{joint.name}_rotor", axis=[0, 0, 1], armature=rotor)
        link = joint.link
        xx, xy, xz, yy, yz, zz = link.inertia
        body = rotor_body.add_body(
            explicitinertial=True,
            mass=link.mass,
            ipos=link.center_of_mass,
            fullinertia=[xx, yy, zz, xy, xz, yz],
        )
        body.add_joint(
            name=f"{joint.name}_spring", axis=[0, 0, 1], stiffness=stiffness, damping=damping
        )
        for number, (spring, limit) in enumerate(slip):
            tendon = spec.add_tendon(name=f"{joint.name}_slip_{number}")
            tendon.wrap_joint(f"{joint.name}_rotor", 1.0)
            tendon.stiffness, tendon.springyield = [spring, 0.0, 0.0], limit
    model = spec.compile()
    return mujoco, model, mujoco.MjData(model)


def test_six_joints_move_as_in_mujoco():
    stiffness, damping, rotor = 2e4, 5.0, 0.6
    plant = plain_plant("ur5e", stiffness=stiffness, damping=damping, rotor=rotor)
    tool = {
        "joints.wrist_3.link.mass": 2.0,
        "joints.wrist_3.link.inertia": (0.01, 0, 0, 0.01, 0, 0.008),
    }
    plant = replace(plant, robot=plant.robot.replace(tool, source="test"))
    mujoco, model, data = mujoco_twin(plant.robot, stiffness, damping, rotor)
    q0 = np.array([0.3, -1.1, 0.9, -0.4, 0.7, 0.2])
    ticks, size = 2000, np.array([20.0, 30.0, 20.0, 5.0, 5.0, 3.0])
    twin = Twin(plant=plant, method="rk4", substeps=20)
    start = twin.init(q0)
    hold = plant.robot.gravity_torque(q0)
    torque = hold + chirp(ticks, 6, 1.0) * size
    x = twin.run_torque(torque, q=q0).raise_for_status().state.x
    model.opt.timestep = 5e-5
    data.qpos[0::2] = start.x[2]
    data.qpos[1::2] = start.x[0] - start.x[2]
    for value in torque:
        data.qfrc_applied[0::2] = value
        for _ in range(20):
            mujoco.mj_step(model, data)
    np.testing.assert_allclose(data.qpos[0::2], x[2], rtol=0, atol=1e-6)
    np.testing.assert_allclose(data.qpos[0::2] + data.qpos[1::2], x[0], rtol=0, atol=1e-6)


def test_the_joint_names_of_the_library_are_the_ones_used_here():
    assert "wrist_3" in [j.name for j in load_robot("ur5e").joints]
