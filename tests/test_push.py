"""A hand at the tool: smooth, of the stated size and times, and felt by the arm as its Jacobian says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jointwise.errors import JointwiseError
from jointwise.laws.friction import FrictionModel
from jointwise.laws.viscous import Viscous
from jointwise.plant.faults import events
from jointwise.plant.outcome import Wall
from jointwise.plant.push import HandPush
from jointwise.plant.twin import Twin
from twins import plain_plant

PUSH = HandPush(force=(0.0, 3.0, -4.0), start=0.2, rise=0.4, hold=0.5, release=0.3)


def test_a_push_rises_holds_and_ends():
    wrench = PUSH.wrench(1600)
    size = np.linalg.norm(wrench[:, :3], axis=1)
    assert not wrench[:201].any()
    assert not wrench[1401:].any()
    assert size[400] == pytest.approx(2.5)  # half of it halfway through the rise
    np.testing.assert_allclose(
        wrench[600:1101], [[0.0, 3.0, -4.0, 0.0, 0.0, 0.0]] * 501, atol=1e-12
    )
    assert (np.diff(size[200:601]) >= -1e-12).all()
    assert (np.diff(size[1100:1401]) <= 1e-12).all()


def test_a_push_has_no_jump_in_rate():
    """Least jerk: force, its rate and its curvature are continuous, so the second difference stays small."""
    force = PUSH.wrench(16000, 1e-4)[:, 2]
    # The largest curvature of the profile is 10/sqrt(3) of size over the square of the shorter time.
    bound = 4.0 * 10.0 / np.sqrt(3.0) / 0.3**2 * 1e-8
    assert np.abs(np.diff(force, 2)).max() <= 1.01 * bound


def test_the_arm_feels_the_push_through_its_jacobian():
    held = FrictionModel(terms=(Viscous(viscous=200.0),))
    plant = plain_plant("two_link", gravity=(0.0, 0.0, 0.0), damping=30.0)
    plant = replace(plant, joints=tuple(replace(j, friction=held) for j in plant.joints))
    q = np.array([0.3, 0.6])
    push = HandPush(force=(6.0, 0.0, 2.0), moment=(0.0, 1.5, 0.0), start=0.1, rise=0.5, hold=2.0)
    torque = -push.wrench(2500) @ plant.robot.jacobian(q)
    run = Twin(plant=plant).run_torque(torque, q=q, wrench=push.wrench(2500)).raise_for_status()
    x = run.state.x
    felt = plant.robot.jacobian(x[0]).T @ [6.0, 0.0, 2.0, 0.0, 1.5, 0.0]
    assert np.abs(felt).min() > 0.5
    np.testing.assert_allclose(2e3 * (x[0] - x[2]), felt, atol=2e-2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"force": (1.0, 2.0)},
        {"force": (np.nan, 0, 0)},
        {"rise": 0.0},
        {"start": -1.0},
        {"hold": "x"},
    ],
)
def test_impossible_pushes_are_refused(wrong):
    with pytest.raises(JointwiseError, match=next(iter(wrong))):
        HandPush(**{"force": (1.0, 0.0, 0.0), "start": 0.0} | wrong)


@pytest.mark.parametrize(("damping", "least", "most"), [(0.0, 0.99, 1.01), (300.0, 0.05, 0.9)])
def test_an_elastic_wall_gives_the_energy_back_and_a_damped_one_keeps_some(damping, least, most):
    """Share of the kinetic energy left after the arm has swung into a wall and away from it."""
    plant = plain_plant("two_link", gravity=(0.0, 0.0, 0.0), stiffness=1e6)
    q = np.array([0.0, 0.3])
    height = float(plant.robot.pose(q)[2, 3])
    wall = Wall(normal=(0.0, 0.0, 1.0), distance=height - 0.05, stiffness=2e4, damping=damping)
    twin = Twin(plant=plant, wall=wall, method="rk4", period=1e-3, substeps=20)
    start = twin.init(q, dq=[-1.0, 0.0])
    quiet = np.zeros((1, 6))
    event = events((), 1, 2, 1e-3, np.random.default_rng(0))
    end, *_ = twin.advance(start, np.zeros((400, 3, 2)), servoed=False, wrench=quiet, event=event)

    def kinetic(x):
        links = float(plant.robot.energy(x[0], x[1])[0])
        return links + 0.25 * float(np.sum(x[3] ** 2))

    assert plant.robot.pose(end.x[0])[2, 3] > wall.distance  # it came back
    assert least < kinetic(end.x) / kinetic(start.x) < most
