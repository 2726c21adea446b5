"""What each kind of motion is: printed numbers, closed forms, equations of curves."""

import numpy as np
import pytest

import jointwise as jw
from jointwise.errors import NumericalError
from jointwise.motion.inverse import (
    is_wristed,
    nearest_solution,
    nearest_wrist_solution,
    wrist_solutions,
)
from jointwise.motion.plan import plan
from jointwise.motion.polynomial import RAMP, SEPTIC, largest, mirrored

WRISTED = ("ur3e", "ur5e", "ur10e", "ur16e", "ur5")


@pytest.fixture(scope="module")
def arm():
    return jw.load_robot("ur5e")


# ---- thesis cycle, spec 08.8 -----------------------------------------------------------------


def test_the_cycle_lasts_as_long_as_the_thesis_prints(arm):
    motion = plan("cycle", arm, share=1.0, rate_hz=1000.0)
    assert motion.notes["lap_s"] == pytest.approx(13.458, abs=1e-3)
    knots = motion.path.knots
    rests = knots[np.abs(motion.path.at(knots)[1]).max(axis=1) < 1e-9]
    moves = [s for s in np.diff(rests) if s > 0.1]
    np.testing.assert_allclose(moves, [2.000, 1.915, 2.769, 2.236, 2.415, 1.915], atol=6e-4)
    assert np.abs(motion.dq).max() <= np.pi
    assert np.abs(motion.ddq).max() == pytest.approx(2.0 * np.pi / 3.0)


def test_two_laps_return_to_the_first_waypoint(arm):
    motion = plan("cycle", arm, laps=2, rate_hz=100.0)
    np.testing.assert_allclose(motion.q[-1], motion.q[0], atol=1e-12)
    assert motion.duration == pytest.approx(2.0 * motion.notes["lap_s"], abs=0.01)


# ---- reciprocating run, spec 08.6 ------------------------------------------------------------


def test_the_reciprocating_run_has_the_printed_numbers(arm):
    motion = plan("reciprocate", arm, rate_hz=100.0)
    assert motion.path.duration == pytest.approx(1015.493, abs=1e-6)
    assert motion.notes["reversals"] == 240
    speed = motion.dq[:, 0]
    assert speed.max() == pytest.approx(0.11197, abs=2e-4)
    assert speed.min() == pytest.approx(-0.09959, abs=2e-4)
    moving = np.sign(speed[np.abs(speed) > 1e-3])
    assert np.count_nonzero(np.diff(moving)) == 239
    assert motion.q[-1, 0] - motion.q[0, 0] == pytest.approx(2.0 * np.pi, abs=1e-6)
    assert not np.ptp(motion.q[:, 1:], axis=0).any()
    ends = motion.path.at(motion.path.knots[::2])[0, :, 0]
    steps = np.rad2deg(np.diff(ends))
    np.testing.assert_allclose(steps[::2], 14.366, atol=1e-3)
    np.testing.assert_allclose(steps[1::2], -11.366, atol=1e-3)


def test_a_net_way_too_long_to_reverse_is_refused(arm):
    with pytest.raises(jw.ParameterError, match="net"):
        plan("reciprocate", arm, net=1.0)


# ---- random series ---------------------------------------------------------------------------


def test_a_random_motion_of_an_arm_that_lies_near_the_floor_swings_about_a_roomier_pose(arm):
    """The middle of the range of a UR is the arm stretched out flat, with a few degrees of room."""
    for seed in (1, 2):
        motion = plan("random", arm, duration=10.0, seed=seed, max_acceleration=5.0, rate_hz=200.0)
        assert np.ptp(motion.q, axis=0).min() > 0.5


# ---- bang-coast-bang, spec 08.4 --------------------------------------------------------------


def test_a_bang_move_has_three_phases_within_the_drawn_shares(arm):
    motion = plan("bang", arm, duration=35.0, seed=5, swing=1.0, max_acceleration=2.0, share=1.0)
    push = np.abs(motion.ddq[:, 0])
    assert motion.duration == 35.0
    assert motion.notes["moves"] > 5
    moving = push[push > 0.0]
    assert moving.min() >= 0.3 * 2.0 - 1e-9
    assert moving.max() <= 2.0 + 1e-9
    assert np.abs(motion.q[:, 0] - motion.q[0, 0]).max() <= 1.0 + 1e-9
    assert np.abs(motion.dq[-1]).max() == 0.0


