"""Quick ways to an answer give that of the plain ones."""

import numpy as np
import pytest
from scipy import signal
from scipy.interpolate import PchipInterpolator

from estimator_problems import NAMES, problem
from jointwise.estimators.barrier import Cone, Point, coordinates, minimise
from jointwise.estimators.bounded import bounded
from jointwise.estimators.problem import Problem
from jointwise.estimators.same_regressor import SameRegressor
from jointwise.kernels.lagged import lagged_sums
from jointwise.kernels.resampling import shape_keeping_batch
from jointwise.recording import filters
from jointwise.recording.signals import shifted

ROUNDING = 1e-12


def wandering(rows, columns, seed=0):
    return np.random.default_rng(seed).standard_normal((rows, columns)).cumsum(axis=0)


@pytest.mark.parametrize("columns", [1, 6, 16, 37])
def test_the_low_pass_is_that_of_scipy(columns):
    values = wandering(700, columns)
    sections = signal.butter(4, 5.0, fs=100.0, output="sos")
    expected = signal.sosfiltfilt(sections, values, axis=0, padlen=42)
    assert np.allclose(filters.zero_phase(values, 5.0, 100.0), expected, rtol=0.0, atol=1e-11)


def test_the_low_pass_gives_any_choice_of_samples_and_leaves_its_input_alone():
    values = wandering(500, 3)
    values.setflags(write=False)
    before = values.copy()
    whole = filters.zero_phase(values, 5.0, 100.0)
    some = filters.zero_phase(values, 5.0, 100.0, keep=slice(40, 460, 7))
    assert np.array_equal(some, whole[40:460:7])
    assert np.array_equal(values, before)
    assert np.array_equal(filters.zero_phase(values[:, 1], 5.0, 100.0), whole[:, 1])


def test_uneven_samples_are_read_as_by_scipys_shape_keeping_cubic():
    rng = np.random.default_rng(3)
    stamps = np.arange(300) * 0.01 + 1e-3 * rng.uniform(-1.0, 1.0, 300)
    values = np.column_stack([wandering(300, 2), np.round(np.sin(3.0 * stamps), 2)])
    even = np.linspace(stamps[0], stamps[-1], 401)
    out = np.empty((401, 3))
    shape_keeping_batch(stamps, values, even, out)
    assert np.allclose(out, PchipInterpolator(stamps, values)(even), rtol=0.0, atol=1e-11)


def test_sums_over_lags_are_those_of_a_filter():
    x, weights = wandering(60, 4), np.array([0.5, 0.3, -0.2, 0.1])
    out = np.empty_like(x)
    lagged_sums(x, weights, out)
    assert np.allclose(out, signal.lfilter(weights, [1.0], x, axis=0), rtol=0.0, atol=ROUNDING)


@pytest.mark.parametrize("low", [-np.inf, 0.0])
def test_a_torque_beside_a_known_regressor_is_solved_as_a_problem_of_its_own(low):
    first, second = problem(seed=1), problem(seed=2, truth=np.array([0.7, -1.0, 0.2, 5.0]))
    quick = SameRegressor(first, np.arange(4), np.full(4, low))
    own = bounded(second, nonnegative=NAMES if low == 0.0 else ())
    assert np.allclose(quick.values(second), own.values, atol=1e-5 * own.std.max())


def test_a_column_that_is_not_kept_stays_zero_beside_a_known_regressor():
    given = problem(seed=4)
    quick = SameRegressor(given, np.array([0, 2, 3]), np.full(4, -np.inf))
    own = bounded(given.select(["a", "c", "d"]))
    assert quick.values(given)[1] == 0.0
    assert np.allclose(quick.values(given)[[0, 2, 3]], own.values, atol=1e-5 * own.std.max())


def test_factors_without_each_recording_are_those_of_the_others():
    given, weights = problem(seed=5), np.array([1.0, 4.0, 0.5])
    for k, part in enumerate(given.each_left_out(weights)):
        others = [r for r in range(3) if r != k]
        rows = [given.rows[r] for r in others]
        again = Problem.from_rows(NAMES, [r.w for r in rows], [r.y for r in rows])
        quick, plain = part.weighted_factor(weights), again.weighted_factor(weights)
        assert np.allclose(np.abs(quick), np.abs(plain), rtol=1e-10, atol=1e-10)
        assert part.recordings == tuple(given.recordings[r] for r in others)


def test_a_path_may_begin_where_that_of_much_the_same_problem_went():
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(40, 13)), 5.0 * rng.normal(size=40)
    cone = Cone(1, 0.3, True, np.zeros(3), np.full(3, 1e4), np.ones(3, dtype=bool))
    start = np.concatenate([coordinates(np.eye(4)), np.ones(3)])
    whole = minimise(a, b, cone, start)
    near, far = (minimise(a[:36], b[:36], cone, s) for s in (whole.waypoint, start))
    assert isinstance(whole.waypoint, Point)
    assert near.converged
    assert near.steps < far.steps
    np.testing.assert_allclose(near.x, far.x, atol=1e-3)


def test_a_shift_at_chosen_samples_is_that_of_all_samples():
    values = wandering(80, 2)
    every = shifted(values, 100.0, (0.013, -0.004))
    some = shifted(values, 100.0, (0.013, -0.004), slice(10, 70, 3))
    assert np.array_equal(some, every[10:70:3])
