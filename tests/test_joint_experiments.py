"""Every registered experiment keeps one contract, and finds on a simulated joint what that joint was made of."""

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

import jointwise as jw
from joint_recordings import along, stated
from jointwise.cli.fit_joint import EXAMPLES
from jointwise.cli.main import app
from jointwise.estimators.verdict import VERDICTS
from jointwise.experiments.calibrate.chain import known_of
from jointwise.experiments.calibrate.rig import Bench
from jointwise.experiments.fit import load_fit
from jointwise.experiments.joint.registry import EXPERIMENTS, SYNONYMS, plan_and_check
from jointwise.report.sections.curves import curve_chart
from jointwise.report.write import write_report

JOINT = 4
NAME = "wrist_2"
SHORT = {
    "velocity": {"speeds": (0.03, 0.1, 0.3, 0.6, 1.0)},
    "temperature": {"speeds": (0.1, 0.4)},
    "load": {"speed": 0.2},
    "kinematic-error": {"cycles": 24},
    "transmission": {"cycles": 2},
}
"""Motions shorter than the planned ones, so that the suite stays quick."""
SOURCES = {
    "link-friction": ("velocity",),
    "hysteresis": ("kinematic-error",),
    "e-gms": ("kinematic-error", "velocity", "temperature", "load"),
}
ORDER = (
    "stiffness", "kinematic-error", "velocity", "temperature", "load", "link-friction", "hysteresis", "e-gms",
    "damping", "transmission",
)  # fmt: skip
each_experiment = pytest.mark.parametrize("name", ORDER)


@pytest.fixture(scope="module")
def plant():
    return jw.random_arm("ur5e", seed=1)


@pytest.fixture(scope="module")
def runs(plant):
    """The recordings of every experiment that has a run of its own."""
    bench, robot = Bench(plant=plant, seed=1), known_of(plant, jw.load_robot("ur5e"))
    out = {"damping": {"swing": bench.released(JOINT, 1)}}
    motion = EXPERIMENTS["stiffness"].plan(robot, NAME)
    out["stiffness"] = {"loads": bench.loaded(motion, JOINT, 2)}
    for k, (name, options) in enumerate(SHORT.items()):
        motion = EXPERIMENTS[name].plan(robot, NAME, **options)
        warm = (12.0, 40.0) if name == "temperature" else (25.0,)
        out[name] = {
            f"{name}-{t:g}": bench.run(motion, 10 * k + i + 3, temperature=t)
            for i, t in enumerate(warm)
        }
    return out


def recordings_of(name, runs):
    return {k: v for source in SOURCES.get(name, (name,)) for k, v in runs[source].items()}


@pytest.fixture(scope="module")
def fits(plant, runs):
    """Every experiment after the other, each from the robot the one before left; the first two stand on each other."""
    robot, out = known_of(plant, jw.load_robot("ur5e")), {}
    for name in (*ORDER[:2], *ORDER):
        options = {"operators": 4} if name == "hysteresis" else {}
        fit = EXPERIMENTS[name].fit(robot, recordings_of(name, runs), NAME, **options)
        out[name] = (robot, options, fit)
        robot = fit.robot
    return out


def test_the_command_line_has_every_experiment():
    assert set(EXAMPLES) == set(EXPERIMENTS) | set(SYNONYMS)
    assert set(ORDER) == set(EXPERIMENTS)


@each_experiment
@pytest.mark.parametrize("joint", [1, 3])
def test_a_plan_keeps_all_limits_and_says_its_pose(name, joint):
    robot = jw.load_robot("ur5e")
    motion, excesses = plan_and_check(name, robot, joint)
    assert not excesses
    rule = EXPERIMENTS[name].pose
    assert motion.notes["pose_rule"] == rule
    wanted = 0.0 if rule == "parallel" else 0.5 * np.pi
    off = abs(motion.notes["axis_to_gravity_rad"] - wanted)
    assert motion.notes["pose_rule_met"] == (off < 0.02)
    others = np.delete(np.array(motion.q), joint - 1, axis=1)
    assert np.ptp(others, axis=0).max() == 0.0
    assert np.abs(motion.dq[[0, -1]]).max() < 1e-9


