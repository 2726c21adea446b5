"""Instrumental variables, and the verdicts that sum up an estimate. Spec 07.9, 07.4."""

import numpy as np
import pytest

from estimator_problems import NAMES, NOISE, TRUTH, problem, regressors
from jointwise.errors import NumericalError, ParameterError, ShapeError, UnknownNameError
from jointwise.estimators.bounded import bounded
from jointwise.estimators.instrumental import instrumental
from jointwise.estimators.maximum_likelihood import maximum_likelihood
from jointwise.estimators.verdict import VERDICTS, unidentified, verdicts
from jointwise.estimators.weighted import wls
from jointwise.robot.library import load_robot


def measured(seed=0, noise=0.0, samples=400):
    """True regressor, the same with noise, and the torque."""
    rng = np.random.default_rng(seed)
    true = regressors(seed=1000 + seed, samples=samples)
    w = true + noise * rng.normal(size=true.shape)
    return true, w, true @ TRUTH + NOISE * rng.normal(size=true.shape[:3])


def test_noise_in_the_regressor_biases_least_squares_and_not_the_instruments():
    """Columns of unit variance with noise of 0.5 shrink least squares by 1 / (1 + 0.25)."""
    shrunk, kept = [], []
    for seed in range(20):
        z, w, y = measured(seed, noise=0.5)
        other = z + 0.2 * np.random.default_rng(100 + seed).normal(size=z.shape)
        kept.append(instrumental(other, w, y, NAMES).values)
        shrunk.append(maximum_likelihood(problem_of(w, y)).values)
    for found, expected in ((shrunk, TRUTH / 1.25), (kept, TRUTH)):
        error = np.abs(np.mean(found, axis=0) - expected)
        assert np.all(error < 3.5 * np.std(found, axis=0, ddof=1) / np.sqrt(len(found)))
    assert np.all(np.abs(np.mean(shrunk, axis=0) - TRUTH) > 0.1 * np.abs(TRUTH))


def problem_of(w, y):
    from jointwise.estimators.problem import Problem

    return Problem.from_rows(NAMES, w, y)


def test_the_formula_is_that_of_instruments():
    z, w, y = measured(noise=0.3)
    found = instrumental(z, w, y, NAMES)
    weigh = found.weights[:, None]
    left = np.einsum("rtja,rtjb->ab", z * weigh, w)
    right = np.einsum("rtja,rtj->a", z * weigh, y)
    np.testing.assert_allclose(found.values, np.linalg.solve(left, right), rtol=1e-8)
    middle = np.einsum("rtja,rtjb->ab", z * weigh, z)
    inverse = np.linalg.inv(left)
    np.testing.assert_allclose(found.covariance, inverse @ middle @ inverse.T, rtol=1e-7)
    assert found.converged


def test_the_regressor_as_its_own_instrument_is_weighted_least_squares():
    _, w, y = measured()
    found = instrumental(w, w, y, NAMES)
    plain = maximum_likelihood(problem_of(w, y))
    np.testing.assert_allclose(found.values, plain.values, rtol=1e-6)
    np.testing.assert_allclose(found.covariance, plain.covariance, rtol=1e-5)
    assert (found.exogeneity_p_value, found.tested_directions) == (1.0, 0)


def test_covariance_of_instruments_is_that_of_repeated_measurements():
    errors, claimed = [], []
    other = 0.6 * np.random.default_rng(1).normal(size=(3, 100, 3, 4))
    true = regressors(samples=100)
    for seed in range(400):
        y = true @ TRUTH + NOISE * np.random.default_rng(seed).normal(size=(3, 100, 3))
        found = instrumental(true + other, true, y, NAMES)
        errors.append(found.values - TRUTH)
        claimed.append(found.std)
    np.testing.assert_allclose(np.std(errors, axis=0), np.mean(claimed, axis=0), rtol=0.17)


