"""IDIM-IV, DIDIM and CLOE compare the arm with its twin; ridge; every method from the command line. Spec 07.9."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import jointwise as jw
from arm_logs import log
from jointwise.cli.main import app
from jointwise.errors import ParameterError, UnknownNameError
from jointwise.estimators.generic_prior import link_prior
from jointwise.estimators.instrumental import instrumental
from jointwise.experiments.methods import METHODS, SIMULATED
from jointwise.experiments.robot_fit import RobotFitOptions, fit_robot, pieces_of, solve
from jointwise.experiments.simulated import Comparison
from real_logs import DATA, emps, need_data, tx40
from test_known_drives import LAWS, drives, error

FRICTION = ("coulomb", "viscous")
EMPS_MASS = 95.109  # kg, by the authors of the benchmark


@pytest.fixture(scope="module")
def arm():
    return drives(jw.load_robot("two_link"))


def noisy(arm, seed, std):
    """A log whose encoders are noisy, with the motion that was asked for."""
    rec = log(arm, LAWS, seed=seed, rotors=True, noise=0.02, seconds=12.0)
    noise = std * np.random.default_rng(seed).standard_normal(rec["q"].shape)
    return replace(rec, columns={**rec.columns, "q_ref": rec["q"], "q": rec["q"] + noise})


def test_instruments_from_the_twin_take_away_the_bias_of_noisy_encoders(arm):
    logs = [noisy(arm, s, 1e-3) for s in (1, 2)]
    options = {"filter_hz": 10.0, "friction": FRICTION, "delay": False}
    plain = fit_robot(arm, logs, method="wls", **options)
    found = fit_robot(arm, logs, method="idim_iv", **options)
    assert found.status == "converged"
    assert error(arm, plain) > 0.04
    assert error(arm, found) < 0.1 * error(arm, plain)
    assert any("noise has come into the measured regressor" in note for note in found.notes)


def test_least_squares_on_the_projected_columns_is_the_formula_of_instruments(arm):
    chosen = RobotFitOptions(filter_hz=10.0, friction=FRICTION, method="physical", delay=False)
    solved = solve(arm, pieces_of(arm, {"log": noisy(arm, 1, 1e-3)}, chosen), chosen)
    from jointwise.experiments.closed_loop import closed_loop
    from jointwise.experiments.methods import solver

    system = solved.equations
    comparison = Comparison(
        system=system,
        plain=solved.plain,
        loop=closed_loop(system.design, system.pieces, 10.0, False),
        find=solver("maximum_likelihood", system.design),
        progress=None,
    )
    found = comparison.find(comparison.idim_iv(solved.estimate))
    z = comparison.simulated(solved.estimate, commanded=True)
    expected = instrumental(
        [r.w for r in z.rows], [r.w for r in solved.plain.rows], [r.y for r in solved.plain.rows],
        z.names, use=[r.use for r in z.rows],
    )  # fmt: skip
    # The projection weighs by the residual of least squares, the formula by its own.
    assert np.all(np.abs(found.values - expected.values) < 0.1 * expected.std)


@pytest.mark.parametrize("method", ["didim", "cloe"])
def test_the_simulated_loop_gives_back_the_arm(arm, method):
    recording = log(arm, LAWS, seed=1, rotors=True, noise=0.02, seconds=8.0)
    fit = fit_robot(arm, recording, filter_hz=5.0, friction=FRICTION, method=method, delay=False)
    assert fit.status == "converged"
    assert error(arm, fit) < 5e-3
    assert fit["coulomb1"].value == pytest.approx(2.0, rel=0.02)
    assert all(joint["left_out_rmse_moving"] < 0.03 for joint in fit.joints)


def test_didim_and_instruments_agree_with_the_benchmark_on_the_real_drive():
    need_data()
    # Instruments follow what was asked for; the drive lags behind it, which costs them sharpness.
    for method, filter_hz, within in (("didim", 100.0, 1e-3), ("idim_iv", 30.0, 5e-3)):
        fit = fit_robot(
            jw.load_robot("emps"), emps(), filter_hz=filter_hz,
            friction=("coulomb", "viscous", "offset"), method=method,
        )  # fmt: skip
        assert fit.status == "converged"
        assert fit.values[0] == pytest.approx(EMPS_MASS, rel=within)


def test_what_cannot_be_simulated_is_refused(arm):
    with pytest.raises(ParameterError, match="without memory"):
        fit_robot(arm, log(arm, LAWS), filter_hz=10.0, friction=("memory",), method="didim")
    with pytest.raises(ParameterError, match="auto"):
        fit_robot(arm, log(arm, LAWS), filter_hz=10.0, friction=("auto",), method="cloe")
    need_data()
    with pytest.raises(ParameterError, match="coupling of tx40"):
        fit_robot(jw.load_robot("tx40"), tx40(), filter_hz=10.0, method="didim")


def test_every_method_fits_from_the_command_line(arm, tmp_path):
    robot, rec = str(tmp_path / "arm.toml"), str(tmp_path / "log.parquet")
    arm.save(robot)
    log(arm, LAWS, seed=3, rotors=True, noise=0.02, seconds=8.0).save(rec)
    for method in METHODS:
        if method in ("cloe", "physical"):
            continue  # the one is slow and tested above, the other is the default everywhere
        out = str(tmp_path / "arm.fit.toml")
        given = ["--robot", robot, "--filter-hz", "5", "--friction", "coulomb,viscous"]
        result = CliRunner().invoke(
            app, ["fit", "robot", rec, *given, "--method", method, "-o", out, "--json"]
        )
        assert result.exit_code == 0, result.output
        values = {p["name"]: p["value"] for p in json.loads(result.stdout)["parameters"]}
        assert values["coulomb1"] == pytest.approx(2.0, rel=0.05), method
    wrong = CliRunner().invoke(app, ["fit", "robot", rec, *given, "--method", "guess", "-o", out])
    assert wrong.exit_code == 2
    assert "method" in wrong.stderr


def test_options_of_a_method_stand_behind_its_name(arm, tmp_path):
    logs = [log(arm, LAWS, seed=s, rotors=True, noise=0.05, seconds=8.0) for s in (1, 2)]

    def values(method):
        return fit_robot(
            arm, logs, filter_hz=5.0, friction=FRICTION, method=method, delay=False
        ).values

    plain = values("wls")
    for method in ("wls:power=1", "huber:c=0.5", "maximum_likelihood:order=2", "ridge:strength=1e6",
                   "kovincic:smallest_share=0.3", "physical:spread=1e-3"):  # fmt: skip
        assert not np.allclose(values(method), plain, rtol=1e-6), method
    np.testing.assert_allclose(values("wls:passes=30"), values("maximum_likelihood"), rtol=1e-6)
    prior = arm.base_parameters(rotors=True).values([*link_prior(arm).values, 0.4, 0.15])
    held = values("ridge:strength=1e12")[: len(prior)]
    np.testing.assert_allclose(held, prior, rtol=1e-2, atol=1e-4)
    for wrong, error_type, match in (
        ("wls:powr=1", UnknownNameError, "did you mean 'power'"),
        ("wls:power", ParameterError, "behind a ="),
        ("wls:power=3", ParameterError, "power"),
        ("ols:c=1", ParameterError, "has none"),
        ("lsq", UnknownNameError, "method"),
    ):
        with pytest.raises(error_type, match=match):
            values(wrong)


def test_the_methods_that_simulate_are_methods():
    assert set(SIMULATED) <= set(METHODS)
    with pytest.raises(UnknownNameError, match="way of differentiation"):
        RobotFitOptions(filter_hz=5.0, differentiation="spline")


def test_polynomials_differentiate_as_well_as_the_band_pass(arm):
    logs = [log(arm, LAWS, seed=s, rotors=True, noise=0.02) for s in (1, 2)]
    fit = fit_robot(arm, logs, filter_hz=10.0, friction=FRICTION, differentiation="savitzky_golay")
    assert error(arm, fit) < 2e-3
    (score,) = jw.validate(fit, {"unseen": log(arm, LAWS, seed=9, rotors=True, noise=0.02)})
    assert all(s.rmse_moving < 0.03 for s in score.filtered)


def test_ridge_to_the_robot_file_keeps_the_real_kr300_from_running_away():
    """One log of 10 s, condition number 8e3: what plain least squares gives each half fails on the other."""
    need_data()
    columns = Path(__file__).parent.parent / "docs" / "column-maps" / "kr300.toml"
    recording = jw.import_recording(DATA / "kr300" / "kr300_a.csv", robot="kr300", columns=columns)
    left_out = {}
    for method in ("ols", "ridge"):
        fit = fit_robot(
            jw.load_robot("kr300"), recording, filter_hz=5.0,
            friction=("coulomb", "viscous", "offset"), method=method, delay=False,
        )  # fmt: skip
        left_out[method] = [joint["left_out_rmse_moving"] for joint in fit.joints]
    assert all(r < 0.5 * o for r, o in zip(left_out["ridge"][:2], left_out["ols"][:2], strict=True))
    assert np.sum(left_out["ridge"]) < 0.5 * np.sum(left_out["ols"])
