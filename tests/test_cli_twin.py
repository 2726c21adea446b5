"""`jointwise plan` and `jointwise run`: files that can be read back, stable JSON, one line for a mistake."""

import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import jointwise as jw
from jointwise.cli.main import app
from jointwise.cli.progress import progress_bar
from jointwise.plant.sensors import Sampling
from jointwise.robot.parts import Law

PLAN_KEYS = [
    "motion", "kind", "robot", "samples", "duration_s", "smoothness", "rest",
    "largest_velocity_rad_s", "largest_acceleration_rad_s2", "assumed", "unbounded", "quality",
    "excesses",
]  # fmt: skip
RUN_KEYS = [
    "recording", "status", "message", "on", "robot", "seed", "samples", "duration_s", "step_s",
    "step_error",
]  # fmt: skip
FAULTS = """
[[faults]]
kind = "frozen_motor_encoder"
joint = 2
start = 0.2
stop = 0.3
"""
BAD_FAULTS = {
    "not TOML": "[[faults",
    "no table of faults": "other = 1",
    "unknown kind": FAULTS.replace("frozen_motor_encoder", "frozen_motor_encodr"),
    "unknown field": FAULTS + "colour = 3",
    "no such joint": FAULTS.replace("joint = 2", "joint = 7"),
    "stops before it starts": FAULTS.replace("stop = 0.3", "stop = 0.1"),
    "a word for a number": FAULTS.replace("stop = 0.3", 'stop = "soon"'),
}