def test_the_test_of_durbin_wu_and_hausman_keeps_its_level_and_finds_noise():
    """At 5 % it fires in 5 % of clean cases, 300 of them: 2 to 9 %; and nearly always where W is noisy."""
    clean, noisy = [], []
    for seed in range(300):
        z, w, y = measured(seed, samples=60)
        other = z + 0.3 * np.random.default_rng(500 + seed).normal(size=z.shape)
        clean.append(instrumental(other, w, y, NAMES).exogeneity_p_value < 0.05)
        if seed < 40:
            z, w, y = measured(seed, noise=0.5, samples=60)
            noisy.append(instrumental(z, w, y, NAMES).exogeneity_p_value < 0.05)
    assert 0.02 <= np.mean(clean) <= 0.09
    assert np.mean(noisy) > 0.95


def test_unrelated_or_dependent_instruments_are_refused():
    z, w, y = measured()
    doubled = z.copy()
    doubled[..., 3] = doubled[..., 1]
    nothing = z.copy()
    nothing[..., 2] = 0.0
    for bad in (doubled, nothing):
        with pytest.raises(NumericalError, match="instruments do not explain"):
            instrumental(bad, w, y, NAMES)
    with pytest.raises(ShapeError):
        instrumental(z[..., :3], w, y, NAMES)


# ---- verdicts -------------------------------------------------------------------------------


def kinds(found):
    return {v.name: v.kind for v in found}


def test_each_parameter_gets_the_verdict_it_deserves():
    truth = np.array([5.0, 0.02, -3.0, -1.0])
    p = problem(truth=truth)
    free = wls(p)
    found = verdicts(free, nonnegative=("a", "c"))
    assert kinds(found) == {"a": "identified", "b": "weak", "c": "not physical", "d": "identified"}
    assert "below zero" in found[2].reason
    assert found[0].interval == tuple(free.intervals()[0])
    held = verdicts(bounded(p, nonnegative=("c",)))
    assert held[2].kind == "at its bound"
    assert held[2].value == 0.0
    assert {v.kind for v in (*found, *held)} <= set(VERDICTS)
    assert str(found[0]).startswith("a: identified; known to")


def test_a_parameter_not_told_apart_from_zero_is_weak_and_says_so():
    said = []
    for seed in range(10):
        weak = verdicts(wls(problem(truth=np.array([1.0, 0.0, 1.0, 1.0]), seed=seed)))[1]
        assert weak.kind == "weak"
        low, high = weak.interval
        said.append("not told apart from zero" in weak.reason)
        assert said[-1] == (low < 0.0 < high)
    assert sum(said) >= 7  # of ten intervals that hold in 95 % of cases


def test_a_lower_threshold_lets_fewer_parameters_pass():
    found = wls(problem(truth=np.array([1.0, 0.1, 10.0, 0.01])))
    counts = [
        sum(v.kind == "identified" for v in verdicts(found, threshold_percent=t))
        for t in (0.01, 1.0, 10.0, 1e4)
    ]
    assert counts == sorted(counts)
    assert counts[0] == 0 < counts[1] < 4 == counts[-1]


def test_standard_parameters_seen_only_together_are_named_with_their_combination():
    robot = load_robot("ur5e")
    base = robot.base_parameters()
    found = unidentified(base.columns, base.matrix, base.names, values=robot.parameters())
    names = {v.name: v for v in found}
    assert len(found) == 60 - np.count_nonzero(np.count_nonzero(base.matrix, axis=1) == 1)
    assert {v.kind for v in found} == {"not identifiable"}
    assert names["m1"].reason == "without influence on the torque"
    assert "seen only in" in names["m6"].reason
    assert "XY2" not in names  # a base parameter by itself
    assert names["m3"].value == pytest.approx(robot.parameters()[29])
    texts = verdicts(
        wls(problem(names=NAMES)), groupings=["a + 2 x", *NAMES[1:]], threshold_percent=99.0
    )
    assert texts[0].reason.endswith("only as a + 2 x")


def test_wrong_requests_for_verdicts_are_refused():
    found = wls(problem())
    for call, error in (
        (lambda: verdicts(found, threshold_percent=0.0), ParameterError),
        (lambda: verdicts(found, nonnegative=("z",)), UnknownNameError),
        (lambda: verdicts(found, groupings=["a"]), ShapeError),
        (lambda: verdicts(found, level=0.0), ParameterError),
        (lambda: unidentified(("a",), np.eye(2), ("a", "b")), ShapeError),
    ):
        with pytest.raises(error):
            call()
