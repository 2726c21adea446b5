"""What the check of a recording says, and that its repairs give back the recording that was damaged."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import damage
import real_logs
from damages import DAMAGES
from jointwise.cli.main import app
from jointwise.errors import UnknownNameError
from jointwise.motion.motion import Motion
from jointwise.plant.population import random_arm
from jointwise.plant.sensors import Sampling
from jointwise.plant.twin import Twin
from jointwise.recording.check import check_recording
from jointwise.recording.check_finding import KINDS, Finding, table_of_kinds
from jointwise.robot.library import load_robot
from jointwise.units import UNKNOWN
from sound_recordings import twin
from wandering import wandering

PAGE = real_logs.Path(__file__).resolve().parent.parent / "docs" / "tutorials" / "check.md"
ARM = load_robot("ur5e")


@pytest.fixture(scope="module")
def recording():
    """Ten seconds of a random UR5e at 250 Hz with both encoders."""
    plant = random_arm("ur5e", seed=9001)
    path = wandering(plant.robot, 9001)
    run = Twin(plant=plant, seed=1, sampling=Sampling(stride=4)).run(path, truth=False)
    return run.recording


def run_of(path: Motion):
    plant = random_arm("ur5e", seed=9002)
    twin_ = Twin(plant=plant, seed=2, sampling=Sampling(stride=4))
    return twin_.run(path, truth=False).recording


def kinds(checked):
    return {f.kind for f in checked.findings}


def done(name):
    return next(d.apply for d in DAMAGES if d.name == name)


def test_a_sound_recording_is_accepted_and_unchanged(recording):
    checked = check_recording(recording, ARM)
    assert checked.verdict == "accepted"
    assert checked.findings == ()
    assert checked.recording is recording
    assert checked.reason == ""


@pytest.mark.parametrize(
    "name",
    [
        "rows_out_of_order",
        "blocks_exchanged",
        "rows_written_twice",
        "joints_in_another_order",
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_what_can_be_put_right_is_put_right_exactly(recording, name, seed):
    damaged, _ = done(name)(recording, np.random.default_rng(seed))
    checked = check_recording(damaged, ARM)
    assert checked.verdict == "repaired"
    assert checked.recording.joint_names == recording.joint_names
    assert np.array_equal(checked.recording.time, recording.time)
    for column, values in recording.columns.items():
        assert np.array_equal(checked.recording[column], values)


@pytest.mark.parametrize("name", ["isolated_nan", "encoder_spikes"])
@pytest.mark.parametrize("seed", range(5))
def test_an_interpolated_reading_is_as_near_as_the_path_is_smooth(recording, name, seed):
    damaged, _ = done(name)(recording, np.random.default_rng(seed))
    checked = check_recording(damaged, ARM)
    assert checked.verdict == "repaired"
    # Linear interpolation over h: h^2 / 8 times the largest acceleration, 40 rad/s2, and twice the noise; two
    # readings may be missing in a row.
    bound = 40.0 * (3 * 0.004) ** 2 / 8.0 + 2e-4
    for column in ("q", "theta"):
        assert np.max(np.abs(checked.recording[column] - recording[column])) < bound


@pytest.mark.parametrize("seed", range(5))
def test_an_unwrapped_encoder_differs_by_a_constant(recording, seed):
    damaged, (joint,) = done("encoder_wraps")(recording, np.random.default_rng(seed))
    checked = check_recording(damaged, ARM)
    assert "wrapped_encoder" in kinds(checked)
    j = recording.joint_names.index(joint)
    for column in ("q", "theta"):
        off = (checked.recording[column] - recording[column])[:, j]
        assert np.ptp(off) < 1e-12


def test_rows_of_garbage_are_dropped_and_only_they(recording):
    damaged, _ = done("garbage_rows")(recording, np.random.default_rng(3))
    checked = check_recording(damaged, ARM)
    kept = np.all(damaged["q"] == recording["q"], axis=1)
    assert checked.verdict == "repaired"
    assert np.array_equal(checked.recording.time, recording.time[kept])
    assert np.array_equal(checked.recording["current"], recording["current"][kept])


def test_a_finding_names_joint_column_rows_value_and_what_to_do(recording):
    damaged, (joint,) = done("encoder_freezes")(recording, np.random.default_rng(4))
    checked = check_recording(damaged, ARM)
    finding = checked.findings[-1]
    column = "q" if np.any(damaged["q"] != recording["q"]) else "theta"
    changed = np.flatnonzero(np.any(damaged[column] != recording[column], axis=1))
    assert (finding.kind, finding.joint, finding.column) == ("frozen_encoder", joint, column)
    assert abs(finding.first - changed[0]) <= 2
    assert abs(finding.last - changed[-1]) <= 2
    assert finding.value > 0.01
    assert "cut the recording" in checked.reason


def test_rows_are_those_of_the_recording_as_given_after_a_repair(recording):
    damaged, _ = done("garbage_at_the_start")(recording, np.random.default_rng(5))
    values = damaged["theta"].copy()
    values[1500:1800, 2] = values[1500, 2]
    damaged = replace(damaged, columns={**damaged.columns, "theta": values})
    finding = check_recording(damaged, ARM).findings[-1]
    assert finding.kind == "frozen_encoder"
    assert abs(finding.first - 1500) <= 2


@pytest.mark.parametrize(("factor", "kind"), [(0.5, "time_unit"), (3.0, "time_unit")])
def test_a_clock_of_another_speed_shows_beside_reported_velocities(recording, factor, kind):
    speed = np.gradient(recording["theta"], recording.time, axis=0)
    columns = {**recording.columns, "dq": speed}
    damaged = replace(recording, time=factor * recording.time, columns=columns)
    assert kind in kinds(check_recording(damaged, ARM))


def still_but(path, joint, share):
    """A motion of which one joint keeps only a share."""
    scale = np.ones(6)
    scale[joint] = share

    def of(values):
        return values * scale

    q = path.q[0] + of(path.q - path.q[0])
    return Motion(
        joint_names=path.joint_names, time=path.time, q=q, dq=of(path.dq), ddq=of(path.ddq),
        smoothness=path.smoothness, notes={},
    )  # fmt: skip


@pytest.mark.parametrize(("share", "kind"), [(0.0, "no_motion"), (0.1, "little_motion")])
def test_a_joint_that_hardly_moves_is_noted_and_the_recording_accepted(share, kind):
    path = wandering(ARM, 5)
    checked = check_recording(run_of(still_but(path, 3, share)), ARM)
    assert checked.verdict == "accepted"
    told = [(f.kind, f.joint) for f in checked.findings if f.kind != "not_checked"]
    assert told == [(kind, "wrist_1")]


def test_one_way_and_one_speed_are_noted():
    time = np.arange(6001) * 1e-3
    ramp = np.clip((time - 0.5) / 0.5, 0.0, 1.0) ** 2 * (
        3.0 - 2.0 * np.clip((time - 0.5) / 0.5, 0, 1)
    )
    dq = np.outer(ramp, np.full(6, 0.2))
    q = np.cumsum(dq, axis=0) * 1e-3 + np.array([0.0, -1.5, 1.0, -1.0, 0.5, 0.0])
    path = Motion(
        joint_names=tuple(j.name for j in ARM.joints), time=time, q=q, dq=dq,
        ddq=np.gradient(dq, time, axis=0), smoothness=1, notes={},
    )  # fmt: skip
    found = check_recording(run_of(path), ARM).findings
    assert {f.joint for f in found if f.kind == "one_direction"} == {j.name for j in ARM.joints}
    assert {f.joint for f in found if f.kind == "one_speed"} == {j.name for j in ARM.joints}


def test_what_the_robot_does_not_know_is_said_to_be_unchecked(recording):
    blank = ARM.replace({"joints.elbow.link.mass": UNKNOWN}, source="nobody weighed it")
    finding = next(f for f in check_recording(recording, blank).findings if f.kind == "not_checked")
    assert finding.outcome == "note"
    assert "elbow" in finding.text


def test_the_log_with_uninitialised_rows_is_repaired():
    real_logs.need_data()
    path = real_logs.DATA / "ur10e" / "ur-19_09_27-11_32_02.csv"
    log = real_logs.ur10e(path)
    checked = check_recording(log, load_robot("ur10e"))
    assert checked.verdict == "repaired"
    assert checked.findings[0].kind == "uninitialised_rows"
    assert len(log) - 40 < len(checked.recording) < len(log)
    assert np.abs(checked.recording["q"]).max() < 2.0 * np.pi
    assert np.abs(checked.recording["current"]).max() < 50.0


def test_a_kind_of_finding_that_does_not_exist_is_refused():
    with pytest.raises(UnknownNameError, match="frozen_encoder"):
        Finding(kind="frozen_encodr", outcome="note", text="")


def test_every_kind_of_finding_can_be_made_or_is_a_note_of_the_robot():
    from pathlib import Path

    room = Path(damage.__file__).resolve().parent.parent / "src" / "jointwise" / "recording"
    text = "".join(
        p.read_text()
        for p in [*room.glob("check*.py"), *room.glob("repair*.py")]
        if p.name != "check_finding.py"
    )
    assert [kind for kind in KINDS if f'"{kind}"' not in text] == []


def test_the_tutorial_lists_every_kind():
    assert table_of_kinds() in PAGE.read_text(), (
        "write the table anew: jointwise.recording.check_finding.table_of_kinds()"
    )


# ---- command line -----------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_the_command_accepts_repairs_and_refuses(recording, tmp_path):
    short = damage.rows(recording, np.arange(30))
    twice, _ = done("rows_written_twice")(recording, np.random.default_rng(1))
    for name, rec in {"good": recording, "twice": twice, "short": short}.items():
        rec.save(tmp_path / f"{name}.parquet")
    good = run("check", tmp_path / "good.parquet", "--robot", "ur5e")
    assert (good.exit_code, "accepted" in good.output) == (0, True)
    mended = tmp_path / "mended.parquet"
    repaired = run("check", tmp_path / "twice.parquet", "--robot", "ur5e", "-o", mended, "--json")
    assert repaired.exit_code == 0
    assert json.loads(repaired.stdout)["recordings"][0]["verdict"] == "repaired"
    assert run("check", mended, "--robot", "ur5e", "--json").exit_code == 0
    both = [tmp_path / "good.parquet", tmp_path / "short.parquet"]
    refused = run("check", *both, "--robot", "ur5e", "--json")
    assert refused.exit_code == 1
    told = json.loads(refused.stdout)
    assert [r["verdict"] for r in told["recordings"]] == ["accepted", "refused"]
    assert set(told["recordings"][1]["findings"][0]) == {
        "kind", "outcome", "text", "joint", "column", "first", "last", "value", "unit",
    }  # fmt: skip


def test_nothing_is_written_for_a_refused_recording(recording, tmp_path):
    damage.rows(recording, np.arange(30)).save(tmp_path / "short.parquet")
    out = tmp_path / "out.parquet"
    assert run("check", tmp_path / "short.parquet", "--robot", "ur5e", "-o", out).exit_code == 1
    assert not out.exists()


def test_one_output_for_two_recordings_is_a_mistake(recording, tmp_path):
    recording.save(tmp_path / "a.parquet")
    a, out = tmp_path / "a.parquet", tmp_path / "out.parquet"
    result = run("check", a, a, "--robot", "ur5e", "-o", out)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("seed", [9003, 9004])
def test_the_same_recording_gets_the_same_findings(seed):
    one = check_recording(twin(seed), load_robot(twin(seed).robot))
    two = check_recording(twin(seed), load_robot(twin(seed).robot))
    assert one.findings == two.findings
