"""Base parameters: printed vectors, closed forms, random arms, and what the result promises."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kovincic_ur5
from jointwise.errors import ParameterError, ShapeError, UnknownNameError
from jointwise.robot.base_parameters import METHODS, BaseParameters, base_parameters
from jointwise.robot.description import Robot
from jointwise.robot.frames import ModifiedDH, StandardDH
from jointwise.robot.inertia import INERTIAL_NAMES
from jointwise.robot.library import load_robot
from jointwise.robot.parts import Joint
from jointwise.robot.regrouping import regrouped
from random_arms import random_arm, random_motion

UR = ("ur3e", "ur5e", "ur10e", "ur16e")
TILTED = {"gravity": (3.0, -2.0, -9.0)}
LIU = ("coulomb_forward", "coulomb_backward", "viscous", "viscous_square", "viscous_cube")

ROUNDING = 1e-12
"""Relative; coefficients of a few metres and a condition number up to 1e3 times the rounding of one number."""
TORQUE = 1e-10
"""Relative; random arms have coefficients up to 1e6 where axes are nearly parallel."""

each_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(scope="module")
def ur5e() -> Robot:
    return load_robot("ur5e")


def tilted(robot: Robot) -> Robot:
    return robot.replace(TILTED, source="test")


def row(base: BaseParameters, name: str) -> dict[str, float]:
    values = base.matrix[base.names.index(name)]
    return {base.columns[k]: values[k] for k in np.flatnonzero(values)}


# ---- UR: counts, labels, closed form ----------------------------------------------------------


@each_method
@pytest.mark.parametrize("name", UR)
def test_ur_on_a_table_has_36_and_tilted_38(name, method):
    robot = load_robot(name)
    upright = robot.base_parameters(method=method)
    assert upright.count == 36
    assert " ".join(upright.zero) == "XX1 XY1 XZ1 YY1 YZ1 mX1 mY1 mZ1 m1 mZ2 m2"
    leaning = tilted(robot).base_parameters(method=method)
    assert leaning.count == 38
    assert " ".join(leaning.zero) == "XX1 XY1 XZ1 YY1 YZ1 mZ1 m1 m2"


@each_method
def test_ur5e_labels(ur5e, method):
    names = (
        "ZZR1 XXR2 XY2 XZR2 YZ2 ZZR2 mXR2 mY2 XXR3 XY3 XZR3 YZ3 ZZR3 mXR3 mY3 XXR4 XY4 XZ4 YZ4 ZZR4 mX4 mYR4 "
        "XXR5 XY5 XZ5 YZ5 ZZR5 mX5 mYR5 XXR6 XY6 XZ6 YZ6 ZZ6 mX6 mY6"
    )
    assert ur5e.base_parameters(method=method).names == tuple(names.split())
    assert tilted(ur5e).base_parameters(method=method).names[:3] == ("ZZR1", "mX1", "mYR1")


UR5E_VALUES = {
    "ZZR1": 2.3930722, "XXR2": -1.5449031, "XZR2": 0.3970545, "ZZR2": 1.5600105, "mXR2": -4.21175,
    "XXR3": -0.6609094, "XZR3": 0.1759699, "ZZR3": 0.6650044, "mXR3": -1.8796282, "XXR4": 0.0190135,
    "YZ4": -4.03e-5, "ZZR4": 0.0212077, "mYR4": -0.1860463, "XXR5": 0.0039831, "YZ5": 3.82e-5,
    "ZZR5": 0.0061773, "mYR5": 0.057173, "ZZ6": 1.3212e-4,
}  # fmt: skip
LAST_DECIMAL = 0.6e-7
"""Half a unit of the seventh decimal, and a little; ZZ6 and the YZ are printed to eight and seven decimals."""


@each_method
def test_ur5e_values(ur5e, method):
    base = ur5e.base_parameters(method=method)
    values = dict(zip(base.names, base.values(ur5e.parameters()), strict=True))
    for name, value in values.items():
        assert value == pytest.approx(UR5E_VALUES.get(name, 0.0), abs=LAST_DECIMAL), name
    leaning = tilted(ur5e).base_parameters(method=method)
    values = leaning.values(ur5e.parameters())
    assert values[leaning.names.index("mYR1")] == pytest.approx(-1.3982321, abs=LAST_DECIMAL)


def ur_closed_form(robot: Robot, gamma: np.ndarray) -> dict[str, float]:
    """Every regrouped parameter of spec 02.6."""
    p = {
        f"{s}{i}": gamma[10 * (i - 1) + k]
        for i in range(1, 7)
        for k, s in enumerate(INERTIAL_NAMES)
    }
    f = [joint.frame for joint in robot.joints]
    a2, a3, d4, d5, d6 = f[2].a, f[3].a, f[3].d, f[4].d, f[5].d
    m56, m456 = p["m5"] + p["m6"], p["m4"] + p["m5"] + p["m6"]
    m3456 = p["m3"] + m456
    w5 = p["YY5"] + 2 * d5 * p["mZ5"] + d5**2 * m56
    w6 = p["YY6"] + 2 * d6 * p["mZ6"] + d6**2 * p["m6"]
    yys = p["YY2"] + p["YY3"] + p["YY4"]
    return {
        "ZZR1": p["ZZ1"] + yys + 2 * d4 * p["mZ4"] + (a3**2 + d4**2) * m456 + a2**2 * m3456,
        "mYR1": p["mY1"] - (p["mZ2"] + p["mZ3"] + p["mZ4"] + d4 * m456),
        "XXR2": p["XX2"] - p["YY2"] - a2**2 * m3456,
        "XZR2": p["XZ2"] - a2 * (p["mZ3"] + p["mZ4"] + d4 * m456),
        "ZZR2": p["ZZ2"] + a2**2 * m3456,
        "mXR2": p["mX2"] + a2 * m3456,
        "XXR3": p["XX3"] - p["YY3"] - a3**2 * m456,
        "XZR3": p["XZ3"] - a3 * p["mZ4"] - a3 * d4 * m456,
        "ZZR3": p["ZZ3"] + a3**2 * m456,
        "mXR3": p["mX3"] + a3 * m456,
        "XXR4": p["XX4"] - p["YY4"] + w5,
        "ZZR4": p["ZZ4"] + w5,
        "mYR4": p["mY4"] - p["mZ5"] - d5 * m56,
        "XXR5": p["XX5"] - p["YY5"] + w6,
        "ZZR5": p["ZZ5"] + w6,
        "mYR5": p["mY5"] + p["mZ6"] + d6 * p["m6"],
        "XXR6": p["XX6"] - p["YY6"],
    }


@each_method
@pytest.mark.parametrize("name", UR)
def test_ur_closed_form(name, method):
    robot = tilted(load_robot(name))
    base = robot.base_parameters(method=method)
    gamma = np.random.default_rng(1).normal(size=60)
    expected = ur_closed_form(robot, gamma)
    assert {n for n in base.names if "R" in n} == set(expected)
    for grouped, value in zip(base.names, base.values(gamma), strict=True):
        alone = gamma[base.columns.index(grouped)] if grouped in base.columns else 0.0
        assert value == pytest.approx(expected.get(grouped, alone), abs=10 * ROUNDING), grouped


# ---- rotors and friction -----------------------------------------------------------------------


@each_method
@pytest.mark.parametrize(
    ("rotors", "friction", "count"),
    [
        (False, ("coulomb", "viscous"), 48),
        (True, ("viscous", "coulomb"), 52),
        (True, LIU, 70),
        (True, (), 40),
    ],
)
def test_ur5e_with_rotors_and_friction(ur5e, rotors, friction, count, method):
    base = ur5e.base_parameters(rotors=rotors, friction=friction, method=method)
    assert base.count == count
    order = [base.columns.index(re.sub(r"R(?=\d)", "", name)) for name in base.names]
    assert order == sorted(order)
    assert base.names[36:40] == (("J3", "J4", "J5", "J6") if rotors else base.names[36:40])
    for i in (1, 2):
        assert (f"J{i}" in row(base, f"ZZR{i}")) == rotors
    assert not [name for name in base.names if name.startswith(("coulombR", "viscousR"))]


# ---- Kovincic's UR5 ----------------------------------------------------------------------------


def half_a_digit(printed: str) -> float:
    """Largest rounding of a coefficient printed with four significant digits."""
    if not printed:
        return ROUNDING
    leading = int(np.floor(np.log10(float(printed))))
    return (0.5 + 1e-6) * 10.0 ** (leading - 3)


def check_printed(base: BaseParameters, printed: str) -> None:
    rows = kovincic_ur5.rows(printed)
    assert base.count == len(rows)
    seen = set()
    for terms in rows:
        coefficients = {name: (value, text) for name, value, text in terms}
        kept = [k for k, column in enumerate(base.kept) if base.columns[column] in coefficients]
        # The row belongs to the base parameter whose kept column appears in it: exactly one.
        assert len(kept) == 1
        seen.add(kept[0])
        own = base.columns[base.kept[kept[0]]]
        found = base.matrix[kept[0]] * coefficients[own][0]
        used = {base.columns[k] for k in np.flatnonzero(found)}
        assert used == set(coefficients), own
        for name, (value, text) in coefficients.items():
            assert abs(found[base.columns.index(name)] - value) <= half_a_digit(text), (own, name)
    assert len(seen) == len(rows)


@each_method
def test_kovincic_52(method):
    robot = kovincic_ur5.robot()
    base = robot.base_parameters(rotors=True, friction=("viscous", "coulomb"), method=method)
    check_printed(base, kovincic_ur5.FULL)


@each_method
def test_kovincic_33_of_44_columns(method):
    only = [kovincic_ur5.our_name(symbol) for symbol in kovincic_ur5.CONSIDERED]
    assert len(only) == 44
    options = {"rotors": True, "friction": ("viscous", "coulomb")}
    base = kovincic_ur5.robot().base_parameters(**options, method=method, only=only)
    check_printed(base, kovincic_ur5.REDUCED)
    assert set(base.left_out) == set(base.columns) - set(only)
    assert not set(base.zero) & set(only)


# ---- the analytic way against the corrected relation of the papers -----------------------------


def gautier_khalil(robot: Robot, gamma: np.ndarray) -> np.ndarray:
    """J2(9) with the corrections of erratum 12, links N to 2; spec 02.6."""
    g = gamma.reshape(-1, 10).copy()
    for i in range(robot.n - 1, 0, -1):
        f = robot.joints[i].frame
        s, c, a, d = np.sin(f.alpha), np.cos(f.alpha), f.a, f.d
        yy, mz, m = g[i, 3], g[i, 8], g[i, 9]
        g[i - 1] += [
            yy + 2 * d * mz + d**2 * m,
            a * s * mz + a * d * s * m,
            -a * c * mz - a * d * c * m,
            c**2 * yy + 2 * d * c**2 * mz + (a**2 + d**2 * c**2) * m,
            c * s * yy + 2 * d * c * s * mz + d**2 * c * s * m,
            s**2 * yy + 2 * d * s**2 * mz + (a**2 + d**2 * s**2) * m,
            a * m,
            -s * mz - d * s * m,
            c * mz + d * c * m,
            m,
        ]
        g[i, 0] -= yy
        g[i, [3, 8, 9]] = 0.0
    return g


@pytest.mark.parametrize("seed", range(20))
def test_regrouping_is_the_relation_of_gautier_and_khalil(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    frames = [
        ModifiedDH(a=a, d=d, alpha=alpha, offset=offset)
        for a, d, alpha, offset in rng.uniform(-1.0, 1.0, (n, 4)) * [1.0, 1.0, np.pi, np.pi]
    ]
    joints = tuple(Joint(name=f"j{i}", frame=f) for i, f in enumerate(frames))
    robot = Robot(name="arm", joints=joints, gravity=tuple(rng.normal(size=3)))
    gamma = rng.normal(size=10 * n)
    expected = gautier_khalil(robot, gamma)
    felt = [5, 6, 7]  # ZZ1, mX1, mY1 are all that link 1 is felt by
    expected[0, [k for k in range(10) if k not in felt]] = 0.0
    found = (regrouped(robot) @ gamma).reshape(n, 10)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=ROUNDING * scale)


@pytest.mark.parametrize("seed", range(10))
def test_regrouping_leaves_seven_parameters_of_a_turning_link_and_four_of_a_sliding_one(seed):
    robot = random_arm(np.random.default_rng(seed))
    left = regrouped(robot).any(axis=1).reshape(robot.n, 10).sum(axis=1)
    for joint, count in zip(robot.joints[1:], left[1:], strict=True):
        assert count == (7 if joint.kind == "revolute" else 4)


# ---- random arms --------------------------------------------------------------------------------


def upper_bound(robot: Robot) -> int:
    """J2(8)."""
    turns = [joint.kind == "revolute" for joint in robot.joints]
    axis = robot.base.matrix()[:3, :3] @ robot.joints[0].frame.before()[:3, 2]
    aligned = bool(np.linalg.norm(np.cross(axis, robot.gravity)) < 1e-9)
    first = turns[0]
    return 7 * sum(turns) + 4 * (robot.n - sum(turns)) - 3 - first - 2 * (first and aligned)


def torque_error(robot: Robot, base: BaseParameters, rng: np.random.Generator, **columns) -> float:
    y = robot.regressor(*random_motion(rng, robot, 20)[:3], **columns)
    gamma = rng.normal(size=y.shape[-1])
    torque = y @ gamma
    return float(
        np.abs(base.regressor(y) @ base.values(gamma) - torque).max() / np.abs(torque).max()
    )


def check_random_arm(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = random_arm(rng)
    columns = {"rotors": bool(rng.random() < 0.3)}
    columns["friction"] = ("coulomb", "viscous", "offset") if rng.random() < 0.3 else ()
    found = {m: robot.base_parameters(method=m, **columns) for m in METHODS}
    for base in found.values():
        assert torque_error(robot, base, rng, **columns) < TORQUE
    assert found["numeric"].count == found["analytic"].count
    assert robot.base_parameters().count <= upper_bound(robot)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_random_arms_keep_their_torque(seed):
    check_random_arm(seed)


@pytest.mark.soak
@pytest.mark.parametrize("start", range(0, 5000, 500))
def test_many_random_arms_keep_their_torque(start):
    for seed in range(start, start + 500):
        check_random_arm(seed)


@pytest.mark.parametrize("seed", range(10))
def test_the_bound_is_reached_by_general_revolute_arms(seed):
    rng = np.random.default_rng(seed)
    frames = [ModifiedDH(a=v[0], d=v[1], alpha=v[2]) for v in rng.uniform(0.3, 1.2, (6, 3))]
    joints = tuple(Joint(name=f"j{i}", frame=f) for i, f in enumerate(frames))
    assert Robot(name="arm", joints=joints).base_parameters().count == 38


@pytest.mark.parametrize("quarter", [1.5708, 1.570796, 1.57])
@each_method
def test_right_angles_rounded_in_a_file(quarter, method):
    """A quarter turn with a few digits must neither blur the rank nor blow up coefficients."""
    a = (0.0, -0.425, -0.3922, 0.0, 0.0, 0.0)
    d = (0.1625, 0.0, 0.0, 0.1333, 0.0997, 0.0996)
    alpha = (quarter, 0.0, 0.0, quarter, -quarter, 0.0)
    frames = [StandardDH(a=x, d=y, alpha=z) for x, y, z in zip(a, d, alpha, strict=True)]
    joints = tuple(Joint(name=f"j{i}", frame=f) for i, f in enumerate(frames))
    robot = Robot(name="arm", joints=joints)
    base = robot.base_parameters(method=method)
    assert base.count == 36
    assert torque_error(robot, base, np.random.default_rng(0)) < TORQUE


# ---- choosing columns ---------------------------------------------------------------------------


@each_method
def test_kept_names_can_be_forced(ur5e, method):
    keep = [n.replace("R", "") for n in ur5e.base_parameters().names]
    keep = ["YY2" if n == "XX2" else "m6" if n == "mX3" else n for n in keep]
    base = ur5e.base_parameters(keep=keep, method=method)
    assert base.count == 36
    assert {base.columns[k] for k in base.kept} == set(keep)
    assert torque_error(ur5e, base, np.random.default_rng(0)) < TORQUE
    some = ur5e.base_parameters(keep=["YY2", "m6"], method=method)
    assert {"YYR2", "mR6"} <= set(some.names)


@pytest.mark.parametrize(
    ("keep", "why"),
    [
        (["ZZ1", "m2"], "m2 has no influence"),
        (["ZZ1", "XX2", "YY2"], "YY2 follows from ZZ1, XX2"),
    ],
)
def test_kept_names_must_be_independent(ur5e, keep, why):
    with pytest.raises(ParameterError, match=why):
        ur5e.base_parameters(keep=keep)


def test_kept_names_must_reach_all(ur5e):
    keep = [n.replace("R", "") for n in ur5e.base_parameters().names]
    keep[keep.index("XY2")] = "m6"
    with pytest.raises(ParameterError, match=r"mY5 follows from .* m6"):
        ur5e.base_parameters(keep=keep)


def test_wrong_choices_are_refused(ur5e):
    with pytest.raises(UnknownNameError, match="XX7"):
        ur5e.base_parameters(only=["XX1", "XX7"])
    with pytest.raises(UnknownNameError, match="zz1"):
        ur5e.base_parameters(keep=["zz1"])
    with pytest.raises(UnknownNameError, match="J1"):
        ur5e.base_parameters(keep=["J1"])
    with pytest.raises(ParameterError, match="given once"):
        ur5e.base_parameters(only=["ZZ1", "ZZ1"])
    with pytest.raises(UnknownNameError, match="numeric, analytic"):
        base_parameters(ur5e, method="symbolic")
    with pytest.raises(UnknownNameError, match="stribeck"):
        base_parameters(ur5e, friction=["stribeck"])
    with pytest.raises(ParameterError, match="tolerance"):
        base_parameters(ur5e, tolerance=0.0)


def test_nothing_may_remain(ur5e):
    base = ur5e.base_parameters(only=["m1", "XX1"])
    assert base.count == 0
    assert base.zero == ("XX1", "m1")
    assert base.values(np.ones(60)).shape == (0,)
    np.testing.assert_array_equal(base.standard([], np.ones(60)), np.ones(60))


# ---- what the result promises -------------------------------------------------------------------


def test_leading_axes(ur5e):
    base = ur5e.base_parameters()
    rng = np.random.default_rng(0)
    y = ur5e.regressor(*rng.normal(size=(3, 4, 5, 6)))
    assert base.regressor(y).shape == (4, 5, 6, 36)
    assert base.values(rng.normal(size=(2, 60))).shape == (2, 36)
    assert base.standard(rng.normal(size=(7, 36)), np.zeros(60)).shape == (7, 60)


def test_standard_parameters_nearest_to_a_prior(ur5e):
    base = ur5e.base_parameters()
    rng = np.random.default_rng(3)
    prior, beta, weights = rng.normal(size=60), rng.normal(size=36), rng.uniform(0.1, 10.0, 60)
    gamma = base.standard(beta, prior, weights)
    np.testing.assert_allclose(base.values(gamma), beta, rtol=0.0, atol=ROUNDING)
    # Nearest: moving along any combination without influence on beta does not bring it closer.
    free = np.linalg.svd(base.matrix)[2][36:]
    pull = weights**2 * (gamma - prior)
    assert np.abs(free @ pull).max() < 1e-9 * np.abs(pull).max()
    for name in base.zero:
        k = base.columns.index(name)
        assert gamma[k] == prior[k]


def test_a_prior_that_fits_stays(ur5e):
    base = ur5e.base_parameters()
    prior = ur5e.parameters()
    gamma = base.standard(base.values(prior), prior)
    np.testing.assert_allclose(gamma, prior, rtol=0.0, atol=ROUNDING)


def test_wrong_arrays_are_refused(ur5e):
    base = ur5e.base_parameters()
    with pytest.raises(ShapeError, match="60"):
        base.values(np.ones(36))
    with pytest.raises(ShapeError, match="60"):
        base.regressor(np.ones((6, 36)))
    with pytest.raises(ShapeError, match="36"):
        base.standard(np.ones(60), np.ones(60))
    with pytest.raises(ParameterError, match="weights"):
        base.standard(np.ones(36), np.ones(60), np.zeros(60))


def test_result_cannot_be_changed(ur5e):
    base = ur5e.base_parameters()
    with pytest.raises(ValueError, match="read-only"):
        base.matrix[0, 0] = 2.0
    with pytest.raises(AttributeError):
        base.kept = np.zeros(3)


def test_it_reads_well(ur5e):
    base = ur5e.base_parameters()
    text = str(base)
    assert text.startswith("36 base parameters of 60 standard ones\n  ZZR1 = ZZ1 + YY2 + YY3 + YY4")
    assert "  XXR2 = XX2 - YY2 - 0.180625 (m3 + m4 + m5 + m6)\n  XY2\n" in text
    assert "no influence: XX1, XY1" in text
    assert base.groupings[base.names.index("XXR4")].startswith("XX4 - YY4 + YY5 + 0.1994 mZ5")
    assert max(len(line) for line in text.splitlines()) <= 100


def test_same_result_every_time(ur5e):
    first, second = ur5e.base_parameters(), ur5e.base_parameters()
    np.testing.assert_array_equal(first.matrix, second.matrix)