@pytest.mark.parametrize(("way", "speed"), [(3.0, 1.0), (0.1, 1.0)])
def test_a_trapezoid_takes_the_time_of_the_closed_form(arm, way, speed):
    start = [0.0, -1.5, 1.0, -1.0, -1.5, 0.0]
    goal = [way, *start[1:]]
    motion = plan(
        "point", arm, start=start, goal=goal, law="trapezoid", max_velocity=speed, max_acceleration=2.0
    )  # fmt: skip
    long = way >= speed**2 / 2.0
    expected = way / speed + speed / 2.0 if long else 2.0 * np.sqrt(way / 2.0)
    assert motion.path.duration == pytest.approx(expected, rel=1e-9)


# ---- sweeps, spec 08.5 -----------------------------------------------------------------------


def test_a_sweep_holds_each_speed_in_both_directions(arm):
    motion = plan("sweep", arm, speeds=[0.2, 1.0], travel=2.0, rate_hz=200.0)
    windows = motion.notes["windows"]
    assert [w["speed"] for w in windows] == [0.2, -0.2, 1.0, -1.0]
    for window in windows:
        inside = (motion.time > window["from"] + 1e-9) & (motion.time < window["to"] - 1e-9)
        np.testing.assert_allclose(motion.dq[inside, 0], window["speed"], rtol=1e-12)
        assert np.abs(motion.ddq[inside]).max() < 1e-12
    assert np.ptp(motion.q[:, 0]) == pytest.approx(2.0, abs=1e-6)
    assert not np.ptp(motion.q[:, 1:], axis=0).any()


def test_a_speed_that_cannot_be_reached_is_refused(arm):
    with pytest.raises(jw.ParameterError, match="low enough"):
        plan("sweep", arm, speeds=2.0, travel=0.1)
    with pytest.raises(jw.ParameterError, match="speeds"):
        plan("sweep", arm, speeds=9.0)


# ---- time laws -------------------------------------------------------------------------------


def test_the_septic_is_the_one_polynomial_with_three_derivatives_zero_at_the_ends():
    rows = [[float(p == k) for p in range(8)] for k in range(4)]
    for k in range(4):
        row = [np.prod(np.arange(p, p - k, -1)) if p >= k else 0.0 for p in range(8)]
        rows.append(row)
    np.testing.assert_allclose(np.linalg.solve(rows, [0, 0, 0, 0, 1, 0, 0, 0]), SEPTIC, atol=1e-9)


def test_the_largest_derivatives_of_the_laws():
    assert largest(SEPTIC, 1) == pytest.approx(35.0 / 16.0)
    assert largest(RAMP, 1) == pytest.approx(1.0)
    assert largest(RAMP, 2) == pytest.approx(15.0 / 8.0)
    u = np.linspace(0.0, 1.0, 100_001)
    for shape in (SEPTIC, RAMP):
        for k in (1, 2, 3):
            dense = np.abs(np.polynomial.Polynomial(shape).deriv(k)(u)).max()
            assert largest(shape, k) == pytest.approx(dense, rel=1e-6)


def test_a_ramp_run_backwards_slows_down():
    back = np.polynomial.Polynomial(mirrored(RAMP))
    assert back(0.0) == pytest.approx(0.0)
    assert back.deriv()(0.0) == pytest.approx(1.0)
    assert back.deriv()(1.0) == pytest.approx(0.0, abs=1e-12)


# ---- inverse kinematics, spec 02.1 -----------------------------------------------------------


@pytest.mark.parametrize("name", WRISTED)
def test_every_closed_form_solution_reaches_the_pose_and_the_known_one_is_among_them(name):
    robot = jw.load_robot(name)
    assert is_wristed(robot)
    counts = []
    for q in np.random.default_rng(6).uniform(-3.1, 3.1, (60, 6)):
        pose = robot.pose(q)
        found = wrist_solutions(robot, pose)
        counts.append(len(found))
        np.testing.assert_allclose(
            robot.pose(found), np.broadcast_to(pose, (len(found), 4, 4)), atol=1e-9
        )
        np.testing.assert_allclose(nearest_wrist_solution(robot, pose, q + 1e-3), q, atol=1e-7)
        distinct = {tuple(np.round(v, 5)) for v in found}
        assert len(distinct) == len(found)
    assert max(counts) == 8


