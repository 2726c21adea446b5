"""Synthetic logs whose torque is known exactly: a smooth path, inverse dynamics, and chosen friction laws."""

from __future__ import annotations

import numpy as np

from jointwise.laws.friction import FrictionModel
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot

RATE = 200.0
FINE = 10
"""Instants of a sampling period over which a drive averages; a sign that turns in between counts by part."""


def smooth_path(n, seconds, seed, rate=RATE, highest_hz=0.8, fine=1):
    """Positions (samples, n) and two derivatives of a sum of sines far below any filter used here.

    With `fine` instants in each sampling period, placed evenly about its sample.
    """
    rng = np.random.default_rng(seed)
    t = (np.arange(round(seconds * rate) * fine) - 0.5 * (fine - 1)) / (rate * fine)
    q, dq, ddq = (np.zeros((len(t), n)) for _ in range(3))
    for j in range(n):
        for hz in rng.uniform(0.1, highest_hz, 6):
            w, phase, a = 2 * np.pi * hz, rng.uniform(0, 6.28), rng.uniform(0.2, 0.6) / (1 + 4 * hz)
            q[:, j] += a * np.sin(w * t + phase)
            dq[:, j] += a * w * np.cos(w * t + phase)
            ddq[:, j] -= a * w**2 * np.sin(w * t + phase)
    return t, q, dq, ddq


def friction_along(laws, theta, dtheta, load, dt):
    """Friction (samples, motors) of the same laws at every motor."""
    out = np.zeros_like(theta)
    for j, terms in enumerate(laws):
        model = FrictionModel(terms=terms)
        out[:, j], _ = model.run(theta[:, j], dtheta[:, j], load[:, j], 20.0, dt=dt)
    return out


def averaged_friction(robot, laws, seconds, seed, rate):
    """Friction (samples, motors), the mean over each sampling period."""
    _, q, dq, ddq = smooth_path(robot.n, seconds, seed, rate, fine=FINE)
    c = robot.coupling_matrix()
    load = np.linalg.solve(c.T, robot.inverse_dynamics(q, dq, ddq).T).T
    friction = friction_along(laws, q @ c.T, dq @ c.T, load, 1.0 / (rate * FINE))
    return friction.reshape(-1, FINE, robot.n).mean(axis=1)


def log(
    robot: Robot, laws, *, seconds=20.0, seed=0, noise=0.0, delay=0.0, rotors=False, rate=RATE
) -> Recording:
    """A recording of q and motor torque; `delay` stamps the torque late."""
    t, q, dq, ddq = smooth_path(robot.n, seconds, seed, rate)
    total = robot.inverse_dynamics(q, dq, ddq, rotors=rotors)
    c = robot.coupling_matrix()
    total = np.linalg.solve(c.T, total.T).T
    torque = total + averaged_friction(robot, laws, seconds, seed, rate)
    if delay:
        late = np.column_stack([np.interp(t - delay, t, column) for column in torque.T])
        torque = late
    torque = torque + noise * np.random.default_rng(seed + 1000).standard_normal(torque.shape)
    return Recording(
        robot=robot.name,
        joint_names=tuple(j.name for j in robot.joints),
        time=t,
        columns={"q": q, "motor_torque": torque},
    )
