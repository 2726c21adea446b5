"""Files of named arrays and Parquet files: what other programs wrote into them comes out."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import savemat

import jointwise as jw
from import_cases import PLAIN, column_map, imported, numbers, quantity, two_joints
from jointwise.recording.columns import KINDS
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot
from jointwise.robot.frames import ModifiedDH
from jointwise.robot.parts import Joint


def matrix_map(**more):
    return column_map(
        time="t",
        q=quantity("q", "rad"),
        motor_torque=quantity("v", "raw", factor="gain", side="output"),
        **more,
    )


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", ["mat", "npz"])
def test_matrices_and_scalars_of_array_files_are_found_by_name(tmp_path, kind, turned):
    values = numbers()
    q = values[:, 1:3].T if turned else values[:, 1:3]
    arrays = {"t": values[:, 0], "q": q, "v": values[:, 3:5], "gain": 2.5, "n": np.arange(3)}
    path = tmp_path / f"log.{kind}"
    if kind == "mat":
        savemat(path, arrays, do_compression=turned)
    else:
        np.savez_compressed(path, **arrays)
    recording = imported(path, matrix_map())
    np.testing.assert_array_equal(recording.time, values[:, 0])
    np.testing.assert_array_equal(recording["q"], values[:, 1:3])
    np.testing.assert_array_equal(recording["motor_torque"], values[:, 3:5] * 2.5)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_matlab_files_hold_what_scipy_wrote_into_them(tmp_path_factory, data):
    """Every class of numbers, compressed or not, plain or inside a struct, in any order of variables."""
    path = tmp_path_factory.mktemp("mat") / "log.mat"
    rows = data.draw(st.integers(4, 40))
    kinds = st.sampled_from(["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
    drawn = np.random.default_rng(data.draw(st.integers(0, 99)))
    t, q = (
        drawn.integers(0, 100, shape).astype(data.draw(kinds)) for shape in ((rows,), (rows, 3))
    )
    variables = {"t": t, "text": "a note", "cells": [1, "x"], "log": {"skip": "x", "q": q}}
    order = data.draw(st.permutations(list(variables)))
    row = data.draw(st.sampled_from(["row", "column"]))
    savemat(
        path,
        {name: variables[name] for name in order},
        do_compression=data.draw(st.booleans()),
        oned_as=row,
    )
    arm = Robot(name="three", joints=(*PLAIN.joints, Joint(name="j3", frame=ModifiedDH())))
    recording = imported(path, column_map(time="t", q=quantity("log.q", "rad")), arm)
    np.testing.assert_array_equal(recording.time, t)
    np.testing.assert_array_equal(recording["q"], q)


def test_structs_and_columns_of_one_variable_are_reached_in_array_files(tmp_path):
    values = numbers()
    path = tmp_path / "log.mat"
    savemat(path, {"data": values, "log": {"t": values[:, 0], "tau": values[:, 3:5].astype("f4")}})
    chosen = column_map(
        time="log.t",
        q=quantity("2-3", "rad", variable="data"),
        motor_torque=quantity("log.tau", "N m", side="output"),
    )
    recording = imported(path, chosen)
    np.testing.assert_array_equal(recording["q"], values[:, 1:3])
    np.testing.assert_allclose(recording["motor_torque"], values[:, 3:5], rtol=1e-6)


def test_foreign_parquet_is_read_by_name_and_by_number(tmp_path):
    values = numbers()
    path = tmp_path / "log.parquet"
    table = {name: pa.array(column) for name, column in zip("tabcd", values.T, strict=True)}
    table["note"] = pa.array(["x"] * len(values))
    table["b"] = pa.array([None, *values[1:, 2]])
    pq.write_table(pa.table(table), path)
    by_name = column_map(time="t", q=quantity(["a", "b"], "rad"))
    recording = imported(path, by_name)
    assert np.isnan(recording["q"][0, 1])
    assert recording.notes["empty_cells"] == 1
    np.testing.assert_array_equal(recording["q"], imported(path, two_joints())["q"])
    with pytest.raises(jw.FileError, match=r"'note': holds string"):
        imported(path, column_map(time="t", q=quantity(["a", "note"], "rad")))


def every_kind(n):
    return Recording(
        robot="plain",
        joint_names=tuple(f"j{k}" for k in range(n)),
        time=0.002 * np.arange(9),
        columns={
            kind: np.random.default_rng(k).normal(size=(9, n)) for k, kind in enumerate(KINDS)
        },
    )


@pytest.mark.parametrize("form", ["parquet", "csv", "npz"])
def test_every_kind_of_column_comes_back_by_the_name_jointwise(tmp_path, form):
    before = every_kind(2)
    before.save(tmp_path / "own.parquet")
    table = pq.read_table(tmp_path / "own.parquet")
    path = tmp_path / f"own.{form}"
    if form == "csv":
        pa.csv.write_csv(table, path)
    elif form == "npz":
        np.savez(path, **{name: table.column(name).to_numpy() for name in table.column_names})
    after = imported(path, "jointwise")
    assert set(after.columns) == set(KINDS)
    for kind in KINDS:
        np.testing.assert_array_equal(after[kind], before[kind])


def test_recordings_written_before_units_named_sliding_joints_are_still_read(tmp_path):
    from jointwise.tables import read_table, write_table

    every_kind(2).save(tmp_path / "new.parquet")
    columns, header = read_table(tmp_path / "new.parquet", "recording")
    header["units"] = {name: unit.split(" [")[0] for name, unit in header["units"].items()}
    write_table(tmp_path / "old.parquet", columns, header)
    assert set(jw.load_recording(tmp_path / "old.parquet").columns) == set(KINDS)
    header["units"]["q"] = "deg"
    write_table(tmp_path / "wrong.parquet", columns, header)
    with pytest.raises(jw.FileError, match="is in deg, expected rad"):
        jw.load_recording(tmp_path / "wrong.parquet")
