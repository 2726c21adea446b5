"""Whether the mass matrix of fitted parameters is positive definite in every pose that was tried. Spec 02.10.

A mass matrix with a negative eigenvalue makes simulation and control impossible, and base parameters fitted without
physical conditions may have one in some poses only. Poses are drawn within the limits of the joints; around the worst
the search is repeated in smaller and smaller neighbourhoods.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError
from jointwise.robot.base_parameters import BaseParameters
from jointwise.robot.description import Robot
from jointwise.robot.rigid_torque import link_mass_matrix
from jointwise.robot.samples import checked
from jointwise.units import Unknown

Array = NDArray[np.float64]

ROUNDS = 6
"""Of refinement, each in a neighbourhood half as wide."""
NEIGHBOURS = 200
FAR = 1.0
"""rad or m to both sides, times pi for a turning joint: where a limit is unknown or none."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MassAudit:
    """The worst pose found."""

    smallest_eigenvalue: float
    """kg m^2, of the mass matrix in the worst pose"""
    pose: Array
    share_not_positive: float
    """of the random poses"""
    poses: int

    @property
    def positive(self) -> bool:
        """Whether the mass matrix was positive definite in all poses."""
        return self.smallest_eigenvalue > 0.0


def mass_matrices(robot: Robot, base: BaseParameters, values: ArrayLike, q: ArrayLike) -> Array:
    """(..., n, n) from base parameters, with rotors where the base parameters have them.

    That of standard parameters which are zero but for those that name the base parameters: they move alike.
    """
    gamma = np.zeros(len(base.columns))
    gamma[base.kept] = checked("values", values, base.count)
    links = 10 * robot.n
    mass = link_mass_matrix(robot, gamma[:links], q)
    if base.columns[links : links + 1] == ("J1",):
        coupling = robot.coupling_matrix()
        mass += coupling.T @ (gamma[links : links + robot.n, None] * coupling)
    return mass


def audit_mass_matrix(
    robot: Robot, base: BaseParameters, values: ArrayLike, *, poses: int = 2000, seed: int = 0
) -> MassAudit:
    """The smallest eigenvalue of the mass matrix over random poses within the limits."""
    if poses < 1:
        raise ParameterError("poses", poses, "1 or more")
    low, high = _limits(robot)
    rng = np.random.default_rng(seed)
    q = rng.uniform(low, high, (poses, robot.n))
    least = _smallest(robot, base, values, q)
    share = float(np.mean(least <= 0.0))
    k = int(np.argmin(least))
    best, pose = float(least[k]), q[k]
    width = 0.1 * (high - low)
    for _ in range(ROUNDS):
        near = np.clip(pose + width * rng.uniform(-1.0, 1.0, (NEIGHBOURS, robot.n)), low, high)
        around = _smallest(robot, base, values, near)
        k = int(np.argmin(around))
        if around[k] < best:
            best, pose = float(around[k]), near[k]
        width = 0.5 * width
    return MassAudit(smallest_eigenvalue=best, pose=pose, share_not_positive=share, poses=poses)


def _smallest(robot: Robot, base: BaseParameters, values: ArrayLike, q: Array) -> Array:
    m = mass_matrices(robot, base, values, q)
    return np.asarray(np.linalg.eigvalsh(0.5 * (m + np.swapaxes(m, -1, -2)))[:, 0])


def _limits(robot: Robot) -> tuple[Array, Array]:
    """Lower and upper; a turn or two metres where a limit is unknown."""
    pairs = []
    for joint in robot.joints:
        far = np.pi * FAR if joint.kind == "revolute" else FAR
        low, high = _finite(joint.limits.position_lower), _finite(joint.limits.position_upper)
        if low is None:
            low = -far if high is None else high - 2.0 * far
        pairs.append((low, low + 2.0 * far if high is None else high))
    bounds = np.array(pairs, dtype=np.float64)
    return bounds[:, 0], bounds[:, 1]


def _finite(limit: float | Unknown) -> float | None:
    return None if isinstance(limit, Unknown) or not np.isfinite(limit) else limit
