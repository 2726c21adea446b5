"""The fit of a whole arm: exact on data that obey the model, honest on data that do not."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import jointwise as jw
from arm_logs import log
from jointwise.cli.main import app
from jointwise.errors import (
    FileError,
    JointwiseError,
    NumericalError,
    ParameterError,
    UnknownNameError,
)
from jointwise.estimators.generic_prior import link_prior
from jointwise.estimators.ordinary import ols as ordinary
from jointwise.estimators.physical import physical
from jointwise.estimators.problem import Problem
from jointwise.experiments.design import Design
from jointwise.experiments.fit import load_fit
from jointwise.experiments.fit_file import arrays_path
from jointwise.experiments.methods import METHODS, on_independent
from jointwise.experiments.physical import asked, prior_values
from jointwise.experiments.prediction import model_of, predict
from jointwise.experiments.robot_fit import fit_robot
from jointwise.experiments.validate import validate
from jointwise.laws.coulomb import Coulomb
from jointwise.laws.counterbalance import Counterbalance
from jointwise.laws.friction import FrictionModel
from jointwise.laws.load import LinearLoad
from jointwise.laws.offset import Offset
from jointwise.laws.viscous import Viscous

LAWS = [
    (Coulomb(coulomb=2.0), Viscous(viscous=3.0), Offset(offset=0.4), LinearLoad(load_linear=0.05)),
    (Coulomb(coulomb=1.0), Viscous(viscous=1.5), Offset(offset=-0.2), LinearLoad(load_linear=0.1)),
]
FRICTION = ("coulomb", "viscous", "offset", "load")
SMOOTH = 0.02  # what sign changes inside the filter's window leave on parameters, relative
HELD = 0.05  # the same where a negative offset is held at zero, which the links then make up for


@pytest.fixture(scope="module")
def arm():
    return jw.load_robot("two_link")


@pytest.fixture(scope="module")
def logs(arm):
    return {f"log {s}": log(arm, LAWS, seed=s, noise=0.05, rotors=True) for s in (1, 2, 3)}


@pytest.fixture(scope="module")
def fit(arm, logs):
    return fit_robot(arm, logs, filter_hz=10.0, friction=FRICTION)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_truth_behind_clean_logs(arm, method):
    rotors = method == "physical"
    clean = [log(arm, LAWS, seed=s, rotors=rotors) for s in (1, 2)]
    found = fit_robot(
        arm, clean, filter_hz=10.0, friction=FRICTION, method=method, delay=False, rotors=rotors
    )
    design = Design(robot=arm, friction=FRICTION, rotors=rotors)
    inertias = [joint.drive.rotor_inertia for joint in arm.joints] if rotors else []
    gamma = np.concatenate([arm.parameters(), inertias])
    smooth = HELD if method == "kovincic_constrained" else SMOOTH
    for name, value in zip(design.base.names, design.base.values(gamma), strict=True):
        reach = max(smooth * max(abs(value), 0.05), 2.0 * found[name].std)
        assert abs(found[name].value - value) < reach, name
    for joint, laws in enumerate(LAWS, 1):
        truth = (laws[0].coulomb, laws[1].viscous, laws[2].offset, laws[3].load_linear)
        for term, value in zip(FRICTION, truth, strict=True):
            if method != "kovincic_constrained" or value >= 0.0:
                assert found[f"{term}{joint}"].value == pytest.approx(value, rel=0.1, abs=0.03)


def test_prediction_of_an_unseen_log_leaves_little_more_than_noise(fit, arm):
    (unseen,) = validate(fit, {"unseen": log(arm, LAWS, seed=9, noise=0.05, rotors=True)})
    for score in unseen.filtered:
        assert score.nrmse > 98.0
        assert score.rmse_moving < 0.1
    assert max(score.rmse for score in unseen.raw) > max(s.rmse for s in unseen.filtered)


def test_intervals_contain_the_truth_and_verdicts_are_given(fit):
    for name, truth in (("viscous1", 3.0), ("viscous2", 1.5), ("load1", 0.05)):
        parameter = fit[name]
        reach = max(parameter.upper - parameter.lower, 0.05 * truth)
        assert abs(parameter.value - truth) < reach
        assert parameter.verdict == "identified"


def test_the_delay_of_the_torque_is_found(arm):
    late = [log(arm, LAWS, seed=s, delay=0.004) for s in (1, 2)]
    found = fit_robot(arm, late, filter_hz=10.0, friction=FRICTION)
    assert found.settings["delay_s"] == pytest.approx([0.004, 0.004], abs=5e-4)
    off = fit_robot(arm, late, filter_hz=10.0, friction=FRICTION, delay=False)
    assert off.settings["delay_s"] == [0.0, 0.0]
    assert off.joints[0]["residual_rms"] > 1.5 * found.joints[0]["residual_rms"]
    unseen = {"unseen": log(arm, LAWS, seed=9, delay=0.004)}
    (late_too,), (on_time,) = (validate(f, unseen) for f in (found, off))
    assert late_too.filtered[0].rmse_moving < on_time.filtered[0].rmse_moving / 1.5


def test_the_updated_robot_carries_links_rotors_and_friction(fit, arm):
    q = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    assert np.allclose(
        fit.robot.gravity_torque(q),
        arm.gravity_torque(q),
        atol=0.02 * np.abs(arm.gravity_torque(q)).max(),
    )
    law = FrictionModel.from_law(fit.robot.joints[0].friction)
    torque, _ = law.run([0.0, 0.01], [1.0, 1.0], 10.0, 20.0, dt=0.01)
    assert torque[1] == pytest.approx(2.0 + 3.0 + 0.4 + 0.5, rel=0.03)
    assert fit.robot.source_of("joints.elbow.friction") == "fitted to recordings"


def test_a_fit_file_reads_back_the_same_and_parts_are_not_mixed(fit, tmp_path):
    path = tmp_path / "arm.fit.toml"
    fit.save(path)
    again = load_fit(path)
    assert again.parameters == fit.parameters
    assert again.robot == fit.robot
    assert np.array_equal(again.covariance, fit.covariance)
    assert {
        k: list(v) if isinstance(v, (list, tuple)) else v for k, v in again.settings.items()
    } == {
        k: list(v) if isinstance(v, (list, tuple)) else v
        for k, v in fit.settings.items()
        if v is not None
    }
    other = tmp_path / "other.fit.toml"
    fit_robot(fit.robot, [log(fit.robot, LAWS, seed=4)], filter_hz=10.0).save(other)
    arrays_path(other).replace(arrays_path(path))
    with pytest.raises(FileError, match="does not belong"):
        load_fit(path)
    path.write_text("format = 'something else'")
    with pytest.raises(FileError, match="no fit"):
        load_fit(path)


def test_friction_that_pushes_is_not_found_by_the_physical_fit(arm):
    noisy = [log(arm, [(Coulomb(coulomb=0.0),)] * 2, seed=1, noise=0.5)]
    found = fit_robot(arm, noisy, filter_hz=10.0, friction=("coulomb", "viscous"))
    assert all(found[f"{t}{j}"].value >= 0.0 for t in ("coulomb", "viscous") for j in (1, 2))


def test_a_joint_that_never_moves_is_named_not_guessed(arm):
    one = log(arm, LAWS, seed=1)
    q, torque = one["q"].copy(), one["motor_torque"].copy()
    q[:, 1] = 0.3
    torque = arm.gravity_torque(q)
    still = type(one)(
        robot=one.robot,
        joint_names=one.joint_names,
        time=one.time,
        columns={"q": q, "motor_torque": torque},
    )
    found = fit_robot(arm, [still], filter_hz=10.0, friction=("coulomb",), method="bounded")
    assert found["coulomb2"].verdict == "not identifiable"
    assert "move its joint" in found["coulomb2"].advice


def test_terms_can_be_given_to_some_joints_only(arm):
    design = Design(robot=arm, friction=("coulomb", "load@2", f"viscous@{arm.joints[0].name}"))
    assert design.names[design.base.count :] == ("coulomb1", "coulomb2", "load2", "viscous1")
    for wrong in ("load@3", "load@nobody", "rust"):
        with pytest.raises((ParameterError, UnknownNameError)):
            Design(robot=arm, friction=(wrong,))


def test_options_are_checked_by_name_value_and_range(arm, logs):
    with pytest.raises(ParameterError, match="filter_hz"):
        fit_robot(arm, logs, filter_hz=-1.0)
    with pytest.raises(UnknownNameError, match="method"):
        fit_robot(arm, logs, filter_hz=10.0, method="magic")
    with pytest.raises(TypeError):
        fit_robot(arm, logs, filter_hz=10.0, colour="red")
    with pytest.raises(ParameterError, match="recordings"):
        fit_robot(arm, {}, filter_hz=10.0)


def test_model_error_shows_beside_the_noise_floor(arm):
    rich = [log(arm, LAWS, seed=s, noise=0.05) for s in (1, 2)]
    poor = fit_robot(arm, rich, filter_hz=10.0, friction=("viscous",))
    for joint in poor.joints:
        assert joint["residual_rms"] > 5.0 * joint["noise_floor"]
    full = fit_robot(arm, rich, filter_hz=10.0, friction=FRICTION)
    for joint in full.joints:
        assert joint["noise_floor"] == pytest.approx(joint["residual_rms"], rel=1.0)


def test_prediction_equals_the_equations_it_was_fitted_with(fit, logs):
    (part,) = predict(model_of(fit), logs["log 1"], filter_hz=10.0)
    error = part.measured - part.predicted
    moving = np.abs(part.speed) > np.array(fit.settings["moving"])
    for j, joint in enumerate(fit.joints):
        assert np.sqrt(np.mean(error[moving[:, j], j] ** 2)) < 2.0 * joint["residual_rms"]


def test_the_command_line_fits_and_validates(arm, logs, tmp_path):
    names = []
    for name, recording in logs.items():
        names.append(str(tmp_path / f"{name.replace(' ', '')}.parquet"))
        recording.save(names[-1])
    out = str(tmp_path / "arm.fit.toml")
    run = CliRunner().invoke
    options = ["--robot", "two_link", "--filter-hz", "10", "--friction", ",".join(FRICTION)]
    result = run(app, ["fit", "robot", *names[:2], *options, "-o", out, "--json"])
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary["status"] == "converged"
    assert {p["name"] for p in summary["parameters"]} >= {"coulomb1", "load2"}
    result = run(
        app, ["validate", out, names[2], "--filter-hz", "10", "--moving", "0.02", "--json"]
    )
    assert result.exit_code == 0, result.output
    (scores,) = json.loads(result.stdout)["recordings"]
    keys = {"rmse", "rmse_moving", "rmse_standing", "nrmse", "relative_residual"}
    for joint in scores["joints"]:
        assert keys <= set(joint["filtered"])
        assert keys <= set(joint["raw"])
        assert joint["filtered"]["rmse_moving"] < 0.1


# ---- what balances a joint, and columns hardly told apart -------------------------------------


def test_a_balancing_cylinder_of_the_robot_file_is_fitted_without_being_asked_for(arm):
    balance = Counterbalance(sines=(6.0, 12.0), cosines=(-3.0, 0.0))
    first = arm.joints[0].name
    plain = [laws[:3] for laws in LAWS]  # without the load, which a cylinder changes
    law = FrictionModel(terms=(*plain[0], balance)).to_law()
    balanced = arm.replace({f"joints.{first}.friction": law}, source="a test")
    terms = [(*plain[0], balance), plain[1]]
    logs = {s: log(arm, terms, seed=s, noise=0.02, rotors=True) for s in (1, 2)}
    options = {"filter_hz": 10.0, "friction": FRICTION[:3]}
    without = fit_robot(arm, logs, **options)
    with_it = fit_robot(balanced, logs, **options)
    assert tuple(with_it.settings["friction"]) == (*FRICTION[:3], "counterbalance@1")
    unseen = {"unseen": log(arm, terms, seed=9, noise=0.02, rotors=True)}
    (blind,), (seeing,) = (validate(f, unseen) for f in (without, with_it))
    assert seeing.filtered[0].rmse_moving < 0.5 * blind.filtered[0].rmse_moving
    options["friction"] = (*FRICTION[:3], "counterbalance@1")
    listed = fit_robot(balanced, logs, **options)
    assert listed.names == with_it.names


def test_a_stated_cylinder_keeps_its_shape_and_pushes_where_a_recording_hardly_shows_it():
    """What the joint has not turned through stays as the robot file has it; the size follows the recordings."""
    arm = jw.load_robot("kr300")
    design = Design(robot=arm, friction=FRICTION[:3])
    stated = np.array([-400.0, -830.0, 6380.0, -360.0])
    count = len(design.base.columns)
    whole = prior_values(design, link_prior(arm))
    assert whole[count:] == pytest.approx([0.0] * 18 + stated.tolist())
    rng = np.random.default_rng(0)

    def waves(angle):
        return np.stack([np.sin(angle), np.sin(2 * angle), np.cos(angle), np.cos(2 * angle)], -1)

    def found(size, angles, noise=1.0):
        rows = rng.standard_normal((300, arm.n, len(design.names)))
        rows[..., -4:] = 0.0
        rows[:, 1, -4:] = waves(angles)
        torque = size * rows[..., -4:] @ stated + noise * rng.standard_normal((300, arm.n))
        problem = Problem.from_rows(design.names, [rows], [torque])
        return physical(problem, **asked(design)(problem)).values[-4:]

    some, all_round = rng.uniform(0.0, 0.2, 300), rng.uniform(-2.0, 2.0, 300)
    far = float(waves(1.5) @ stated)
    size_of_all = float(np.linalg.norm(stated))
    assert found(0.4, some) == pytest.approx(0.4 * stated, abs=0.05 * size_of_all)
    assert float(waves(1.5) @ found(0.4, some)) == pytest.approx(0.4 * far, abs=0.1 * size_of_all)
    assert found(0.4, all_round) == pytest.approx(0.4 * stated, abs=2.0)
    pulling = found(-1.0, some, noise=2e4)  # at one place and uncertain: no cylinder pulls
    assert pulling @ stated > -0.15 * size_of_all**2
    other = Design(robot=jw.load_robot("ur5e"), friction=("counterbalance",))
    assert not prior_values(other, link_prior(other.robot))[len(other.base.columns) :].any()


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ({"gain": None}, "no setting of this fit is named 'gain'"),
        ({"gain": [float("nan"), 0.0]}, "must be finite"),
        ({"gain": [0.0]}, "gain of the set-up has 1 numbers"),
        ({"filter_hz": None}, "no setting of this fit is named 'filter_hz'"),
    ],
)
def test_a_fit_with_damaged_settings_is_refused_with_their_name(fit, logs, damage, says):
    settings = {k: v for k, v in {**fit.settings, **damage}.items() if v is not None}
    with pytest.raises(JointwiseError, match=re.escape(says)):
        validate(replace(fit, settings=settings), {"log": logs["log 1"]})


def test_columns_that_nearly_follow_from_each_other_are_left_out_more_until_a_solver_takes_them():
    asked = []

    def picky(problem):
        asked.append(problem.columns)
        if problem.columns > 2:
            raise NumericalError("the data do not tell a, b apart")
        return ordinary(problem)

    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 200))
    w = np.column_stack([a, b, a + b + 3e-6 * rng.standard_normal(200)])[:, None, :]
    problem = Problem.from_rows(("a", "b", "c"), [w], [w @ np.array([1.0, 2.0, 0.0])])
    found = on_independent(problem, picky)
    assert (asked[0], asked[-1]) == (3, 2)
    assert found.values == pytest.approx([1.0, 2.0, 0.0], abs=1e-6)


def test_each_recording_is_scored_by_a_fit_that_has_not_seen_it(arm):
    plain = [laws[:3] for laws in LAWS]
    stiff = [(Coulomb(coulomb=4.0), *laws[1:3]) for laws in LAWS]
    logs = {
        k: log(arm, laws, seed=k, noise=0.02) for k, laws in ((1, plain), (2, plain), (3, stiff))
    }
    options = {
        "filter_hz": 10.0, "friction": FRICTION[:3], "method": "wls", "delay": False,
        "moving": 0.02, "zone": 0.001,
    }  # fmt: skip
    whole = fit_robot(arm, logs, **options)
    others = fit_robot(arm, {k: logs[k] for k in (1, 2)}, **options)
    (unseen,), (seen,) = (validate(f, {"odd one": logs[3]}) for f in (others, whole))
    found = [s.rmse_moving for s in unseen.filtered]
    assert whole.arrays["left_out_rmse"][2, :, 0] == pytest.approx(found, rel=0.1)
    assert all(s.rmse_moving < 0.8 * f for s, f in zip(seen.filtered, found, strict=True))


def test_the_mass_matrix_of_every_fit_is_audited(fit, arm):
    """What physics allows is positive definite; a rotor and link that push when pushed are found."""
    assert fit.settings["mass_matrix_smallest"] > 0.0
    assert any("positive definite in all" in note for note in fit.notes)
    opposite = [log(arm, [(Coulomb(coulomb=0.1),)] * 2, seed=1)]
    torque = -opposite[0]["motor_torque"]
    columns = {"q": opposite[0]["q"], "motor_torque": torque}
    found = fit_robot(
        arm, [replace(opposite[0], columns=columns)], filter_hz=10.0, friction=(), method="wls"
    )
    assert found.settings["mass_matrix_share_not_positive"] == 1.0
    assert any("not positive definite in 100 %" in note for note in found.notes)
