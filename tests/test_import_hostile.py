"""Damaged, hostile and mistaken input of the importer: one FileError that names the place, never a wrong number."""

import io
import os
import tomllib
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import savemat

import jointwise as jw
from import_cases import PLAIN, column_map, numbers, quantity, text, two_joints, write
from jointwise.recording import import_table
from jointwise.recording.import_map import Clock, ColumnMap
from jointwise.recording.import_map_file import load_column_map
from jointwise.recording.import_recording import import_recording

ROWS = text(numbers())
LINES = ROWS.splitlines()


def imported(path, columns=None):
    return import_recording(path, robot=PLAIN, columns=columns or two_joints())


def with_line(number, line):
    return "\n".join([*LINES[: number - 1], line, *LINES[number:]]) + "\n"


def message(error):
    text = str(error.value)
    assert "\n" not in text
    assert len(text) < 700
    return text


BAD_TABLES = {
    "text in a number": (with_line(3, "0.02,abc,1,2,3"), ["line 3, column 2", "'abc'"]),
    "a number with a unit": (with_line(3, "0.02,1.5 rad,1,2,3"), ["line 3, column 2", "1.5 rad"]),
    "two points": (with_line(4, "0.03,1.2.3,1,2,3"), ["line 4, column 2", "1.2.3"]),
    "hexadecimal": (with_line(4, "0.03,0x10,1,2,3"), ["line 4, column 2", "0x10"]),
    "an underscore": (with_line(4, "0.03,1_0,1,2,3"), ["line 4, column 2", "1_0"]),
    "true": (with_line(2, "0.01,true,1,2,3"), ["line 2, column 2", "true"]),
    "NA": (with_line(2, "0.01,1,NA,2,3"), ["line 2, column 3", "NA"]),
    "a date": (with_line(2, "2020-01-13,1,1,2,3"), ["line 2, column 1", "2020-01-13"]),
    "a short row": (with_line(5, "0.04,1,2,3"), ["line 5", "has 4 values, expected 5"]),
    "a long row": (with_line(5, "0.04,1,2,3,4,5"), ["line 5", "has 6 values, expected 5"]),
    "a torn last row": (ROWS[:-30], ["line 6", "values, expected 5"]),
    "a second header": (with_line(4, "t,a,b,c,d"), ["line 4, column 1", "'t'"]),
    "a first row that is damaged": (with_line(1, "0.0,x,1,2,3"), ["line 1", "'x'", "header"]),
    "a comment": (with_line(4, "# paused"), ["line 4", "has 1 values"]),
    "a NUL byte": (with_line(3, "0.02,\0,1,2,3"), ["line 3", "NUL"]),
    "NUL bytes at the end": (ROWS + "\0" * 500, ["line 7", "NUL"]),
    "UTF-16": (ROWS.encode("utf-16"), ["UTF-16"]),
    "a gzip file": (b"\x1f\x8b\x08" + b"x" * 50, ["GZIP"]),
    "a spreadsheet": (b"PK\x03\x04" + b"x" * 50, ["ZIP"]),
    "binary": (bytes(range(1, 256)) * 5, ["line"]),
    "nothing": ("", ["is empty"]),
    "blank lines": ("\n \n\t\n", ["no rows"]),
    "a header alone": ("t,a,b,c,d\n", ["header but no rows"]),
    "header and rows of different width": ("t,a,b,c\n" + ROWS, ["line 1", "names 4 columns"]),
    "too few columns": (text(numbers(columns=4)), ["motor_torque", "needs 5", "4 columns"]),
    "one column": ("1\n2\n3\n", ["needs"]),
    "different separators": ("1,2;3,4;5\n1;2,3;4,5\n1 2 3 4 5\n", ["line 1"]),
    "a line without end": ("1,2,3,4,5\n" + "1" * (3 << 20), ["line 2", "longer than"]),
    "a first line without end": ("1," * (1 << 20), ["line 1", "longer than"]),
    "an unclosed quote": (with_line(3, '0.02,"1,1,2,3'), ["line 3"]),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_a_table_that_cannot_be_read_names_the_line_and_the_value(tmp_path, name):
    content, fragments = BAD_TABLES[name]
    with pytest.raises(jw.FileError) as caught:
        imported(write(tmp_path / "log.csv", content))
    said = message(caught)
    assert all(fragment in said for fragment in ["log.csv", *fragments]), said


@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=repr)
def test_line_numbers_are_those_of_an_editor(tmp_path, end):
    lines = ["t,a,b,c,d", "", *LINES[:2], "", "0,0,zero,0,0", *LINES[2:]]
    with pytest.raises(jw.FileError, match=r"line 6, column 3 \(b\): holds 'zero'"):
        imported(write(tmp_path / "log.csv", end.join(lines)))


