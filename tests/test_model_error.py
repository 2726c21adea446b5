"""Intervals where the model lacks something: they widen by what comes back in the same states. Spec 07.4."""

import numpy as np
import pytest

from jointwise.errors import ShapeError
from jointwise.estimators.correlated import corrected
from jointwise.estimators.model_error import with_model_error
from jointwise.estimators.problem import Problem
from jointwise.estimators.weighted import wls

NAMES = ("inertia", "gravity", "coulomb", "viscous", "offset")
TRUTH = np.array([2.0, 15.0, 5.0, 3.0, 0.5])
NOISE, LACKING = 0.02, 0.3
PERIOD = 400


def arm(seed, lacking=LACKING):
    """One joint on two periods of a random motion; friction has a smooth part that the columns do not."""
    rng = np.random.default_rng(seed)
    t = np.arange(2 * PERIOD) * 2.0 * np.pi / PERIOD
    q, dq, ddq = np.zeros((3, len(t)))
    for k in range(1, 6):
        a, phase = rng.normal(), rng.uniform(0.0, 6.3)
        q += a / k * np.sin(k * t + phase)
        dq += a * np.cos(k * t + phase)
        ddq -= a * k * np.sin(k * t + phase)
    w = np.stack([ddq, np.cos(q), np.sign(dq), dq, np.ones_like(q)], axis=-1)[:, None]
    load = w[:, 0] @ TRUTH
    x = np.stack([q, dq, load], axis=-1) / np.std([q, dq, load], axis=1)
    waves = rng.normal(size=(3, 8))
    f = np.cos(x @ waves + rng.uniform(0.0, 6.3, 8)) @ rng.normal(size=8)
    y = load + lacking * f / f.std() + NOISE * rng.normal(size=len(t))
    return Problem.from_rows(NAMES, w, y[:, None]), [x[:, None]]


def share_covered(make, seeds):
    hits = []
    for seed in seeds:
        low, high = make(seed).intervals().T
        hits.append((low <= TRUTH) & (high >= TRUTH))
    return float(np.mean(hits))


def plain(seed, lacking=LACKING):
    problem, _ = arm(seed, lacking)
    return corrected(problem, wls(problem))


def allowed(seed, lacking=LACKING):
    problem, states = arm(seed, lacking)
    estimate = corrected(problem, wls(problem))
    return with_model_error(problem, estimate, states, estimate.noise**2 - NOISE**2)


def test_what_the_model_lacks_is_not_seen_by_comparing_parts_of_the_data():
    assert share_covered(plain, range(60)) < 0.7


def test_intervals_that_allow_for_it_cover():
    assert share_covered(allowed, range(60)) >= 0.85


def test_without_an_excess_nothing_changes():
    problem, states = arm(1, lacking=0.0)
    estimate = corrected(problem, wls(problem))
    same = with_model_error(problem, estimate, states, np.zeros(1))
    assert np.array_equal(same.covariance, estimate.covariance)


def test_the_allowance_does_not_shrink_with_more_of_the_same_data():
    """A period more averages the noise and not the error of the model."""
    problem, states = arm(3)
    (rows,), (x,) = problem.rows, states
    twice = Problem.from_rows(NAMES, [rows.w, rows.w], [rows.y, rows.y])
    excess = np.array([LACKING**2])
    once = with_model_error(problem, wls(problem), [x], excess)
    again = with_model_error(twice, wls(twice), [x, x], excess)
    assert np.allclose(again.std, once.std, rtol=0.05)
    assert (wls(twice).std < 0.75 * wls(problem).std).all()


def test_states_that_do_not_belong_to_the_rows_are_refused():
    problem, (x,) = arm(1)
    with pytest.raises(ShapeError, match="states"):
        with_model_error(problem, wls(problem), [x[:-1]], np.ones(1))
    with pytest.raises(ShapeError, match="states"):
        with_model_error(problem, wls(problem), [x, x], np.ones(1))
