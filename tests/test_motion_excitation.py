"""The optimised Fourier series: exact gradients, ends at rest, better than chance, limits kept."""

import numpy as np
import pytest

import jointwise as jw
from jointwise.errors import NumericalError
from jointwise.kernels.columns import NAMES
from jointwise.motion.bounds import bounds_of
from jointwise.motion.objectives import OBJECTIVES, quality
from jointwise.motion.plan import plan
from jointwise.motion.search import Search, Shape, hinge
from jointwise.motion.series import FourierPath, basis, resting
from jointwise.motion.stack import BaseStack, rounded

SMOOTHED = 1.3
"""The searched condition number may exceed the true one by this factor: (columns of one length)^(2 / 16)."""


def a_search(
    robot, objective="condition", *, start=None, friction=("coulomb", "viscous"), **bounds
):
    base = robot.base_parameters(friction=friction)
    stack = BaseStack(robot, base, friction, width=0.05)
    shape = Shape(period=6.0, harmonics=4, rest=2, start=start)
    return Search(robot, bounds_of(robot, **bounds), shape, stack, OBJECTIVES[objective])


def slope(function, x, direction, step=1e-6):
    return (function(x + step * direction)[0] - function(x - step * direction)[0]) / (2.0 * step)


# ---- gradients -------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_measure_has_the_gradient_it_says(objective):
    rng = np.random.default_rng(1)
    w = rng.normal(size=(300, 12)) * np.logspace(0.0, 2.0, 12)
    direction = rng.normal(size=w.shape)
    _, gradient = OBJECTIVES[objective](w)
    expected = slope(OBJECTIVES[objective], w, direction)
    assert np.sum(gradient * direction) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_measure_is_what_plain_linear_algebra_says(objective):
    w = np.random.default_rng(2).normal(size=(500, 9)) * np.logspace(0.0, 1.5, 9)
    value = OBJECTIVES[objective](w)[0]
    scaled = w / np.linalg.norm(w, axis=0)
    plain = {
        "condition": np.log(np.linalg.cond(w)),
        "scaled_condition": np.log(np.linalg.cond(scaled)),
        "log_det": -np.linalg.slogdet(w.T @ w)[1],
        "hadamard": -np.sum(np.log(np.sum(w * w, axis=0))),
    }
    if "condition" in objective:
        assert plain[objective] <= value + 1e-9 <= plain[objective] + np.log(SMOOTHED) + 1e-9
        assert quality(w)[objective] == pytest.approx(np.exp(plain[objective]))
    else:
        assert value == pytest.approx(plain[objective], rel=1e-9)
        assert quality(w)[objective] == pytest.approx(plain[objective], rel=1e-9)


def test_hadamards_bound_is_above_the_determinant():
    w = np.random.default_rng(3).normal(size=(200, 8))
    assert OBJECTIVES["hadamard"](w)[0] <= OBJECTIVES["log_det"](w)[0]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("fixed", [False, True])
