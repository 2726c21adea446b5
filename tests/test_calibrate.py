"""A calibration keeps every stage, goes on where it was cut off, and never loses a good result to a failed one."""

import json
import shutil
import threading

import pytest
from typer.testing import CliRunner

import jointwise as jw
from jointwise.cli.main import app
from jointwise.errors import NumericalError
from jointwise.experiments.calibrate import chain, stages
from jointwise.experiments.calibrate.folder import Folder
from jointwise.experiments.calibrate.rig import Bench
from jointwise.experiments.joint import damping, velocity
from jointwise.laws.transmissions import Transmission
from jointwise.report.calibration import write_calibration

ORDER = ("stiffness", "damping")
"""Two of the nine experiments, so that the suite stays quick; their order matters: damping needs the stiffness."""
JOINT = "wrist_2"


def _none(bench, robot):
    raise NumericalError("the simulation did not come to an end")


def shorten(patch):
    """Two experiments on one joint, and an excitation that cannot be simulated."""
    patch.setattr(stages, "ORDER", ORDER)
    patch.setattr(chain, "ORDER", ORDER)
    patch.setattr(chain, "_excited", _none)


@pytest.fixture(autouse=True)
def short(monkeypatch):
    shorten(monkeypatch)


def calibrated(folder, seed=1):
    done = chain.calibrate("ur5e", folder, seed=seed, joints=[JOINT])
    return done, {stage.name: stage for stage in done.stages}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder after a first run."""
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch)
        folder = tmp_path_factory.mktemp("calibration")
        return folder, *calibrated(folder)


@pytest.fixture
def copy(finished, tmp_path):
    """A copy of that folder, to spoil."""
    return shutil.copytree(finished[0], tmp_path / "copy")


def no_runs(monkeypatch):
    def fail(*_, **__):
        raise AssertionError("a recording was made again")

    for name in ("run", "loaded", "released"):
        monkeypatch.setattr(Bench, name, fail)


def test_every_stage_says_what_became_of_it_and_leaves_its_files(finished):
    folder, done, by_name = finished
    assert by_name[f"{JOINT}-stiffness"].status == stages.DONE
    assert by_name[f"{JOINT}-damping"].status == stages.DONE
    assert by_name["robot"].status == stages.FAILED
    assert "did not come to an end" in by_name["robot"].message
    for name in (f"{JOINT}-stiffness", f"{JOINT}-damping"):
        assert (folder / f"{name}.fit.toml").exists()
        assert (folder / "recordings" / f"{name}.parquet").exists()
    assert json.loads((folder / "calibration.json").read_text()) == {
        "robot": "ur5e", "on": "twin", "seed": 1,
    }  # fmt: skip
    assert [stage.name for stage in done.failed] == ["robot"]
    # There was no robot file before: part of a result is better than none.
    assert done.written
    known = Transmission.from_law(jw.load_robot(folder / "robot.toml").joint(JOINT).transmission)
    plant = jw.random_arm("ur5e", seed=1).joints[4]
    assert known.stiffness.stiffness_1 == pytest.approx(
        plant.transmission.stiffness.stiffness_1, rel=0.03
    )


def test_a_second_run_makes_nothing_again(copy, finished, monkeypatch):
    no_runs(monkeypatch)
    done, by_name = calibrated(copy)
    assert by_name[f"{JOINT}-stiffness"].status == stages.KEPT
    assert by_name[f"{JOINT}-damping"].status == stages.KEPT
    before = finished[1].robot.joint(JOINT)
    assert done.robot.joint(JOINT) == before


def test_a_run_that_was_cut_off_is_gone_on_with(copy, finished, monkeypatch):
    (copy / f"{JOINT}-damping.fit.toml").unlink()
    recording = copy / "recordings" / f"{JOINT}-damping.parquet"
    recording.write_bytes(recording.read_bytes()[:1000])
    done, by_name = calibrated(copy)
    assert by_name[f"{JOINT}-stiffness"].status == stages.KEPT
    assert by_name[f"{JOINT}-damping"].status == stages.DONE
    assert done.robot.joint(JOINT) == finished[1].robot.joint(JOINT)


def test_what_follows_a_stage_done_again_is_done_again_from_the_same_recordings(copy, monkeypatch):
    no_runs(monkeypatch)
    target = copy / f"{JOINT}-stiffness.fit.toml"
    target.write_text(target.read_text()[:500])
    _, by_name = calibrated(copy)
    assert by_name[f"{JOINT}-stiffness"].status == stages.DONE
    assert by_name[f"{JOINT}-damping"].status == stages.DONE


def test_a_fit_that_stands_on_an_older_one_is_not_kept(copy, monkeypatch):
    """Cut off between two stages: the second is still there, from before the first was done again."""
    no_runs(monkeypatch)
    calibrated(copy)
    target = copy / f"{JOINT}-stiffness.fit.toml"
    target.write_bytes(target.read_bytes())
    _, by_name = calibrated(copy)
    assert by_name[f"{JOINT}-stiffness"].status == stages.KEPT
    assert by_name[f"{JOINT}-damping"].status == stages.DONE


def test_a_failed_stage_writes_nothing_over_a_good_result(copy, monkeypatch):
    kept = copy / f"{JOINT}-damping.fit.toml"
    robot = copy / "robot.toml"
    before = kept.read_text(), robot.read_text()
    (copy / f"{JOINT}-stiffness.fit.toml").unlink()  # so that damping is done again

    def fail(*_, **__):
        raise jw.ParameterError("swing", "none", "one")

    monkeypatch.setattr(damping, "_decays", fail)
    done, by_name = calibrated(copy)
    assert by_name[f"{JOINT}-damping"].status == stages.FAILED
    assert not done.written
    assert (kept.read_text(), robot.read_text()) == before


def test_an_interruption_lets_no_other_stage_begin(tmp_path, monkeypatch):
    """Two joints side by side: while one is interrupted, the other is in its first stage and must end after it."""
    stop, begun = threading.Event(), []

    def loaded(_, motion, joint, number):
        if joint == 4:
            raise KeyboardInterrupt
        stop.wait(60.0)
        raise NumericalError("broken off")

    monkeypatch.setattr(chain, "Event", lambda: stop)
    monkeypatch.setattr(Bench, "loaded", loaded)
    monkeypatch.setattr(Bench, "released", lambda _, joint, number: begun.append(joint))
    with pytest.raises(KeyboardInterrupt):
        chain.calibrate("ur5e", tmp_path, joints=[5, 6])
    assert stop.is_set()
    assert begun == []


def test_a_motion_is_broken_off_once_the_calibration_is_stopped(tmp_path):
    stop = threading.Event()
    folder = Folder(path=tmp_path, about={"robot": "ur5e"})
    folder.open()
    robot = jw.load_robot("ur5e")
    bench = Bench(plant=jw.random_arm("ur5e", seed=1))
    joint = stages.JointChain(bench=bench, folder=folder, place=5, robot=robot, stop=stop)
    motion = velocity.plan(robot, JOINT, speeds=(0.5,))
    stop.set()
    with pytest.raises(stages.Stopped):
        joint._run(motion, 1, 25.0)()
    with pytest.raises(stages.Stopped):
        joint.run(lambda result: None)
    assert not list((tmp_path / "recordings").iterdir())


def test_a_folder_of_another_arm_is_refused(copy):
    with pytest.raises(jw.ParameterError, match="name another folder"):
        calibrated(copy, seed=2)
    (copy / "calibration.json").write_text("{")
    with pytest.raises(jw.JointwiseError, match="JSON"):
        calibrated(copy)


def test_the_page_shows_every_stage_and_its_figure(copy, monkeypatch):
    no_runs(monkeypatch)
    done, _ = calibrated(copy)
    page = write_calibration(copy, done).read_text()
    assert page.count("<svg") == len(ORDER)
    assert "did not come to an end" in page
    assert "nan" not in page.lower().replace("nanometre", "")
    assert "http" not in page.replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_calibrate_from_the_command_line(copy):
    result = CliRunner().invoke(
        app, ["calibrate", "--robot", "ur5e", "--seed", "1", "--joint", "5", "-o", str(copy), "--json"]
    )  # fmt: skip
    assert result.exit_code == 1  # the links failed
    shown = json.loads(result.stdout)
    assert [s["stage"] for s in shown["stages"]] == [
        f"{JOINT}-stiffness",
        f"{JOINT}-damping",
        "robot",
    ]
    assert [s["status"] for s in shown["stages"]] == ["kept", "kept", "failed"]
    assert shown["unseen_nrmse_percent"] is None
    wrong = CliRunner().invoke(app, ["calibrate", "--robot", "ur99", "-o", str(copy / "x")])
    assert wrong.exit_code == 2
    assert "ur5e" in wrong.stderr
