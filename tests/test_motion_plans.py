"""Every kind of motion, by being registered: within limits, at rest as claimed, smooth as claimed, deterministic."""

import json

import numpy as np
import pytest
from typer.main import get_command
from typer.testing import CliRunner

import jointwise as jw
from jointwise.cli.main import app
from jointwise.cli.plan import EXAMPLES as COMMANDS
from jointwise.motion.options import options_of
from jointwise.motion.plan import KINDS, common, plan, planner

UPRIGHT = [0.0, -1.5, 1.0, -1.0, -1.5, 0.0]
SHORT = {
    "fourier": {"duration": 6.0, "starts": 1, "harmonics": 4},
    "random": {"duration": 3.0, "period": 1.5, "seed": 1},
    "bang": {"duration": 6.0, "seed": 2},
    "sweep": {"speeds": [0.3, 0.8], "travel": 1.5, "joint": "shoulder_lift", "start": UPRIGHT},
    "reciprocate": {"cycles": 3},
    "cycle": {},
    "point": {"start": UPRIGHT, "goal": [[1.0, -1.2, 0.8, -1.0, -1.5, 0.0], UPRIGHT]},
    "lemniscate": {"duration": 8.0, "width": 0.08, "height": 0.08},
    "static": {"poses": 3, "dwell": 0.5},
}
STEP = 1e-5
each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def arm():
    return jw.load_robot("ur5e")


@pytest.fixture(scope="module")
def motions(arm):
    return {kind: plan(kind, arm, **options) for kind, options in SHORT.items()}


def test_every_kind_has_a_short_example_here_and_one_on_the_command_line():
    assert set(SHORT) == set(KINDS) == set(COMMANDS) - {"experiment"}


@each_kind
def test_limits_are_kept_at_ten_times_the_rate(kind, motions, arm):
    motion = motions[kind]
    motion.check(arm, finer=10)
    limits = motion.notes["limits"]
    dense = motion.path.at(np.linspace(0.0, motion.path.duration, 20_011))
    for k, name in ((1, "velocity"), (2, "acceleration")):
        assert (np.abs(dense[k]).max(axis=0) <= np.array(limits[name]) * (1.0 + 1e-9)).all()


@each_kind
def test_the_derivatives_that_are_claimed_to_be_zero_at_the_ends_are(kind, motions):
    motion = motions[kind]
    assert motion.rest >= 1
    ends = motion.path.at(np.array([0.0, motion.path.duration]))
    biggest = np.abs(motion.path.at(motion.time)).max(axis=(1, 2))
    for k in range(1, motion.rest + 1):
        assert np.abs(ends[k]).max() <= 1e-7 * max(1.0, biggest[k])


@each_kind
def test_each_derivative_is_that_of_the_one_before(kind, motions):
    path = motions[kind].path
    time = np.random.default_rng(3).uniform(0.01, 0.99, 400) * path.duration
    before, here, after = (path.at(time + d) for d in (-STEP, 0.0, STEP))
    for k in range(min(4, motions[kind].smoothness + 1)):
        slope = (after[k] - before[k]) / (2.0 * STEP)
        scale = max(1.0, np.abs(here[k + 1]).max())
        assert np.quantile(np.abs(slope - here[k + 1]), 0.98) < 1e-4 * scale


def largest_jumps(path, count):
    time = np.linspace(0.0, path.duration, count)
    return np.abs(np.diff(path.at(time), axis=1)).max(axis=(1, 2))


@each_kind
def test_as_many_derivatives_are_continuous_as_claimed(kind, motions):
    motion = motions[kind]
    coarse, fine = largest_jumps(motion.path, 20_001), largest_jumps(motion.path, 160_001)
    claimed = motion.smoothness + 1
    assert (fine[:claimed] <= 0.3 * coarse[:claimed] + 1e-9).all()
    if motion.smoothness < 3:
        assert fine[claimed] > 0.9 * coarse[claimed], "more derivatives are continuous than claimed"


@each_kind
def test_the_same_options_plan_the_same_motion(kind, motions, arm):
    if kind in ("fourier", "lemniscate"):
        arm = jw.load_robot("two_link" if kind == "fourier" else "tx40")
        made = [plan(kind, arm, **SHORT[kind]) for _ in range(2)]
    else:
        made = [motions[kind], plan(kind, arm, **SHORT[kind])]
    assert np.array_equal(made[0].q, made[1].q)


