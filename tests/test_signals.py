"""Filters, derivatives and what identification reads of a recording."""

import numpy as np
import pytest

import jointwise as jw
from arm_logs import log, smooth_path
from jointwise.errors import ParameterError, UnknownNameError
from jointwise.laws.coulomb import Coulomb
from jointwise.recording import filters
from jointwise.recording.recording import Recording
from jointwise.recording.signals import shifted, signals

RATE = 200.0


def sine(hz, seconds=20.0):
    t = np.arange(round(seconds * RATE)) / RATE
    return t, np.sin(2 * np.pi * hz * t + 0.3)


@pytest.mark.parametrize("hz", [1.0, 5.0, 10.0, 20.0])
def test_the_low_pass_has_the_gain_of_a_butterworth_squared_and_no_phase(hz):
    _t, wave = sine(hz)
    out = filters.zero_phase(wave, 10.0, RATE)
    inner = slice(400, -400)
    # The bilinear transform warps frequencies; so does the closed form.
    ratio = np.tan(np.pi * hz / RATE) / np.tan(np.pi * 10.0 / RATE)
    gain = 1.0 / (1.0 + ratio**8)
    assert np.abs(out[inner] - gain * wave[inner]).max() < 2e-3


def test_settling_is_over_where_it_says():
    step = np.zeros(4000)
    step[2000:] = 1.0
    out = filters.zero_phase(step, 5.0, RATE)
    settled = filters.settling_samples(RATE, 5.0)
    assert np.abs(out[2000 + settled :] - 1.0).max() < 0.01
    assert np.abs(out[: 2000 - settled]).max() < 0.01


def test_central_differences_are_exact_for_a_parabola_inside():
    t = np.arange(100) / RATE
    first, second = filters.central_differences(3.0 * t**2 - t, RATE)
    assert np.allclose(first[1:-1], 6.0 * t[1:-1] - 1.0, atol=1e-10)
    assert np.allclose(second[1:-1], 6.0, atol=1e-8)


def test_savitzky_golay_is_exact_for_its_polynomial():
    t = np.arange(300) / RATE
    value, first, second = filters.savitzky_golay(t**4, RATE, 0.1)
    assert np.allclose(value, t**4, atol=1e-10)
    assert np.allclose(first, 4 * t**3, atol=1e-8)
    assert np.allclose(second, 12 * t**2, atol=1e-6)


@pytest.mark.parametrize(("rate", "cutoff", "kept"), [(1000.0, 20.0, 20), (94.0, 5.0, 7)])
def test_thinning_is_that_of_the_thesis(rate, cutoff, kept):
    assert filters.thinning(rate, cutoff) == kept


@pytest.mark.parametrize("cutoff", [0.0, 100.0, -1.0, 1e-9])
def test_a_cutoff_that_cannot_be_built_is_refused(cutoff):
    with pytest.raises(ParameterError, match="cut-off"):
        filters.zero_phase(np.zeros(100), cutoff, RATE)


@pytest.fixture(scope="module")
def arm():
    return jw.load_robot("two_link")


@pytest.fixture(scope="module")
def recording(arm):
    return log(arm, [(Coulomb(coulomb=0.0),)] * 2, seconds=12.0)


def test_derivatives_are_those_of_the_path(arm, recording):
    (piece,) = signals(recording, arm, filter_hz=10.0)
    _, q, dq, ddq = smooth_path(2, 12.0, 0)
    inner = slice(piece.edge, -piece.edge)
    assert np.abs(piece.q - q)[inner].max() < 1e-5
    assert np.abs(piece.dq - dq)[inner].max() < 1e-3
    assert np.abs(piece.ddq - ddq)[inner].max() < 1e-2


def test_both_differentiations_agree(arm, recording):
    (one,) = signals(recording, arm, filter_hz=10.0)
    (two,) = signals(recording, arm, filter_hz=10.0, differentiation="savitzky_golay")
    inner = slice(one.edge, -one.edge)
    assert np.abs(one.ddq - two.ddq)[inner].max() < 2e-2
    with pytest.raises(UnknownNameError, match="savitzky_golay"):
        signals(recording, arm, filter_hz=10.0, differentiation="splines")


def changed(recording, **columns):
    kept = {k: v for k, v in recording.columns.items() if k not in columns}
    new = {k: v for k, v in columns.items() if v is not None}
    return Recording(
        robot=recording.robot,
        joint_names=recording.joint_names,
        time=recording.time,
        columns=kept | new,
    )


