"""The worked column maps on real logs: what the data's authors state comes out, and physics agrees with the signs.

The logs are not part of the project; without them these tests are skipped.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.signal import butter, filtfilt

import jointwise as jw
from jointwise.recording.import_map_file import load_column_map
from jointwise.recording.import_recording import import_recording

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
MAPS = ROOT / "docs" / "column-maps"
WORKED = (
    "emps", "kinova-joint", "kr300", "kr300-two-encoders", "panda", "tx40", "ur10e", "ur10e-19",
    "xmate7", "xmate7-four-files",
)  # fmt: skip

with_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the measured recordings of ../shared/data are absent"
)


def log(folder, pattern, robot, columns):
    paths = sorted((DATA / folder).glob(pattern))
    assert paths, f"no {pattern} in {folder}"
    chosen = MAPS / f"{columns}.toml" if columns in WORKED else columns
    return import_recording(paths, robot=robot, columns=chosen)


def ur10e(name="ur-20_02_12-40sec_12harm.csv"):
    return log("ur10e", name, "ur10e", "ur10e")


def test_every_worked_map_is_listed_and_can_be_loaded():
    assert sorted(path.stem for path in MAPS.glob("*.toml")) == sorted(WORKED)
    for name in WORKED:
        assert load_column_map(MAPS / f"{name}.toml").about


# folder, files, robot, map, samples, rate [Hz], kinds
FACTS = [
    ("ur10e", "ur-20_02_12-40sec_12harm.csv", "ur10e", "ur10e", 4639, 93.8,
     "q dq current current_ref model_torque"),
    ("ur10e", "ur-20_01_13-load_2600.csv", "ur10e", "ur10e", 2825, 93.8,
     "q dq current current_ref model_torque"),
    ("ur10e", "ur-19_09_27-11_28_22.csv", "ur10e", "ur10e-19", 594, 94.4, "q dq current"),
    ("emps", "*.mat", "emps", "emps", 24841, 1000.0, "theta q_ref motor_torque"),
    ("kr300", "*.csv", "kr300", "kr300", 2501, 250.0, "theta dtheta q_ref motor_torque"),
    ("kr300", "*.csv", "kr300", "kr300-two-encoders", 2501, 250.0,
     "theta dtheta q_ref motor_torque q dq"),
    ("panda", "*.csv", "panda", "panda", 14380, 984.3, "q dq joint_torque"),
    ("xmate7p", "*.csv", "xmate7", "xmate7", 1001, 50.0, "q dq joint_torque"),
    ("xmate_motor_and_sensor", "*.txt", "xmate7", "xmate7-four-files", 20000, 1000.0,
     "q dq joint_torque motor_signal"),
    ("tx40", "*.csv", "tx40", "tx40", 29999, 5000.0, "theta motor_torque"),
    ("kinova_gen3_joint", "*_0.500000*.csv", "kinova_joint", "kinova-joint", 2951, 1000.0,
     "q dq command_torque joint_torque current_ref current"),
    ("ur3e", "*.csv", "ur3e", "ur-record", 6887, 123.5,
     "q dq q_ref dq_ref ddq_ref current current_ref"),
]  # fmt: skip


@with_data
@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact[3]}-{fact[1]}")
def test_samples_rate_and_columns_are_those_of_the_log(fact):
    folder, pattern, robot, columns, samples, rate, kinds = fact
    recording = log(folder, pattern, robot, columns)
    assert len(recording) == samples
    assert (samples - 1) / recording.duration == pytest.approx(rate, rel=1e-3)
    assert set(recording.columns) == set(kinds.split())
    assert recording.notes["empty_cells"] == 0
    for kind in ("q", "theta"):
        if kind in recording:
            assert np.nanmax(np.abs(recording[kind])) < 2 * np.pi


def velocity(recording, kind, rate):
    return np.gradient(recording[kind], 1.0 / rate, axis=0)


@with_data
def test_positions_and_velocities_are_in_matching_units():
    """The derivative of every position is the velocity of the same joint: unit, sign and order agree."""
    pairs = [(ur10e(), "q", "dq")]
    pairs += [(log("xmate7p", "*.csv", "xmate7", "xmate7"), "q", "dq")]
    pairs += [(log("xmate_motor_and_sensor", "*", "xmate7", "xmate7-four-files"), "q", "dq")]
    pairs += [(log("kr300", "*.csv", "kr300", "kr300"), "theta", "dtheta")]
    for recording, position, speed in pairs:
        for j in range(recording.n):
            change = np.gradient(recording[position][:, j], recording.time)
            measured = recording[speed][:, j]
            slope = (change @ measured) / (measured @ measured)
            assert slope == pytest.approx(1.0, abs=0.03), (recording.robot, j)


@with_data
def test_uninitialised_rows_are_kept_for_the_check_to_find():
    recording = log("ur10e", "ur-19_09_27-11_32_02.csv", "ur10e", "ur10e-19")
    assert len(recording) == 1139
    assert np.max(np.abs(recording["q"])) > 1e98
    assert np.any(recording["dq"] == 253.0)


def low_passed(values, cutoff_hz, rate_hz):
    b, a = butter(4, 2.0 * cutoff_hz / rate_hz)
    return filtfilt(b, a, values, axis=0)


def mean_rate(recording):
    return (len(recording) - 1) / recording.duration


def even(recording, values):
    """The values on an even clock."""
    clock = np.linspace(recording.time[0], recording.time[-1], len(recording))
    return np.column_stack([np.interp(clock, recording.time, v) for v in values.T])


def motion(recording, robot, cutoff_hz):
    """Joint positions with derivatives, from the link or through the coupling from the rotors."""
    if "q" in recording:
        q = recording["q"]
    else:
        q = np.linalg.solve(robot.coupling_matrix(), recording["theta"].T).T
    rate = mean_rate(recording)
    q = low_passed(even(recording, q), cutoff_hz, rate)
    dq = np.gradient(q, 1.0 / rate, axis=0)
    return q, dq, np.gradient(dq, 1.0 / rate, axis=0)


def explained(target, columns, edge):
    """Least squares: coefficients and the share of the variance they explain."""
    a, b = np.column_stack(columns)[edge:-edge], target[edge:-edge]
    x = np.linalg.lstsq(a, b, rcond=None)[0]
    return x, 1.0 - np.var(b - a @ x) / np.var(b)


def scale_of_the_model(recording, kind, cutoff_hz):
    """How many times the torque of the robot file explains the measured torque, beside drive and friction columns."""
    robot = jw.load_robot(recording.robot)
    q, dq, ddq = motion(recording, robot, cutoff_hz)
    rate = mean_rate(recording)
    model = low_passed(robot.inverse_dynamics(q, dq, ddq), cutoff_hz, rate)
    torque = recording[kind]
    if kind == "motor_torque":
        torque = torque @ robot.coupling_matrix()
    torque = low_passed(even(recording, torque), cutoff_hz, rate)
    moving = np.sign(dq) * (np.abs(dq) > 0.02)
    one = np.ones(len(q))
    found = [
        explained(
            torque[:, j],
            [model[:, j], ddq[:, j], dq[:, j], moving[:, j], one],
            int(rate / cutoff_hz),
        )
        for j in range(robot.n)
    ]
    return np.array([x[0] for x, _ in found]), np.array([share for _, share in found])


@with_data
def test_the_torque_of_the_ur10e_controller_is_that_of_the_manufacturers_links():
    scale, share = scale_of_the_model(ur10e(), "model_torque", 5.0)
    np.testing.assert_allclose(scale[1:5], 1.0, atol=0.02)
    assert share[1:3].min() > 0.998


@with_data
def test_torque_constants_of_the_ur10e_turn_its_target_current_into_its_target_moment():
    log_of_one_joint = ur10e("ur-20_01_22-joint_3.csv")
    still = np.abs(log_of_one_joint["dq"]).max(axis=1) < 1e-4
    current, torque = (
        log_of_one_joint["current_ref"][still],
        log_of_one_joint["model_torque"][still],
    )
    loaded = [1, 2, 3, 4]  # gravity does not reach joints 1 and 6
    found = np.sum((current * torque)[:, loaded], axis=0) / np.sum(current[:, loaded] ** 2, axis=0)
    constants = [joint.drive.torque_constant for joint in jw.load_robot("ur10e").joints]
    np.testing.assert_allclose(found, constants[1:5], rtol=1e-3)


@with_data
def test_motor_torques_of_the_tx40_through_ratios_and_coupling_carry_its_links():
    """The URDF's inertias explain what the motors do, with the sign they have: ratios, offsets and signs are right."""
    recording = log("tx40", "*.csv", "tx40", "tx40")
    scale, share = scale_of_the_model(recording, "motor_torque", 20.0)
    np.testing.assert_allclose(scale[:3], 1.0, atol=0.12)
    assert share[:4].min() > 0.99


