"""Foreign logs: whatever their form, the numbers that come out are SI, on the output side, and all there."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jointwise as jw
from import_cases import (
    COUPLED,
    PLAIN,
    RATIOS,
    SLIDE,
    column_map,
    imported,
    numbers,
    quantity,
    text,
    two_joints,
    write,
)
from jointwise.recording.columns import KINDS
from jointwise.recording.import_map import SIDE_MUST_BE_STATED
from jointwise.recording.import_map_file import list_column_maps, load_column_map
from jointwise.recording.import_recording import import_recording

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "blank": " "}


def assert_holds(recording, values):
    np.testing.assert_array_equal(recording.time, values[:, 0])
    np.testing.assert_array_equal(recording["q"], values[:, 1:3])
    np.testing.assert_array_equal(recording["motor_torque"], values[:, 3:5])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n", "\n\n"], ids=repr)
@pytest.mark.parametrize("header", ["", "t|a|b|c|d", '"t"|"a"|"b"|"c"|"d"'])
@pytest.mark.parametrize("delimiter", DELIMITERS.values(), ids=DELIMITERS)
def test_any_delimiter_header_and_line_end_gives_the_same_numbers(tmp_path, delimiter, header, end):
    values = numbers()
    content = text(values, delimiter, header.replace("|", delimiter), end)
    assert_holds(imported(write(tmp_path / "log.csv", content), two_joints()), values)
    assert_holds(imported(write(tmp_path / "log.txt", content.rstrip()), two_joints()), values)
    if header:
        named = column_map(time="t", q=quantity(["b", "a"], "rad"))
        recording = imported(tmp_path / "log.csv", named)
        np.testing.assert_array_equal(recording["q"], values[:, [2, 1]])


def test_uneven_blanks_are_one_delimiter(tmp_path):
    values = numbers()
    rows = ["  " + "   ".join(f"{v!r:>24}" for v in row.tolist()) + " \t " for row in values]
    assert_holds(imported(write(tmp_path / "log.dat", "\n".join(rows)), two_joints()), values)


def test_a_decimal_comma_is_read_where_it_is_stated(tmp_path):
    values = numbers()
    path = write(tmp_path / "log.csv", text(values, ";", decimal=","))
    assert_holds(imported(path, two_joints(decimal="comma")), values)
    with pytest.raises(jw.FileError, match="line 1, column 2"):
        imported(path, two_joints(header=False))


def test_lines_before_the_table_are_skipped_and_a_byte_order_mark_is_no_text(tmp_path):
    values = numbers()
    content = "\ufeffRobot: x\nSerial, 17\n\n" + text(values, header="t,a,b,c,d")
    assert_holds(imported(write(tmp_path / "log.csv", content), two_joints(skip_rows=3)), values)


def test_columns_are_found_by_name_in_any_order_with_text_beside_them(tmp_path):
    values = numbers()
    rows = [
        f'{row[3]!r},"mode, auto",{row[2]!r},{row[0]!r},x,{row[1]!r},{row[4]!r}'
        for row in values.tolist()
    ]
    path = write(tmp_path / "log.csv", 'tau1,mode,"q [2]",t,note,q1,tau2\n' + "\n".join(rows))
    chosen = column_map(
        time="t",
        q=quantity(["q1", "q [2]"], "rad"),
        motor_torque=quantity("tau{1..}", "N m", side="output"),
    )
    assert_holds(imported(path, chosen), values)


def test_special_numbers_stay_and_empty_cells_are_missing_not_zero(tmp_path):
    path = write(tmp_path / "log.csv", "0,nan,-inf,1e98,253\n0.1,,2,-0.0,5e-324\n")
    recording = imported(path, two_joints())
    np.testing.assert_array_equal(recording["q"], [[np.nan, -np.inf], [np.nan, 2.0]])
    np.testing.assert_array_equal(recording["motor_torque"], [[1e98, 253.0], [0.0, 5e-324]])
    assert recording.notes["empty_cells"] == 1


def test_a_stated_rate_stands_in_for_a_clock(tmp_path):
    from jointwise.recording.import_map import Clock, ColumnMap

    path = write(tmp_path / "log.csv", text(numbers()))
    chosen = ColumnMap(
        name="x", time=Clock(rate_hz=250.0), quantities={"q": quantity("2-3", "rad")}
    )
    recording = imported(path, chosen)
    np.testing.assert_allclose(recording.time, np.arange(6) / 250.0, rtol=1e-15)
    assert recording.rate_hz == pytest.approx(250.0)


@pytest.mark.parametrize(
    ("kind", "unit", "factor", "shift"),
    [
        ("q", "deg", np.pi / 180, 0.0),
        ("q", "turn", 2 * np.pi, 0.0),
        ("q", "mrad", 1e-3, 0.0),
        ("dq", "rpm", 2 * np.pi / 60, 0.0),
        ("dq", "deg/s", np.pi / 180, 0.0),
        ("ddq", "deg/s^2", np.pi / 180, 0.0),
        ("current", "mA", 1e-3, 0.0),
        ("joint_torque", "mN m", 1e-3, 0.0),
        ("joint_torque", "kN m", 1e3, 0.0),
        ("temperature", "K", 1.0, -273.15),
        ("temperature", "SI", 1.0, 0.0),
        ("motor_signal", "raw", 1.0, 0.0),
    ],
)
def test_units_become_si(tmp_path, kind, unit, factor, shift):
    values = numbers()
    path = write(tmp_path / "log.csv", text(values))
    recording = imported(path, column_map(**{kind: quantity("2-3", unit)}))
    np.testing.assert_allclose(recording[kind], values[:, 1:3] * factor + shift, rtol=1e-14)


@pytest.mark.parametrize(("unit", "factor"), [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)])
def test_time_becomes_seconds(tmp_path, unit, factor):
    values = numbers()
    path = write(tmp_path / "log.csv", text(values))
    recording = imported(path, column_map(time_unit=unit, q=quantity("2-3", "rad")))
    np.testing.assert_allclose(recording.time, values[:, 0] * factor, rtol=1e-15)


def test_sliding_joints_take_lengths_and_forces(tmp_path):
    values = numbers()
    path = write(tmp_path / "log.csv", text(values))
    chosen = column_map(
        q=quantity(2, "mm"), motor_torque=quantity(4, "kN", side="output"), dq=quantity(3, "m/s")
    )
    recording = imported(path, chosen, SLIDE)
    np.testing.assert_allclose(recording["q"], values[:, [1]] * 1e-3, rtol=1e-15)
    np.testing.assert_allclose(recording["motor_torque"], values[:, [3]] * 1e3, rtol=1e-15)
    with pytest.raises(jw.ParameterError, match="joint slide is prismatic"):
        imported(path, column_map(q=quantity(2, "deg")), SLIDE)
    with pytest.raises(jw.ParameterError, match="joint j0 is revolute"):
        imported(path, column_map(q=quantity("2-3", "mm")))


def test_sign_factor_and_offset_apply_to_each_joint(tmp_path):
    values = numbers()
    path = write(tmp_path / "log.csv", text(values))
    chosen = column_map(
        q=quantity("2-3", "deg", sign=(-1, 1), factor=(2.0, 3.0), offset=(0.5, -1.0))
    )
    expected = np.deg2rad(values[:, 1:3]) * [-2.0, 3.0] + [0.5, -1.0]
    np.testing.assert_allclose(imported(path, chosen)["q"], expected, rtol=1e-14)


@pytest.mark.parametrize("robot", [PLAIN, COUPLED], ids=["plain", "coupled"])
def test_motor_side_power_is_output_side_power(tmp_path, robot):
    """Reflection keeps power: tau_m . dtheta_m = tau . dq, whatever ratios, signs and coupling; spec 01.3."""
    values = numbers()
    path = write(tmp_path / "log.csv", text(values))
    chosen = column_map(
        dtheta=quantity("2-3", "rad/s", side="motor"),
        motor_torque=quantity("4-5", "N m", side="motor"),
        dq=quantity("2-3", "rad/s", side="motor"),
        joint_torque=quantity("4-5", "N m", side="motor"),
    )
    recording = imported(path, chosen, robot)
    power = np.sum(values[:, 1:3] * values[:, 3:5], axis=1)
    for speed, torque in (("dtheta", "motor_torque"), ("dq", "joint_torque")):
        reflected = np.sum(recording[speed] * recording[torque], axis=1)
        np.testing.assert_allclose(reflected, power, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(recording["dtheta"], values[:, 1:3] / RATIOS, rtol=1e-15)
    turned = recording["dq"] @ robot.coupling_matrix().T
    np.testing.assert_allclose(turned, recording["dtheta"], rtol=1e-12)


def test_a_missing_motor_leaves_the_joints_it_does_not_turn(tmp_path):
    """Motor 1 turns with joints 0 and 1: joint 0 is known without it, torque of joint 1 is known without motor 0."""
    path = write(tmp_path / "log.csv", "0,100,,,1\n0.1,200,inf,inf,1\n")
    chosen = column_map(
        q=quantity("2-3", "rad", side="motor"), joint_torque=quantity("4-5", "N m", side="motor")
    )
    recording = imported(path, chosen, COUPLED)
    assert recording["q"][:, 0].tolist() == [1.0, 2.0]
    assert not np.isfinite(recording["q"][:, 1]).any()
    assert recording["joint_torque"][:, 1].tolist() == [-50.0, -50.0]
    assert not np.isfinite(recording["joint_torque"][:, 0]).any()


def test_an_offset_is_added_last_on_the_output_side(tmp_path):
    values = numbers()
    path = write(tmp_path / "log.csv", text(values))
    chosen = column_map(theta=quantity("2-3", "deg", side="motor", offset=(0.0, 0.7)))
    expected = np.deg2rad(values[:, 1:3]) / RATIOS + [0.0, 0.7]
    np.testing.assert_allclose(imported(path, chosen)["theta"], expected, rtol=1e-13)


def test_a_motor_side_without_gear_ratio_is_refused(tmp_path):
    path = write(tmp_path / "log.csv", text(numbers()))
    chosen = column_map(theta=quantity(2, "rad", side="motor"))
    with pytest.raises(jw.UnknownValueError, match=r"gear_ratio"):
        imported(path, column_map(theta=quantity(2, "m", side="motor")), SLIDE)
    with pytest.raises(jw.FileError, match="1 columns"):
        imported(path, chosen)


def test_joints_that_were_not_measured_are_missing(tmp_path):
    values = numbers()
    path = write(tmp_path / "log.csv", text(values, header="t,q_1,q_2,a,b"))
    recording = imported(path, column_map(time="t", q=quantity("q_{1..}", "rad", joints=(2,))))
    assert np.isnan(recording["q"][:, 0]).all()
    np.testing.assert_array_equal(recording["q"][:, 1], values[:, 2])
    with pytest.raises(jw.ParameterError, match="from 1 to 2"):
        imported(path, column_map(time="t", q=quantity("2-3", "rad", joints=(2, 3))))


def test_optional_columns_may_be_absent_but_not_in_part(tmp_path):
    path = write(tmp_path / "log.csv", text(numbers(), header="t,q_0,q_1,i_0,x"))
    chosen = {
        "q": quantity("q_{0..}", "rad", optional=True),
        "temperature": quantity("temp_{0..}", "degC", optional=True),
    }
    assert set(imported(path, column_map(time="t", **chosen)).columns) == {"q"}
    chosen["current"] = quantity("i_{0..}", "A", optional=True)
    with pytest.raises(jw.FileError, match=r"columns\.current: needs i_1"):
        imported(path, column_map(time="t", **chosen))


def test_files_of_one_recording_are_told_apart_by_their_names(tmp_path):
    values = numbers()
    header = "t,one,two"
    positions = write(tmp_path / "pos_07.csv", text(values[:, [0, 1, 2]], header=header))
    torques = write(tmp_path / "tau_07.csv", text(values[:, [0, 3, 4]], header=header))
    from jointwise.recording.import_map import Clock, ColumnMap
    from jointwise.recording.import_selection import parse_selection

    chosen = ColumnMap(
        name="two files",
        files={"a": "pos*.csv", "b": "tau*.csv"},
        time=Clock(column=parse_selection("t", "t"), unit="s", file="a"),
        quantities={
            "q": quantity("2-3", "rad", file="a"),
            "motor_torque": quantity("2-3", "N m", side="output", file="b"),
        },
    )
    for order in ([positions, torques], [torques, positions]):
        assert_holds(imported(order, chosen), values)
    with pytest.raises(jw.ParameterError, match="exactly one file named like"):
        imported([positions], chosen)
    with pytest.raises(jw.ParameterError, match=r"other\.csv"):
        imported([positions, torques, write(tmp_path / "other.csv", "1")], chosen)
    write(torques, text(values[:-1, [0, 3, 4]], header=header))
    with pytest.raises(
        jw.FileError, match=r"different numbers of rows: pos_07.csv 6, tau_07.csv 5"
    ):
        imported([positions, torques], chosen)


def test_where_a_recording_came_from_is_kept_with_it(tmp_path):
    import hashlib

    content = text(numbers())
    path = write(tmp_path / "log.csv", content)
    recording = imported(path, two_joints())
    digest = hashlib.sha256(content.encode()).hexdigest()
    expected = {"name": "log.csv", "bytes": len(content), "sha256": digest}
    assert recording.notes["files"] == [expected]
    recording.save(tmp_path / "log.parquet")
    loaded = jw.load_recording(tmp_path / "log.parquet")
    assert loaded.notes == recording.notes
    assert_holds(loaded, numbers())


def test_the_named_maps_are_these_and_cover_every_kind():
    assert list_column_maps() == ("jointwise", "ur-record", "ur-rtde")
    assert set(load_column_map("jointwise").quantities) == set(KINDS)
    record, rtde = (load_column_map(name).quantities for name in ("ur-record", "ur-rtde"))
    assert record == rtde
    assert str(record["model_torque"].columns) == "target_moment_{0..}"


# Names and order as the two programs write them: RTDE fields, one column per joint from _0.
UR_FIELDS = {
    "target_q": "q_ref", "target_qd": "dq_ref", "target_qdd": "ddq_ref", "actual_q": "q",
    "actual_qd": "dq", "target_current": "current_ref", "actual_current": "current",
    "target_moment": "model_torque", "actual_current_as_torque": "compensated_torque",
    "joint_temperatures": "temperature",
}  # fmt: skip


@pytest.mark.parametrize(("name", "delimiter"), [("ur-record", " "), ("ur-rtde", ",")])
def test_logs_of_universal_robots_are_imported_by_name(tmp_path, name, delimiter):
    fields = [f"{field}_{j}" for field in UR_FIELDS for j in range(6)]
    header = ["timestamp", *fields, "speed_scaling", "runtime_state"]
    values = numbers(4, len(header))
    path = write(tmp_path / "robot_data.csv", text(values, delimiter, delimiter.join(header)))
    recording = import_recording(path, robot="ur5e", columns=name)
    assert set(recording.columns) == set(UR_FIELDS.values())
    for k, kind in enumerate(UR_FIELDS.values()):
        np.testing.assert_array_equal(recording[kind], values[:, 1 + 6 * k : 7 + 6 * k])


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_written_in_any_layout_comes_back(tmp_path_factory, data):
    """Numbers, order of columns, delimiter, unit and sign drawn at random."""
    rows = data.draw(st.integers(1, 8))
    finite = st.floats(-1e6, 1e6, allow_nan=False, allow_subnormal=False)
    values = np.array(
        data.draw(st.lists(st.lists(finite, min_size=5, max_size=5), min_size=rows, max_size=rows))
    )
    order = data.draw(st.permutations(range(5)))
    place = [order.index(k) + 1 for k in range(5)]
    delimiter = data.draw(st.sampled_from(list(DELIMITERS.values())))
    unit, factor = data.draw(st.sampled_from([("rad", 1.0), ("deg", np.pi / 180), ("mrad", 1e-3)]))
    side = data.draw(st.sampled_from(["motor", "output"]))
    sign = data.draw(st.sampled_from([(1, 1), (-1, 1), (-1, -1)]))
    path = tmp_path_factory.mktemp("layout") / "log.csv"
    write(path, text(values[:, order], delimiter, data.draw(st.sampled_from(["", "#"]))))
    if path.read_bytes().startswith(b"#"):
        write(path, text(values[:, order], delimiter, delimiter.join("vwxyz")))
    chosen = column_map(
        time=place[0],
        q=quantity([place[1], place[2]], unit, sign=sign),
        motor_torque=quantity([place[3], place[4]], "N m", side=side),
    )
    recording = imported(path, chosen)
    ratio = np.array(RATIOS) if side == "motor" else 1.0
    np.testing.assert_array_equal(recording.time, values[:, 0])
    np.testing.assert_allclose(recording["q"], values[:, 1:3] * factor * sign, rtol=1e-14)
    np.testing.assert_allclose(recording["motor_torque"], values[:, 3:5] * ratio, rtol=1e-14)


def test_sides_must_be_stated_where_drives_differ():
    for kind in SIDE_MUST_BE_STATED:
        with pytest.raises(jw.ParameterError, match=rf"columns\.{kind}\.side is not stated"):
            column_map(**{kind: quantity("2-3", "SI")})


def test_the_page_of_column_maps_names_everything_a_map_may_say():
    from jointwise.recording import import_map_file, import_table
    from jointwise.recording.import_recording import OTHER_FILES, TEXT_FILES
    from jointwise.recording.import_units import TIME, known_units

    page = (Path(__file__).resolve().parent.parent / "docs" / "column-maps.md").read_text()
    measured = [kind for kind in KINDS if not kind.startswith("true_")]
    rows = [
        f"| `{k}` | {KINDS[k].unit} | {'motor' if KINDS[k].of_motor else 'joint'} |"
        for k in measured
    ]
    assert [row for row in rows if row not in page] == []
    keys = {*import_map_file.TOP, *import_map_file.LAYOUT, *import_map_file.CLOCK}
    named = {
        *keys,
        *import_map_file.QUANTITY,
        *TIME,
        *TEXT_FILES,
        *OTHER_FILES,
        *list_column_maps(),
    }
    named |= {unit for kind in measured for unit in known_units(kind) if unit not in ("SI", "raw")}
    assert [name for name in sorted(named) if f"`{name}`" not in page] == []
    assert f"{import_table.MOST_BYTES >> 30} GiB" in page
    assert import_table.MOST_VALUES == 2**29
    maps = Path(__file__).resolve().parent.parent / "docs" / "column-maps"
    assert [m.name for m in maps.iterdir() if f"(column-maps/{m.name})" not in page] == []