def test_a_place_far_down_a_long_file_is_found(tmp_path):
    lines = ["0.1 2 3 4 5"] * 50_000
    lines[43_210] = "0.1 2 3 4,5 5"
    with pytest.raises(jw.FileError, match=r"line 43211, column 4: holds '4,5'"):
        imported(write(tmp_path / "log.txt", "\n".join(lines)))


def test_text_in_columns_that_are_not_wanted_does_no_harm(tmp_path):
    path = write(tmp_path / "log.csv", with_line(3, "0.02,1,2,x,y"))
    assert len(imported(path, column_map(q=quantity("2-3", "rad")))) == len(LINES)


def test_a_name_the_header_has_twice_is_refused_only_where_it_is_wanted(tmp_path):
    path = write(tmp_path / "log.csv", "t,a,b,a,b\n" + ROWS)
    with pytest.raises(jw.FileError, match=r"'a' more than once, in columns 2, 4; select them by"):
        imported(path, column_map(time="t", q=quantity(["a", "b"], "rad")))
    assert len(imported(path, column_map(time="t", q=quantity("2-3", "rad")))) == len(LINES)


@pytest.mark.parametrize(
    ("chosen", "fragments"),
    [
        (column_map(time=9, q=quantity("2-3", "rad")), ["time", "needs 9", "5 columns"]),
        (column_map(q=quantity("2-4", "rad")), ["columns.q", "3 columns", "2 joints"]),
        (column_map(q=quantity("q_{0..}", "rad")), ["header", "missing", "q_{0..}"]),
        (column_map(q=quantity("2-3", "rad", variable="x")), ["'x'", "only for .mat"]),
        (column_map(q=quantity("2-3", "rad", factor="gain")), ["'gain'", "cannot be looked up"]),
    ],
)
def test_a_map_that_does_not_fit_the_table_says_what_the_table_has(tmp_path, chosen, fragments):
    with pytest.raises(jw.FileError) as caught:
        imported(write(tmp_path / "log.csv", ROWS), chosen)
    assert all(fragment in message(caught) for fragment in fragments), message(caught)


@pytest.mark.parametrize("name", ["factor", "sign", "offset"])
def test_lists_of_the_wrong_length_are_refused(tmp_path, name):
    path = write(tmp_path / "log.csv", ROWS)
    chosen = column_map(q=quantity("2-3", "rad", **{name: (1.0, 1.0, 1.0)}))
    with pytest.raises(jw.ParameterError, match="2 numbers, one for each joint of plain"):
        imported(path, chosen)
    with pytest.raises(jw.ParameterError, match="2 joints"):
        imported(path, column_map(q=quantity("2-3", ("rad", "rad", "deg"))))


def test_what_is_no_regular_file_of_a_known_type_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    for name in ("pipe.csv", "folder.csv"):
        with pytest.raises(jw.FileError, match="not a regular file"):
            imported(tmp_path / name)
    with pytest.raises(jw.FileError, match="No such file"):
        imported(tmp_path / "absent.csv")
    with pytest.raises(jw.FileError, match="not a usable path"):
        imported("a\0b.csv")
    with pytest.raises(jw.FileError, match=r"ends in none of \.csv"):
        imported(write(tmp_path / "log.xlsx", "1"))
    two = [write(tmp_path / f"{k}.csv", ROWS) for k in "ab"]
    for paths in (two, []):
        with pytest.raises(jw.ParameterError, match="number of files"):
            imported(paths)


def test_files_beyond_the_limits_are_refused_unread(tmp_path, monkeypatch):
    path = write(tmp_path / "log.csv", ROWS)
    table = tmp_path / "log.parquet"
    pq.write_table(pa.table({f"c{k}": np.zeros(1000) for k in range(5)}), table)
    np.savez(tmp_path / "log.npz", t=np.zeros(1000), q=np.zeros((1000, 2)))
    monkeypatch.setattr(import_table, "MOST_VALUES", 1999)
    for name in ("log.parquet", "log.npz"):
        chosen = (
            two_joints() if name == "log.parquet" else column_map(time="t", q=quantity("q", "rad"))
        )
        with pytest.raises(jw.FileError, match="1999"):
            imported(tmp_path / name, chosen)
    monkeypatch.setattr(import_table, "MOST_BYTES", 100)
    with pytest.raises(jw.FileError, match="larger than"):
        imported(path)