def call(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def refused(result):
    assert result.exit_code == 2, result.output
    assert re.fullmatch(r"jointwise: [^\n]+\n", result.stderr)
    assert result.stdout == ""
    return result.stderr


@pytest.fixture(scope="module")
def motion(tmp_path_factory):
    path = tmp_path_factory.mktemp("plan") / "motion.parquet"
    result = call("plan", "random", "--seed", 1, "--duration", 0.5, "--period", 0.5, "-o", path)
    assert result.exit_code == 0, result.output
    return path


@pytest.fixture(scope="module")
def recording(motion):
    path = motion.parent / "recording.parquet"
    result = call("run", motion, "--robot", "ur5e", "--seed", 3, "-o", path)
    assert result.exit_code == 0, result.output
    assert "completed" in result.stdout
    return path


@pytest.mark.parametrize("verb", ["plan", "run"])
def test_help_has_an_example(verb):
    result = call(verb, "--help")
    assert result.exit_code == 0
    assert f"Example: jointwise {verb}" in result.output


def test_a_planned_motion_is_read_back_and_is_at_rest_at_its_ends(motion):
    read = jw.load_motion(motion)
    assert len(read) == 501
    assert np.abs(read.dq[[0, -1]]).max() < 1e-9
    read.check(jw.load_robot("ur5e"))


def test_the_same_seed_plans_the_same_motion_and_another_one_does_not(motion, tmp_path):
    for seed, same in ((1, True), (2, False)):
        again = tmp_path / f"{seed}.parquet"
        call("plan", "random", "--seed", seed, "--duration", 0.5, "--period", 0.5, "-o", again)
        assert np.array_equal(jw.load_motion(again).q, jw.load_motion(motion).q) is same


def test_plan_prints_stable_json(tmp_path):
    out = tmp_path / "m.parquet"
    result = call("plan", "random", "--duration", 0.5, "--period", 0.5, "-o", out, "--json")
    shown = json.loads(result.stdout)
    assert list(shown) == PLAN_KEYS
    assert shown["motion"] == str(out)
    assert len(shown["largest_velocity_rad_s"]) == 6


def test_a_recording_is_read_back_with_its_units_and_its_story(recording, motion):
    read = jw.load_recording(recording)
    assert read.robot == "ur5e"
    assert len(read) == len(jw.load_motion(motion))
    assert {"q", "theta", "current", "temperature", "q_ref", "true_friction"} <= set(read.columns)
    assert np.abs(read["q"] - read["q_ref"]).max() < 0.2
    assert (read.notes["source"], read.notes["seed"]) == ("twin", 3)


def test_run_prints_stable_json(motion, tmp_path):
    out = tmp_path / "r.parquet"
    result = call("run", motion, "--seed", 3, "-o", out, "--json")
    shown = json.loads(result.stdout)
    assert list(shown) == RUN_KEYS
    assert (shown["status"], shown["on"], shown["recording"]) == ("completed", "twin", str(out))
    assert shown["samples"] == len(jw.load_recording(out))


def test_the_same_seed_records_the_same_and_another_one_does_not(motion, recording, tmp_path):
    first = jw.load_recording(recording)
    for seed, same in ((3, True), (4, False)):
        out = tmp_path / f"{seed}.parquet"
        assert call("run", motion, "--seed", seed, "-o", out).exit_code == 0
        again = jw.load_recording(out)
        assert np.array_equal(again.time, first.time)
        assert all(np.array_equal(again[name], first[name]) for name in first.columns) is same


def test_faults_are_done_and_written_down(motion, tmp_path):
    file, out = tmp_path / "faults.toml", tmp_path / "faulty.parquet"
    file.write_text(FAULTS)
    assert call("run", motion, "--seed", 3, "--faults", file, "-o", out).exit_code == 0
    faulty = jw.load_recording(out)
    held = (faulty.time > 0.2) & (faulty.time < 0.2995)
    assert np.ptp(faulty["theta"][held, 1]) == 0.0
    assert np.ptp(faulty["theta"][held, 0]) > 0.0
    assert faulty.notes["faults"] == ["frozen_motor_encoder joint 2 from 0.2 to 0.3 s"]


@pytest.mark.parametrize("text", BAD_FAULTS.values(), ids=BAD_FAULTS)
def test_a_bad_fault_file_is_refused(text, motion, tmp_path):
    file, out = tmp_path / "faults.toml", tmp_path / "r.parquet"
    file.write_text(text)
    refused(call("run", motion, "--faults", file, "-o", out))
    assert not out.exists()


def test_a_fault_file_that_does_not_exist_is_refused(motion, tmp_path):
    missing = tmp_path / "none.toml"
    line = refused(call("run", motion, "--faults", missing, "-o", tmp_path / "r.parquet"))
    assert "none.toml" in line


AROUND = """
[wall]
normal = [0.0, 0.0, 1.0]
distance = -5.0
[[pushes]]
force = [0.0, 40.0, 0.0]
start = 0.1
rise = 0.1
"""


def test_a_push_in_the_surroundings_moves_the_arm(motion, recording, tmp_path):
    file, out = tmp_path / "around.toml", tmp_path / "pushed.parquet"
    file.write_text(AROUND)
    assert call("run", motion, "--seed", 3, "--surroundings", file, "-o", out).exit_code == 0
    pushed, free = jw.load_recording(out), jw.load_recording(recording)
    off = np.abs(pushed["true_q"] - free["true_q"]).max(axis=1)
    # A wall may ask for a smaller step, so that the runs differ by a step's error before the push.
    assert off[free.time < 0.09].max() < 0.02 * off.max()
    assert off.max() > 1e-4
    assert pushed.notes["wall"] is True
    assert pushed.notes["pushes"] == ["(0.0, 40.0, 0.0) N from 0.1 s"]
    file.write_text(AROUND.replace("distance", "distnce"))
    assert "distnce" in refused(call("run", motion, "--surroundings", file, "-o", out))


def test_every_option_of_a_run_is_the_one_of_the_twin(motion, tmp_path):
    out = tmp_path / "r.parquet"
    options = [
        "--every",
        5,
        "--jitter-s",
        2e-4,
        "--no-link-encoder",
        "--coupled",
        "--method",
        "rk4",
    ]
    result = call("run", motion, "--seed", 3, *options, "--substeps", 9, "-o", out)
    assert result.exit_code == 0, result.output
    arm = replace(jw.random_arm("ur5e", seed=3), inertial_coupling=True).without_link_encoders()
    sampling = Sampling(stride=5, jitter=2e-4)
    twin = jw.Twin(plant=arm, seed=3, sampling=sampling, method="rk4", substeps=9)
    expected = twin.run(jw.load_motion(motion)).recording
    read = jw.load_recording(out)
    assert "q" not in read
    assert set(read.columns) == set(expected.columns)
    assert np.array_equal(read.time, expected.time)
    assert np.array_equal(read["true_q"], expected["true_q"])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--substeps", 1), "fastest"),
        (("--jitter-s", 0.1), "jitter"),
        (("--jitter-s", "nan"), "jitter"),
    ],
)
def test_impossible_numbers_of_a_run_are_refused(options, says, motion, tmp_path):
    out = tmp_path / "r.parquet"
    assert says in refused(call("run", motion, *options, "-o", out))
    assert not out.exists()


