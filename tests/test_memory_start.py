"""What happened before a recording: bracketed by slipping springs, whitened out of a fit, read off at the start."""

import numpy as np
import pytest

import jointwise as jw
from arm_logs import RATE, log, smooth_path
from jointwise.experiments.design import Design
from jointwise.experiments.memory_start import starts, whitened
from jointwise.experiments.prediction import model_of
from jointwise.experiments.robot_fit import fit_robot
from jointwise.laws.friction import FrictionModel
from jointwise.laws.slip_bank import SlipBank
from jointwise.laws.viscous import Viscous
from jointwise.recording.recording import Recording
from jointwise.recording.signals import signals
from jointwise.recording.way import step_of, travelled

LAWS = [
    (
        SlipBank(limits=(2e-4, 2e-3), torques=(1.0, 1.0), load_shares=(0.0, 0.0)),
        Viscous(viscous=1.0),
    )
] * 2
SOFT = 1e-4  # rad/(N m), with loads of some 20 N m
TILT = -3e-4  # of the first rotor, for the load of the second gear


@pytest.fixture(scope="module")
def arm():
    return jw.load_robot("two_link")


def test_every_start_lies_between_springs_that_began_slipping_either_way(arm):
    (piece,) = signals(log(arm, LAWS, seed=3, seconds=8.0), arm, filter_hz=10.0)
    design = Design(robot=arm, friction=("memory",))
    load = np.zeros((len(piece), 2))
    middle, half = design.expected_columns(piece, load)
    assert half.min() >= 0.0
    assert half[0].max() == pytest.approx(1.0)
    for start in (-0.7, 0.0, 0.3):
        columns = design.friction_columns(piece, load, start)
        assert np.all(np.abs(columns - middle) <= half + 1e-12)
    narrow = [k for k, name in enumerate(design.names[design.base.count :]) if "e-05" in name]
    assert half[-1, narrow].max() == 0.0


def test_whitening_makes_noise_of_known_covariance_white():
    rng = np.random.default_rng(0)
    spread = rng.standard_normal((30, 4)) * [10.0, 1.0, 0.1, 0.0]
    w = whitened(spread, np.eye(30))
    assert np.allclose(w @ (np.eye(30) + spread @ spread.T) @ w.T, np.eye(30), atol=1e-10)


def test_the_start_is_read_off_the_first_samples():
    rng = np.random.default_rng(1)
    half = np.exp(-np.linspace(0.0, 3.0, 200))[:, None] * [3.0, 0.0]
    error = half @ [0.6, 0.0] + 0.01 * rng.standard_normal(200)
    (found,) = starts([half], error[:, None], 20, np.array([0.01]))
    assert found[0] == pytest.approx(0.6, abs=0.01)
    assert found[1] == 0.0


def wound(arm, seed, *, held, tilt=0.0):
    """Only links are measured; rotors wind up their gears. With `held` a servo holds the first link still."""
    t, q, dq, ddq = smooth_path(2, 20.0, seed)
    for values in (q, dq, ddq):
        values[:, 0] *= not held
    load = arm.inverse_dynamics(q, dq, ddq)
    theta = q + SOFT * load
    theta[:, 0] += tilt * load[:, 1]
    start = np.random.default_rng(seed).uniform(-1.0, 1.0)
    torque = load + 0.02 * np.random.default_rng(seed).standard_normal(load.shape)
    for j, terms in enumerate(LAWS):
        model = FrictionModel(terms=terms)
        state = model.init(theta[0, j])
        state = state._replace(memory=start * np.array(terms[0].limits))
        torque[:, j] += model.run(
            theta[:, j], dq[:, j], load[:, j], 20.0, dt=1.0 / RATE, state=state
        )[0]
    return Recording(
        robot=arm.name,
        joint_names=tuple(j.name for j in arm.joints),
        time=t,
        columns={"q": q, "motor_torque": torque},
    )