Q_BY_NAME = column_map(time="t", q=quantity("q", "rad"))


@pytest.mark.parametrize(
    ("arrays", "fragments"),
    [
        ({"q": np.zeros((5, 2))}, ["time", "needs t", "variables q"]),
        ({"t": np.zeros(5), "q": np.zeros((5, 3))}, ["selects 3 columns", "2 joints"]),
        ({"t": np.zeros(5), "q": np.zeros((4, 2))}, ["different lengths", "q 4", "t 5"]),
        ({"t": np.zeros(2), "q": np.zeros((2, 2))}, ["'q'", "which are the samples"]),
        ({"t": np.zeros(5), "q": np.zeros((5, 2, 2))}, ["'q'", "shape (5, 2, 2)"]),
        ({"t": np.zeros(5), "q": np.zeros((5, 2)) * 1j}, ["'q'", "not real numbers"]),
        ({"t": np.zeros(5), "q": np.full((5, 2), "x")}, ["'q'", "not real numbers"]),
        ({"t": np.zeros(0), "q": np.zeros((0, 2))}, ["shape"]),
    ],
)
@pytest.mark.parametrize("kind", ["mat", "npz"])
def test_arrays_that_cannot_be_columns_are_named(tmp_path, kind, arrays, fragments):
    path = tmp_path / f"log.{kind}"
    savemat(path, arrays) if kind == "mat" else np.savez(path, **arrays)
    with pytest.raises(jw.FileError) as caught:
        imported(path, Q_BY_NAME)
    assert all(fragment in message(caught) for fragment in fragments), message(caught)


def test_objects_in_array_files_are_never_loaded(tmp_path):
    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "exploded"),)

    objects = np.array([Bomb()] * 5, dtype=object)
    np.savez(tmp_path / "log.npz", t=np.zeros(5), q=objects)
    with pytest.raises(jw.FileError, match="pickled objects"):
        imported(tmp_path / "log.npz", Q_BY_NAME)
    assert not (tmp_path / "exploded").exists()
    cells = np.empty((5, 2), dtype=object)
    cells[:] = "x"
    savemat(tmp_path / "log.mat", {"t": np.zeros(5), "q": cells})
    with pytest.raises(jw.FileError, match="'q': holds a cell array"):
        imported(tmp_path / "log.mat", Q_BY_NAME)
    savemat(tmp_path / "log.mat", {"t": np.zeros(5), "log": {"q": np.zeros((5, 2))}})
    with pytest.raises(jw.FileError, match=r"log\.speed.* no field 'speed', only q"):
        imported(tmp_path / "log.mat", column_map(time="t", q=quantity("log.speed", "rad")))


