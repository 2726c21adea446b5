"""Every rigid-body quantity agrees with Pinocchio on random arms, whatever their joints, frames and masses."""

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this system")

from pinocchio_oracle import errors, worst_errors
from random_arms import random_arm, random_motion

AGREEMENT = 1e-10
"""Rounding is 1e-16; nine joints lose two digits, cancelled terms five (`pinocchio_oracle.CANCELLED`)."""


def assert_agreement(worst):
    missed = {name: found for name, found in worst.items() if not found[0] <= AGREEMENT}
    assert not missed, "(largest error, index of the arm)"


@pytest.mark.parametrize("seed", range(8))
def test_random_arms_agree(seed):
    assert_agreement(worst_errors(seed, 50))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 110))
def test_ten_thousand_random_arms_agree(seed):
    assert_agreement(worst_errors(seed, 1000))


@pytest.mark.parametrize("joints", [1, 2, 3, 6, 9])
@pytest.mark.parametrize("special", [False, True])
def test_every_number_of_joints_agrees_in_both_geometries(joints, special):
    rng = np.random.default_rng(joints)
    for _ in range(3):
        robot = random_arm(rng, joints, special)
        q, dq, ddq, *_ = random_motion(rng, robot)
        found = errors(robot, q, dq, ddq)
        assert max(found.values()) <= AGREEMENT, found