def test_a_tool_and_a_base_move_the_solutions_along():
    from jointwise.robot.frames import Pose

    changes = {
        "tool": Pose(origin=(0.1, 0.02, 0.2), rpy=(0.3, -0.4, 1.0)),
        "base": Pose(origin=(1.0, 0.0, 0.5), rpy=(0.0, 0.7, 0.2)),
    }
    robot = jw.load_robot("ur5e").replace(changes, source="test")
    q = np.array([0.3, -1.1, 0.9, -0.4, 0.7, 0.2])
    np.testing.assert_allclose(nearest_wrist_solution(robot, robot.pose(q), q), q, atol=1e-9)


def test_a_singular_wrist_takes_the_angle_of_the_guess():
    robot = jw.load_robot("ur5e")
    q = np.array([0.3, -1.1, 0.9, -0.4, 0.0, 0.2])
    found = nearest_wrist_solution(robot, robot.pose(q), q)
    np.testing.assert_allclose(robot.pose(found), robot.pose(q), atol=1e-6)
    np.testing.assert_allclose(found, q, atol=1e-6)


def test_a_pose_out_of_reach_is_refused():
    robot = jw.load_robot("ur5e")
    pose = np.eye(4)
    pose[0, 3] = 3.0
    with pytest.raises(NumericalError, match="cannot reach"):
        nearest_wrist_solution(robot, pose, np.zeros(6))
    with pytest.raises(NumericalError, match="missing"):
        nearest_solution(robot, pose, np.full(6, 0.3))


@pytest.mark.parametrize("name", ["ur5e", "kr300", "tx40", "panda"])
def test_damped_steps_reach_the_pose_on_any_arm(name):
    robot = jw.load_robot(name)
    rng = np.random.default_rng(7)
    for _ in range(5):
        q = rng.uniform(0.3, 1.0, robot.n)
        found = nearest_solution(robot, robot.pose(q), q + 0.1)
        np.testing.assert_allclose(robot.pose(found), robot.pose(q), atol=1e-9)


def test_a_spare_joint_stays_near_the_posture_whatever_the_guess():
    robot = jw.load_robot("panda")
    q = np.array([0.1, 0.4, -0.2, -1.5, 0.3, 1.8, 0.2])
    shift = np.random.default_rng(8).uniform(-0.1, 0.1, (4, 7))
    found = [nearest_solution(robot, robot.pose(q), q + s, posture=q + 0.05) for s in shift]
    np.testing.assert_allclose(found[1:], np.broadcast_to(found[0], (3, 7)), atol=1e-6)


# ---- lemniscate, spec 08.9 -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ur5e", "panda"])
def test_the_tool_draws_a_lemniscate_of_gerono_and_keeps_its_orientation(name):
    robot = jw.load_robot(name)
    a, b = 0.1, 0.06
    motion = plan("lemniscate", robot, width=a, height=b, plane="xz", duration=8.0, rate_hz=100.0)
    pose = robot.pose(motion.q)
    x, y, z = (pose[:, :3, 3] - motion.notes["center"]).T
    np.testing.assert_allclose((z / b) ** 2, (x / a) ** 2 * (1.0 - (x / a) ** 2), atol=1e-7)
    np.testing.assert_allclose(y, 0.0, atol=1e-9)
    assert np.ptp(x) == pytest.approx(2.0 * a, abs=1e-4)
    assert np.ptp(z) == pytest.approx(b, abs=1e-4)
    np.testing.assert_allclose(
        pose[:, :3, :3], np.broadcast_to(pose[0, :3, :3], (len(pose), 3, 3)), atol=1e-8
    )


def test_a_lemniscate_larger_than_the_arm_is_refused(arm):
    with pytest.raises(jw.ParameterError, match="lemniscate"):
        plan("lemniscate", arm, width=3.0)
    with pytest.raises(NumericalError):
        plan("lemniscate", arm, width=1.5, start=[0.3, -1.1, 0.9, -0.4, 0.7, 0.2])
