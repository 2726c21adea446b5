"""What the recordings of a joint experiment cannot show is said, with the reason, and the rest is given."""

import numpy as np
import pytest
from typer.testing import CliRunner

import jointwise as jw
from joint_recordings import CONSTANT, along, changed, loaded, stated
from jointwise.cli.main import app
from jointwise.experiments.fit import AT_BOUND, HIDDEN, IDENTIFIED
from jointwise.experiments.joint import (
    e_gms,
    hysteresis,
    kinematic_error,
    link_friction,
    load,
    stiffness,
    temperature,
    velocity,
)
from jointwise.laws.linear import LinearSpring
from jointwise.laws.maxwell_slip import MaxwellSlip
from jointwise.laws.temperature import TemperatureChange
from jointwise.laws.velocity import VelocityLaw
from jointwise.units import UNKNOWN

PAN, LIFT = 0, 1
CURVE = VelocityLaw(
    coulomb=5.0, breakaway=6.0, stribeck_velocity=0.05, stribeck_exponent=1.0, viscous_1=8.0,
    viscous_2=-2.0, viscous_3=0.3,
)  # fmt: skip
MEMORY = MaxwellSlip(
    coulomb=5.0, operators=4, limit_exponent=4.0, stiffness_exponent=2.0, half_backlash=(1e-3,)
)
SPRING = LinearSpring(spring_stiffness=3e4)
SPEEDS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.2)


@pytest.fixture(scope="module")
def robot():
    return stated(jw.load_robot("ur5e"))


@pytest.fixture(scope="module")
def sweeps(robot):
    return velocity.plan(robot, PAN + 1, speeds=SPEEDS)


@pytest.fixture(scope="module")
def strokes(robot):
    return hysteresis.plan(robot, PAN + 1, cycles=5)


def hidden(fit):
    return {p.name: p.advice for p in fit.parameters if p.verdict == HIDDEN}


def test_one_speed_only_leaves_the_level_at_that_speed(robot):
    motion = velocity.plan(robot, PAN + 1, speeds=(0.3,))
    fit = velocity.fit(robot, [along(robot, motion, PAN, [CURVE])], PAN + 1)
    assert "needs 2 different speeds, there are 1" in hidden(fit)["viscous_1"]
    assert {"breakaway", "viscous_1", "viscous_2", "viscous_3"} <= set(hidden(fit))
    assert any("one speed only" in note for note in fit.notes)
    assert fit["coulomb"].value == pytest.approx(velocity.predicted(CURVE, 0.3), abs=0.02)


def test_one_direction_only_says_what_the_offset_hides_in(robot, sweeps):
    whole = along(robot, sweeps, PAN, [CURVE])
    fit = velocity.fit(robot, [whole], PAN + 1)
    assert fit["coulomb"].verdict in (IDENTIFIED, "weak")
    fast = np.flatnonzero(sweeps.dq[:, PAN] > 0.049)
    first = slice(fast[0] - 100, fast[0] + 3500)  # the first way out
    cut = jw.Recording(
        robot=whole.robot, joint_names=whole.joint_names, time=whole.time[first],
        columns={name: values[first] for name, values in whole.columns.items()},
    )  # fmt: skip
    one = velocity.fit(robot, [cut], PAN + 1)
    assert any("only one direction" in note for note in one.notes)


def test_too_few_reversals_leave_the_robot_as_it_was(robot, strokes):
    whole = along(robot, strokes, PAN, [MEMORY])
    turn = int(np.flatnonzero(np.diff(np.sign(strokes.dq[100:, PAN])) < 0)[0]) + 100
    part = slice(0, turn + 1500)
    cut = jw.Recording(
        robot=whole.robot, joint_names=whole.joint_names, time=whole.time[part],
        columns={name: values[part] for name, values in whole.columns.items()},
    )  # fmt: skip
    fit = hysteresis.fit(robot, [cut], PAN + 1)
    assert all("too few reversals" in why for why in hidden(fit).values())
    assert {"limit_1", "torque_1"} <= set(hidden(fit))
    assert fit.robot.joints[PAN].friction is UNKNOWN
    together = e_gms.fit(robot, [cut], PAN + 1)
    assert {"limit_exponent", "stiffness_exponent", "half_backlash"} <= set(hidden(together))
    assert together.robot.joints[PAN].friction is UNKNOWN
    assert together["coulomb"].value == pytest.approx(MEMORY.coulomb, rel=0.1)


def test_a_joint_without_friction_has_none(robot, strokes):
    fit = e_gms.fit(robot, [along(robot, strokes, LIFT, [MEMORY])], PAN + 1)
    assert fit["coulomb"].value == pytest.approx(0.0, abs=0.01)
    assert fit["coulomb"].verdict != IDENTIFIED


