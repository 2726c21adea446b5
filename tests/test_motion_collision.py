"""Capsules: their distances against MuJoCo's, and what the shapes of the library's arms say."""

import mujoco
import numpy as np
import pytest

import jointwise as jw
from jointwise.kernels.capsules import segment_distance
from jointwise.robot.capsules import Capsule
from jointwise.robot.clearance import clearance, distances, has_capsules, pair_names

UR = ("ur3e", "ur5e", "ur10e", "ur16e", "ur5")
RADIUS = 1e-3
TWO_CAPSULES = """
<mujoco><worldbody>
  <geom name="a" type="capsule" fromto="{a}" size="{r}"/>
  <geom name="b" type="capsule" fromto="{b}" size="{r}"/>
</worldbody></mujoco>
"""


def mujoco_distance(a0, a1, b0, b1):
    text = TWO_CAPSULES.format(
        a=" ".join(map(repr, map(float, [*a0, *a1]))),
        b=" ".join(map(repr, map(float, [*b0, *b1]))),
        r=RADIUS,
    )
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return mujoco.mj_geomDistance(model, data, 0, 1, 100.0, None) + 2 * RADIUS


def segment_distances(*ends):
    """Of many segments, four arrays (pairs, 3)."""
    return np.array([segment_distance(*map(tuple, four)) for four in zip(*ends, strict=True)])


def test_segments_are_as_far_apart_as_mujoco_says():
    rng = np.random.default_rng(1)
    ends = rng.uniform(-1.0, 1.0, (60, 4, 3))
    ends[:10, 3] = ends[:10, 2] + (ends[:10, 1] - ends[:10, 0])  # parallel ones
    ours = segment_distances(*ends.transpose(1, 0, 2))
    theirs = [mujoco_distance(*four) for four in ends]
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_the_distance_is_no_larger_than_between_any_two_points():
    rng = np.random.default_rng(2)
    a0, a1, b0, b1 = rng.normal(size=(4, 200, 3))
    found = segment_distances(a0, a1, b0, b1)
    share = np.linspace(0.0, 1.0, 60)
    a = a0[:, None] + share[:, None] * (a1 - a0)[:, None]
    b = b0[:, None] + share[:, None] * (b1 - b0)[:, None]
    sampled = np.linalg.norm(a[:, :, None] - b[:, None], axis=-1).min(axis=(1, 2))
    assert (found <= sampled + 1e-12).all()
    assert (found >= sampled - 0.1).all()


@pytest.mark.parametrize("length", [0.0, 1.0])
def test_points_and_equal_segments_have_distances(length):
    a = np.zeros((1, 3))
    b = np.array([[length, 0.0, 0.0]])
    up = np.array([[0.0, 0.0, 0.25]])
    assert segment_distances(a, b, a + up, b + up)[0] == pytest.approx(0.25)
    assert segment_distances(a, b, a, b)[0] == 0.0


@pytest.mark.parametrize("name", UR)
def test_an_arm_that_stands_upright_is_clear_and_a_folded_one_is_not(name):
    arm = jw.load_robot(name)
    upright, folded = np.zeros((2, 6))
    upright[1] = -np.pi / 2
    folded[1:3] = -np.pi / 2, 3.0
    assert clearance(arm, [upright], floor=0.0)[0] > 0.0
    assert clearance(arm, [folded], floor=0.0)[0] < 0.0


def test_the_two_descriptions_of_an_arm_collide_alike():
    """UR5 and UR5e have nearly the same lengths; their frames, and so their capsules, are written differently."""
    q = np.random.default_rng(4).uniform(-np.pi, np.pi, (3000, 6))
    older, newer = (clearance(jw.load_robot(n), q) for n in ("ur5", "ur5e"))
    assert np.mean((older > 0.0) == (newer > 0.0)) > 0.9


def test_the_floor_is_below_an_upright_arm_and_above_a_hanging_one():
    arm = jw.load_robot("ur5e")
    down = np.zeros(6)
    down[1] = np.pi / 2
    assert clearance(arm, [down], floor=0.0)[0] < -0.5
    names = pair_names(arm, floor=0.0)
    worst = names[int(np.argmin(distances(arm, [down], floor=0.0)[0]))]
    assert worst == "elbow and the floor"


def test_turning_the_base_changes_no_distance():
    arm = jw.load_robot("ur10e")
    q = np.random.default_rng(5).uniform(-3.0, 3.0, (50, 6))
    turned = q.copy()
    turned[:, 0] += 1.0
    names = pair_names(arm, floor=0.0)
    one, other = (distances(arm, v, floor=0.0) for v in (q, turned))
    assert one.shape[1] == len(names)
    np.testing.assert_allclose(one, other, atol=1e-12)


def test_neighbours_are_not_checked_and_unknown_shapes_are_endlessly_far():
    assert not [n for n in pair_names(jw.load_robot("ur5e")) if n == "elbow and wrist_1"]
    bare = jw.load_robot("two_link")
    assert not has_capsules(bare)
    assert clearance(bare, [[0.0, 0.0]], floor=0.0)[0] == np.inf


def test_a_capsule_without_radius_is_refused():
    with pytest.raises(jw.ParameterError, match="radius"):
        Capsule(start=(0.0, 0.0, 0.0), end=(1.0, 0.0, 0.0), radius=0.0)
    with pytest.raises(jw.ParameterError, match="capsules"):
        jw.load_robot("two_link").replace({"joints.elbow.capsules": (3,)}, source="test")
