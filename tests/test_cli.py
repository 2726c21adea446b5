"""Every verb: help with an example, JSON for machines, one clear line for a mistake."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import jointwise as jw
from jointwise.cli.main import app

VERBS = list(get_command(app).commands)
JSON_CALLS = [("robots", "--json"), ("show", "ur5e", "--json")]


def run(*arguments: str):
    return CliRunner().invoke(app, list(arguments))


def test_the_verbs_are_those_the_documentation_names():
    assert set(VERBS) == {
        "robots", "show", "plan", "run", "import", "check", "fit", "validate", "calibrate",
        "report", "demo",
    }  # fmt: skip


def test_help_lists_every_verb():
    shown = run("--help").output
    assert all(verb in shown for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example(verb):
    result = run(verb, "--help")
    assert result.exit_code == 0
    assert f"Example: jointwise {verb}" in result.output


@pytest.mark.parametrize("arguments", JSON_CALLS, ids=" ".join)
def test_json_can_be_parsed_and_is_strict(arguments):
    result = run(*arguments)
    assert result.exit_code == 0
    json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


def test_version():
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"jointwise {jw.__version__}\n")


def test_linear_algebra_has_one_thread_unless_the_user_wants_more(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    CliRunner().invoke(app, ["robots"])
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"
    assert os.environ["OMP_NUM_THREADS"] == os.environ["MKL_NUM_THREADS"] == "1"


def test_robots_lists_the_library():
    assert [robot["name"] for robot in json.loads(run("robots", "--json").stdout)] == list(
        jw.list_robots()
    )
    assert all(name in run("robots").stdout for name in jw.list_robots())


def test_show_writes_a_robot_file_to_be_edited_and_never_over_one(tmp_path):
    place = tmp_path / "arm.toml"
    result = run("show", "ur5e", "-o", str(place), "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["name"] == "ur5e"
    assert jw.load_robot(place).to_dict() == jw.load_robot("ur5e").to_dict()
    place.write_text("work of mine")
    again = run("show", "ur10e", "-o", str(place))
    assert (again.exit_code, place.read_text()) == (2, "work of mine")
    assert "is there already" in again.stderr


def test_show_locks_the_fingers_of_a_urdf(tmp_path):
    (tmp_path / "arm.urdf").write_text(
        "<robot name='arm'><link name='a'/><link name='b'/><link name='c'/>"
        "<joint name='turn' type='continuous'><parent link='a'/><child link='b'/></joint>"
        "<joint name='finger' type='continuous'><parent link='b'/><child link='c'/></joint></robot>"
    )
    place = str(tmp_path / "arm.urdf")
    assert len(json.loads(run("show", place, "--json").stdout)["joints"]) == 2
    locked = run("show", place, "--lock", "finger", "--json")
    assert [j["name"] for j in json.loads(locked.stdout)["joints"]] == ["turn"]
    wrong = run("show", place, "--lock", "fingre")
    assert wrong.exit_code == 2
    assert "did you mean 'finger'" in wrong.stderr


@pytest.mark.parametrize(
    ("call", "near"), [(("plan", "forier"), "fourier"), (("fit", "velocty"), "velocity")]
)
def test_a_misspelt_kind_gets_the_nearest_one(call, near):
    result = run(*call)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert f"did you mean '{near}'" in result.stderr


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (("show", "log.csv"), "ends in none of .toml, .urdf"),
        (("check", "log.csv", "--robot", "ur5e"), "a log becomes a recording by jointwise import"),
        (
            ("import", "log.csv", "--robot", "ur5e", "--columns", "log.csv", "-o", "x.parquet"),
            "is no column map; maps end in .toml",
        ),
    ],
)
def test_a_file_of_another_kind_is_called_by_its_name(call, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_text("0,1,2\n")
    result = run(*call)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert says in result.stderr


@pytest.mark.parametrize("name", jw.list_robots())
def test_every_library_robot_can_be_shown(name):
    as_text, as_json = run("show", name), run("show", name, "--json")
    assert as_text.exit_code == 0, as_text.output
    assert name in as_text.stdout
    shown = json.loads(as_json.stdout)
    assert shown["name"] == name
    assert len(shown["base_parameters"]) == jw.load_robot(name).base_parameters().count


def test_show_lists_what_base_parameters_collect():
    options = ("--rotors", "--friction", "viscous", "--friction", "coulomb", "--method", "analytic")
    base = jw.load_robot("ur5e").base_parameters(
        rotors=True, friction=("viscous", "coulomb"), method="analytic"
    )
    assert run("show", "ur5e", "--groupings", *options).stdout == f"{base}\n"
    assert "52 base parameters;" in run("show", "ur5e", *options).stdout
    shown = json.loads(run("show", "ur5e", "--json", *options).stdout)
    assert [row["name"] for row in shown["base_parameters"]] == list(base.names)
    assert [row["grouping"] for row in shown["base_parameters"]] == list(base.groupings)
    assert shown["without_influence"] == list(base.zero)


@pytest.mark.parametrize(
    ("option", "near"),
    [(("--friction", "viscos"), "viscous"), (("--method", "numerical"), "numeric")],
)
def test_a_misspelt_way_to_base_parameters_is_one_line(option, near):
    result = run("show", "ur5e", *option)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert f"did you mean '{near}'" in result.stderr


def test_show_tells_how_an_arm_is_mounted_loaded_and_coupled(tmp_path):
    arm = jw.load_robot("two_link").replace(
        {
            "gravity": (9.81, 0.0, 0.0),
            "base.origin": (0.0, 0.0, 0.7),
            "flange.origin": (0.5, 0.0, 0.0),
            "tool.origin": (0.0, 0.0, 0.1),
            "tool.rpy": (0.0, 0.3, 0.0),
            "payload.mass": 1.25,
            "payload.center_of_mass": (0.0, 0.0, 0.06),
            "coupling": ((1.0, 0.0), (-0.5, 1.0)),
        },
        source="a test",
    )
    arm.save(tmp_path / "arm.toml")
    shown = " ".join(run("show", str(tmp_path / "arm.toml")).stdout.split())
    for part in (
        "gravity in the base frame (9.81, 0, 0) m/s2",
        "first joint in the base frame: origin (0, 0, 0.7) m",
        "flange in the last link frame: origin (0.5, 0, 0) m, rpy (0, 0, 0) rad",
        "tool in the flange frame: origin (0, 0, 0.1) m, rpy (0, 0.3, 0) rad",
        "payload 1.25 kg, centre (0, 0, 0.06) m in the flange frame",
        "motor of elbow turns by -0.5 shoulder + 1 elbow",
        f"elbow {arm.joint('elbow').transmission.name} {arm.joint('elbow').friction.name}",
    ):
        assert part in shown, part


@pytest.mark.parametrize(
    "call", [("robots", "--json"), ("robots", "--check", "--json"), ("show", "ur5e", "--json")]
)
def test_the_keys_of_json_are_documented(call):
    page = (Path(__file__).parent.parent / "docs" / "json.md").read_text(encoding="utf-8")
    section = page.split(f"## `jointwise {' '.join(call).replace('ur5e', 'ROBOT')}`")[1].split(
        "\n## "
    )[0]
    printed = json.loads(run(*call).stdout)
    rows = printed if isinstance(printed, list) else [printed]
    documented = set(re.findall(r"^\| `(\w+)` \|", section, re.M))
    optional = set(re.findall(r"^\| `(\w+)` \|.*left out where", section, re.M))
    assert all(documented - optional <= set(row) <= documented for row in rows)


def test_what_is_not_known_is_shown_as_unknown():
    assert "unknown" in run("show", "ur5e").stdout


@pytest.mark.parametrize("name", ["ur5ee", "no/such/file.toml", "no/such/file.urdf"])
def test_an_unknown_robot_is_one_line_and_exit_code_2(name):
    result = run("show", name)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert re.fullmatch(r"jointwise: [^\n]+\n", result.stderr)
    assert name in result.stderr


def test_a_misspelt_robot_gets_the_nearest_name():
    assert "did you mean 'ur5e'" in run("show", "ur5ee").stderr


def test_demo_goes_from_plan_to_report_and_tells_where_it_is(demo):
    result, folder = demo
    assert result.exit_code == 0, result.output
    for step in ("plan", "run", "check", "fit", "validate", "report"):
        assert re.search(rf"^\d {step} ", result.stdout, re.M), step
    assert str(folder / "report.html") in result.stdout.replace("\n", "")
    assert {path.name for path in folder.iterdir()} >= {
        "arm.toml", "planned.parquet", "unseen.parquet", "arm.fit.toml", "arm.fit.arrays.parquet",
        "report.html",
    }  # fmt: skip


def test_the_page_of_the_demo_needs_no_network(demo):
    html = (demo[1] / "report.html").read_text(encoding="utf-8")
    assert html.count("<svg") >= 4
    fetched = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^#"'\s>)][^"'\s>)]*)""", html)
    assert fetched == []


def test_demo_into_a_place_that_cannot_be_written_is_one_line(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    result = run("demo", "--out", str(blocked))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "folder that can be written" in result.stderr
    assert blocked.read_text() == "not a folder"


def test_the_package_runs_as_a_module():
    result = subprocess.run(
        [sys.executable, "-m", "jointwise", "--version"], capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (0, f"jointwise {jw.__version__}\n")


def test_an_interrupted_command_says_so_in_one_line(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("jointwise.robot.library.load_robot", interrupted)
    result = run("show", "ur5e")
    assert result.exit_code == 130
    assert re.fullmatch(r"jointwise: interrupted[^\n]*\n", result.stderr)