@pytest.mark.parametrize("kind", ["fourier", "random", "bang"])
def test_another_seed_plans_another_motion(kind):
    arm = jw.load_robot("two_link")
    one, other = (plan(kind, arm, **{**SHORT[kind], "seed": seed}) for seed in (1, 2))
    assert not np.allclose(one.q, other.q, atol=1e-3)


@each_kind
def test_a_motion_is_read_back_with_its_path(kind, motions, tmp_path):
    motion = motions[kind]
    motion.save(tmp_path / "m.parquet")
    again = jw.load_motion(tmp_path / "m.parquet")
    assert (again.smoothness, again.rest) == (motion.smoothness, motion.rest)
    for one, other in zip(motion.derivatives, again.derivatives, strict=True):
        assert np.array_equal(one, other)
    finer = again.resampled(3000.0).q[::3]
    assert len(motion) - len(finer) in (0, 1)
    np.testing.assert_allclose(finer, motion.q[: len(finer)], atol=1e-12)


@each_kind
def test_impossible_values_of_every_option_are_refused(kind, arm):
    options = options_of(planner(kind)) | options_of(common)
    for option in options.values():
        assert option.help
        for value in ("nonsense", float("nan"), -1e300, object()):
            if option.name in ("lower", "floor") and value == -1e300:
                continue  # as good as none
            given = {**SHORT[kind], option.name: value}
            with pytest.raises(jw.JointwiseError):
                plan(kind, arm, **given)


@each_kind
def test_an_unknown_option_is_refused_with_the_ones_there_are(kind, arm):
    with pytest.raises(jw.UnknownNameError, match="duratoin"):
        plan(kind, arm, duratoin=3.0, **SHORT[kind])


def test_an_unknown_kind_is_refused(arm):
    with pytest.raises(jw.UnknownNameError, match="fourier"):
        plan("fourrier", arm)


@pytest.mark.parametrize("kind", ["random", "sweep", "reciprocate", "fourier"])
def test_arms_with_other_joints_can_be_planned_for(kind):
    options = {"fourier": {"duration": 4.0, "starts": 1, "harmonics": 4}, "random": {}}
    options |= {"sweep": {"joint": "2", "speeds": 0.5, "travel": 1.0}, "reciprocate": {"cycles": 2}}
    robot = jw.load_robot("two_link")
    plan(kind, robot, **options[kind]).check(robot, finer=10)


# ---- what is not known, and what is stated ---------------------------------------------------


def test_a_limit_nobody_knows_is_assumed_or_left_out_in_writing(motions):
    limits = motions["random"].notes["limits"]
    assert "acceleration of elbow: 3 rad/s^2" in limits["assumed"]
    assert "jerk of elbow" in limits["unbounded"]
    assert limits["jerk"] == [None] * 6


def test_a_stated_limit_is_used_and_nothing_is_assumed(arm):
    motion = plan("random", arm, duration=2.0, max_acceleration=[1, 2, 3, 4, 5, 6], max_jerk=20.0)
    peak = np.abs(motion.ddq).max(axis=0)
    assert (peak <= [1, 2, 3, 4, 5, 6]).all()
    assert np.abs(motion.d3q).max() <= 20.0
    assert motion.notes["limits"]["assumed"] == []


def test_stating_more_than_the_robot_can_do_is_found(arm):
    with pytest.raises(jw.ParameterError, match="velocity of shoulder_pan"):
        plan(
            "point",
            arm,
            start=UPRIGHT,
            goal=[3.0] + UPRIGHT[1:],
            max_velocity=9,
            max_acceleration=99,
        )


def test_a_way_through_the_floor_is_found(arm):
    goal = [0.0, 0.6, 0.5, -1.0, -1.5, 0.0]
    with pytest.raises(jw.ParameterError, match="floor"):
        plan("point", arm, start=UPRIGHT, goal=goal)
    plan("point", arm, start=UPRIGHT, goal=goal, floor=-2.0)


def test_a_way_through_the_arm_itself_is_found(arm):
    with pytest.raises(jw.ParameterError, match=r"distance of .* and "):
        plan("point", arm, start=UPRIGHT, goal=[0.0, -1.5, 3.0, -1.0, -1.5, 0.0], share=1.0)