@with_data
def test_joint_torque_sensors_of_the_xmate_feel_the_links_of_its_urdf():
    recording = log("xmate_motor_and_sensor", "*.txt", "xmate7", "xmate7-four-files")
    scale, share = scale_of_the_model(recording, "joint_torque", 5.0)
    np.testing.assert_allclose(scale[[1, 2, 3, 4]], 1.0, atol=0.05)
    assert share[[1, 3]].min() > 0.999
    # The other arm's sensors read about a quarter more than its URDF says, on every joint that carries weight.
    scale, share = scale_of_the_model(
        log("xmate7p", "*.csv", "xmate7", "xmate7"), "joint_torque", 5.0
    )
    assert np.all((scale[:6] > 1.2) & (scale[:6] < 1.32))
    assert share[1:4].min() > 0.998


def rigid_fit(recording, kind, cutoff_hz, *, rotors, sign=None):
    """Share of each joint's torque that base parameters, friction and offset explain; `sign` turns joints around."""
    robot = jw.load_robot(recording.robot)
    q, dq, ddq = motion(recording, robot, cutoff_hz)
    torque = recording[kind]
    if kind == "motor_torque":
        torque = torque @ robot.coupling_matrix()
    sign = np.ones(robot.n) if sign is None else np.asarray(sign)
    rate = mean_rate(recording)
    every = slice(
        int(rate / cutoff_hz), -int(rate / cutoff_hz), max(1, int(rate / (10 * cutoff_hz)))
    )
    torque = low_passed(even(recording, torque), cutoff_hz, rate)[every] * sign
    friction = ("coulomb", "viscous", "offset")
    moved = [(v * sign)[every] for v in (q, dq, ddq)]
    rows = robot.regressor(*moved, rotors=rotors, friction=friction)
    weight = 1.0 / torque.std(axis=0)
    a = (rows * weight[:, None]).reshape(-1, rows.shape[2])
    norm = np.linalg.norm(a, axis=0)
    norm[norm == 0.0] = 1.0
    x = np.linalg.lstsq(a / norm, (torque * weight).ravel(), rcond=1e-6)[0] / norm
    left = torque - rows @ x
    return 1.0 - left.var(axis=0) / torque.var(axis=0)