def test_the_search_has_exact_gradients_with_every_limit_violated(objective, fixed):
    robot = jw.load_robot("ur5e")
    start = np.array([0.0, -1.2, 1.0, -1.0, 0.6, 0.0]) if fixed else None
    search = a_search(
        robot, objective, start=start, floor=0.0, max_velocity=0.2, max_acceleration=0.3,
        max_jerk=1.0, max_torque=5.0, lower=-1.5, upper=1.0,
    )  # fmt: skip
    search.weight = 3.0
    rng = np.random.default_rng(4)
    x, direction = 0.4 * rng.normal(size=(2, 6 * search.per_joint))
    assert search.excess(x.reshape(6, -1)) > 0.1
    _, gradient = search(x)
    assert gradient @ direction == pytest.approx(slope(search, x, direction), rel=2e-4, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_rounded_friction_column_has_its_slope_and_far_from_rest_its_value(name):
    v = np.linspace(-2.0, 2.0, 41)
    value, derivative = rounded(name, v, 0.05)
    ahead, behind = (rounded(name, v + d, 0.05)[0] for d in (1e-6, -1e-6))
    np.testing.assert_allclose((ahead - behind) / 2e-6, derivative, atol=1e-5)
    far = np.abs(v) > 0.5
    exact = jw.load_robot("pendulum").regressor(
        0 * v[:, None], v[:, None], 0 * v[:, None], friction=(name,)
    )
    np.testing.assert_allclose(value[far], exact[far, 0, -1], atol=2e-3)


def test_the_stack_is_the_base_regressor():
    robot = jw.load_robot("tx40")  # its wrist motors turn more than one joint
    friction = ("viscous", "viscous_cube")
    base = robot.base_parameters(friction=friction)
    q, dq, ddq = np.random.default_rng(5).normal(size=(3, 7, robot.n))
    w, _ = BaseStack(robot, base, friction, width=0.05).at(q, dq, ddq)
    expected = base.regressor(robot.regressor(q, dq, ddq, friction=friction))
    np.testing.assert_allclose(w, expected, atol=1e-12)


def test_a_hinge_is_zero_inside_and_grows_outside():
    low, high = np.array([-1.0, -np.inf]), np.array([1.0, np.inf])
    assert hinge(np.array([[0.9, 50.0]]), low, high, 1.0)[0] == 0.0
    value, gradient = hinge(np.array([[2.0, 50.0]]), low, high, 1.0)
    assert value > 0.9
    assert gradient[0, 0] > 0.0
    assert gradient[0, 1] == 0.0


# ---- series ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rest", [2, 3, 4])
def test_coefficients_of_a_resting_series_keep_it_at_rest(rest):
    sine, cosine = resting(6, rest)
    rng = np.random.default_rng(6)
    a, b = sine @ rng.normal(size=sine.shape[1]), cosine @ rng.normal(size=cosine.shape[1])
    path = FourierPath(center=[0.0], sine=[a], cosine=[b], period=2.0, duration=4.0)
    values = path.at(np.array([0.0, 2.0, 4.0]))
    sizes = np.abs(path.at(np.linspace(0.0, 2.0, 200))).max(axis=(1, 2))
    assert (np.abs(values[1 : rest + 1]).max(axis=(1, 2)) < 1e-10 * sizes[1 : rest + 1]).all()
    order = np.arange(1, 7)
    assert np.sum(a) == pytest.approx(0.0, abs=1e-12)  # L(26)(e)
    assert np.sum(order * b) == pytest.approx(0.0, abs=1e-12)  # L(26)(f)


def test_the_basis_is_that_of_the_published_series():
    t = np.array([0.3])
    w = 2.0 * np.pi / 5.0
    waves = basis(t, 5.0, 3)
    for k in range(3):
        wl = w * (k + 1)
        assert waves[0, 0, 0, k] == pytest.approx(np.sin(wl * 0.3) / (wl))
        assert waves[0, 1, 0, k] == pytest.approx(-np.cos(wl * 0.3) / (wl))
        assert waves[2, 0, 0, k] == pytest.approx(-wl * np.sin(wl * 0.3))


# ---- results ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def excitation():
    return plan(
        "fourier", jw.load_robot("ur5e"), duration=10.0, harmonics=5, starts=1, max_acceleration=5.0
    )


def test_an_optimised_motion_is_better_conditioned_than_the_thesis_and_than_chance(excitation):
    robot = jw.load_robot("ur5e")
    friction = ("coulomb", "viscous")
    base = robot.base_parameters(friction=friction)
    assert base.count == 48
    numbers = {}
    chance = plan("random", robot, duration=10.0, harmonics=5, max_acceleration=5.0)
    for name, motion in (("optimised", excitation), ("random", chance)):
        y = robot.regressor(motion.q, motion.dq, motion.ddq, friction=friction)
        numbers[name] = np.linalg.cond(base.regressor(y).reshape(-1, 48))
    assert numbers["optimised"] < 66.0
    assert numbers["optimised"] < 0.5 * numbers["random"]
    assert excitation.notes["quality"]["condition"] == pytest.approx(numbers["optimised"], rel=0.05)


def test_an_optimised_motion_keeps_its_distance_and_its_torque(excitation):
    from jointwise.robot.clearance import clearance

    robot = jw.load_robot("ur5e")
    dense = excitation.path.at(np.linspace(0.0, 10.0, 30_001))
    assert clearance(robot, dense[0], floor=0.0).min() > 0.0
    torque = np.abs(robot.inverse_dynamics(*dense[:3])).max(axis=0)
    assert (torque <= [150, 150, 150, 28, 28, 28]).all()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_each_objective_is_best_where_it_was_the_aim(objective):
    robot = jw.load_robot("two_link")
    short = {"duration": 5.0, "harmonics": 5, "starts": 2, "rate_hz": 200.0}
    found = {
        name: plan("fourier", robot, objective=name, **short).notes["quality"][objective]
        for name in OBJECTIVES
    }
    best = min(found.values())
    slack = 0.1 * best if "condition" in objective else 0.5
    assert found[objective] <= best + slack


def test_a_given_start_is_where_the_motion_begins_and_ends_with_four_derivatives_at_rest():
    robot = jw.load_robot("two_link")
    motion = plan("fourier", robot, duration=6.0, harmonics=6, starts=1, start=[0.3, -0.4], rest=4)
    for end in (0, -1):
        np.testing.assert_allclose(motion.q[end], [0.3, -0.4], atol=1e-9)
        for k in range(1, 5):
            assert (
                np.abs(motion.derivatives[k][end]).max()
                < 1e-6 * np.abs(motion.derivatives[k]).max()
            )
    assert motion.rest == 4


def test_reversals_and_constant_speeds_follow_the_series():
    robot = jw.load_robot("two_link")
    motion = plan(
        "fourier", robot, duration=16.0, harmonics=5, starts=1, reversal_time=4.0, constant_time=6.0
    )
    assert motion.duration == 16.0
    assert (motion.smoothness, motion.rest) == (2, 2)
    slow = (motion.time > 6.0) & (motion.time < 10.0)
    turned = np.count_nonzero(np.diff(np.sign(motion.dq[slow, 0])))
    assert turned >= 3
    assert np.abs(motion.dq[slow]).max() < 0.2
    steady = (motion.time > 10.0) & (np.abs(motion.ddq).max(axis=1) < 1e-9)
    steady &= np.abs(motion.dq).min(axis=1) > 1e-3
    assert np.count_nonzero(steady) > 0.3 * 6.0 * 1000.0
    assert len({round(v, 6) for v in motion.dq[steady, 0]}) == 6


def test_an_excitation_that_cannot_be_clear_is_refused():
    robot = jw.load_robot("ur5e")
    with pytest.raises(NumericalError, match="no excitation"):
        plan("fourier", robot, duration=5.0, harmonics=4, starts=1, floor=0.9)
