"""The payload experiment finds what a twin carries, and what the real arm carried."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from jointwise.cli.main import app
from jointwise.errors import ParameterError, UnknownNameError
from jointwise.experiments.fit import load_fit
from jointwise.experiments.payload import fit_payload
from jointwise.experiments.payload_result import centred, slopes
from jointwise.experiments.robot_fit import fit_robot
from jointwise.report.write import write_report
from jointwise.robot.inertia import Body, body_from_parameters
from jointwise.robot.library import load_robot
from plain_twins import excitations, known_drives, plain_arm, record
from real_logs import need_data, ur10e, ur10e_logs

CARRIED = Body(
    mass=3.0,
    center_of_mass=(0.04, -0.03, 0.09),
    inertia=(0.012, 0.001, -0.002, 0.015, 0.0005, 0.01),
)
MODEL = 1e-3  # kg m^2: what the flexible wrist of the twin does to the inertia a rigid model finds
SETTINGS = {"filter_hz": 8.0, "friction": ("coulomb", "viscous", "offset"), "method": "wls"}


@pytest.fixture(scope="module")
def twins():
    """Recordings of a plain arm without and with the payload, and the fit of the arm without it."""
    plant = plain_arm(5)
    robot = known_drives(plant)
    bare = record(plant, excitations(robot, [1, 2], duration=10.0))
    own = plant.robot.payload.parameters() + CARRIED.parameters()
    heavy = plant.robot.replace({"payload": body_from_parameters(own)}, source="test")
    loaded = record(replace(plant, robot=heavy), excitations(robot, [3, 4], duration=10.0), seed=1)
    return fit_robot(robot, bare, **SETTINGS), bare, loaded


def test_mass_centre_and_inertia_of_the_twins_payload_lie_in_their_intervals(twins):
    arm, bare, loaded = twins
    fit = fit_payload(arm, loaded, without=bare)
    truth = centred(CARRIED.parameters())
    for k, (row, true) in enumerate(zip(fit.parameters[:10], truth, strict=True)):
        reach = 3.0 * row.std if k < 4 else 3.0 * row.std + MODEL
        assert abs(row.value - true) < reach, row.name
    assert fit["mass"].value == pytest.approx(3.0, rel=0.01)
    assert np.allclose(fit.robot.payload.center_of_mass, CARRIED.center_of_mass, atol=2e-3)


def test_the_page_of_a_payload_names_its_recordings(twins, tmp_path):
    arm, bare, loaded = twins
    fit = fit_payload(arm, loaded, without=bare)
    page = write_report(tmp_path / "page.html", fit).read_text()
    for used in fit.recordings:
        assert str(used["name"]) in page
    assert "fit of the payload" in page


def test_mass_and_centre_alone_are_found_as_well(twins):
    arm, _, loaded = twins
    fit = fit_payload(arm, loaded, body="point", keep_friction=True)
    assert fit["mass"].value == pytest.approx(3.0, rel=0.01)
    assert fit.names == ("mass", "center_of_mass_x", "center_of_mass_y", "center_of_mass_z")


def test_a_bare_flange_has_no_payload(twins):
    arm, bare, _ = twins
    fit = fit_payload(arm, bare)
    assert abs(fit["mass"].value) < 0.05
    assert fit["mass"].verdict != "identified"


def test_slopes_are_those_of_the_change_to_the_centre():
    gamma = CARRIED.parameters()
    small = 1e-6 * np.random.default_rng(1).standard_normal(10)
    moved = centred(gamma + small) - centred(gamma)
    assert np.allclose(slopes(gamma, True) @ small, moved, atol=1e-9)


def test_the_command_writes_a_fit_whose_robot_carries_the_payload(twins, tmp_path):
    arm, bare, loaded = twins
    arm.save(tmp_path / "arm.toml")
    loaded["motion 1"].save(tmp_path / "loaded.parquet")
    bare["motion 1"].save(tmp_path / "bare.parquet")
    given = ["fit", "payload", "loaded.parquet", "--fit", "arm.toml", "--without", "bare.parquet"]
    words = [str(tmp_path / w) if "." in w else w for w in given]
    out = tmp_path / "payload.toml"
    done = CliRunner().invoke(app, [*words, "-o", str(out), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["experiment"] == "payload"
    assert load_fit(out).robot.payload.mass == pytest.approx(3.0, rel=0.02)


def test_what_is_not_offered_is_refused(twins):
    arm, bare, loaded = twins
    with pytest.raises(UnknownNameError, match="full"):
        fit_payload(arm, loaded, body="sphere")
    with pytest.raises(ParameterError, match="at least one"):
        fit_payload(arm, {})
    payload = fit_payload(arm, bare, body="point")
    with pytest.raises(ParameterError, match="a fit of robot"):
        fit_payload(payload, loaded)


def test_the_real_arm_carried_two_and_a_half_kilograms():
    """ur10e/load_2600: inferred mass about 2.5 kg; the unloaded logs of February 2020 make the arm's model."""
    need_data()
    logs = {p.stem: p for p in ur10e_logs()}
    bare = {name: ur10e(path) for name, path in logs.items() if "20_02_" in name}
    (loaded,) = [path for name, path in logs.items() if "load_2600" in name]
    arm = fit_robot(load_robot("ur10e"), bare, filter_hz=5.0, method="bounded")
    fit = fit_payload(arm, {"load_2600": ur10e(loaded)})
    mass = fit["mass"]
    assert 2.4 < mass.value < 2.65
    assert mass.upper - mass.lower < 0.2
    assert fit.robot.payload.mass == mass.value
