"""What every estimator promises. One runs all of this by being registered."""

import itertools
import re

import numpy as np
import pytest

from jointwise.errors import NumericalError, ParameterError, ShapeError, UnknownNameError
from jointwise.estimators.problem import Problem
from jointwise.estimators.registry import ESTIMATORS, estimator

NAMES = ("a", "b", "c", "d", "e", "f")
TRUTH = np.array([3.0, 0.8, 12.0, 1.5, 0.4, 2.0])
NOISE = np.array([0.5, 2.0, 0.1])
"""N m, far apart so that a method that mixes up joints is seen."""
EXACT = 1e-6
"""Relative; noise-free data get weights of 1e7 over the torque, and a prior a pull of that size."""
SAME = 1e-8
"""Relative; rounding times a condition number of about 100."""
NEEDS_ROWS = {"huber"}
BEARS_DEPENDENT_COLUMNS = {"kovincic", "ridge", "physical"}
WITH_PRIOR = {"ridge", "physical"}

every_estimator = pytest.mark.parametrize("name", sorted(ESTIMATORS))


def options(name, scale=1.0, truth=TRUTH):
    """Options of an estimator for the problem whose columns were divided by `scale`."""
    return {
        "ridge": {"prior": 1.3 * truth * scale, "prior_std": 5.0 * scale},
        "physical": {"prior": 1.3 * truth * scale, "spread": 3.0},
        "bounded": {"nonnegative": ("a", "e")},
    }.get(name, {})


