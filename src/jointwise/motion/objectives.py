"""How well a motion excites the parameters: measures of the stacked regressor W, with gradients; spec 08.1.

    condition         log of cond(W) = sigma_max / sigma_min                                        J2 4.4, K(23)
    scaled_condition  the same with columns of unit length, so that units do not count              L(9)
    log_det           -log det(W^T W), D-optimality                                                 named in K
    hadamard          -sum_j log sum_i W_ij^2, an upper bound of log_det without correlations       L(27)-(29)

All are smaller for better motions. The gradient of a condition number is that of a smooth neighbour, in which the
largest and the smallest singular value are replaced by norms of all of them, with an exponent so high that these two
count most.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jointwise.motion.path import Array
from jointwise.robot.independent import triangular_factor

SQUARINGS = 3
"""The norms have the exponent p = 2^SQUARINGS on eigenvalues of W^T W, 2 p on singular values of W."""
RIDGE = 1e-7
"""Beside the longest column; columns that are weaker than this count as this."""

ROWS = 96
"""Rows multiplied at once: small products stay in one thread, which for stacks this small is many times faster."""

Measure = Callable[[Array], tuple[float, Array]]


def condition(w: Array) -> tuple[float, Array]:
    """Smoothed log of the condition number, log(tr G^p tr G^-p) / (2 p) with G = W^T W, and its gradient.

    The gradient is W (G^(p-1) / tr G^p - G^(-p-1) / tr G^-p). Powers of a small matrix are many times faster than
    singular values of the stack and for the search precise enough, with a condition number up to about 1e6.
    """
    gram = gram_of(w)
    size = max(float(gram.trace()), 1e-300)
    gram = np.asarray(gram / size + RIDGE**2 * np.eye(len(gram)), dtype=np.float64)
    inverse = np.asarray(np.linalg.inv(gram), dtype=np.float64)
    high, low = _power(gram), _power(inverse)
    p = 2.0**SQUARINGS
    value = (np.log(high.trace()) + np.log(low.trace())) / (2.0 * p)
    slope = np.linalg.solve(gram, high) / high.trace() - inverse @ low / low.trace()
    return float(value), times(w, 0.5 * (slope + slope.T)) / size


def _power(matrix: Array) -> Array:
    """matrix^p by squaring."""
    for _ in range(SQUARINGS):
        matrix = matrix @ matrix
    return matrix


def scaled_condition(w: Array) -> tuple[float, Array]:
    """The same for columns of unit length."""
    length = np.maximum(np.linalg.norm(w, axis=0), 1e-300)
    unit = w / length
    value, slope = condition(unit)
    return value, (slope - unit * np.sum(unit * slope, axis=0)) / length


def log_det(w: Array) -> tuple[float, Array]:
    """-log det(W^T W + e E), gradient -2 W (W^T W + e E)^-1; e keeps it finite for a motion that excites nothing."""
    gram = gram_of(w)
    gram[np.diag_indices_from(gram)] += max(RIDGE**2 * float(gram.diagonal().max()), 1e-300)
    factor = np.linalg.cholesky(gram)
    value = -2.0 * np.sum(np.log(factor.diagonal()))
    return float(value), -2.0 * times(w, np.asarray(np.linalg.inv(gram), dtype=np.float64))


def hadamard(w: Array) -> tuple[float, Array]:
    """-sum of the logs of the squared lengths of the columns."""
    squares = np.maximum(np.einsum("ij,ij->j", w, w), 1e-300)
    return float(-np.sum(np.log(squares))), -2.0 * w / squares


def gram_of(w: Array) -> Array:
    """W^T W, block by block."""
    whole = len(w) - len(w) % ROWS
    blocks = w[:whole].reshape(-1, ROWS, w.shape[1])
    rest = w[whole:]
    return np.asarray((blocks.transpose(0, 2, 1) @ blocks).sum(axis=0) + rest.T @ rest)


def times(w: Array, matrix: Array) -> Array:
    """W times a small matrix, block by block."""
    whole = len(w) - len(w) % ROWS
    blocks = w[:whole].reshape(-1, ROWS, w.shape[1]) @ matrix
    return np.concatenate([blocks.reshape(-1, matrix.shape[1]), w[whole:] @ matrix])


OBJECTIVES: dict[str, Measure] = {
    "condition": condition,
    "scaled_condition": scaled_condition,
    "log_det": log_det,
    "hadamard": hadamard,
}


def quality(w: Array) -> dict[str, float]:
    """The plain numbers of a stack: condition numbers, log det per column, and the Hadamard product per column."""
    factor = triangular_factor(w)
    s = np.linalg.svd(factor, compute_uv=False)
    length = np.linalg.norm(factor, axis=0)
    scaled = np.linalg.svd(factor / np.maximum(length, 1e-300), compute_uv=False)
    tiny = 1e-300
    return {
        "condition": float(s[0] / max(s[-1], tiny)),
        "scaled_condition": float(scaled[0] / max(scaled[-1], tiny)),
        "log_det": float(-2.0 * np.sum(np.log(np.maximum(s, tiny)))),
        "hadamard": float(-2.0 * np.sum(np.log(np.maximum(length, tiny)))),
    }
