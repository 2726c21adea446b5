"""The direction of motion over a sampling period, and how late the torque is: both finer than the period."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jointwise.experiments.design import direction_share
from jointwise.experiments.uncertainty import third_difference_gain
from jointwise.recording.recording import Recording
from jointwise.recording.signals import shifted, signals
from jointwise.robot.library import load_robot


@given(st.floats(-0.9, 0.9), st.floats(0.01, 10.0), st.sampled_from([0.0, 0.01, 0.3]))
def test_it_is_the_mean_of_the_sign_along_a_straight_speed(start, slope, zone):
    speed = start + slope * np.arange(-3.0, 4.0)
    fine = start + slope * (np.arange(-3000, 3000) + 0.5) / 1000.0
    sign = np.sign(fine) if zone == 0.0 else np.clip(fine / zone, -1.0, 1.0)
    cells = 0.5 * sign.reshape(12, 500).mean(axis=1)
    found = direction_share(speed, zone) * np.where(speed < 0.0, -1.0, 1.0)
    assert np.allclose(found[1:-1], cells[1:-1:2] + cells[2::2], atol=4e-3)


def test_away_from_a_reversal_it_is_one():
    assert np.allclose(direction_share(np.array([1.0, 2.0, 3.0]), 0.1), 1.0, atol=1e-12)
    assert np.allclose(direction_share(np.array([-1.0, -1.0]), 0.0), 1.0, atol=1e-12)
    assert np.array_equal(direction_share(np.zeros(3), 0.1), np.zeros(3))


def test_the_sum_over_a_reversal_does_not_depend_on_where_the_samples_lie():
    """A sign taken at the samples jumps by two when the grid moves."""
    sums = []
    for offset in np.linspace(0.0, 1.0, 7):
        speed = 0.2 * (np.arange(-10, 11) + offset)
        sums.append(np.sum(direction_share(speed, 0.0) * np.sign(speed)) - 2.0 * offset)
    assert np.allclose(sums, sums[0], atol=1e-12)


@pytest.mark.parametrize("delay", [0.0004, 0.0137, -0.0052])
def test_a_shift_is_exact_for_polynomials_of_degree_five(delay):
    t = np.arange(40.0) / 100.0
    values = np.polynomial.polynomial.polyval(t, [1.0, -2.0, 3.0, 5.0, -7.0, 2.0])[:, None]
    expected = np.polynomial.polynomial.polyval(t + delay, [1.0, -2.0, 3.0, 5.0, -7.0, 2.0])
    assert np.allclose(shifted(values, 100.0, delay)[6:-6, 0], expected[6:-6], atol=1e-12)


def test_a_shift_by_half_a_period_does_not_damp():
    t = np.arange(2000) / 200.0
    wave = np.sin(2.0 * np.pi * 10.0 * t)[:, None]
    assert shifted(wave, 200.0, 0.0025)[10:-10].std() == pytest.approx(wave.std(), rel=1e-4)


@pytest.mark.parametrize("rate", [100.0, 1000.0])
def test_noise_is_measured_alike_with_and_without_thinning(rate):
    """Third differences of white noise, of which the anti-alias filter leaves only the lower part."""
    robot = load_robot("two_link")
    time = np.arange(round(40.0 * rate)) / rate
    rng = np.random.default_rng(5)
    still = np.outer(np.sin(time), np.ones(2))
    recording = Recording(
        robot="two_link",
        joint_names=tuple(j.name for j in robot.joints),
        time=time,
        columns={"q": still, "motor_torque": rng.normal(size=(len(time), 2))},
    )
    (piece,) = signals(recording, robot, filter_hz=5.0)
    third = np.diff(piece.torque, n=3, axis=0)
    share = piece.rate_hz / rate  # of the noise's power below the new Nyquist frequency
    assert third.var() / share == pytest.approx(third_difference_gain(piece), rel=0.1)
