"""`jointwise import`: what it prints, what it writes, what it refuses."""

import json

import pytest
from typer.testing import CliRunner

import jointwise as jw
from import_cases import numbers, text, write
from jointwise.cli.main import app

MAP = """
format = "jointwise-columns"
version = 1
[time]
column = 1
unit = "s"
[columns.theta]
columns = 2
unit = "deg"
side = "motor"
[columns.temperature]
columns = 3
unit = "degC"
"""


def run(folder, content, *extra):
    write(folder / "map.toml", MAP)
    write(folder / "log.csv", content)
    command = ["import", str(folder / "log.csv"), "--robot", "pendulum"]
    command += ["--columns", str(folder / "map.toml"), "-o", str(folder / "rec.parquet"), *extra]
    return CliRunner().invoke(app, command)


def strict(output):
    return json.loads(output, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


def test_the_summary_for_machines_has_stable_keys_and_counts(tmp_path):
    values = numbers(rows=8)
    values[:, 1] = [0, 18000, 0, 0, 0, 0, 0, -36000]
    result = run(tmp_path, text(values[:, :3]) + "0.08,inf,\n", "--json")
    assert result.exit_code == 0, result.output
    summary = strict(result.stdout)
    assert set(summary) == {
        "recording", "robot", "columns_from", "samples", "duration_s", "rate_hz", "empty_cells", "columns",
    }  # fmt: skip
    assert (summary["samples"], summary["empty_cells"]) == (9, 1)
    assert summary["rate_hz"] == pytest.approx(100.0)
    theta = summary["columns"]["theta"]
    assert theta["unit"] == "rad [m]"
    assert theta["minimum"] + theta["maximum"] == pytest.approx([-2 * 3.14159265, 3.14159265])
    assert theta["not_finite"] == 1
    assert len(jw.load_recording(tmp_path / "rec.parquet")) == 9


@pytest.mark.parametrize("content", ["0,inf,\n", "nan,1,nan\n", "0,1,2\n"])
def test_logs_without_a_range_or_a_clock_are_still_summed_up(tmp_path, content):
    assert strict(run(tmp_path, content, "--json").stdout)["samples"] == 1
    assert "1 samples of pendulum" in run(tmp_path, content).stdout


def test_the_table_for_people_names_every_column_and_its_unit(tmp_path):
    result = run(tmp_path, text(numbers()[:, :3]))
    assert result.exit_code == 0, result.output
    for fragment in ("theta", "rad [m]", "temperature", "degC", "jointwise check"):
        assert fragment in result.stdout


def test_a_refused_log_is_one_line_and_writes_nothing(tmp_path):
    result = run(tmp_path, "0,1,2\n0.1,one,2\n")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "line 2, column 2: holds 'one', which is not a number" in result.stderr
    assert not (tmp_path / "rec.parquet").exists()


def test_nothing_is_read_for_a_place_that_cannot_be_written(tmp_path):
    result = CliRunner().invoke(
        app,
        ["import", "absent.csv", "--robot", "pendulum", "--columns", "ur-record",
         "-o", str(tmp_path / "no" / "rec.parquet")],
    )  # fmt: skip
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr


def test_the_column_map_has_no_default(tmp_path):
    log = write(tmp_path / "log.csv", "0,1,2\n")
    result = CliRunner().invoke(
        app, ["import", str(log), "--robot", "pendulum", "-o", str(tmp_path / "x.parquet")]
    )
    assert result.exit_code == 2
    assert not (tmp_path / "x.parquet").exists()
    assert "--columns" in result.stderr


def test_known_formats_are_listed_with_what_they_are():
    result = CliRunner().invoke(app, ["import", "--formats"])
    assert result.exit_code == 0
    assert [row.split()[0] for row in result.stdout.splitlines()] == [
        "jointwise",
        "ur-record",
        "ur-rtde",
    ]