@each_experiment
def test_a_fit_has_a_verdict_and_an_interval_for_every_parameter(name, fits):
    _, _, fit = fits[name]
    assert fit.experiment == name
    assert fit.status == "converged"
    assert fit.settings["joint"] == NAME
    count = len(fit.parameters)
    assert len({p.name for p in fit.parameters}) == count
    for p in fit.parameters:
        assert p.verdict in VERDICTS
        assert all(math.isfinite(v) for v in (p.value, p.std, p.lower, p.upper)), p
        assert p.lower <= p.value <= p.upper
        assert p.unit
        assert p.meaning
        assert p.advice or p.verdict == "identified"
    assert np.linalg.eigvalsh(fit.covariance).min() >= -1e-9 * np.abs(fit.covariance).max()


@each_experiment
def test_a_fit_is_the_same_when_it_is_done_again(name, fits, runs):
    robot, options, fit = fits[name]
    again = EXPERIMENTS[name].fit(robot, recordings_of(name, runs), NAME, **options)
    assert np.array_equal(again.values, fit.values)
    assert np.array_equal(again.covariance, fit.covariance)


@each_experiment
def test_a_fit_is_read_back_from_its_file(name, fits, tmp_path):
    _, _, fit = fits[name]
    fit.save(tmp_path / "one.fit.toml")
    read = load_fit(tmp_path / "one.fit.toml")
    assert read.parameters == fit.parameters
    assert np.array_equal(read.covariance, fit.covariance)
    assert read.robot.joints[JOINT].friction == fit.robot.joints[JOINT].friction
    assert read.robot.joints[JOINT].transmission == fit.robot.joints[JOINT].transmission
    assert set(read.arrays) == set(fit.arrays)


@each_experiment
def test_a_report_has_the_figure_of_the_experiment(name, fits, tmp_path):
    _, _, fit = fits[name]
    svg = curve_chart(fit)
    assert svg.startswith("<svg")
    assert "nan" not in svg
    assert svg.count("<path") > 5
    page = write_report(tmp_path / "page.html", fit).read_text()
    assert svg in page
    assert "http" not in page.replace('xmlns="http://www.w3.org/2000/svg"', "")


@each_experiment
def test_other_joints_are_left_alone(name, fits):
    before, _, fit = fits[name]
    for k, (old, new) in enumerate(zip(before.joints, fit.robot.joints, strict=True)):
        if k != JOINT:
            assert old == new


def test_the_stiffness_is_that_of_the_gear(fits, plant):
    fit = fits["stiffness"][2]
    true = plant.joints[JOINT].transmission.stiffness
    assert fit.joints[0]["nrmse_gauge_percent"] > 99.0
    for name in ("stiffness_1", "stiffness_2", "stiffness_3"):
        assert fit[name].value == pytest.approx(getattr(true, name), rel=0.03)


def test_the_kinematic_error_is_that_of_the_gear(fits, plant):
    fit = fits["kinematic-error"][2]
    true = plant.joints[JOINT].transmission.kinematic_error
    size = max(map(abs, (*true.output_cosine, *true.output_sine)))
    # The wave of the encoder itself has other cycles here; where it has few, nobody can tell it from the gear's.
    for n in range(3):
        assert fit[f"output_cosine_{n + 1}"].value == pytest.approx(
            true.output_cosine[n], abs=0.05 * size
        )
        assert fit[f"output_sine_{n + 1}"].value == pytest.approx(
            true.output_sine[n], abs=0.05 * size
        )


def test_damping_and_rotor_inertia_are_those_of_the_drive(fits, plant):
    fit = fits["damping"][2]
    true = plant.joints[JOINT].transmission.damping.damping
    inertia = float(plant.robot.joints[JOINT].drive.rotor_inertia)
    assert fit["rotor_inertia"].value == pytest.approx(inertia, rel=0.02)
    # Friction takes more of the swing than the gear does; its model is good to a tenth of it, and the interval knows.
    assert fit["damping"].value == pytest.approx(true, rel=0.8)
    assert fit["damping"].lower < true < fit["damping"].upper
    assert fit["damping"].std > 0.1 * true