def npz_with_header(path, shape, size):
    """An archive whose array says one shape and holds so many zero bytes."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.npy", head.getvalue() + bytes(size))
        archive.writestr("q.npy", head.getvalue() + bytes(size))


def test_a_zip_bomb_is_not_unpacked(tmp_path, monkeypatch):
    npz_with_header(tmp_path / "big.npz", (1 << 50, 2), 80)
    with pytest.raises(jw.FileError, match="says shape"):
        imported(tmp_path / "big.npz", Q_BY_NAME)
    monkeypatch.setattr(import_table, "MOST_VALUES", 100_000)
    npz_with_header(tmp_path / "bomb.npz", (1_000_000,), 8_000_000)
    assert (tmp_path / "bomb.npz").stat().st_size < 50_000
    with pytest.raises(jw.FileError, match="the most that are read"):
        imported(tmp_path / "bomb.npz", Q_BY_NAME)


def test_new_matlab_files_say_how_to_save_them_instead(tmp_path):
    path = write(tmp_path / "log.mat", b"MATLAB 7.3 MAT-file, Platform: GLNXA64" + b" " * 500)
    with pytest.raises(jw.FileError, match=r"HDF5.* -v7"):
        imported(path, Q_BY_NAME)


def good_files(folder):
    values = numbers(40)
    table = {"t": values[:, 0], "q": values[:, 1:3]}
    savemat(folder / "a.mat", table)
    savemat(folder / "b.mat", table, do_compression=True)
    np.savez(folder / "a.npz", **table)
    np.savez_compressed(folder / "b.npz", **table)
    names = dict(zip(("t", "q_0", "q_1"), values[:, :3].T, strict=True))
    pq.write_table(pa.table(names), folder / "a.parquet", write_page_checksum=True)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return good_files(tmp_path_factory.mktemp("good"))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_binary_files_give_an_error_or_as_many_numbers(whole, tmp_path_factory, data):
    """Bytes changed or cut anywhere: an error of the family, or a recording; no other exception, no crash."""
    name = data.draw(st.sampled_from(sorted(whole)))
    content = bytearray(whole[name])
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    for _ in range(data.draw(st.integers(0, 4))):
        if content:
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("bad") / name
    path.write_bytes(content)
    columns = "q_{0..}" if name.endswith("parquet") else "q"
    try:
        recording = imported(path, column_map(time="t", q=quantity(columns, "rad")))
    except jw.JointwiseError:
        return
    assert recording["q"].shape == (len(recording), 2)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_tables_give_an_error_or_numbers_for_every_row(tmp_path_factory, data):
    """A table is read whole or not at all: rows are never dropped."""
    content = bytearray(ROWS.encode())
    for _ in range(data.draw(st.integers(1, 5))):
        position = data.draw(st.integers(0, len(content) - 1))
        kind = data.draw(st.sampled_from(["change", "delete", "insert"]))
        byte = data.draw(st.sampled_from(b"0123456789.,;-e \t\"'x\0\xff"))
        if kind == "change" and content[position] != 10:
            content[position] = byte
        elif kind == "delete" and content[position] != 10:
            del content[position]
        elif kind == "insert":
            content.insert(position, byte)
    path = tmp_path_factory.mktemp("bad") / "log.csv"
    path.write_bytes(content)
    try:
        recording = imported(path, two_joints(header=False, delimiter="comma"))
    except jw.FileError:
        return
    assert len(recording) == len(LINES)


GOOD_MAP = """
format = "jointwise-columns"
version = 1
[time]
column = 1
unit = "s"
[columns.q]
columns = "2-3"
unit = "rad"
"""

BAD_MAPS = {
    "not TOML": ("format = ", ["not TOML"]),
    "another format": (GOOD_MAP.replace("jointwise-columns", "x"), ["format", "column map"]),
    "another version": (GOOD_MAP.replace("version = 1", "version = 2"), ["column map"]),
    "no time": (GOOD_MAP.replace("[time]", "[clock]"), ["unknown key 'clock'", "column"]),
    "no unit": (GOOD_MAP.replace('unit = "rad"', ""), ["columns.q", "unit is missing"]),
    "an unknown unit": (GOOD_MAP.replace('"rad"', '"radians"'), ["columns.q.unit", "rad, mrad, deg"]),
    "a unit of another kind": (GOOD_MAP.replace('"rad"', '"A"'), ["columns.q.unit", "'A'"]),
    "no unit of time": (GOOD_MAP.replace('unit = "s"', ""), ["time.unit", "s, ms"]),
    "an unknown kind": (GOOD_MAP.replace("columns.q]", "columns.torque]"), ["'torque'", "motor_torque"]),
    "a side of a current": (GOOD_MAP.replace("q]", "current]").replace("rad", "A") + 'side = "motor"',
        ["columns.current.side"]),
    "a side nobody knows": (GOOD_MAP + 'side = "left"', ["columns.q.side", "'motor' or 'output'"]),
    "no side": (GOOD_MAP.replace("q]", "theta]"), ["columns.theta.side", "not stated"]),
    "a raw unit without factor": (GOOD_MAP.replace('"rad"', '"raw"'), ["columns.q.factor", "not stated"]),
    "column zero": (GOOD_MAP.replace("2-3", "0-1"), ["columns.q.columns", "first column is number 1"]),
    "a range that falls": (GOOD_MAP.replace("2-3", "3-2"), ["columns.q.columns", "rise"]),
    "a huge range": (GOOD_MAP.replace("2-3", "2-99999999999"), ["columns.q.columns", "rise"]),
    "a column twice": (GOOD_MAP.replace("2-3", "2,2"), ["columns.q.columns", "once each"]),
    "columns of mixed kind": (GOOD_MAP.replace('"2-3"', '[2, "b"]'), ["columns.q.columns"]),
    "an empty name": (GOOD_MAP.replace("2-3", ""), ["columns.q.columns"]),
    "a sign of two": (GOOD_MAP + "sign = 2", ["columns.q.sign", "1 or -1"]),
    "a factor of zero": (GOOD_MAP + "factor = 0", ["columns.q.factor", "not zero"]),
    "an infinite offset": (GOOD_MAP + "offset = inf", ["columns.q.offset", "finite"]),
    "a text as offset": (GOOD_MAP + 'offset = "x"', ["columns.q.offset", "a number"]),
    "a list of texts as factor": (GOOD_MAP + 'factor = ["x"]', ["columns.q.factor", "a number"]),
    "a misspelt key": (GOOD_MAP + "ofset = 1", ["columns.q", "did you mean 'offset'"]),
    "a delimiter nobody knows": ('delimiter = "|"\n' + GOOD_MAP, ["delimiter", "semicolon"]),
    "a decimal nobody knows": ('decimal = "x"\n' + GOOD_MAP, ["decimal", "point"]),
    "rows to skip below zero": ("skip_rows = -1\n" + GOOD_MAP, ["skip_rows", "0 to 10000"]),
    "a header that may be": ('header = "yes"\n' + GOOD_MAP, ["header", "true or false"]),
    "a file nobody named": (GOOD_MAP + 'file = "a"', ["columns.q.file", "no [files]"]),
    "files without use": (GOOD_MAP + '[files]\na = "x*"', ["file", "one of a"]),
    "a file that is a number": (GOOD_MAP + "[files]\na = 3", ["files.a"]),
    "time by column and rate": (GOOD_MAP.replace('unit = "s"', 'unit = "s"\nrate_hz = 5.0'), ["time.rate_hz"]),
    "a rate of zero": (GOOD_MAP.replace('column = 1\nunit = "s"', "rate_hz = 0.0"), ["time.rate_hz", "above 0"]),
    "joints without number": (GOOD_MAP + 'joints = "x"', ["columns.q.joints"]),
    "optional as text": (GOOD_MAP + 'optional = "no"', ["columns.q.optional"]),
    "no quantities": (GOOD_MAP.split("[columns.q]")[0] + "[columns]", ["columns", "at least one"]),
    "bottomless lists": ("x = " + "[" * 5000, ["not TOML"]),
    "far too long": ("# " + "x" * 300_000, ["bytes"]),
}  # fmt: skip


def test_the_map_that_the_bad_ones_vary_is_good(tmp_path):
    path = write(tmp_path / "map.toml", GOOD_MAP)
    assert len(imported(write(tmp_path / "log.csv", ROWS), path)) == len(LINES)


@pytest.mark.parametrize("name", BAD_MAPS)
def test_a_bad_column_map_is_one_error_that_names_the_entry(tmp_path, name):
    content, fragments = BAD_MAPS[name]
    with pytest.raises(jw.FileError) as caught:
        load_column_map(write(tmp_path / "map.toml", content))
    said = message(caught)
    assert all(fragment in said for fragment in ["map.toml", *fragments]), said


def test_units_have_no_default():
    """Taking any unit or side out of a map that needs it makes the map unusable."""
    kept = tomllib.loads(GOOD_MAP)["columns"]["q"]
    assert set(kept) == {"columns", "unit"}
    with pytest.raises(TypeError, match="unit"):
        quantity("2-3")  # type: ignore[call-arg]
    with pytest.raises(jw.ParameterError, match=r"time\.unit"):
        Clock(column=quantity(1, "s").columns)
    with pytest.raises(jw.ParameterError, match=r"time\.rate_hz"):
        Clock()
    with pytest.raises(jw.UnknownNameError, match="did you mean 'motor_torque'"):
        ColumnMap(name="x", time=Clock(rate_hz=1.0), quantities={"motor_torqe": quantity(1, "N m")})


@pytest.mark.parametrize("given_map", ["ur-recrd", "nowhere.toml", "no/where", None, 5])
def test_a_map_that_is_not_there_says_what_is(tmp_path, given_map):
    path = write(tmp_path / "log.csv", ROWS)
    with pytest.raises(jw.JointwiseError) as caught:
        import_recording(path, robot=PLAIN, columns=given_map)
    if given_map == "ur-recrd":
        assert "did you mean 'ur-record'" in message(caught)
