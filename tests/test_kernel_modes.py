"""One source, three ways to run it: compiled, as plain Python, and on jets."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from random_arms import random_arm, random_motion

ROUNDING = 1e-13
"""The operations and their order are the same; only the library behind sine and cosine may differ, by 1e-16."""

# Prints every kind of result for one small arm with both kinds of joint, none of them on a coordinate axis.
ALL_KERNELS = """
import json, sys
import numba, numpy as np
from jointwise.robot.description import Robot
from jointwise.robot.frames import ModifiedDH, Pose, Transform
from jointwise.robot.inertia import Body
from jointwise.robot.parts import Drive, Joint

def joint(i, kind, frame):
    body = Body(mass=2.0 + i, center_of_mass=(0.1, -0.02 * i, 0.05), inertia=(0.05, 0.01, 0.002, 0.06, -0.003, 0.04))
    drive = Drive(gear_ratio=80.0, torque_constant=5.0, rotor_inertia=0.5 + 0.1 * i)
    return Joint(name=f"j{i}", kind=kind, frame=frame, link=body, drive=drive)

robot = Robot(
    name="small arm",
    joints=(
        joint(1, "revolute", ModifiedDH(d=0.3)),
        joint(2, "prismatic", Transform(origin=(0.1, 0.2, -0.1), rpy=(0.3, -0.8, 1.1), axis=(0.2, 1.0, 0.4))),
        joint(3, "revolute", Transform(origin=(0.2, 0.0, 0.1), rpy=(1.0, 0.2, -0.4), axis=(1.0, 0.3, -0.2))),
    ),
    tool=Pose(origin=(0.0, 0.1, 0.2), rpy=(0.1, 0.2, 0.3)),
)
m = [np.array(v) for v in (
    [[0.3, -0.2, 1.1]], [[1.0, 0.4, -0.7]], [[2.0, -1.5, 0.6]], [[-9.0, 4.0, 3.0]], [[20.0, 10.0, -30.0]]
)]
q, dq, ddq = m[:3]
out = {
    "poses": robot.link_poses(q),
    "jacobian": robot.jacobian(q),
    "jacobian derivative": robot.jacobian_derivative(q, dq),
    "torque": robot.inverse_dynamics(q, dq, ddq),
    "gravity": robot.gravity_torque(q),
    "mass": robot.mass_matrix(q),
    "mass derivative": robot.mass_matrix_derivative(q),
    "coriolis": robot.coriolis_matrix(q, dq),
    "acceleration": robot.forward_dynamics(q, dq, ddq),
    "energy": robot.energy(q, dq),
    "regressor": robot.regressor(q, dq, ddq, rotors=True, friction=["coulomb", "viscous_root"]),
    "rates": robot.joint_torque_rates(*m),
    "elastic": robot.elastic_inverse_dynamics(*m, stiffness=1e4),
    "flexible": [a.ravel().tolist() for a in robot.flexible_model(q, dq, ddq)][0:2],
}
answer = {name: np.asarray(value).ravel().tolist() for name, value in out.items()}
print(json.dumps({"interpreted": bool(numba.config.DISABLE_JIT), "answer": answer}))
"""


def run(**environment):
    done = subprocess.run(
        [sys.executable, "-c", ALL_KERNELS],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_kernels_give_the_same_numbers_as_plain_python():
    compiled, interpreted = run(NUMBA_DISABLE_JIT="0"), run(NUMBA_DISABLE_JIT="1")
    assert interpreted["interpreted"]
    assert not compiled["interpreted"]
    for name, value in compiled["answer"].items():
        scale = np.abs(value).max()
        difference = np.abs(np.subtract(value, interpreted["answer"][name])).max()
        assert difference <= ROUNDING * scale, name


@pytest.mark.parametrize("seed", range(8))
def test_plain_part_of_a_jet_is_inverse_dynamics(seed):
    """The same recursion, so the same bits."""
    rng = np.random.default_rng(seed)
    robot = random_arm(rng)
    motion = random_motion(rng, robot, 3)
    assert np.array_equal(
        robot.joint_torque_rates(*motion).torque, robot.inverse_dynamics(*motion[:3])
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_single_call_is_a_batch_of_one(seed):
    from jointwise.kernels.newton_euler import inverse_dynamics

    rng = np.random.default_rng(seed)
    robot = random_arm(rng)
    q, dq, ddq, *_ = random_motion(rng, robot)
    tau = np.empty(robot.n)
    inverse_dynamics(robot.arm, q, dq, ddq, tau)
    assert np.array_equal(tau, robot.inverse_dynamics(q, dq, ddq))
