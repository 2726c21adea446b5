"""Hysteresis as MuJoCo builds it: fixed tendons side by side on one joint, each an ideal elasto-plastic spring."""

from __future__ import annotations

import numpy as np
import pytest

from jointwise.laws.friction import FrictionModel
from jointwise.laws.maxwell_slip import MaxwellSlip, slip_limits, slip_stiffness

mujoco = pytest.importorskip("mujoco")

COULOMB, HALF_BACKLASH, REACH = 7.0, 1e-3, 2.5e-3
STEP = 1e-4
CYCLE = 2000
AREA = 5e-3  # relative


def tendon_bank(limits, stiffness):
    """A hinge with one tendon for each operator; `springyield` is the stretch at which a tendon begins to slip."""
    tendons = "".join(
        f'<fixed stiffness="{float(k)!r}" springyield="{float(limit)!r}"><joint joint="j" coef="1"/></fixed>'
        for k, limit in zip(stiffness, limits, strict=True)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}" gravity="0 0 0"/><worldbody><body>'
        f'<joint name="j" armature="1"/><geom size="0.1"/></body></worldbody>'
        f"<tendon>{tendons}</tendon></mujoco>"
    )
    return model, mujoco.MjData(model)


def tendon_torque(model, data, path):
    """Torque against the motion while the hinge is led along a path."""
    torque = np.empty(len(path))
    for k, position in enumerate(path):
        ahead = path[min(k + 1, len(path) - 1)]
        data.qpos[0], data.qvel[0] = position, (ahead - position) / STEP
        mujoco.mj_step(model, data)
        torque[k] = -data.qfrc_passive[0]
    return torque


def area(torque, path):
    last = slice(2 * CYCLE, None)
    return np.sum(0.5 * (torque[last][1:] + torque[last][:-1]) * np.diff(path[last]))


@pytest.mark.parametrize(("limit_exponent", "stiffness_exponent"), [(2.0, 1.0), (1.0, 0.5)])
def test_a_loop_has_the_area_of_mujocos_tendons(limit_exponent, stiffness_exponent):
    shape = {"limit_exponent": limit_exponent, "stiffness_exponent": stiffness_exponent}
    law = MaxwellSlip(coulomb=COULOMB, operators=4, half_backlash=(HALF_BACKLASH,), **shape)
    limits = HALF_BACKLASH * slip_limits(4, limit_exponent)
    stiffness = slip_stiffness(4, limit_exponent, stiffness_exponent) * COULOMB / HALF_BACKLASH
    path = REACH * np.sin(np.linspace(0.0, 6.0 * np.pi, 3 * CYCLE + 1))
    ours, _ = FrictionModel(terms=(law,)).run(path, np.gradient(path, STEP), 0.0, 20.0, dt=STEP)
    theirs = tendon_torque(*tendon_bank(limits, stiffness), path)
    assert area(ours, path) == pytest.approx(area(theirs, path), rel=AREA)
    # Theirs creeps past its limit by a little; between the corners the two are the same loop.
    assert np.abs(ours - theirs).max() < 1e-2 * COULOMB
