"""Least squares in its variants against normal equations, scipy and conditions of optimality. Spec 07."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from estimator_problems import NAMES, NOISE, TRUTH, problem, regressors, stacked
from jointwise.errors import NumericalError, ShapeError
from jointwise.estimators.bounded import bounded
from jointwise.estimators.huber import huber
from jointwise.estimators.kovincic import kovincic, kovincic_constrained
from jointwise.estimators.liu import LIU_MASS, liu, liu_split, liu_standard
from jointwise.estimators.maximum_likelihood import maximum_likelihood
from jointwise.estimators.ordinary import ols
from jointwise.estimators.problem import Problem
from jointwise.estimators.ridge import STRENGTHS, ridge
from jointwise.estimators.weighted import wls
from jointwise.estimators.whitening import LARGEST_POLE, autocorrelation, autoregression
from jointwise.robot.library import load_robot

SAME = 1e-9  # relative; two ways to the same numbers, condition numbers below 10


def test_ordinary_least_squares_solves_the_normal_equations():
    p = problem()
    w, y = stacked(p)
    found = ols(p)
    np.testing.assert_allclose(found.values, np.linalg.solve(w.T @ w, w.T @ y), rtol=SAME)


def test_covariance_of_equal_joints_is_that_of_the_textbook():
    """sigma^2 (W^T W)^-1, spec 07.4; the pooled variance of joints with the same noise differs by their scatter."""
    w = regressors(samples=4000)
    p = problem(noise=np.full(3, 0.7), w=w)
    stack, _ = stacked(p)
    found = ols(p)
    book = 0.7**2 * np.linalg.inv(stack.T @ stack)
    np.testing.assert_allclose(found.std, np.sqrt(np.diag(book)), rtol=0.02)


@pytest.mark.parametrize("power", [1, 2])
def test_weights_are_those_of_the_thesis(power):
    """J2(20): sigma_j^2 = |y_j - W_j gamma|^2 / (M - b_j), weight 1/sigma_j^power."""
    w = regressors()
    w[:, :, 2, 0] = 0.0  # joint 3 does not feel the first parameter: b_3 = 3
    p = problem(w=w)
    first = ols(p).values
    sigma = np.array(
        [
            np.sqrt(sum(np.sum((r.y[:, j] - r.w[:, j] @ first) ** 2) for r in p.rows) / (600 - b))
            for j, b in enumerate((4, 4, 3))
        ]
    )
    found = wls(p, power=power)
    np.testing.assert_allclose(found.weights, sigma**-power, rtol=SAME)
    stack, y = stacked(p, sigma**-power)
    np.testing.assert_allclose(
        found.values, np.linalg.solve(stack.T @ stack, stack.T @ y), rtol=SAME
    )


def test_inverse_variances_give_smaller_deviations_than_the_printed_weights():
    p = problem(w=regressors(samples=2000))
    best, printed, plain = wls(p), wls(p, power=1), ols(p)
    assert (best.std < printed.std).all()
    assert (printed.std < plain.std).all()


def test_more_passes_end_at_maximum_likelihood():
    p = problem()
    np.testing.assert_allclose(wls(p, passes=40).values, maximum_likelihood(p).values, rtol=1e-8)


@given(step=st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4))
@settings(deadline=None, max_examples=50)
def test_no_other_parameters_are_more_likely(step):
    """Log-likelihood with every variance at its best, -sum_j (M_j - b_j)/2 log |e_j|^2."""
    p = problem()
    found = maximum_likelihood(p)

    def likelihood(values):
        return -0.5 * float(np.sum((p.joint_equations - 4) * np.log(p.squares(values))))

    other = found.values + np.array(step) * found.std
    assert likelihood(other) <= likelihood(found.values) + 1e-9


# ---- Huber ----------------------------------------------------------------------------------


def spoiled(share=0.08, size=50.0):
    w = regressors()
    rng = np.random.default_rng(2)
    y = w @ TRUTH + NOISE * rng.normal(size=w.shape[:3])
    return Problem.from_rows(NAMES, w, y + size * (rng.random(y.shape) < share))


def test_outliers_do_not_move_the_huber_estimate():
    p = spoiled()
    robust, plain = np.abs(huber(p).values - TRUTH), np.abs(wls(p).values - TRUTH)
    assert robust.max() < 0.1
    assert plain.max() > 10.0 * robust.max()


def test_huber_satisfies_its_equations():
    """sum_j sum_t x psi(e / s_j) / s_j = 0 with psi clipped at 1.345."""
    p = spoiled()
    found = huber(p)
    total = np.zeros(4)
    scale = 0.0
    for r in p.rows:
        e = (r.y - r.w @ found.values) / found.noise
        each = (np.clip(e, -1.345, 1.345) / found.noise)[..., None] * r.w
        total += each.sum(axis=(0, 1))
        scale += np.abs(each).sum()
    assert np.abs(total).max() < 1e-7 * scale


def test_without_outliers_a_wide_clip_is_weighted_least_squares():
    p = problem()
    found = huber(p, c=100.0)
    stack, y = stacked(p, found.weights)
    np.testing.assert_allclose(found.values, np.linalg.lstsq(stack, y)[0], rtol=1e-8)


# ---- ridge ----------------------------------------------------------------------------------

PRIOR, PRIOR_STD = 1.2 * TRUTH, np.array([0.1, 0.2, 0.05, 1.0])


def test_ridge_is_the_closed_form():
    p = problem()
    found = ridge(p, prior=PRIOR, prior_std=PRIOR_STD, strength=3.0)
    stack, y = stacked(p, found.weights)
    precision = stack.T @ stack + 3.0 * np.diag(PRIOR_STD**-2)
    step = np.linalg.solve(precision, stack.T @ (y - stack @ PRIOR))
    np.testing.assert_allclose(found.values, PRIOR + step, rtol=SAME)
    np.testing.assert_allclose(found.covariance, np.linalg.inv(precision), rtol=1e-8)


@pytest.mark.parametrize(("strength", "limit"), [(1e-12, "data"), (1e12, "prior")])
def test_strength_leads_from_the_data_to_the_prior(strength, limit):
    p = problem()
    found = ridge(p, prior=PRIOR, prior_std=PRIOR_STD, strength=strength)
    end = maximum_likelihood(p).values if limit == "data" else PRIOR
    np.testing.assert_allclose(found.values, end, rtol=1e-6)


def test_leaving_out_recordings_chooses_the_strength_that_predicts_best():
    p = problem()
    chosen = ridge(p, prior=PRIOR, prior_std=PRIOR_STD, strength="leave-one-recording-out")
    weights = chosen.weights

    def error(strength):
        total = 0.0
        for k in range(3):
            stack, y = stacked(p.without(k), weights)
            precision = stack.T @ stack + strength * np.diag(PRIOR_STD**-2)
            values = PRIOR + np.linalg.solve(precision, stack.T @ (y - stack @ PRIOR))
            total += weights @ p.only([k]).squares(values)
        return total

    best = min(STRENGTHS, key=error)
    expected = ridge(p, prior=PRIOR, prior_std=PRIOR_STD, strength=float(best))
    np.testing.assert_allclose(chosen.values, expected.values, rtol=SAME)


def test_generalised_cross_validation_trusts_a_good_prior_more_than_a_bad_one():
    p = problem(w=regressors(samples=30))
    shares = [
        float(ridge(p, prior=prior, prior_std=0.3, strength="gcv").notes[0].split()[6].rstrip(";"))
        for prior in (TRUTH, TRUTH + 5.0)
    ]
    assert shares[0] > 100.0 * shares[1]


# ---- bounds ---------------------------------------------------------------------------------


@given(seed=st.integers(0, 10_000), mean=st.floats(-2.0, 2.0))
@settings(deadline=None, max_examples=40)
def test_nonnegative_least_squares_agrees_with_lawson_and_hanson(seed, mean):
    truth = np.random.default_rng(seed).normal(mean, 1.0, 4)
    p = problem(seed=seed, truth=truth)
    found = bounded(p, nonnegative=NAMES)
    stack, y = stacked(p, found.weights)
    expected, _ = nnls(stack, y)
    np.testing.assert_allclose(found.values, expected, atol=1e-8)
    assert found.active == tuple(n for n, v in zip(NAMES, expected, strict=True) if v == 0.0)
    assert (found.std[expected == 0.0] == 0.0).all()


def test_at_bounds_the_squares_only_fall_beyond_them():
    """Conditions of Karush, Kuhn and Tucker for bounds on both sides."""
    p = problem()
    found = bounded(p, lower={"a": 1.5, "b": -5.0}, upper={"d": 2.0})
    stack, y = stacked(p, found.weights)
    slope = stack.T @ (stack @ found.values - y)
    assert found.active == ("a", "d")
    assert slope[0] > 0.0 > slope[3]
    assert np.abs(slope[[1, 2]]).max() < 1e-6 * np.abs(slope).max()
    assert (found.value("a"), found.value("d")) == pytest.approx((1.5, 2.0))


def test_kovincic_holds_every_parameter_positive():
    p = problem()
    found = kovincic_constrained(p)
    stack, y = stacked(p)
    np.testing.assert_allclose(found.values, nnls(stack, y)[0], atol=1e-8)
    assert found.active == ("b",)


def test_kovincic_pseudo_inverse_carries_the_residual_factor():
    """K(21) without it would not depend on the size of the noise."""
    p = problem()
    np.testing.assert_allclose(kovincic(p).values, ols(p).values, rtol=SAME)
    louder = kovincic(problem(noise=10.0 * NOISE))
    np.testing.assert_allclose(louder.std, 10.0 * kovincic(p).std, rtol=1e-9)


# ---- Liu ------------------------------------------------------------------------------------


def test_liu_weighs_by_the_length_of_the_torque():
    p = problem()
    lengths = [np.sqrt(sum(np.sum(r.y[:, j] ** 2) for r in p.rows)) for j in range(3)]
    found = liu(p)
    np.testing.assert_allclose(found.weights, np.power(lengths, -2.0), rtol=SAME)
    stack, y = stacked(p, found.weights)
    np.testing.assert_allclose(found.values, np.linalg.lstsq(stack, y)[0], rtol=SAME)
    silent = Problem.from_rows(NAMES, regressors(), np.zeros((3, 200, 3)))
    with pytest.raises(NumericalError, match="joint 1 has no torque"):
        liu(silent)


def test_liu_split_reproduces_the_dependent_columns_and_his_standard_parameters_the_torque():
    robot = load_robot("ur5e")
    rng = np.random.default_rng(0)
    q, dq, ddq = rng.normal(size=(3, 80, 6))
    y = robot.regressor(q, dq, ddq).reshape(-1, 60)
    names = robot.base_parameters().columns
    split = liu_split(y, names)
    places = {n: k for k, n in enumerate(names)}
    w1 = y[:, [places[n] for n in split.independent]]
    w2 = y[:, [places[n] for n in split.dependent]]
    np.testing.assert_allclose(w1 @ split.relation, w2, atol=1e-10 * np.abs(w2).max())
    base = rng.normal(size=len(split.independent))
    chosen = liu_standard(split, base)
    gamma = np.array([chosen.get(n, 0.0) for n in names])
    np.testing.assert_allclose(y @ gamma, w1 @ base, atol=1e-9 * np.abs(w1 @ base).max())
    assert {chosen[n] for n in split.dependent} == {0.0, LIU_MASS}
    with pytest.raises(ShapeError):
        liu_standard(split, base[1:])


# ---- noise with a memory --------------------------------------------------------------------


def test_autocorrelation_of_first_order_is_geometric():
    np.testing.assert_allclose(autocorrelation(np.array([0.7]), 10), 0.7 ** np.arange(11))


def test_autocorrelation_of_second_order_follows_from_the_impulse_response():
    from scipy.signal import lfilter

    model = np.array([1.2, -0.5])
    response = lfilter([1.0], [1.0, -1.2, 0.5], np.eye(1, 400)[0])
    expected = np.array([response[k:] @ response[: 400 - k] for k in range(12)])
    np.testing.assert_allclose(autocorrelation(model, 11), expected / expected[0], atol=1e-12)


def test_autoregression_finds_the_memory_across_gaps():
    from scipy.signal import lfilter

    rng = np.random.default_rng(3)
    e = lfilter([1.0], [1.0, -1.2, 0.5], rng.normal(size=60_000))
    e[rng.random(60_000) < 0.05] = np.nan
    np.testing.assert_allclose(autoregression([e[:30_000], e[30_000:]], 2), [1.2, -0.5], atol=0.02)


def test_noise_that_never_forgets_is_held_just_short_of_it():
    walk = np.exp(0.02 * np.arange(200.0))
    assert autoregression([walk], 1)[0] == pytest.approx(LARGEST_POLE)


def test_knowing_the_memory_of_the_noise_sharpens_the_estimate():
    """Slow noise under fast columns: generalised least squares all but removes it."""
    errors = {0: [], 1: []}
    for seed in range(30):
        p = problem(seed=seed, pole=0.95)
        for order, found in errors.items():
            fit = maximum_likelihood(p, order=order)
            assert fit.converged
            found.append(fit.values - TRUTH)
    assert np.std(errors[1]) < 0.5 * np.std(errors[0])