def test_one_load_only_leaves_growth_with_load_unknown(robot):
    motion = load.plan(robot, PAN + 1, speed=0.2)
    fit = load.fit(robot, [along(robot, motion, PAN, [CURVE])], PAN + 1)
    growth = next(p for p in fit.parameters if p.name.startswith("load_"))
    assert growth.verdict == HIDDEN
    assert "one load" in growth.advice
    assert any("not normal to it" in note for note in fit.notes)
    assert fit["friction_without_load"].value == pytest.approx(
        velocity.predicted(CURVE, 0.2), abs=0.05
    )
    assert fit.robot.joints[PAN].friction is UNKNOWN


def test_a_growth_with_load_inside_its_scatter_is_said_not_to_be_known(robot):
    motion = load.plan(robot, LIFT + 1, speed=0.2)
    recording = along(robot, motion, LIFT, [CURVE], noise=0.5)
    gravity = 30.0 * np.cos(motion.q[:, LIFT])
    sliding = np.sign(motion.dq[:, LIFT])

    def growing(slope):
        current = np.array(recording["current"])
        current[:, LIFT] += (gravity + slope * np.abs(gravity) * sliding) / CONSTANT
        return load.fit(robot, [changed(recording, current=current)], LIFT + 1)

    small, large = growing(3e-4), growing(0.05)
    growth = next(p for p in small.parameters if p.name.startswith("load_"))
    assert growth.verdict == HIDDEN
    assert "load the joint more" in growth.advice
    assert growth.lower < 3e-4 < growth.upper
    assert small["friction_without_load"].value == pytest.approx(
        velocity.predicted(CURVE, 0.2), abs=0.1
    )
    assert small.robot.joints[LIFT].friction is UNKNOWN
    assert large["load_linear"].value == pytest.approx(0.05, rel=0.1)


def test_one_way_only_cannot_tell_friction_from_load(robot):
    motion = load.plan(robot, PAN + 1, speed=0.2)
    whole = along(robot, motion, PAN, [CURVE])
    part = slice(0, int(np.argmax(motion.dq[:, PAN] > 0.1) + 3000))
    cut = jw.Recording(
        robot=whole.robot, joint_names=whole.joint_names, time=whole.time[part],
        columns={name: values[part] for name, values in whole.columns.items()},
    )  # fmt: skip
    with pytest.raises(jw.ParameterError, match="both ways"):
        load.fit(robot, [cut], PAN + 1)


def test_a_constant_temperature_leaves_its_slope_unknown(robot, sweeps):
    fit = temperature.fit(robot, [along(robot, sweeps, PAN, [CURVE])], PAN + 1)
    assert set(hidden(fit)) == {"slope", "cube"}
    assert "warm the joint up" in hidden(fit)["slope"]
    assert fit.robot.joints[PAN].friction is UNKNOWN


def test_a_small_range_of_temperatures_leaves_the_cube_unknown(robot, sweeps):
    law = TemperatureChange(slope=-0.15, cube=0.0, reference=20.0)
    warm = {
        f"{t:g}": along(robot, sweeps, PAN, [CURVE, law], temperature=t, seed=k)
        for k, t in enumerate((20.0, 26.0))
    }
    fit = temperature.fit(robot, warm, PAN + 1)
    assert set(hidden(fit)) == {"cube"}
    assert fit["slope"].value == pytest.approx(-0.15, rel=0.05)
    assert fit["slope"].verdict == IDENTIFIED


def test_an_axis_that_is_not_along_gravity_is_said_and_gravity_taken_out(robot):
    motion = velocity.plan(robot, LIFT + 1, speeds=SPEEDS)
    recording = along(robot, motion, LIFT, [CURVE])
    current = np.array(recording["current"])
    current[:, LIFT] += (
        20.0 * np.cos(motion.q[:, LIFT]) + 7.0 * np.sin(motion.q[:, LIFT])
    ) / CONSTANT
    fit = velocity.fit(robot, [changed(recording, current=current)], LIFT + 1)
    assert any("not parallel" in note for note in fit.notes)
    assert fit["gravity_cosine"].value == pytest.approx(20.0, abs=0.05)
    assert fit.joints[0]["nrmse_percent"] > 98.0


def steps(motion, largest):
    return stiffness.load_steps(len(motion.time), largest)


def test_a_gauge_of_the_wrong_sign_is_left_out(robot):
    motion = stiffness.plan(robot, PAN + 1)
    recording = loaded(robot, motion, PAN, steps(motion, 60.0), SPRING, gauge_sign=-1.0)
    fit = stiffness.fit(robot, [recording], PAN + 1, model="cubic")
    assert any("opposite sign" in note for note in fit.notes)
    assert fit["stiffness"].value == pytest.approx(SPRING.spring_stiffness, rel=0.02)
    assert fit["motor_offset"].verdict == HIDDEN


def test_without_a_gauge_the_motor_stands_for_the_load(robot):
    motion = stiffness.plan(robot, PAN + 1)
    recording = loaded(robot, motion, PAN, steps(motion, 60.0), SPRING)
    fit = stiffness.fit(robot, [changed(recording, joint_torque=None)], PAN + 1, model="cubic")
    assert any("without a gauge" in note for note in fit.notes)
    assert fit["stiffness"].value == pytest.approx(SPRING.spring_stiffness, rel=0.02)


