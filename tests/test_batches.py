"""Many samples give what each sample gives: shapes, leading axes, threads, and nobody's arrays are touched."""

import numpy as np
import pytest

from jointwise.errors import ShapeError
from jointwise.robot import samples
from known_arms import turning_arm
from random_arms import random_arm, random_motion

N = 3
ROBOT = turning_arm(N)

# name -> (number of motion arrays, shape of one result, call)
METHODS = {
    "pose": (1, (4, 4), lambda r, *m: r.pose(*m)),
    "link_poses": (1, (N + 1, 4, 4), lambda r, *m: r.link_poses(*m)),
    "jacobian": (1, (6, N), lambda r, *m: r.jacobian(*m)),
    "jacobian_derivative": (2, (6, N), lambda r, *m: r.jacobian_derivative(*m)),
    "inverse_dynamics": (3, (N,), lambda r, *m: r.inverse_dynamics(*m)),
    "inverse_dynamics, rotors": (3, (N,), lambda r, *m: r.inverse_dynamics(*m, rotors=True)),
    "forward_dynamics": (3, (N,), lambda r, *m: r.forward_dynamics(*m)),
    "mass_matrix": (1, (N, N), lambda r, *m: r.mass_matrix(*m)),
    "mass_matrix, rotors": (1, (N, N), lambda r, *m: r.mass_matrix(*m, rotors=True)),
    "mass_matrix_derivative": (1, (N, N, N), lambda r, *m: r.mass_matrix_derivative(*m)),
    "coriolis_matrix": (2, (N, N), lambda r, *m: r.coriolis_matrix(*m)),
    "gravity_torque": (1, (N,), lambda r, *m: r.gravity_torque(*m)),
    "kinetic energy": (2, (), lambda r, *m: r.energy(*m)[0]),
    "potential energy": (2, (), lambda r, *m: r.energy(*m)[1]),
    "regressor": (3, (N, 10 * N), lambda r, *m: r.regressor(*m)),
    "regressor, drives": (
        3,
        (N, 12 * N),
        lambda r, *m: r.regressor(*m, rotors=True, friction=["coulomb"]),
    ),
    "torque acceleration": (5, (N,), lambda r, *m: r.joint_torque_rates(*m).acceleration),
    "motor torque": (
        5,
        (N,),
        lambda r, *m: r.elastic_inverse_dynamics(*m, stiffness=1e4).motor_torque,
    ),
    "rotor position": (
        5,
        (N,),
        lambda r, *m: r.elastic_inverse_dynamics(*m, stiffness=1e4).rotor_position,
    ),
    "flexible mass": (3, (2 * N, 2 * N), lambda r, *m: r.flexible_model(*m).mass),
    "flexible coriolis": (3, (2 * N, 2 * N), lambda r, *m: r.flexible_model(*m).coriolis),
    "flexible gravity": (3, (2 * N,), lambda r, *m: r.flexible_model(*m).gravity),
}

each_method = pytest.mark.parametrize("method", METHODS)


def motion_of(count, *leading, seed=0):
    return random_motion(np.random.default_rng(seed), ROBOT, *leading)[:count]


@each_method
def test_a_batch_is_each_of_its_samples(method):
    """Up to rounding where numpy multiplies by the rotor matrix: a product of matrices is not the sum of one row."""
    count, shape, call = METHODS[method]
    motion = motion_of(count, 4, 2)
    together = call(ROBOT, *motion)
    assert together.shape == (4, 2, *shape)
    one_by_one = [call(ROBOT, *(m[i, j] for m in motion)) for i in range(4) for j in range(2)]
    one_by_one = np.reshape(one_by_one, together.shape)
    if "rotors" in method or "motor" in method:
        np.testing.assert_allclose(together, one_by_one, rtol=1e-14, atol=1e-12)
    else:
        assert np.array_equal(together, one_by_one)


@each_method
def test_leading_axes_are_broadcast(method):
    count, shape, call = METHODS[method]
    if count == 1:
        pytest.skip("one array has nothing to be broadcast against")
    motion = motion_of(count, 4, 2)
    motion[1] = motion[1][:1, :1]
    spread = call(ROBOT, *motion)
    full = call(ROBOT, motion[0], np.broadcast_to(motion[1], (4, 2, N)), *motion[2:])
    assert spread.shape == (4, 2, *shape)
    assert np.array_equal(spread, full)


@each_method
def test_no_samples_give_no_results(method):
    count, shape, call = METHODS[method]
    assert call(ROBOT, *np.zeros((count, 0, N))).shape == (0, *shape)
    assert call(ROBOT, *np.zeros((count, 3, 0, N))).shape == (3, 0, *shape)


@each_method
def test_two_threads_give_the_same_bits_as_one(method, monkeypatch):
    count, _, call = METHODS[method]
    motion = motion_of(count, 2 * samples.SMALLEST_SHARE + 1)
    monkeypatch.setattr(samples, "cores", lambda: 1)
    alone = call(ROBOT, *motion)
    monkeypatch.setattr(samples, "cores", lambda: 2)
    shared = call(ROBOT, *motion)
    assert np.array_equal(alone, shared)