def test_friction_of_a_held_joint_tells_the_compliance_of_its_gear(arm):
    logs = [wound(arm, s, held=s > 2) for s in (1, 2, 3, 4)]
    terms = {
        "friction": ("viscous", "memory"),
        "filter_hz": 10.0,
        "method": "bounded",
        "delay": False,
    }
    found = fit_robot(arm, logs, **terms)
    # The springs' limits stand on a grid of 1 : 2.2, and only their ratio to the gear's wind-up shows in a held joint.
    assert 1.0 / 2.3 < found.settings["compliance"][0] / SOFT < 2.3
    stiff = fit_robot(arm, logs, compliance=(0.0, 0.0), **terms)
    left = [f.joints[0]["left_out_rmse_standing_started"] for f in (found, stiff)]
    assert left[0] < 0.5 * left[1]
    assert (
        found.joints[0]["left_out_rmse_standing_started"]
        < found.joints[0]["left_out_rmse_standing"]
    )


def test_friction_of_a_held_joint_tells_how_its_neighbour_bends_it(arm):
    logs = [wound(arm, s, held=s > 2, tilt=TILT) for s in (1, 2, 3, 4)]
    fit = fit_robot(
        arm, logs, friction=("viscous", "memory"), filter_hz=10.0, method="bounded", delay=False
    )
    own, other = fit.settings["tilt"][0]
    assert own == fit.settings["compliance"][0]
    # As above only the ratio to the springs' limits shows, which both shares have in common.
    assert other / own == pytest.approx(TILT / SOFT, rel=0.3)
    assert model_of(fit).design.windup(0) == pytest.approx([own, other])


def test_a_rotor_turns_for_its_own_load_and_its_neighbours(arm):
    (piece,) = signals(log(arm, LAWS, seed=3, seconds=8.0), arm, filter_hz=10.0)
    tilt = ((0.0, TILT), (0.0, 0.0))
    design = Design(robot=arm, friction=("memory",), compliance=(SOFT, 0.0), tilt=tilt)
    load = np.random.default_rng(5).standard_normal((len(piece), 2))
    turned = design.rotor(piece, load, 0) - piece.theta[:, 0]
    assert np.allclose(turned, SOFT * load[:, 0] + TILT * load[:, 1])
    assert np.array_equal(design.rotor(piece, load, 1), piece.theta[:, 1])


def test_a_recorded_speed_shows_the_way_between_the_steps_of_an_encoder():
    rate, quantum, late = 100.0, 1e-4, 0.0015
    t = np.arange(0.0, 8.0, 1.0 / rate)

    def way(t):
        return np.where(t < 5.0, 0.05 * (t - 5.0), -2e-4 * (1.0 - np.exp(-(t - 5.0) / 0.05)))

    speed = (way(t - late + 1e-4) - way(t - late - 1e-4)) / 2e-4
    seen = quantum * np.round(way(t) / quantum)
    stop = (t > 4.9) & (t < 5.5)
    found = travelled(seen, speed, rate, step_of(seen))
    assert np.abs(found - way(t))[stop].max() < 0.5 * np.abs(seen - way(t))[stop].max() + 1e-5
    scaled = travelled(seen, 1.001 * speed, rate, step_of(seen))
    assert np.abs(scaled - found).max() < 0.5 * quantum


def test_a_standing_joint_keeps_its_place_while_its_encoder_flickers():
    rate, quantum = 100.0, 1e-4
    t = np.arange(0.0, 12.0, 1.0 / rate)
    speed = np.where(t < 4.0, 0.3 * np.sin(2.0 * np.pi * t / 4.0), 0.0)
    way = np.cumsum(speed) / rate
    flicker = np.random.default_rng(2).integers(0, 2, len(t)) - 0.5
    seen = quantum * np.round(way / quantum + flicker)
    found = travelled(seen, speed, rate, step_of(seen))
    rest = t > 4.5
    assert np.ptp(seen[rest]) > 0.9 * quantum
    assert np.ptp(found[rest]) < 0.2 * quantum
    assert np.abs(found - way).max() < quantum


def test_the_step_of_an_encoder_is_the_smallest_it_ever_took():
    seen = 1e-4 * np.array([0.0, 3.0, 3.0, 4.0, 9.0])
    assert step_of(seen) == pytest.approx(1e-4)
    assert step_of(np.full(5, 0.3)) == 0.0
