"""What is known of the drives is taken off before the fit: rotors, friction, and gears that bend. Spec 07.2, 07.8."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import jointwise as jw
from arm_logs import RATE, averaged_friction, log, smooth_path
from jointwise.cli.main import app
from jointwise.errors import ParameterError, UnknownNameError, UnknownValueError
from jointwise.experiments.prediction import model_of
from jointwise.experiments.robot_fit import fit_robot
from jointwise.experiments.validate import validate
from jointwise.laws.coulomb import Coulomb
from jointwise.laws.friction import FrictionModel
from jointwise.laws.linear import LinearSpring
from jointwise.laws.transmissions import Transmission
from jointwise.laws.viscous import Viscous
from jointwise.recording.recording import Recording
from jointwise.robot.elastic import elastic_inverse_dynamics

LAWS = [(Coulomb(coulomb=2.0), Viscous(viscous=3.0)), (Coulomb(coulomb=1.0), Viscous(viscous=1.5))]
STIFFNESS = np.array([4000.0, 1500.0])
ROTORS = (0.4, 0.15)


def drives(robot, *, friction=LAWS, stiffness=STIFFNESS):
    changes = {}
    for joint, laws, spring, inertia in zip(robot.joints, friction, stiffness, ROTORS, strict=True):
        path = f"joints.{joint.name}"
        changes[f"{path}.drive.rotor_inertia"] = inertia
        changes[f"{path}.friction"] = FrictionModel(terms=laws).to_law()
        gear = Transmission(stiffness=LinearSpring(spring_stiffness=float(spring)))
        changes[f"{path}.transmission"] = gear.to_law()
    return robot.replace(changes, source="test")


@pytest.fixture(scope="module")
def arm():
    return drives(jw.load_robot("two_link"))


def true_base(robot, fit):
    design = model_of(fit).design
    rotors = ROTORS if design.rotors else ()
    return design.base.values(np.concatenate([robot.parameters(), rotors]))


def waves(n, seconds, seed):
    """q and its first four derivatives."""
    t = np.arange(round(seconds * RATE)) / RATE
    _, q, _, _ = smooth_path(n, seconds, seed)
    rng, out = np.random.default_rng(seed), np.zeros((5, len(t), n))
    for j in range(n):
        for hz in rng.uniform(0.1, 0.8, 6):
            w, phase, a = 2 * np.pi * hz, rng.uniform(0, 6.28), rng.uniform(0.2, 0.6) / (1 + 4 * hz)
            for k in range(5):
                out[k, :, j] += a * w**k * np.sin(w * t + phase + 0.5 * np.pi * k)
    assert np.allclose(out[0], q)
    return t, out


def motor_side(robot, seed, seconds=20.0):
    """A recording of rotor angles and motor torque of the arm with elastic gears, friction on the rotors."""
    t, motion = waves(robot.n, seconds, seed)
    moved = elastic_inverse_dynamics(robot, tuple(motion), STIFFNESS)
    friction = averaged_friction(robot, LAWS, seconds, seed, RATE)
    return Recording(
        robot=robot.name,
        joint_names=tuple(j.name for j in robot.joints),
        time=t,
        columns={"theta": moved.rotor_position, "motor_torque": moved.motor_torque + friction},
    )


def error(robot, fit):
    truth = true_base(robot, fit)
    return float(np.linalg.norm(fit.values[: len(truth)] - truth) / np.linalg.norm(truth))


def test_known_rotors_and_friction_leave_the_links(arm):
    logs = [log(arm, LAWS, seed=s, rotors=True, noise=0.02) for s in (1, 2)]
    fit = fit_robot(
        arm,
        logs,
        filter_hz=10.0,
        friction=("coulomb", "viscous"),
        compensate=("rotors", "friction"),
    )
    assert "J2" not in fit.names
    assert error(arm, fit) < 1e-3
    for name in ("coulomb1", "coulomb2", "viscous1", "viscous2"):
        assert fit[name].value == pytest.approx(0.0, abs=0.01)
    for before, after in zip(arm.joints, fit.robot.joints, strict=True):
        assert after.friction == before.friction
    (score,) = validate(fit, {"unseen": log(arm, LAWS, seed=9, rotors=True, noise=0.02)})
    assert all(s.rmse_moving < 0.02 for s in score.filtered)


def test_what_the_known_friction_lacks_is_fitted_with_either_sign(arm):
    wrong = [(Coulomb(coulomb=2.3), Viscous(viscous=2.8)), LAWS[1]]
    fit = fit_robot(
        drives(arm, friction=wrong),
        [log(arm, LAWS, seed=s, rotors=True) for s in (1, 2)],
        filter_hz=10.0, friction=("coulomb", "viscous"), compensate=("friction",),
    )  # fmt: skip
    assert fit["coulomb1"].value == pytest.approx(-0.3, abs=0.02)
    assert fit["viscous1"].value == pytest.approx(0.2, abs=0.02)


def test_gears_that_bend_are_seen_from_the_motor_side(arm):
    """Rotor angles taken for link angles are wrong by the deformation, 10 mrad here."""
    logs = [motor_side(arm, s) for s in (1, 2)]
    options = {"filter_hz": 10.0, "friction": ("coulomb", "viscous")}
    elastic = fit_robot(arm, logs, elastic=True, **options)
    rigid = fit_robot(arm, logs, compensate=("rotors",), **options)
    assert error(arm, elastic) < 2e-3
    assert error(arm, elastic) < 0.2 * error(arm, rigid)
    unseen = {"unseen": motor_side(arm, 9)}
    for one, other in zip(
        validate(elastic, unseen)[0].filtered, validate(rigid, unseen)[0].filtered, strict=True
    ):
        assert one.rmse_moving < 0.6 * other.rmse_moving


def test_the_friction_of_the_file_is_not_needed_for_an_elastic_fit(arm):
    unknown = arm.replace(
        {f"joints.{j.name}.friction": jw.UNKNOWN for j in arm.joints}, source="test"
    )
    logs = [motor_side(arm, s) for s in (1, 2)]
    fit = fit_robot(
        unknown, logs, filter_hz=10.0, friction=("coulomb", "viscous"), elastic=True, delay=False
    )
    assert error(arm, fit) < 3e-3
    assert fit["coulomb1"].value == pytest.approx(2.0, rel=0.02)


def test_what_must_be_known_is_asked_for(arm):
    bare = jw.load_robot("two_link").replace(
        {f"joints.{j.name}.drive.rotor_inertia": jw.UNKNOWN for j in arm.joints}, source="test"
    )
    logs = [log(arm, LAWS, seed=1)]
    with pytest.raises(UnknownNameError, match="compensate"):
        fit_robot(arm, logs, filter_hz=10.0, compensate=("gravity",))
    with pytest.raises(UnknownValueError, match="rotor_inertia"):
        fit_robot(bare, logs, filter_hz=10.0, compensate=("rotors",))
    with pytest.raises(UnknownValueError, match="rotor_inertia"):
        fit_robot(bare, logs, filter_hz=10.0, elastic=True)
    coupled = arm.replace({"coupling": ((1.0, 0.0), (0.5, 1.0))}, source="test")
    with pytest.raises(ParameterError, match="elastic"):
        fit_robot(coupled, logs, filter_hz=10.0, elastic=True)


def test_the_command_line_fits_both_ways(arm, tmp_path):
    robot, rec = str(tmp_path / "arm.toml"), str(tmp_path / "log.parquet")
    arm.save(robot)
    motor_side(arm, 1).save(rec)
    for option in (["--elastic"], ["--compensate", "rotors,friction"]):
        out = str(tmp_path / "arm.fit.toml")
        given = ["--robot", robot, "--filter-hz", "10", "--friction", "coulomb,viscous"]
        result = CliRunner().invoke(
            app, ["fit", "robot", rec, *given, *option, "-o", out, "--json"]
        )
        assert result.exit_code == 0, result.output
        names = [p["name"] for p in json.loads(result.stdout)["parameters"]]
        assert "coulomb1" in names
        assert "J2" not in names
        result = CliRunner().invoke(app, ["validate", out, rec, "--json"])
        assert result.exit_code == 0, result.output
