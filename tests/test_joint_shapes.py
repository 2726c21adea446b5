"""What joints do that is no steady slide and no clean wave: stick and slip, a scale's own wave, part of a turn."""

import numpy as np
import pytest

import jointwise as jw
from joint_recordings import CONSTANT, along, changed, stated
from jointwise.experiments.joint import e_gms, kinematic_error, velocity
from jointwise.experiments.joint.pose import find_pose
from jointwise.experiments.joint.steady import creeping
from jointwise.experiments.joint.stribeck_search import METHODS, Shape, curve
from jointwise.laws.kinematic_error import FourierError
from jointwise.laws.linear import LinearSpring
from jointwise.laws.maxwell_slip import MaxwellSlip
from jointwise.laws.transmissions import Transmission

PAN = 0
NAME = "shoulder_pan"
DRY = MaxwellSlip(
    coulomb=5.0, operators=4, limit_exponent=4.0, stiffness_exponent=2.0, half_backlash=(1e-3,)
)
GEAR = FourierError(
    gear_ratio=101.0, output_cosine=(2e-4, -5e-5, 3e-5), output_sine=(1e-4, 8e-5, 0.0)
)
WAVE, CYCLES = 4e-5, 9
"""rad and cycles a turn of the link encoder's own error."""


@pytest.fixture(scope="module")
def robot():
    known = Transmission(stiffness=LinearSpring(spring_stiffness=3e4)).to_law()
    arm = stated(jw.load_robot("ur5e"))
    return arm.replace({f"joints.{NAME}.transmission": known}, source="known before")


def jerky(robot, *, speed=0.04, level=5.0, seconds=4.0, jerks_hz=3.0, rate_hz=1000.0):
    """A joint that stops three times a second; the torque swings with what speeds its rotor up."""
    t = np.arange(round(seconds * rate_hz)) / rate_hz
    phase = 2.0 * np.pi * jerks_hz * t
    q = np.zeros((len(t), robot.n))
    q[:, PAN] = speed * (t - np.sin(phase) / (2.0 * np.pi * jerks_hz))
    current = np.zeros_like(q)
    swing = 0.5 * speed * 2.0 * np.pi * jerks_hz * np.sin(phase)
    noise = 0.02 * np.random.default_rng(0).standard_normal(len(t))
    current[:, PAN] = (level + swing + noise) / CONSTANT
    return jw.Recording(
        robot=robot.name, joint_names=tuple(j.name for j in robot.joints), time=t,
        columns={"q": q, "current": current},
    )  # fmt: skip


def test_a_joint_that_sticks_and_slips_gives_its_mean_friction_and_says_so(robot):
    fit = velocity.fit(robot, {"slow": jerky(robot)}, NAME)
    assert fit["coulomb"].value == pytest.approx(5.0, rel=0.01)
    assert fit.arrays["velocity"][0] == pytest.approx(0.04, rel=0.1)
    assert any("in slow the joint sticks and slips" in note for note in fit.notes)


def test_a_joint_that_stands_or_swings_does_not_creep(robot):
    from jointwise.experiments.joint.samples import joint_samples

    still = jerky(robot, speed=0.0)
    assert creeping(joint_samples(robot, still, NAME)) is None
    rec = jerky(robot)
    q = np.array(rec["q"])
    q[:, PAN] = 0.1 * np.sin(2.0 * np.pi * 0.3 * rec.time)
    assert creeping(joint_samples(robot, changed(rec, q=q), NAME)) is None


def test_a_recording_that_gives_nothing_is_named(robot):
    motion = velocity.plan(robot, NAME, speeds=(0.1, 0.2, 0.4, 0.8))
    sweeps = along(robot, motion, PAN, [DRY])
    fit = velocity.fit(robot, {"sweeps": sweeps, "standing": jerky(robot, speed=0.0)}, NAME)
    assert any("no piece of constant velocity in standing" in note for note in fit.notes)
    assert fit["coulomb"].value == pytest.approx(5.0, rel=0.02)


def test_every_speed_keeps_its_own_bins_however_they_scatter(robot):
    """Speeds a tenth apart: bins of a jerky piece may be nearer to the speed beside it."""
    motion = velocity.plan(robot, NAME, speeds=(0.02, 0.0225, 0.1, 0.3, 0.6, 1.0))
    rec = along(robot, motion, PAN, [DRY])
    q = np.array(rec["q"])
    q[:, PAN] += 4e-4 * np.sin(2.0 * np.pi * 0.9 * rec.time)
    fit = velocity.fit(robot, [changed(rec, q=q, theta=None)], NAME)
    used = fit.arrays["left_out"][0]
    assert np.isfinite(used).all()
    assert fit["coulomb"].value == pytest.approx(5.0, rel=0.03)


@pytest.mark.parametrize("method", METHODS)
def test_a_peak_that_fell_before_the_slowest_speed_is_not_made_up(method):
    speeds = np.geomspace(0.04, 1.5, 9)
    omega = np.concatenate([speeds, -speeds])
    noise = 0.01 * np.random.default_rng(3).standard_normal(len(omega))
    true = np.array([5.0, 6.0, 0.005, 1.0, 2.0, 0.0, 0.0])
    found = METHODS[method](omega, curve(true, omega) + noise, range(7), np.ones((len(omega), 1)))
    assert found.values[2] >= speeds[0] * (1.0 - 1e-9)
    # e times what is left of it at the slowest speed, at most.
    assert found.values[1] < 5.5
    assert Shape.of(omega, (0, 1, 2, 4)).exponents == (2.0, 2.0)


