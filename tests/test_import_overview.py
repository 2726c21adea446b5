"""A log nobody described yet: its columns are listed, a map to fill in is written, and no meaning is guessed."""

import tomllib

import numpy as np
import pytest
from scipy.io import savemat
from typer.testing import CliRunner

import jointwise as jw
from import_cases import numbers, text, write
from jointwise.cli.main import app
from jointwise.recording.import_overview import look_at

HEADER = "Time;Pos_1;Pos_2;State"


def invoke(*arguments):
    return CliRunner().invoke(app, ["import", *map(str, arguments)])


def log_of_a_drive(folder):
    """A title, German numbers, two joints, and a column of words."""
    values = numbers(rows=60, columns=3)
    rows = text(values, delimiter=";", decimal=",").splitlines()
    return write(
        folder / "drive.csv",
        "\n".join(["Trace of 17.05.2024", HEADER, *(r + ";RUN" for r in rows)]),
    ), values


def test_title_delimiter_decimal_and_header_are_found(tmp_path):
    log, values = log_of_a_drive(tmp_path)
    seen = look_at(log)
    assert seen.layout == {
        "header": True, "delimiter": "semicolon", "decimal": "comma", "skip_rows": 1,
    }  # fmt: skip
    assert [c.name for c in seen.columns] == HEADER.split(";")
    assert [c.number for c in seen.columns] == [1, 2, 3, 4]
    assert (seen.columns[1].low, seen.columns[1].high) == (values[:, 1].min(), values[:, 1].max())
    assert [c.rises for c in seen.columns] == [True, False, False, False]
    assert seen.columns[3].remark == "not numbers"
    assert np.isnan(seen.columns[3].low)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", " "])
@pytest.mark.parametrize("header", ["", "t,a,b,c,d"])
def test_any_table_is_listed_as_it_is_written(tmp_path, delimiter, header):
    content = text(numbers(), delimiter, header.replace(",", delimiter))
    seen = look_at(write(tmp_path / "log.csv", content))
    assert len(seen.columns) == 5
    assert seen.layout["header"] is bool(header)
    assert "decimal" not in seen.layout


def test_arrays_and_columns_of_other_files_are_listed(tmp_path):
    q = np.arange(12.0).reshape(6, 2)
    savemat(tmp_path / "log.mat", {"q": q, "note": "text"})
    np.savez(tmp_path / "log.npz", q=q, t=q[:, 0])
    by_name = {c.name: c for c in look_at(tmp_path / "log.mat").columns}
    assert (by_name["q"].remark, by_name["q"].low, by_name["q"].high) == ("6 x 2", 0.0, 11.0)
    assert "not" in by_name["note"].remark
    assert [c.rises for c in look_at(tmp_path / "log.npz").columns] == [False, True]


def test_a_damaged_cell_is_told_and_the_columns_are_listed_all_the_same(tmp_path):
    content = text(numbers(rows=80)) + "0.9,one,2,3,4\n"
    seen = look_at(write(tmp_path / "log.csv", content))
    assert "line 81, column 2" in seen.problem
    assert len(seen.columns) == 5


def test_without_a_map_the_log_is_described_and_the_map_asked_for(tmp_path):
    log, _ = log_of_a_drive(tmp_path)
    result = invoke(log, "--robot", "two_link")
    assert result.exit_code == 2
    for fragment in ("Pos_{1..}", "2-3", "decimal comma", "not numbers", "as time does"):
        assert fragment in result.stdout
    assert result.stderr.count("\n") == 1
    assert "--columns is not stated" in result.stderr
    assert "--template map.toml" in result.stderr


def test_a_template_is_refused_until_it_is_filled_in_and_read_then(tmp_path):
    log, values = log_of_a_drive(tmp_path)
    layout, out = tmp_path / "map.toml", tmp_path / "rec.parquet"
    assert invoke(log, "--robot", "two_link", "--template", layout).exit_code == 0
    rest = (log, "--robot", "two_link", "--columns", layout, "-o", out)
    refused = invoke(*rest)
    assert refused.exit_code == 2
    assert "must be one of s, ms" in refused.stderr

    written = layout.read_text()
    assert "Pos_{1..}" in written
    kept = written.split("[columns.theta]")[0]
    time, q = kept.split("[columns.q]")
    time = time.replace('column = "?"', 'column = "Time"').replace('unit = "?"', 'unit = "s"')
    q = q.replace('columns = "?"', 'columns = "Pos_{1..}"').replace('unit = "?"', 'unit = "deg"')
    layout.write_text(f"{time}[columns.q]{q}")
    result = invoke(*rest)
    assert result.exit_code == 0, result.output
    assert jw.load_recording(out)["q"] == pytest.approx(np.deg2rad(values[:, 1:]))


def test_a_template_that_may_hold_work_is_not_written_over(tmp_path):
    log, _ = log_of_a_drive(tmp_path)
    layout = write(tmp_path / "map.toml", "mine")
    result = invoke(log, "--robot", "two_link", "--template", layout)
    assert (result.exit_code, layout.read_text()) == (2, "mine")
    assert "is there already" in result.stderr


def test_no_name_of_a_file_or_column_breaks_a_template(tmp_path):
    log = write(tmp_path / 'a "b" \\ \x07.csv', 't,"q\x07 1",x\n0,1,2\n1,2,3\n')
    layout = tmp_path / "map.toml"
    assert invoke(log, "--robot", "two_link", "--template", layout).exit_code == 0
    assert tomllib.loads(layout.read_text())["about"] == 'a "b" \\ ?.csv'


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--template", "map.toml"), "--robot is not stated"),
        (("--columns", "ur-record", "--robot", "two_link"), "--out is not stated"),
        (("--columns", "ur-record", "-o", "x.parquet"), "--robot is not stated"),
        (("other.csv",), "number of files is 2"),
    ],
)
def test_what_is_missing_is_named_in_one_line(tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    log_of_a_drive(tmp_path)
    result = invoke("drive.csv", *arguments)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert says in result.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "drive.csv"]