def test_a_spring_that_does_not_stiffen_has_its_cubic_term_at_the_bound(robot):
    motion = stiffness.plan(robot, PAN + 1)
    bent = LinearSpring(spring_stiffness=3e4)
    recording = loaded(robot, motion, PAN, steps(motion, 60.0), bent)
    # A softening spring: more deformation at large loads than a straight line gives.
    theta = np.array(recording["theta"])
    phi = theta[:, PAN] - recording["q"][:, PAN]
    theta[:, PAN] += 3e4 * phi**3
    fit = stiffness.fit(robot, [changed(recording, theta=theta)], PAN + 1, model="cubic")
    assert fit["stiffness_cubic"].verdict == AT_BOUND
    assert fit["stiffness_cubic"].value == 0.0


def test_few_loads_are_refused(robot):
    motion = stiffness.plan(robot, PAN + 1, duration=3.0)
    recording = loaded(robot, motion, PAN, np.full(len(motion.time), 20.0), SPRING)
    with pytest.raises(jw.ParameterError, match="at least 4 different ones"):
        stiffness.fit(robot, [recording], PAN + 1)


def test_a_saturated_drive_is_said(robot, sweeps):
    recording = along(robot, sweeps, PAN, [CURVE])
    current = np.array(recording["current"])
    limit = float(robot.joints[PAN].limits.torque) / CONSTANT
    current[2000:2600, PAN] = limit
    fit = velocity.fit(robot, [changed(recording, current=current)], PAN + 1)
    assert any("torque limit" in note for note in fit.notes)


def test_one_encoder_is_not_enough_where_the_gear_is_measured(robot, sweeps, strokes):
    one_sided = changed(along(robot, strokes, PAN, [MEMORY]), theta=None)
    for experiment in (stiffness, kinematic_error, link_friction):
        with pytest.raises(jw.ParameterError, match="both sides"):
            experiment.fit(robot, [one_sided], PAN + 1)


def test_link_friction_asks_for_the_stiffness(robot, sweeps):
    with pytest.raises(jw.UnknownValueError, match="transmission"):
        link_friction.fit(robot, [along(robot, sweeps, PAN, [CURVE])], PAN + 1)


def test_part_of_a_turn_says_nothing_about_the_turn(robot, strokes):
    fit = kinematic_error.fit(robot, [along(robot, strokes, PAN, [MEMORY])], PAN + 1)
    assert all("of the turn was seen" in why for why in hidden(fit).values())
    assert "output_cosine_1" in hidden(fit)
    assert fit.robot.joints[PAN].transmission is UNKNOWN


def test_recordings_without_constant_speed_are_refused(robot):
    motion = stiffness.plan(robot, PAN + 1, duration=3.0)
    still = along(robot, motion, PAN, [CURVE])
    with pytest.raises(jw.ParameterError, match="constant velocity"):
        velocity.fit(robot, [still], PAN + 1)


def test_unknown_names_are_answered_with_those_there_are(robot, sweeps):
    recording = along(robot, sweeps, PAN, [CURVE])
    with pytest.raises(jw.UnknownNameError, match="shoulder_pan"):
        velocity.fit(robot, [recording], "shoulder")
    with pytest.raises(jw.UnknownNameError, match="variable projection"):
        velocity.fit(robot, [recording], PAN + 1, method="magic")
    with pytest.raises(jw.UnknownNameError, match="three segments"):
        stiffness.fit(robot, [recording], PAN + 1, model="magic")
    other = jw.Recording(
        robot="other", joint_names=tuple("abcdef"), time=recording.time, columns=recording.columns
    )
    with pytest.raises(jw.ParameterError, match="joints of"):
        velocity.fit(robot, [other], PAN + 1)


def test_the_command_line_says_what_cannot_be_known(robot, tmp_path):
    def call(name, recording):
        recording.save(tmp_path / "recording.parquet")
        robot.save(tmp_path / "robot.toml")
        words = [
            "fit",
            name,
            tmp_path / "recording.parquet",
            "--robot",
            tmp_path / "robot.toml",
            "--joint",
            "1",
        ]
        result = CliRunner().invoke(app, [str(w) for w in [*words, "-o", tmp_path / "fit.toml"]])
        return result.exit_code, " ".join((result.stdout + result.stderr).split())

    motion = velocity.plan(robot, PAN + 1, speeds=(0.3,))
    code, said = call("friction", along(robot, motion, PAN, [CURVE]))
    assert code == 0
    assert "one speed only" in said
    assert "breakaway" in said
    code, said = call("temperature", along(robot, motion, PAN, [CURVE]))
    assert code == 0
    assert "warm the joint up" in said
    motion = stiffness.plan(robot, PAN + 1, duration=3.0)
    one_load = loaded(robot, motion, PAN, np.full(len(motion.time), 20.0), SPRING)
    (tmp_path / "fit.toml").unlink()
    code, said = call("stiffness", one_load)
    assert code == 2
    assert "at least 4 different ones" in said
    assert not (tmp_path / "fit.toml").exists()
