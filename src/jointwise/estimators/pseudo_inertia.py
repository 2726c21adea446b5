"""The pseudo-inertia of a body: one matrix that is positive definite exactly for bodies that can exist. Spec 02.10.

    P = [[tr(I)/2 E - I, s], [s^T, m]] = integral of [r; 1] [r; 1]^T dm

with I and the first moment s = m c about the origin of the link frame (Wensing, Kim and Slotine 2018). It is linear
in the ten inertial parameters and holds mass, positive moments and the triangle inequality in one condition.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError, ShapeError
from jointwise.robot.inertia import INERTIAL_NAMES, matrix_of

Array = NDArray[np.float64]


def pseudo_inertia(gamma: ArrayLike) -> Array:
    """(..., 4, 4) of ten inertial parameters (..., 10)."""
    given = np.asarray(gamma, dtype=np.float64)
    if given.shape[-1:] != (10,):
        raise ShapeError("gamma", f"shape {given.shape}", "shape (..., 10)")
    return np.asarray(np.tensordot(given, BASIS, axes=1))


def inertial_parameters(matrix: ArrayLike) -> Array:
    """The ten inertial parameters (..., 10) of a pseudo-inertia (..., 4, 4); the reverse of `pseudo_inertia`."""
    p = np.asarray(matrix, dtype=np.float64)
    second = p[..., :3, :3]
    trace = np.trace(second, axis1=-2, axis2=-1)[..., None, None]
    tensor = trace * np.eye(3) - second
    entries = tensor[..., [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    return np.concatenate([entries, p[..., :3, 3], p[..., 3:, 3]], axis=-1)


def divergence(p: Array, prior: Array) -> float:
    """Bregman divergence of -log det, tr(P0^-1 P) - log det(P0^-1 P) - 4 (Lee, Wensing and Park 2020).

    Zero for the prior itself, infinite at the border of what is physical, the same in every frame and unit.
    """
    root = np.linalg.inv(np.linalg.cholesky(prior))
    eigenvalues = np.linalg.eigvalsh(root @ p @ root.T)
    if eigenvalues[0] <= 0.0:
        return float("inf")
    return float(np.sum(eigenvalues - 1.0 - np.log(eigenvalues)))


def link_places(names: Sequence[str]) -> dict[str, list[int]]:
    """For each link among the columns, by its label, the places of its ten parameters."""
    places = {name: k for k, name in enumerate(names)}
    heads = "|".join(sorted(INERTIAL_NAMES, key=len, reverse=True))
    labels: dict[str, None] = {}
    for name in names:
        found = re.fullmatch(rf"({heads})(\d+)", name)
        if found:
            labels[found.group(2)] = None
    out = {}
    for label in labels:
        own = [f"{head}{label}" for head in INERTIAL_NAMES]
        missing = [name for name in own if name not in places]
        if missing:
            raise ParameterError(
                f"columns of link {label}",
                f"without {', '.join(missing)}",
                "all ten inertial parameters",
                "give the standard parameters and the matrix that groups them",
            )
        out[label] = [places[name] for name in own]
    return out


def _basis() -> Array:
    out = np.zeros((10, 4, 4))
    for k in range(6):
        tensor = matrix_of(tuple(np.eye(6)[k]))
        out[k, :3, :3] = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    for k in range(3):
        out[6 + k, k, 3] = out[6 + k, 3, k] = 1.0
    out[9, 3, 3] = 1.0
    return out


BASIS = _basis()
"""(10, 4, 4): P = sum_k gamma_k BASIS[k]."""