@each_method
def test_inputs_are_neither_changed_nor_handed_back(method):
    count, _, call = METHODS[method]
    motion = motion_of(count, 3)
    before = [m.copy() for m in motion]
    result = call(ROBOT, *motion)
    assert not any(np.shares_memory(result, m) for m in motion)
    assert not np.shares_memory(result, ROBOT.arm)
    result[...] = np.nan
    assert all(np.array_equal(m, b) for m, b in zip(motion, before, strict=True))
    assert np.isfinite(call(ROBOT, *motion)).all()


@each_method
def test_lists_integers_views_and_protected_arrays_are_accepted(method):
    count, _, call = METHODS[method]
    whole = [np.round(3.0 * m) for m in motion_of(count, 5)]
    expected = call(ROBOT, *whole)
    forms = {
        "lists": [m.tolist() for m in whole],
        "integers": [m.astype(int) for m in whole],
        "single precision": [m.astype(np.float32) for m in whole],
        "columns first": [np.asfortranarray(m) for m in whole],
        "every second": [np.repeat(m, 2, axis=0)[::2] for m in whole],
    }
    protected = [m.copy() for m in whole]
    for m in protected:
        m.setflags(write=False)
    forms["protected"] = protected
    for name, form in forms.items():
        assert np.array_equal(call(ROBOT, *form), expected), name


@each_method
@pytest.mark.parametrize("bad", [np.nan, np.inf], ids=["nan", "infinity"])
def test_a_value_that_is_not_finite_is_located(method, bad):
    count, _, call = METHODS[method]
    motion = motion_of(count, 4)
    motion[-1][2, 1] = bad
    with pytest.raises(ShapeError, match=r"at index \(2, 1\)"):
        call(ROBOT, *motion)


@each_method
def test_another_number_of_joints_is_refused(method):
    count, _, call = METHODS[method]
    with pytest.raises(ShapeError, match=rf"\(\.\.\., {N}\)"):
        call(ROBOT, *np.zeros((count, N + 1)))


def test_leading_axes_that_do_not_fit_are_refused():
    with pytest.raises(ShapeError, match="leading axes"):
        ROBOT.inverse_dynamics(np.zeros((4, N)), np.zeros((3, N)), np.zeros((4, N)))


@pytest.mark.parametrize("value", ["text", None, [[1.0, 2.0], [3.0]], 1j, 3.0, True])
def test_what_is_no_array_of_numbers_is_refused(value):
    with pytest.raises(ShapeError):
        ROBOT.gravity_torque(value)


def test_a_reused_robot_gives_the_same_bits_again():
    rng = np.random.default_rng(3)
    for _ in range(5):
        robot = random_arm(rng)
        q, dq, ddq, *_ = random_motion(rng, robot, 3)
        first = robot.inverse_dynamics(q, dq, ddq), robot.regressor(q, dq, ddq)
        again = robot.inverse_dynamics(q, dq, ddq), robot.regressor(q, dq, ddq)
        assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


def test_robots_used_from_several_threads_do_not_disturb_each_other():
    from concurrent.futures import ThreadPoolExecutor

    rng = np.random.default_rng(4)
    robots = [random_arm(rng, 4) for _ in range(4)]
    motions = [random_motion(rng, r, 3000)[:3] for r in robots]
    alone = [r.inverse_dynamics(*m) for r, m in zip(robots, motions, strict=True)]
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(r.inverse_dynamics, *m) for r, m in zip(robots, motions, strict=True)]
        together = [job.result() for job in jobs]
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


# ---- the short way for one sample --------------------------------------------------------------


def one_sample():
    return [m[0] for m in motion_of(3, 1)]


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_one_sample_that_is_not_finite_is_located(place, bad):
    motion = one_sample()
    motion[place] = motion[place].copy()
    motion[place][1] = bad
    name = ("q", "dq", "ddq")[place]
    with pytest.raises(ShapeError, match=rf"^{name} has .* at index \(1,\)"):
        ROBOT.inverse_dynamics(*motion)


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("length", [0, N - 1, N + 1])
def test_one_sample_of_another_length_is_refused(place, length):
    motion = one_sample()
    motion[place] = np.zeros(length)
    with pytest.raises(ShapeError):
        ROBOT.inverse_dynamics(*motion)


def test_one_sample_may_be_strided_protected_or_of_another_type():
    motion = one_sample()
    expected = ROBOT.inverse_dynamics(*(m[None] for m in motion))[0]
    assert np.array_equal(ROBOT.inverse_dynamics(*motion), expected)
    strided = [np.repeat(m, 3)[::3] for m in motion]
    assert np.array_equal(ROBOT.inverse_dynamics(*strided), expected)
    backward = [m[::-1].copy()[::-1] for m in motion]
    assert np.array_equal(ROBOT.inverse_dynamics(*backward), expected)
    for m in motion:
        m.setflags(write=False)
    assert np.array_equal(ROBOT.inverse_dynamics(*motion), expected)
    swapped = [m.astype(">f8") for m in motion]
    assert np.array_equal(ROBOT.inverse_dynamics(*swapped), expected)
    mixed = [motion[0], motion[1].tolist(), np.zeros(N, dtype=int)]
    assert ROBOT.inverse_dynamics(*mixed).shape == (N,)