def regressors(seed=0, samples=60, recordings=2):
    """Columns of unlike sizes; joint 3 feels the last four only, as in a serial arm."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=(recordings, samples, 3, 6)) * np.array([1.0, 8.0, 0.3, 2.0, 5.0, 1.0])
    w[:, :, 2, :2] = 0.0
    return w


def torques(w, seed=None, truth=TRUTH):
    y = w @ truth
    if seed is None:
        return y
    return y + NOISE * np.random.default_rng(seed).normal(size=y.shape)


@every_estimator
def test_same_input_gives_the_same_answer(name):
    w = regressors()
    y = torques(w, seed=1)
    first, second = (
        ESTIMATORS[name](Problem.from_rows(NAMES, w, y), **options(name)) for _ in range(2)
    )
    assert (first.values == second.values).all()
    assert (first.covariance == second.covariance).all()


@every_estimator
def test_noise_free_data_give_the_truth(name):
    w = regressors()
    found = ESTIMATORS[name](Problem.from_rows(NAMES, w, torques(w)), **options(name))
    assert found.converged
    assert found.names == NAMES
    np.testing.assert_allclose(found.values, TRUTH, rtol=EXACT)
    assert (found.std < EXACT * TRUTH).all()


@every_estimator
def test_units_of_a_column_do_not_matter(name):
    w = regressors()
    y = torques(w, seed=2)
    scale = np.array([1e4, 1.0, 1e-3, 10.0, 0.1, 3e5])
    plain = ESTIMATORS[name](Problem.from_rows(NAMES, w, y), **options(name))
    other = ESTIMATORS[name](Problem.from_rows(NAMES, w / scale, y), **options(name, scale))
    np.testing.assert_allclose(other.values / scale, plain.values, rtol=SAME)
    np.testing.assert_allclose(other.std / scale, plain.std, rtol=SAME)


@every_estimator
def test_order_of_rows_recordings_and_columns_does_not_matter(name):
    w = regressors()
    y = torques(w, seed=3)
    rows = np.random.default_rng(4).permutation(w.shape[1])
    columns = [3, 0, 5, 1, 4, 2]
    there = tuple(NAMES[k] for k in columns)
    chosen = options(name, truth=TRUTH)
    moved = options(name, truth=TRUTH[columns])
    plain = ESTIMATORS[name](Problem.from_rows(NAMES, w, y), **chosen)
    turned = Problem.from_rows(there, w[::-1, rows][..., columns], y[::-1, rows])
    other = ESTIMATORS[name](turned, **moved)
    np.testing.assert_allclose(other.values, plain.values[columns], rtol=SAME)
    np.testing.assert_allclose(other.std, plain.std[columns], rtol=SAME)
    np.testing.assert_allclose(other.noise, plain.noise, rtol=SAME)


@every_estimator
def test_factors_give_the_answer_of_the_rows(name):
    w = regressors()
    problem = Problem.from_rows(NAMES, w, torques(w, seed=5), piece_samples=9)
    bare = Problem.from_factors(NAMES, problem.factors, problem.counts, recording=problem.recording)
    if name in NEEDS_ROWS:
        with pytest.raises(ParameterError, match="rows"):
            ESTIMATORS[name](bare, **options(name))
        return
    plain, other = (ESTIMATORS[name](p, **options(name)) for p in (problem, bare))
    np.testing.assert_allclose(other.values, plain.values, rtol=SAME)
    np.testing.assert_allclose(other.covariance, plain.covariance, rtol=SAME)


@every_estimator
def test_covariance_is_that_of_repeated_measurements(name):
    """Standard deviations over 400 draws of the noise, and of the truth where a prior is part of the method.

    A standard deviation from 400 draws is known to 3.5 %; 4 of them are allowed.
    """
    spread_against(name, draws=400)


@pytest.mark.soak
@every_estimator
def test_covariance_is_that_of_many_repeated_measurements(name):
    spread_against(name, draws=10_000)


def spread_against(name, draws):
    w = regressors()
    rng = np.random.default_rng(6)
    errors, claimed = [], []
    for k in range(draws):
        truth, given = TRUTH, options(name)
        if name in WITH_PRIOR:
            std = 0.02 * TRUTH
            given = {"prior": TRUTH}
            given |= {"prior_std": std} if name == "ridge" else {"spread": 0.02}
            truth = TRUTH + std * rng.normal(size=6)
        y = torques(w, seed=1000 + k, truth=truth)
        found = ESTIMATORS[name](Problem.from_rows(NAMES, w, y), **given)
        errors.append(found.values - truth)
        claimed.append(found.covariance)
    errors, mean = np.array(errors), np.mean(claimed, axis=0)
    own = np.sqrt(np.diag(mean))
    allowed = 4.0 / np.sqrt(2.0 * draws) + 0.03  # weights estimated from 60 to 120 samples
    assert np.abs(np.std(errors, axis=0) / own - 1.0).max() < allowed
    assert np.abs(np.mean(errors, axis=0) / own).max() < 5.0 / np.sqrt(draws)
    correlated = np.cov(errors.T) / np.outer(own, own) - mean / np.outer(own, own)
    assert np.abs(correlated).max() < 6.0 / np.sqrt(draws) + 0.03


@every_estimator
def test_dependent_columns_are_named(name):
    w = regressors()
    w[..., 4] = 2.0 * w[..., 1] - w[..., 3]
    problem = Problem.from_rows(NAMES, w, torques(w, seed=7))
    if name in BEARS_DEPENDENT_COLUMNS:
        found = ESTIMATORS[name](problem, **options(name))
        assert np.isfinite(found.values).all()
        assert re.search(r"\d of 6 directions", found.notes[0])
        left = np.concatenate([r.ravel() for r in problem.residuals(found.values)])
        assert left.std() < 2.0 * NOISE.max()
        return
    with pytest.raises(NumericalError) as caught:
        ESTIMATORS[name](problem, **options(name))
    message = str(caught.value)
    assert all(re.search(rf"\b{n}\b", message) for n in "bde")
    assert not re.search(r"\b[cf],", message)


@every_estimator
def test_a_column_without_influence_is_named(name):
    w = regressors()
    w[..., 2] = 0.0
    problem = Problem.from_rows(NAMES, w, torques(w, seed=8))
    if name in BEARS_DEPENDENT_COLUMNS:
        found = ESTIMATORS[name](problem, **options(name))
        assert found.values[2] == pytest.approx(1.3 * TRUTH[2] if name in WITH_PRIOR else 0.0)
        return
    with pytest.raises(NumericalError, match="parameter c has no influence"):
        ESTIMATORS[name](problem, **options(name))


@every_estimator
def test_too_few_equations_are_refused(name):
    w = regressors(samples=3, recordings=1)
    with pytest.raises(ParameterError, match="equations"):
        ESTIMATORS[name](Problem.from_rows(NAMES, w, torques(w, seed=9)), **options(name))


@every_estimator
def test_equations_not_used_do_not_count(name):
    w = regressors()
    y = torques(w, seed=10)
    use = np.random.default_rng(11).random(y.shape) < 0.7
    spoiled = np.where(use, y, 1e6)
    masked = Problem.from_rows(NAMES, w, spoiled, use=use)
    assert masked.equations == use.sum()
    found = ESTIMATORS[name](masked, **options(name))
    assert (np.abs(found.values - TRUTH) < 6.0 * found.std + 1e-9).all() or name in WITH_PRIOR
    assert np.abs(found.values - TRUTH).max() < 1.0


def test_unknown_estimator_is_refused_with_the_list():
    with pytest.raises(UnknownNameError, match="did you mean 'huber'"):
        estimator("hubert")


# ---- the problem itself ---------------------------------------------------------------------


def test_factors_hold_the_squares_of_their_rows():
    w = regressors()
    y = torques(w, seed=12)
    use = np.random.default_rng(13).random(y.shape) < 0.6
    problem = Problem.from_rows(NAMES, w, y, use=use, piece_samples=13)
    assert len(problem.factors) == 2 * round(60 / 13)
    stack = np.concatenate([w, y[..., None]], axis=-1) * use[..., None]
    for j in range(3):
        gram = np.einsum("rta,rtb->ab", stack[:, :, j], stack[:, :, j])
        factor = problem.joint_factors[j]
        np.testing.assert_allclose(factor.T @ factor, gram, atol=1e-12 * gram.max())
    assert problem.used_columns.tolist() == [6, 6, 4]
    np.testing.assert_allclose(
        problem.squares(TRUTH), np.sum((use * (y - w @ TRUTH)) ** 2, axis=(0, 1))
    )


def test_parts_of_a_problem_are_problems():
    w = regressors(recordings=3)
    y = torques(w, seed=14)
    problem = Problem.from_rows(NAMES, w, y, recordings=("p", "q", "r"), piece_samples=20)
    direct = Problem.from_rows(NAMES, w[[0, 2]], y[[0, 2]], recordings=("p", "r"))
    part = problem.without(1)
    assert part.recordings == direct.recordings
    assert part.recording.tolist() == [0, 0, 0, 1, 1, 1]
    np.testing.assert_allclose(part.squares(TRUTH), direct.squares(TRUTH))
    fewer = problem.select(("e", "b"))
    direct = Problem.from_rows(("e", "b"), w[..., [4, 1]], y)
    np.testing.assert_allclose(
        ESTIMATORS["wls"](fewer).values, ESTIMATORS["wls"](direct).values, rtol=SAME
    )
    assert len(problem.cut(10).factors) == 18


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"w": np.ones((4, 3))}, "one of each per recording|shape"),
        ({"w": np.full((1, 60, 3, 6), np.nan)}, "finite"),
        ({"y": np.ones((1, 60, 2))}, "shape"),
        ({"use": np.ones((1, 60, 3))}, "truth values"),
        ({"names": "abcde"}, "one name a column"),
        ({"names": "abcdea"}, "given once"),
        ({"recordings": ("p", "q")}, "one per recording"),
        ({"piece_samples": 0}, "1 or more"),
    ],
)
def test_what_is_not_a_problem_is_refused(change, match):
    w = regressors(recordings=1)
    given = {"names": NAMES, "w": w, "y": torques(w)} | change
    with pytest.raises((ShapeError, ParameterError), match=match):
        Problem.from_rows(**given)


def test_wrong_factors_are_refused():
    w = regressors()
    good = Problem.from_rows(NAMES, w, torques(w))
    for factors, counts, match in (
        (good.factors[:, :, 1:], good.counts, "factors"),
        (good.factors, good.counts[:, 1:], "counts"),
        (good.factors * np.nan, good.counts, "finite"),
    ):
        with pytest.raises(ShapeError, match=match):
            Problem.from_factors(NAMES, factors, counts)
    with pytest.raises(ShapeError, match="one number per piece"):
        Problem.from_factors(NAMES, good.factors, good.counts, recording=[0, -1])


def test_wrong_options_are_refused():
    w = regressors()
    problem = Problem.from_rows(NAMES, w, torques(w, seed=15))
    run = {name: ESTIMATORS[name] for name in ESTIMATORS}
    prior = {"prior": TRUTH, "prior_std": 1.0}
    for call, error in (
        (lambda: run["wls"](problem, power=3), ParameterError),
        (lambda: run["wls"](problem, passes=0), ParameterError),
        (lambda: run["huber"](problem, c=0.0), ParameterError),
        (lambda: run["ridge"](problem, prior=TRUTH[:5], prior_std=1.0), ShapeError),
        (lambda: run["ridge"](problem, prior=TRUTH, prior_std=0.0), ParameterError),
        (lambda: run["ridge"](problem, strength=-1.0, **prior), ParameterError),
        (lambda: run["ridge"](problem, strength="best", **prior), UnknownNameError),
        (
            lambda: run["ridge"](problem.only([0]), strength="leave-one-recording-out", **prior),
            ParameterError,
        ),
        (lambda: run["bounded"](problem, nonnegative=("x",)), UnknownNameError),
        (lambda: run["bounded"](problem, lower={"a": 1.0}, upper={"a": 1.0}), ParameterError),
        (lambda: run["kovincic"](problem, smallest_share=0.0), ParameterError),
        (lambda: run["maximum_likelihood"](problem, order=-1), ParameterError),
        (lambda: problem.only([2]), ParameterError),
        (lambda: run["ols"](problem).intervals(1.0), ParameterError),
    ):
        with pytest.raises(error):
            call()


def test_pairs_of_names_differ():
    """The contract's own names: no name is part of another, so a match in a message is a match."""
    assert not any(a in b for a, b in itertools.permutations(NAMES, 2))
