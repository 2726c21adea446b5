"""The ladder of friction models: every step equals its neighbour, and the data decide how high to climb."""

import itertools

import numpy as np
import pytest

import jointwise as jw
from arm_logs import log
from jointwise.experiments.design import Design
from jointwise.experiments.friction_ladder import excess, names_for, relative, simplest
from jointwise.experiments.robot_fit import fit_robot
from jointwise.laws.coulomb import Coulomb
from jointwise.laws.offset import Offset
from jointwise.laws.slip_bank import SlipBank
from jointwise.laws.viscous import Viscous
from jointwise.recording.signals import signals
from jointwise.report.write import write_report

PLAIN = [(Coulomb(coulomb=2.0), Viscous(viscous=3.0), Offset(offset=0.4))] * 2
SPRINGY = [
    (
        SlipBank(limits=(2e-3, 3e-2), torques=(2.0, 2.0), load_shares=(0.0, 0.0)),
        Viscous(viscous=1.0),
    )
] * 2


@pytest.fixture(scope="module")
def arm():
    return jw.load_robot("two_link")


@pytest.fixture(scope="module")
def piece(arm):
    (one,) = signals(log(arm, PLAIN, seed=1, seconds=10.0), arm, filter_hz=10.0)
    return one


def lifted(values, below, above):
    """Values of the step above that make it the step below: what it adds is zero, what it replaces is equal."""
    given = dict(zip(below.names, values, strict=True))
    for name in above.names:
        for whole, way in itertools.product(("coulomb", "viscous"), ("forward", "backward")):
            plain = name.replace(f"{whole}_{way}", whole)
            if name not in given and plain in given:
                given[name] = given[plain]
    return np.array([given.get(name, 0.0) for name in above.names])


def test_every_step_equals_its_neighbour_where_what_it_adds_is_zero(arm, piece):
    rng = np.random.default_rng(0)
    steps = names_for([piece])
    assert len(steps) > 8
    for (_, low, _), (name, high, _) in itertools.pairwise(steps):
        below, above = Design(robot=arm, friction=low), Design(robot=arm, friction=high)
        values = rng.uniform(0.1, 1.0, len(below.names))
        gamma = below.base.standard(values[: below.base.count], np.zeros(len(below.base.columns)))
        expected = sum(below.torque(piece, values, gamma)[:2])
        found = sum(above.torque(piece, lifted(values, below, above), gamma)[:2])
        assert np.allclose(found, expected, atol=1e-9), name


def test_the_simplest_step_within_one_standard_error_of_the_best_is_taken():
    scores = np.array([[1.0, 1.0, 1.0], [0.52, 0.49, 0.51], [0.50, 0.50, 0.50]])
    assert simplest(scores) == 1
    assert simplest(scores - [[0.0], [0.0], [0.1]]) == 2
    assert np.all(excess(scores)[2] == 0.0)


def test_the_lowest_step_scores_one_and_joints_count_alike():
    squares = np.random.default_rng(1).uniform(0.5, 2.0, (3, 4, 2, 2)) * [[1.0], [100.0]]
    assert relative(squares)[0].mean() == pytest.approx(1.0)
    doubled = squares.copy()
    doubled[1, :, 0] *= 2.0
    assert relative(doubled)[1].mean() > relative(squares)[1].mean()


@pytest.mark.parametrize(("laws", "memory"), [(PLAIN, False), (SPRINGY, True)])
def test_recordings_decide_whether_friction_has_memory(arm, laws, memory, tmp_path):
    logs = [log(arm, laws, seed=s, seconds=10.0, noise=0.02) for s in (1, 2, 3)]
    fit = fit_robot(arm, logs, filter_hz=10.0, friction=("auto",), method="bounded", delay=False)
    assert ("memory" in fit.settings["friction"]) == memory
    steps = list(fit.settings["ladder"])
    assert fit.settings["ladder_chosen"] in steps
    assert fit.arrays["ladder_scores"].shape == (len(steps), 3)
    page = write_report(tmp_path / "report.html", fit).read_text()
    assert "Friction models tried" in page
    assert all(step in page for step in steps)