@pytest.mark.parametrize("method", METHODS)
def test_a_gaussian_peak_is_one_of_the_models(method):
    speeds = np.geomspace(0.01, 1.5, 12)
    omega = np.concatenate([speeds, -speeds])
    true = np.array([5.0, 7.0, 0.08, 2.0, 2.0, 0.0, 0.0])
    found = METHODS[method](omega, curve(true, omega), (0, 1, 2, 4), np.ones((len(omega), 1)))
    assert np.allclose(found.values[:5], true[:5], rtol=5e-3)
    assert np.all(found.values[5:] == 0.0)


def with_error(robot, motion, *, cycles=CYCLES):
    """Strokes of a joint whose gear errs, seen by a link encoder with a wave of its own."""
    q = np.array(motion.q[:, PAN])
    wave = WAVE * np.sin(cycles * q) if cycles else 0.0
    noise = 5e-6 * np.random.default_rng(1).standard_normal(len(q))
    return along(robot, motion, PAN, [DRY], lead=np.asarray(GEAR.error(q)) - wave + noise)


def found_of(fit):
    terms = Transmission.from_law(fit.robot.joints[PAN].transmission)
    return terms.kinematic_error


def test_a_lone_wave_is_taken_for_the_encoder_and_kept_out_of_the_gear(robot):
    motion = kinematic_error.plan(robot, NAME, cycles=16)
    fit = kinematic_error.fit(robot, with_error(robot, motion), NAME)
    assert fit.settings["encoder_cycles"] == CYCLES
    assert fit[f"encoder_sine_{CYCLES}"].value == pytest.approx(-WAVE, rel=0.02)
    assert any("lone wave of 9 cycles" in note for note in fit.notes)
    turn = np.linspace(0.0, 2.0 * np.pi, 1000)
    off = found_of(fit).error(turn) - GEAR.error(turn)
    assert np.abs(off - off.mean()).max() < 0.02 * np.abs(GEAR.error(turn)).max()


def test_a_wave_of_many_cycles_does_not_look_like_one_of_few(robot):
    """Slow ends of strokes hold more samples: 16 strokes and a wave of 18 would beat as 2 cycles a turn."""
    motion = kinematic_error.plan(robot, NAME, cycles=16)
    fit = kinematic_error.fit(robot, with_error(robot, motion, cycles=18), NAME)
    assert fit["output_cosine_2"].value == pytest.approx(-5e-5, abs=1e-6)
    assert fit["output_sine_2"].value == pytest.approx(8e-5, abs=1e-6)


def test_no_wave_no_encoder(robot):
    motion = kinematic_error.plan(robot, NAME, cycles=16)
    fit = kinematic_error.fit(robot, with_error(robot, motion, cycles=0), NAME)
    assert fit.settings["encoder_cycles"] == 0
    assert fit["output_cosine_1"].value == pytest.approx(2e-4, rel=0.01)
    assert fit["half_backlash"].value == pytest.approx(0.0, abs=1e-6)


def test_part_of_a_turn_gives_the_curve_that_was_seen_and_stays_tame_elsewhere(robot):
    limits = {
        f"joints.{NAME}.limits.position_lower": -1.6,
        f"joints.{NAME}.limits.position_upper": 1.6,
    }
    narrow = robot.replace(limits, source="for this test")
    motion = kinematic_error.plan(narrow, NAME, cycles=12)
    fit = kinematic_error.fit(narrow, with_error(narrow, motion, cycles=0), NAME)
    assert fit["output_cosine_1"].verdict == "not identifiable"
    assert any("of the turn was seen, -1." in note for note in fit.notes)
    q = motion.q[:, PAN]
    seen = np.linspace(q.min(), q.max(), 500)
    law = found_of(fit)
    off = law.error(seen) - GEAR.error(seen)
    size = np.abs(GEAR.error(seen)).max()
    assert np.abs(off - off.mean()).max() < 0.05 * size
    assert np.ptp(law.error(np.linspace(0.0, 2.0 * np.pi, 500))) < 6.0 * size


@pytest.mark.parametrize("arm", ["ur5e", "xmate7"])
@pytest.mark.parametrize("joint", [3, 4, 5])
@pytest.mark.parametrize("rule", ["parallel", "normal"])
def test_the_pose_has_the_axis_where_the_rule_wants_it(arm, joint, rule):
    """The axis is read off the Jacobian, not off the planner."""
    robot = jw.load_robot(arm)
    if (arm, joint, rule) in {("ur5e", 3, "parallel"), ("ur5e", 4, "parallel")}:
        # The elbow and the first wrist of this arm, as it is mounted, stay level whatever the others do.
        assert not find_pose(robot, joint - 1, rule).met
        return
    pose = find_pose(robot, joint - 1, rule)
    assert pose.met
    axis = np.asarray(robot.jacobian(pose.q))[3:6, joint - 1]
    along = abs(float(axis @ np.asarray(robot.gravity))) / 9.81
    assert along == pytest.approx(1.0 if rule == "parallel" else 0.0, abs=0.03)
    assert pose.low < pose.q[joint - 1] < pose.high


def test_strokes_at_one_speed_are_no_sweeps_and_show_the_memory(robot):
    memory = MaxwellSlip(
        coulomb=2.0, operators=4, limit_exponent=4.0, stiffness_exponent=2.0, half_backlash=(1e-3,)
    )
    motion = kinematic_error.plan(robot, NAME, cycles=12)
    fit = e_gms.fit(robot, [along(robot, motion, 0, [memory])], NAME)
    assert fit["half_backlash"].value == pytest.approx(1e-3, rel=0.2)
    assert fit["limit_exponent"].value == pytest.approx(4.0, rel=0.2)
