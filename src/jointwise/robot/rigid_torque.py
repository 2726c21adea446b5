"""Joint torque and mass matrix for standard parameters that need not belong to bodies: what least squares finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.robot import samples
from jointwise.robot.inertia import transport

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

Array = NDArray[np.float64]


def link_torque(
    robot: Robot, gamma: ArrayLike, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike
) -> Array:
    """M ddq + C dq + g of links with standard parameters gamma (10 n,), payload included; (..., n)."""
    from jointwise.kernels.newton_euler import inverse_dynamics_batch

    arm = _with_links(robot, gamma)
    leading, arrays = samples.samples(robot.n, {"q": q, "dq": dq, "ddq": ddq})
    out = np.empty_like(arrays[0])
    samples.spread(inverse_dynamics_batch, (arm,), [*arrays, out])
    return out.reshape(*leading, robot.n)


def link_mass_matrix(robot: Robot, gamma: ArrayLike, q: ArrayLike) -> Array:
    """Mass matrix (..., n, n) of links with standard parameters gamma (10 n,)."""
    from jointwise.kernels.mass_matrix import mass_matrix_batch

    arm = _with_links(robot, gamma)
    leading, (positions,) = samples.samples(robot.n, {"q": q})
    out = np.empty((len(positions), robot.n, robot.n))
    samples.spread(mass_matrix_batch, (arm,), [positions, out])
    return out.reshape(*leading, robot.n, robot.n)


def _with_links(robot: Robot, gamma: ArrayLike) -> Array:
    """The packed arm with other links."""
    from jointwise.kernels.arm import INERTIAL
    from jointwise.robot.packing import get_pose

    links = samples.checked("gamma", gamma, 10 * robot.n).reshape(robot.n, 10)
    arm = robot.chain.copy()
    for row, link in zip(arm[1:-1], links, strict=True):
        row[INERTIAL : INERTIAL + 10] = transport(get_pose(row)) @ link
    return arm