@with_data
def test_the_kinematics_of_the_panda_explain_its_sensors_and_a_turned_joint_does_not():
    recording = log("panda", "*.csv", "panda", "panda")
    right = rigid_fit(recording, "joint_torque", 10.0, rotors=False)
    assert right[:6].min() > 0.99
    assert right[6] > 0.94  # 0.2 N m of torque, close to the sensor's noise
    turned = rigid_fit(recording, "joint_torque", 10.0, rotors=False, sign=[1, 1, 1, -1, 1, 1, 1])
    assert turned.min() < 0.9


@with_data
def test_the_wrist_of_the_tx40_needs_the_transposed_coupling():
    recording = log("tx40", "*.csv", "tx40", "tx40")
    right = rigid_fit(recording, "motor_torque", 20.0, rotors=True)
    assert right.min() > 0.98
    turned = rigid_fit(recording, "motor_torque", 20.0, rotors=True, sign=[1, 1, 1, 1, 1, -1])
    assert turned[4:].min() < 0.9


@with_data
def test_the_motor_torque_of_the_kr300_holds_its_arms_up():
    """Stretched out level at the start, with the elbow and the wrist carrying weight against gravity."""
    robot = jw.load_robot("kr300")
    body = {"mass": 100.0, "center_of_mass": (0.0, 0.0, 0.0), "inertia": (5, 0, 0, 5, 0, 5)}
    known = robot.replace(
        {f"joints.{j.name}.link.{key}": v for j in robot.joints for key, v in body.items()},
        source="a test",
    )
    recording = log("kr300", "*.csv", "kr300", "kr300")
    still = slice(0, 200)
    assert np.ptp(recording["theta"][still], axis=0).max() < 0.01
    held = recording["motor_torque"][still].mean(axis=0)
    expected = known.gravity_torque(recording["theta"][0])
    assert np.all(np.sign(held[[1, 2, 4]]) == np.sign(expected[[1, 2, 4]]))
    assert held[2] < -2500.0


@with_data
def test_link_encoders_of_the_kr300_read_what_its_motors_do_but_for_the_gears():
    recording = log("kr300", "*.csv", "kr300", "kr300-two-encoders")
    assert np.isnan(recording["q"][:, 3:]).all()
    deformation = recording["theta"][:, :3] - recording["q"][:, :3]
    assert 1e-4 < np.abs(deformation).max() < 0.02


@with_data
def test_the_linear_drive_gives_the_benchmarks_own_numbers():
    """Mass and friction as the benchmark's authors print them, from the imported columns alone."""
    recording = log("emps", "*.mat", "emps", "emps")
    rate = recording.rate_hz
    q = low_passed(recording["theta"][:, 0], 100.0, rate)
    dq = np.gradient(q, 1.0 / rate)
    ddq = np.gradient(dq, 1.0 / rate)
    force = recording["motor_torque"][:, 0]
    every = slice(100, -100)
    columns = [low_passed(c, 20.0, rate)[every] for c in (ddq, dq, np.sign(dq), np.ones(len(q)))]
    x, share = explained(low_passed(force, 20.0, rate)[every], columns, 100)
    np.testing.assert_allclose(x, [95.109, 203.50, 20.39, -3.165], rtol=0.02)
    assert share > 0.998


@with_data
def test_the_kinova_drive_asks_for_current_in_proportion_to_torque():
    recording = log("kinova_gen3_joint", "*_0.300000*.csv", "kinova_joint", "kinova-joint")
    constant = jw.load_robot("kinova_joint").joints[0].drive.torque_constant
    np.testing.assert_allclose(
        recording["command_torque"], constant * recording["current_ref"], atol=1e-3
    )


@with_data
def test_files_in_the_wrong_order_are_not_mixed_up():
    paths = sorted((DATA / "tx40").glob("*.csv"))
    one, two = (
        import_recording(order, robot="tx40", columns=MAPS / "tx40.toml")
        for order in (paths, paths[::-1])
    )
    np.testing.assert_array_equal(one["theta"], two["theta"])
    np.testing.assert_array_equal(one["theta"][0].round(3), 0.0)