def test_a_run_that_diverges_keeps_its_recording_and_says_so(tmp_path):
    """A joint whose friction drives it: motors cannot hold it, whatever the servo."""
    robot = jw.load_robot("pendulum")
    driven = Law(
        name="velocity",
        parameters={"coulomb": 0.0, "breakaway": 0.0, "stribeck_velocity": 1.0,
                    "stribeck_exponent": 1.0, "viscous_1": -400.0, "viscous_2": 0.0, "viscous_3": 0.0},
    )  # fmt: skip
    file, plan, out = (tmp_path / name for name in ("arm.toml", "m.parquet", "r.parquet"))
    wild = robot.replace({"joints.joint.friction": driven}, source="test")
    wild.save(file)
    made = call("plan", "random", "--robot", "pendulum", "--duration", 1, "--period", 1, "-o", plan)
    assert made.exit_code == 0, made.output
    result = call("run", plan, "--robot", file, "-o", out, "--json")
    assert result.exit_code == 1, result.output
    shown = json.loads(result.stdout)
    assert shown["status"] == "diverged"
    assert 0.0 < shown["duration_s"] < 1.0
    assert "diverged after" in shown["message"]
    kept = jw.load_recording(out)
    assert kept.time[-1] == pytest.approx(shown["duration_s"], abs=2e-3)
    assert np.isfinite(kept["true_q"]).all()


def test_an_unknown_robot_is_refused_with_the_nearest_name(motion, tmp_path):
    out = tmp_path / "r.parquet"
    assert "ur5e" in refused(call("run", motion, "--robot", "ur5ee", "-o", out))
    assert "ur5e" in refused(call("plan", "random", "--robot", "ur5ee", "-o", out))
    assert not out.exists()


def test_a_motion_that_does_not_exist_is_refused(tmp_path):
    out = tmp_path / "r.parquet"
    assert "none.parquet" in refused(call("run", tmp_path / "none.parquet", "-o", out))
    assert not out.exists()


def test_a_motion_is_read_by_a_process_that_planned_none(motion):
    """Forms of path are known once their modules are loaded; reading has to load them itself."""
    words = "import sys, jointwise; print(jointwise.load_motion(sys.argv[1]).path.form)"
    done = subprocess.run(
        [sys.executable, "-c", words, str(motion)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "fourier\n"


def test_an_arm_that_states_its_joints_runs_as_it_states_them(tmp_path):
    motion, out = tmp_path / "motion.parquet", tmp_path / "r.parquet"
    plan = ("plan", "random", "--robot", "pendulum", "--duration", 2, "--period", 2, "-o", motion)
    assert call(*plan).exit_code == 0
    assert call("run", motion, "--robot", "pendulum", "-o", out).exit_code == 0
    rec = jw.load_recording(out)
    law = jw.load_robot("pendulum").joint("joint").friction.parameters
    speed = rec["true_dtheta"][:, 0]
    stated = law["coulomb.coulomb"] * np.sign(speed) + law["viscous.viscous"] * speed
    assert np.array_equal(rec["true_q"], rec["q"])  # sensors without errors
    np.testing.assert_allclose(rec["true_friction"][:, 0], stated, atol=1e-12)


@pytest.mark.parametrize("name", ["ur5", "kr300"])
def test_an_arm_that_leaves_its_joints_open_does_not_run(name, motion, tmp_path):
    out = tmp_path / "r.parquet"
    joint = jw.load_robot(name).joints[0].name
    assert f"joints.{joint}.transmission" in refused(
        call("run", motion, "--robot", name, "-o", out)
    )


def test_a_recording_is_no_motion(recording, tmp_path):
    refused(call("run", recording, "-o", tmp_path / "r.parquet"))


def test_a_motion_for_another_robot_is_refused(tmp_path):
    other, out = tmp_path / "other.parquet", tmp_path / "r.parquet"
    made = call(
        "plan", "random", "--robot", "two_link", "--duration", 0.5, "--period", 0.5, "-o", other
    )
    assert made.exit_code == 0, made.output
    assert "joints of the motion" in refused(call("run", other, "--robot", "ur5e", "-o", out))
    assert not out.exists()


@pytest.mark.parametrize("verb", ["plan", "run"])
def test_a_file_that_cannot_be_written_is_one_line(verb, motion, tmp_path):
    blocked = tmp_path / "no" / "such" / "folder.parquet"
    given = ["random", "--duration", 0.5, "--period", 0.5] if verb == "plan" else [motion]
    refused(call(verb, *given, "-o", blocked))


@pytest.mark.parametrize("option", ["--duration", "--period", "--rate-hz", "--share"])
def test_impossible_numbers_of_a_plan_are_refused(option, tmp_path):
    for value in ("-1", "nan", "inf"):
        refused(call("plan", "random", option, value, "-o", tmp_path / "m.parquet"))


def test_progress_is_silent_when_nobody_watches(motion, tmp_path, capsys):
    assert call("run", motion, "-o", tmp_path / "r.parquet").stderr == ""
    with progress_bar("simulating") as report:
        report(1, 2)
    seen = capsys.readouterr()
    assert (seen.out, seen.err) == ("", "")


def test_progress_reaches_the_end_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress_bar("simulating") as report:
        report(2, 2)
    assert capsys.readouterr().out == ""
