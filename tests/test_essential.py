"""Accumulated factors and the essential parameters found from them."""

from itertools import pairwise

import numpy as np
import pytest

from jointwise.errors import NumericalError, ParameterError, ShapeError
from jointwise.estimators.essential import essential_parameters
from jointwise.robot.library import load_robot
from jointwise.robot.regressor import Accumulator

FRICTION = ("coulomb", "viscous")
NOISE = 0.05  # N m
ROUNDING = 1e-9
"""Relative to the largest entry: 3,600 equations with a condition number of about 1e3."""


@pytest.fixture(scope="module")
def ur5e():
    return load_robot("ur5e")


@pytest.fixture(scope="module")
def recording(ur5e):
    """A smooth motion of all joints with noisy torque, and the base parameters behind it."""
    rng = np.random.default_rng(5)
    t = np.linspace(0.0, 20.0, 600)[:, None]
    q, dq, ddq = (np.zeros((600, 6)) for _ in range(3))
    for k in range(1, 6):
        w = 0.1 * np.pi * k * np.array([3.0, 2.0, 2.5, 3.5, 4.0, 4.5])
        a, p = rng.normal(size=6) / k, rng.uniform(0.0, 6.0, 6)
        q += a * np.sin(w * t + p)
        dq += a * w * np.cos(w * t + p)
        ddq -= a * w**2 * np.sin(w * t + p)
    base = ur5e.base_parameters(friction=FRICTION)
    gamma = np.concatenate([ur5e.parameters(), np.full(6, 5.0), np.full(6, 8.0)])
    y = ur5e.regressor(q, dq, ddq, friction=FRICTION)
    tau = y @ gamma + NOISE * rng.normal(size=(600, 6))
    return q, dq, ddq, tau, base, base.values(gamma)


def accumulated(ur5e, recording, **options):
    q, dq, ddq, tau, *_ = recording
    sums = Accumulator(ur5e, friction=FRICTION, **options)
    for start in (0, 7, 300):
        part = slice(start, {0: 7, 7: 300, 300: 600}[start])
        sums.add(q[part], dq[part], ddq[part], tau[part])
    return sums


def test_factor_is_that_of_the_whole_stack(ur5e, recording):
    q, dq, ddq, tau, base, _ = recording
    y = ur5e.regressor(q, dq, ddq, friction=FRICTION)
    stack = np.concatenate([y, tau[..., None]], axis=2).reshape(3600, -1)
    gram = stack.T @ stack
    sums = accumulated(ur5e, recording)
    assert (sums.samples, sums.equations) == (600, 3600)
    np.testing.assert_allclose(
        sums.factor.T @ sums.factor, gram, rtol=0.0, atol=ROUNDING * gram.max()
    )
    few = accumulated(ur5e, recording, base=base)
    assert few.names == base.names
    part = gram[np.ix_([*base.kept, -1], [*base.kept, -1])]
    np.testing.assert_allclose(
        few.factor.T @ few.factor, part, rtol=0.0, atol=ROUNDING * gram.max()
    )


def test_weights_multiply_the_equations_of_a_joint(ur5e, recording):
    q, dq, ddq, tau, base, _ = recording
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    sums = Accumulator(ur5e, friction=FRICTION, base=base)
    sums.add(q, dq, ddq, tau, weights)
    y = base.regressor(ur5e.regressor(q, dq, ddq, friction=FRICTION))
    stack = np.concatenate([y, tau[..., None]], axis=2) * weights[:, None]
    gram = np.einsum("tja,tjb->ab", stack, stack)
    np.testing.assert_allclose(
        sums.factor.T @ sums.factor, gram, rtol=0.0, atol=ROUNDING * gram.max()
    )
    for wrong in (np.ones(5), [1.0, np.nan, 1.0, 1.0, 1.0, 1.0]):
        with pytest.raises(ShapeError, match="weights"):
            sums.add(q, dq, ddq, tau, wrong)


def test_base_must_belong_to_the_columns(ur5e):
    with pytest.raises(ShapeError, match="72 columns"):
        Accumulator(ur5e, friction=FRICTION, base=ur5e.base_parameters())


def test_full_set_is_the_least_squares_solution(ur5e, recording):
    *_, base, truth = recording
    factor = accumulated(ur5e, recording).factor[:, [*base.kept, -1]]
    found = essential_parameters(factor, base.names, equations=3600, threshold_percent=np.inf)
    assert found.names == base.names
    assert found.eliminated == ()
    assert found.loss_of_fit == 0.0
    assert found.residual_rms == pytest.approx(NOISE, rel=0.05)
    # Every value within five of its own standard deviations.
    deviation = found.relative_std_percent * np.abs(found.values) / 100.0
    assert (np.abs(found.values - truth) < 5.0 * deviation).all()


def test_essential_parameters_are_known_better_than_the_threshold(ur5e, recording):
    *_, base, truth = recording
    factor = accumulated(ur5e, recording, base=base).factor
    found = essential_parameters(factor, base.names, equations=3600, threshold_percent=10.0)
    assert 0 < len(found.names) < base.count
    assert set(found.names) | set(found.eliminated) == set(base.names)
    assert tuple(base.names[k] for k in found.kept) == found.names
    assert found.relative_std_percent.max() <= 10.0
    # What is exactly zero in this arm is not kept by chance, and what is large is not lost.
    zero = {n for n, v in zip(base.names, truth, strict=True) if v == 0.0}
    assert zero & set(found.names) == set()
    assert {"ZZR1", "ZZR2", "mXR2", "mXR3", "viscous1", "coulomb6"} <= set(found.names)
    assert 0.0 <= found.loss_of_fit < 0.02


def test_a_stricter_threshold_keeps_fewer(ur5e, recording):
    *_, base, _ = recording
    factor = accumulated(ur5e, recording, base=base).factor
    kept = [
        set(essential_parameters(factor, base.names, equations=3600, threshold_percent=p).names)
        for p in (50.0, 10.0, 2.0, 0.1)
    ]
    assert all(fewer <= more for more, fewer in pairwise(kept))
    assert len(kept[-1]) < len(kept[0])


def test_nothing_is_essential_in_pure_noise():
    rng = np.random.default_rng(0)
    stack = rng.normal(size=(500, 4))
    found = essential_parameters(stack, "abc", equations=500, threshold_percent=1.0)
    assert found.names == ()
    assert found.values.shape == (0,)
    assert found.residual_rms == pytest.approx(np.sqrt(np.mean(stack[:, 3] ** 2)))
    assert sorted(found.eliminated) == ["a", "b", "c"]


def test_parameters_that_cannot_be_told_apart_are_an_error(ur5e, recording):
    sums = accumulated(ur5e, recording)
    with pytest.raises(NumericalError, match="XX1 has no effect of its own"):
        essential_parameters(sums.factor, sums.names, equations=sums.equations)


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"factor": np.eye(3)}, ShapeError, "a column per name"),
        ({"factor": np.full((4, 4), np.nan)}, ShapeError, "finite"),
        ({"equations": 3}, ParameterError, "more than the 3 parameters"),
        ({"threshold_percent": 0.0}, ParameterError, "above 0 %"),
    ],
)
def test_wrong_input_is_refused(arguments, error, match):
    given = {"factor": np.eye(4), "equations": 100, "threshold_percent": 10.0} | arguments
    with pytest.raises(error, match=match):
        essential_parameters(given.pop("factor"), "abc", **given)
