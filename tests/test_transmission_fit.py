"""The gear from ordinary recordings with both encoders: truth found on simulated logs, steady on a real one."""

import numpy as np
import pytest

import jointwise as jw
from arm_logs import smooth_path
from jointwise.errors import ParameterError
from jointwise.experiments.joint.transmission import fit
from jointwise.recording.recording import Recording
from real_logs import kr300, need_data

STIFFNESS, DELAY, ERROR, LOOP = 8e3, 2e-3, 4e-5, 3e-5
RATIO = 100.0


@pytest.fixture(scope="module")
def arm():
    return jw.load_robot("two_link").replace(
        {"joints.shoulder.drive.gear_ratio": RATIO}, source="for this test"
    )


def two_encoders(arm, *, seed=0, ripple=ERROR, loop=LOOP):
    """Link angle behind a soft gear with an error twice per turn of the rotor, lost motion, and encoders read apart."""
    t, q, dq, ddq = smooth_path(2, 20.0, seed)
    tau = arm.inverse_dynamics(q, dq, ddq)
    way = np.diff(q[:, 0], prepend=q[0, 0])
    lost = np.zeros(len(t))
    for k in range(1, len(t)):
        lost[k] = np.clip(lost[k - 1] + way[k] / 1e-3, -1.0, 1.0)
    noise = 2e-5 * np.random.default_rng(seed).standard_normal(q.shape)
    theta = q + tau / STIFFNESS + DELAY * dq + noise
    theta[:, 0] += ripple * np.sin(2.0 * RATIO * q[:, 0]) + loop * lost
    return Recording(
        robot=arm.name,
        joint_names=tuple(j.name for j in arm.joints),
        time=t,
        columns={"theta": theta, "q": q, "motor_torque": tau},
    )


def test_stiffness_delay_loop_and_error_lie_in_their_intervals(arm):
    found = fit(arm, [two_encoders(arm, seed=s) for s in (1, 2)], 1, filter_hz=30.0)
    for name, truth in (("stiffness", STIFFNESS), ("encoder_delay", DELAY)):
        p = found[name]
        assert p.verdict == "identified"
        assert p.value == pytest.approx(truth, rel=0.01)
        assert p.lower < truth < p.upper
    loop = sum(p.value for p in found.parameters if p.name.startswith("hysteresis"))
    assert loop == pytest.approx(LOOP, rel=0.15)
    wave = np.hypot(found["rotor_sine_2"].value, found["rotor_cosine_2"].value)
    assert wave == pytest.approx(ERROR, rel=0.15)
    law = found.robot.joint("shoulder").transmission
    assert law != arm.joint("shoulder").transmission


def test_terms_the_gear_does_not_have_are_left_out(arm):
    found = fit(arm, two_encoders(arm, ripple=0.0, loop=0.0), 1)
    assert set(found.settings["terms"]) == {"stiffness", "encoder delay"}


def test_a_bend_that_does_not_follow_the_torque_is_no_stiffness(arm):
    rec = two_encoders(arm)
    turned = Recording(
        robot=rec.robot,
        joint_names=rec.joint_names,
        time=rec.time,
        columns={c: -rec[c] if c == "motor_torque" else rec[c] for c in rec.columns},
    )
    found = fit(arm, turned, 1)
    assert found["stiffness"].verdict == "not identifiable"
    assert found.robot == arm


def test_a_joint_that_stands_still_is_refused(arm):
    rec = two_encoders(arm)
    still = {c: np.tile(rec[c][:1], (len(rec.time), 1)) for c in rec.columns}
    with pytest.raises(ParameterError, match="next to none"):
        fit(
            arm,
            Recording(robot=rec.robot, joint_names=rec.joint_names, time=rec.time, columns=still),
            1,
        )


@pytest.mark.parametrize("joint", [1, 2, 3])
def test_ten_seconds_of_a_kuka_show_its_gears(joint):
    need_data()
    raw = kr300()
    robot = jw.load_robot("kr300")
    ratio = np.array([j.drive.gear_ratio for j in robot.joints])
    columns = {c: raw[c] * (ratio if c == "motor_torque" else 1.0) for c in raw.columns}
    rec = Recording(robot=raw.robot, joint_names=raw.joint_names, time=raw.time, columns=columns)
    found = fit(robot, rec, joint)
    assert found.joints[0]["left_out_nrmse_percent"] > 93.0
    assert found["encoder_delay"].value == pytest.approx(2.9e-3, abs=2e-4)
    assert 5e6 < found["stiffness"].value < 2e7