def test_a_torque_column_is_never_guessed(arm, recording):
    both = changed(recording, joint_torque=recording["motor_torque"])
    with pytest.raises(ParameterError, match="named by you"):
        signals(both, arm, filter_hz=10.0)
    signals(both, arm, filter_hz=10.0, torque="joint_torque")
    with pytest.raises(ParameterError, match="missing"):
        signals(changed(recording, motor_torque=None), arm, filter_hz=10.0)
    with pytest.raises(UnknownNameError, match="model_torque"):
        signals(recording, arm, filter_hz=10.0, torque="model_torque")


def test_current_needs_a_known_torque_constant(arm, recording):
    amperes = changed(recording, motor_torque=None, current=recording["motor_torque"] / 2.0)
    unknown = arm.replace({"joints.elbow.drive.torque_constant": jw.UNKNOWN}, source="test")
    with pytest.raises(jw.JointwiseError, match=r"elbow\.drive\.torque_constant"):
        signals(amperes, unknown, filter_hz=10.0)
    known = arm.replace(
        {f"joints.{j.name}.drive.torque_constant": 2.0 for j in arm.joints}, source="test"
    )
    (piece,) = signals(amperes, known, filter_hz=10.0)
    (plain,) = signals(recording, arm, filter_hz=10.0)
    assert np.allclose(piece.torque, plain.torque)


def test_motor_torque_reaches_coupled_joints_through_the_transpose(arm):
    from dataclasses import replace

    coupled = replace(arm, coupling=((1.0, 0.0), (0.5, 1.0)))
    recording = log(coupled, [(Coulomb(coulomb=0.0),)] * 2, seconds=12.0)
    (piece,) = signals(recording, coupled, filter_hz=10.0)
    inner = slice(piece.edge, -piece.edge)
    wanted = coupled.inverse_dynamics(piece.q, piece.dq, piece.ddq)
    assert np.abs(piece.torque - wanted)[inner].max() < 2e-2 * np.abs(wanted).max()


def test_rotor_positions_serve_where_link_encoders_are_missing(arm, recording):
    theta = recording["q"]
    half = theta.copy()
    half[:, 1] = np.nan
    (rotor,) = signals(changed(recording, q=None, theta=theta), arm, filter_hz=10.0)
    (mixed,) = signals(changed(recording, q=half, theta=theta), arm, filter_hz=10.0)
    (link,) = signals(recording, arm, filter_hz=10.0)
    assert np.allclose(rotor.ddq, link.ddq)
    assert np.allclose(mixed.ddq, link.ddq)
    assert rotor.rotor_measured
    assert not rotor.link_measured
    with pytest.raises(ParameterError, match="NaN at joint 2"):
        signals(changed(recording, q=half), arm, filter_hz=10.0)


def test_a_gap_cuts_a_recording_and_short_pieces_are_dropped(arm, recording):
    time = recording.time.copy()
    time[1200:] += 5.0
    cut = Recording(
        robot=recording.robot,
        joint_names=recording.joint_names,
        time=time,
        columns=recording.columns,
    )
    assert len(signals(cut, arm, filter_hz=10.0)) == 2
    late = recording.time.copy()
    late[20:] += 5.0
    tail = Recording(
        robot=recording.robot,
        joint_names=recording.joint_names,
        time=late,
        columns=recording.columns,
    )
    assert len(signals(tail, arm, filter_hz=10.0)) == 1
    with pytest.raises(ParameterError, match="without a gap"):
        signals(recording, arm, filter_hz=0.3)


def test_jitter_of_the_clock_does_not_reach_the_accelerations(arm):
    t, q, _dq, ddq = smooth_path(2, 12.0, 0)
    rng = np.random.default_rng(5)
    stamps = t + rng.uniform(-0.3, 0.3, len(t)) / RATE
    uneven = np.column_stack([np.interp(stamps, t, column) for column in q.T])
    recording = Recording(
        robot="two_link",
        joint_names=tuple(j.name for j in arm.joints),
        time=stamps,
        columns={"q": uneven, "motor_torque": np.zeros_like(q)},
    )
    (piece,) = signals(recording, arm, filter_hz=8.0)
    inner = slice(2 * piece.edge, -2 * piece.edge)
    assert np.abs(piece.ddq - ddq)[inner].max() < 0.05 * np.abs(ddq).max()


def test_a_shift_by_whole_samples_moves_samples():
    values = np.arange(10.0)[:, None]
    assert np.allclose(shifted(values, 100.0, (0.02,) * values.shape[1])[:7, 0], values[2:9, 0])
    assert shifted(values, 100.0, (0.0,) * values.shape[1]) is values