def test_a_peak_between_samples_is_found_on_the_finer_grid():
    """One sample a period: all samples are the same, the motion between them is not."""
    robot = jw.load_robot("pendulum")
    motion = plan("random", robot, duration=1.0, period=1.0, check=False)
    slow = motion.resampled(1.0)
    low = {f"joints.{robot.joints[0].name}.limits.velocity": 1e-3}
    weak = robot.replace(low, source="test")
    slow.check(weak)
    with pytest.raises(jw.ParameterError, match="velocity"):
        slow.check(weak, finer=10)


# ---- command line ----------------------------------------------------------------------------

JSON_KEYS = [
    "motion", "kind", "robot", "samples", "duration_s", "smoothness", "rest",
    "largest_velocity_rad_s", "largest_acceleration_rad_s2", "assumed", "unbounded", "quality",
    "excesses",
]  # fmt: skip


def call(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@each_kind
def test_the_help_of_a_kind_has_an_example_and_every_option(kind):
    shown = call("plan", kind, "--help")
    assert shown.exit_code == 0
    assert f"Example: jointwise plan {kind}" in shown.output
    command = get_command(app).commands["plan"].get_command(None, kind)
    names = {p.name for p in command.params}
    assert set(options_of(planner(kind))) | set(options_of(common)) <= names


@pytest.mark.parametrize("kind", ["point", "sweep", "cycle", "bang", "fourier"])
def test_a_kind_plans_from_the_command_line_as_from_python(kind, tmp_path):
    robot = "two_link" if kind == "fourier" else "ur5e"
    given = {
        "point": ["--start", "0,-1.5,1,-1,-1.5,0", "--goal=-1,-1.5,1,-1,-1.5,0;0,-1.5,1,-1,-1.5,0"],
        "sweep": ["--joint", "1", "--speeds", "0.5,1"],
        "cycle": ["--law", "septic"],
        "bang": ["--duration", "3", "--seed", "4"],
        "fourier": [
            "--friction",
            "viscous",
            "--duration",
            "4",
            "--starts",
            "1",
            "--harmonics",
            "4",
        ],
    }[kind]
    same = {
        "point": {"start": UPRIGHT, "goal": [[-1.0] + UPRIGHT[1:], UPRIGHT]},
        "sweep": {"joint": "1", "speeds": [0.5, 1.0]},
        "cycle": {"law": "septic"},
        "bang": {"duration": 3.0, "seed": 4},
        "fourier": {"friction": ("viscous",), "duration": 4.0, "starts": 1, "harmonics": 4},
    }[kind]
    out = tmp_path / "m.parquet"
    made = call("plan", kind, "--robot", robot, "--rate-hz", 100, "-o", out, "--json", *given)
    assert made.exit_code == 0, made.output
    shown = json.loads(made.stdout)
    assert list(shown) == JSON_KEYS
    assert (shown["kind"], shown["excesses"]) == (kind, [])
    again = plan(kind, jw.load_robot(robot), rate_hz=100.0, **same)
    assert np.array_equal(jw.load_motion(out).q, again.q)


def test_a_plan_that_exceeds_a_limit_is_not_written_and_the_exit_code_is_1(tmp_path):
    out = tmp_path / "m.parquet"
    given = ["--start", "0,-1.5,1,-1,-1.5,0", "--goal", "0,0.6,0.5,-1,-1.5,0", "-o", out]
    plain = call("plan", "point", *given)
    assert plain.exit_code == 1
    assert "not written" in plain.stdout
    assert "the floor" in plain.stdout
    shown = call("plan", "point", *given, "--json")
    assert shown.exit_code == 1
    assert json.loads(shown.stdout)["motion"] is None
    assert not out.exists()


@pytest.mark.parametrize(
    "arguments",
    [("sweep", "--speeds", "fast"), ("point", "--goal", "1,2"), ("cycle", "--law", "linear")],
)
def test_a_mistake_on_the_command_line_is_one_line(arguments, tmp_path):
    made = call("plan", *arguments, "-o", tmp_path / "m.parquet")
    assert made.exit_code == 2
    assert made.stderr.startswith("jointwise: ")
    assert made.stderr.count("\n") == 1
