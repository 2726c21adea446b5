"""Recordings of one joint made from formulas: a friction law along a planned motion, and noise."""

from dataclasses import replace

import numpy as np

from jointwise.laws.columns import columns_along
from jointwise.recording.recording import Recording

CONSTANT = 10.0
"""N m/A of every joint."""
NOISE = 0.02
"""N m"""


def stated(robot):
    """The robot with a torque constant of CONSTANT and drives that nobody knows more about."""
    changes = {f"joints.{j.name}.drive.torque_constant": CONSTANT for j in robot.joints}
    changes |= {f"joints.{j.name}.drive.gear_ratio": 101.0 for j in robot.joints}
    return robot.replace(changes, source="stated")


def along(
    robot, motion, joint, laws, *, temperature=25.0, noise=NOISE, offset=0.0, lead=0.0, seed=0
):
    """The joint's friction along a motion, as a current; rotor and link turn alike but for `lead` (samples,) rad."""
    q = np.array(motion.q)
    theta = q.copy()
    theta[:, joint] += lead
    warmth = np.broadcast_to(np.asarray(temperature, dtype=float), (len(q),))
    dt = float(motion.time[1] - motion.time[0])
    zero = np.zeros(len(q))
    # What is measured at this place is its friction; gravity and inertia are none of this recording's.
    torque = columns_along(laws, theta[:, joint], motion.dq[:, joint], zero, warmth, dt).sum(axis=1)
    rng = np.random.default_rng(seed)
    current = np.zeros_like(q)
    current[:, joint] = (torque + offset + noise * rng.standard_normal(len(q))) / CONSTANT
    return Recording(
        robot=robot.name,
        joint_names=tuple(j.name for j in robot.joints),
        time=np.array(motion.time),
        columns={
            "q": q,
            "theta": theta,
            "current": current,
            "temperature": np.broadcast_to(warmth[:, None], q.shape),
        },
    )


def loaded(robot, motion, joint, load, spring, *, noise=NOISE, gauge_sign=1.0, seed=0):
    """A joint at rest under a load (samples,): deformation by the spring, gauge and current with noise."""
    q = np.array(motion.q)
    theta = q.copy()
    theta[:, joint] += np.asarray(spring.deformation(load))
    rng = np.random.default_rng(seed)
    gauge, current = np.zeros_like(q), np.zeros_like(q)
    gauge[:, joint] = gauge_sign * (load + noise * rng.standard_normal(len(q)))
    current[:, joint] = (load + 5.0 * noise * rng.standard_normal(len(q))) / CONSTANT
    return Recording(
        robot=robot.name,
        joint_names=tuple(j.name for j in robot.joints),
        time=np.array(motion.time),
        columns={"q": q, "theta": theta, "current": current, "joint_torque": gauge},
    )


def changed(recording, **columns):
    """The recording with some columns replaced; None takes one out."""
    kept = {k: v for k, v in recording.columns.items() if columns.get(k, v) is not None}
    return replace(recording, columns=kept | {k: v for k, v in columns.items() if v is not None})
