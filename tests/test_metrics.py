"""Metrics against numbers worked out by hand, and the properties their definitions imply."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jointwise.experiments import metrics

Y = np.array([[1.0, 2.0], [3.0, -2.0], [5.0, 6.0]])
Y_HAT = np.array([[1.0, 1.0], [2.0, -2.0], [5.0, 8.0]])


def test_numbers_worked_out_by_hand():
    assert metrics.rmse(Y[:, 0] - Y_HAT[:, 0]) == pytest.approx(np.sqrt(1 / 3))
    # y - mean = (-2, 0, 2), error = (0, 1, 0)
    assert metrics.nrmse_percent(Y[:, 0], Y_HAT[:, 0]) == pytest.approx(100 * (1 - 1 / np.sqrt(8)))
    assert metrics.relative_residual_percent(Y[:, 0], Y_HAT[:, 0]) == pytest.approx(
        100 / np.sqrt(35)
    )
    # joint 1: 1 / 3, joint 2: (1 + 0 + 4) / (10 / 3)
    assert metrics.nmse(Y, Y_HAT) == pytest.approx(1 / 3 + 1.5)
    assert metrics.nmse(Y, Y_HAT, mean=True) == pytest.approx((1 / 3 + 1.5) / 3)
    assert metrics.e_n(Y, Y_HAT) == pytest.approx(np.sqrt(6.0) / 3)


def test_e_n_is_the_rms_of_all_entries_up_to_the_root_of_samples_over_joints():
    m, n = Y.shape
    every = np.sqrt(np.mean((Y - Y_HAT) ** 2))
    assert metrics.e_n(Y, Y_HAT) * np.sqrt(m / n) == pytest.approx(every)


@given(st.lists(st.floats(-100, 100), min_size=3, max_size=30), st.floats(-50, 50))
def test_a_perfect_prediction_is_100_percent_and_the_mean_is_0(values, offset):
    y = np.array(values) + offset
    if np.ptp(y) < 1e-3:
        return
    assert metrics.nrmse_percent(y, y) == 100.0
    assert metrics.nrmse_percent(y, np.full(len(y), y.mean())) == pytest.approx(0.0, abs=1e-9)


def test_scores_split_moving_and_standing_samples():
    moving = np.array([True, False, True])
    score = metrics.score(Y[:, 0], Y_HAT[:, 0], moving)
    assert score.rmse_moving == 0.0
    assert score.rmse_standing == 1.0
    assert score.samples == 3
    assert score.samples_moving == 2
    empty = metrics.score(Y[:, 0], Y_HAT[:, 0], np.ones(3, bool))
    assert np.isnan(empty.rmse_standing)
