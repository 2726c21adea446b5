"""One state of a UR5e on a table and its torques, computed with other software and rounded to six decimals."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

Q = (0.3, -1.1, 0.9, -0.4, 0.7, 0.2)
DQ = (0.5, -0.4, 0.3, 0.8, -0.6, 1.0)
DDQ = (1.0, -2.0, 1.5, 0.5, 2.0, -1.0)
TORQUE = (2.124344, -43.574154, -20.699796, -1.255008, 0.205748, -0.000090)
GRAVITY_TORQUE = (0.0, -38.141697, -19.400345, -1.328748, 0.242217, 0.0)
ROUNDING = 0.6e-6
"""N m: half a unit of the last decimal, and a little for the inputs."""


def largest_difference(robot: Robot) -> float:
    """Largest difference (N m) of this installation's torques from the reference."""
    import numpy as np

    q, dq, ddq = (np.array(values) for values in (Q, DQ, DDQ))
    torque = robot.inverse_dynamics(q, dq, ddq) - np.array(TORQUE)
    gravity = robot.gravity_torque(q) - np.array(GRAVITY_TORQUE)
    return float(np.max(np.abs([torque, gravity])))