def test_friction_grows_when_it_is_cold_as_in_the_truth(fits, plant):
    law = next(t for t in plant.joints[JOINT].friction.terms if t.name == "temperature_change")
    for name in ("temperature", "e-gms"):
        assert fits[name][2]["slope"].value == pytest.approx(law.slope, rel=0.1)


def test_the_shape_of_the_memory_is_found_beside_everything_else(fits, plant):
    fit = fits["e-gms"][2]
    true = plant.joints[JOINT].friction.terms[0]
    assert fit["limit_exponent"].value == pytest.approx(true.limit_exponent, rel=0.15)
    assert fit["half_backlash"].value == pytest.approx(np.mean(true.half_backlash), rel=0.4)
    level = true.coulomb + true.stribeck_excess
    assert fit["coulomb"].value + fit["stribeck_excess"].value == pytest.approx(level, rel=0.2)
    scores = fit.joints[0]
    assert scores["nrmse_percent"] > scores["nrmse_static_percent"] + 2.0


def test_a_velocity_law_stands_in_place_of_what_it_describes(runs):
    from jointwise.laws.coulomb import Coulomb
    from jointwise.laws.friction import FrictionModel
    from jointwise.laws.load import LinearLoad
    from jointwise.laws.viscous import Viscous

    robot = stated(jw.load_robot("ur5e"))
    known = FrictionModel(
        terms=(Coulomb(coulomb=3.0), Viscous(viscous=4.0), LinearLoad(load_linear=0.02))
    )
    robot = robot.replace({"joints.wrist_2.friction": known.to_law()}, source="known before")
    motion = EXPERIMENTS["velocity"].plan(robot, NAME, speeds=(0.1, 0.2, 0.4, 0.8))
    law = [Coulomb(coulomb=2.0), Viscous(viscous=5.0)]
    fit = EXPERIMENTS["velocity"].fit(robot, [along(robot, motion, JOINT, law)], NAME)
    names = {t.name for t in FrictionModel.from_law(fit.robot.joints[JOINT].friction).terms}
    assert names == {"velocity", "load_linear"}


def test_fit_and_plan_from_the_command_line(runs, tmp_path, plant):
    def call(*arguments):
        return CliRunner().invoke(app, [str(a) for a in arguments])

    robot = tmp_path / "arm.toml"
    known_of(plant, jw.load_robot("ur5e")).save(robot)
    recording = tmp_path / "sweeps.parquet"
    runs["velocity"]["velocity-25"].save(recording)
    out, page = tmp_path / "friction.fit.toml", tmp_path / "page.html"
    result = call(
        "fit", "friction", recording, "--robot", robot, "--joint", 5, "-o", out, "--report", page, "--json"
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    shown = json.loads(result.stdout)
    assert shown["experiment"] == "velocity"
    assert shown["parameters"][0]["name"] == "coulomb"
    assert load_fit(out).settings["joint"] == NAME
    assert page.exists()
    wrong = call("fit", "friction", recording, "--robot", robot, "--joint", 9, "-o", out)
    assert wrong.exit_code == 2
    assert "shoulder_pan" in wrong.stderr
    motion = tmp_path / "motion.parquet"
    result = call("plan", "experiment", "load", "--robot", robot, "--joint", 2, "-o", motion)
    assert result.exit_code == 0, result.output
    assert jw.load_motion(motion).notes["pose_rule_met"]
    assert call(
        "plan", "experiment", "friction", "--robot", robot, "--joint", 5, "--speeds", "0.2,0.4", "-o", motion
    ).exit_code == 0  # fmt: skip
    assert jw.load_motion(motion).notes["speeds"] == [0.2, 0.4]
    wrong = call(
        "plan", "experiment", "load", "--robot", robot, "--joint", 2, "--cycles", 3, "-o", motion
    )
    assert wrong.exit_code == 2
    assert "speed" in wrong.stderr
    wrong = call("plan", "experiment", "friction", "--joint", 2, "--speeds", "slow", "-o", motion)
    assert wrong.exit_code == 2
    assert "numbers with commas" in wrong.stderr
    wrong = call("plan", "experiment", "magic", "--robot", robot, "--joint", 2, "-o", motion)
    assert wrong.exit_code == 2
    assert "kinematic-error" in wrong.stderr
