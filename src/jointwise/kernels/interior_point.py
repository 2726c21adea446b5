"""Steps of the interior-point method for bodies that can exist; what is found and why: `estimators.barrier`.

A link is a symmetric 4 x 4 matrix X given by ten coordinates, its multiplier another, Z. W = G G^T with W Z W = X is
the scaling of Nesterov and Todd. From X = L L^T, Z = R R^T and R^T L = U D V^T follows G^-1 = D^(1/2) V^T L^-1.
"""

from __future__ import annotations

import numpy as np

from jointwise.kernels.jit import inline, kernel

SIDE = 4
COORDINATES = 10
HALF = np.sqrt(0.5)
SWEEPS = 12
"""Of Jacobi's rotations; four or five do."""
ROUNDING = 1e-15


@inline
def matrix_of(x, out):
    """Symmetric matrix of ten coordinates whose length is its Frobenius norm."""
    k = 0
    for i in range(SIDE):
        out[i, i] = x[k]
        k += 1
        for j in range(i + 1, SIDE):
            out[i, j] = out[j, i] = HALF * x[k]
            k += 1


@inline
def add_coordinates(matrix, factor, out):
    """Adds the coordinates of a symmetric matrix."""
    k = 0
    for i in range(SIDE):
        out[k] += factor * matrix[i, i]
        k += 1
        for j in range(i + 1, SIDE):
            out[k] += factor * HALF * (matrix[i, j] + matrix[j, i])
            k += 1


@inline
def cholesky(matrix, lower):
    """Lower triangle L with L L^T = matrix; NaN where it is not positive definite."""
    for i in range(SIDE):
        for j in range(SIDE):
            lower[i, j] = 0.0
    for j in range(SIDE):
        left = matrix[j, j]
        for k in range(j):
            left -= lower[j, k] * lower[j, k]
        lower[j, j] = np.sqrt(left) if left > 0.0 else np.nan
        for i in range(j + 1, SIDE):
            left = matrix[i, j]
            for k in range(j):
                left -= lower[i, k] * lower[j, k]
            lower[i, j] = left / lower[j, j]


@inline
def inverted(lower, out):
    """Inverse of a lower triangle."""
    for i in range(SIDE):
        for j in range(SIDE):
            out[i, j] = 0.0
    for j in range(SIDE):
        out[j, j] = 1.0 / lower[j, j]
        for i in range(j + 1, SIDE):
            left = 0.0
            for k in range(j, i):
                left -= lower[i, k] * out[k, j]
            out[i, j] = left / lower[i, i]


@inline
def product(a, left_turned, b, right_turned, out):
    """out = a b, either of them transposed where asked for."""
    for i in range(SIDE):
        for j in range(SIDE):
            total = 0.0
            for k in range(SIDE):
                total += (a[k, i] if left_turned else a[i, k]) * (
                    b[j, k] if right_turned else b[k, j]
                )
            out[i, j] = total


@inline
def orthogonalised(m, v):
    """Jacobi's one-sided rotations: M V with orthogonal columns in place of M, V beside it."""
    for i in range(SIDE):
        for j in range(SIDE):
            v[i, j] = 1.0 if i == j else 0.0
    for _ in range(SWEEPS):
        most = 0.0
        for p in range(SIDE - 1):
            for q in range(p + 1, SIDE):
                a = b = g = 0.0
                for i in range(SIDE):
                    a += m[i, p] * m[i, p]
                    b += m[i, q] * m[i, q]
                    g += m[i, p] * m[i, q]
                size = np.sqrt(a * b)
                if not abs(g) > ROUNDING * size:
                    continue
                most = max(most, abs(g) / size)
                ratio = (b - a) / (2.0 * g)
                t = (1.0 if ratio >= 0.0 else -1.0) / (abs(ratio) + np.sqrt(1.0 + ratio * ratio))
                c = 1.0 / np.sqrt(1.0 + t * t)
                s = c * t
                for i in range(SIDE):
                    m[i, p], m[i, q] = c * m[i, p] - s * m[i, q], s * m[i, p] + c * m[i, q]
                    v[i, p], v[i, q] = c * v[i, p] - s * v[i, q], s * v[i, p] + c * v[i, q]
        if most <= ROUNDING:
            break


@inline
def extremes(m):
    """Smallest and largest eigenvalue of a symmetric matrix, by Jacobi's rotations in place."""
    for _ in range(SWEEPS):
        off = size = 0.0
        for p in range(SIDE):
            size += m[p, p] * m[p, p]
            for q in range(p + 1, SIDE):
                off += m[p, q] * m[p, q]
        if not off > ROUNDING * ROUNDING * (size + off):
            break
        for p in range(SIDE - 1):
            for q in range(p + 1, SIDE):
                g = m[p, q]
                if g == 0.0:
                    continue
                ratio = (m[q, q] - m[p, p]) / (2.0 * g)
                t = (1.0 if ratio >= 0.0 else -1.0) / (abs(ratio) + np.sqrt(1.0 + ratio * ratio))
                c = 1.0 / np.sqrt(1.0 + t * t)
                s = c * t
                for k in range(SIDE):
                    m[k, p], m[k, q] = c * m[k, p] - s * m[k, q], s * m[k, p] + c * m[k, q]
                for k in range(SIDE):
                    m[p, k], m[q, k] = c * m[p, k] - s * m[q, k], s * m[p, k] + c * m[q, k]
    low = high = m[0, 0]
    for p in range(1, SIDE):
        low, high = min(low, m[p, p]), max(high, m[p, p])
    if np.isnan(low + high):
        return np.nan, np.nan
    return low, high


@kernel
def link_terms(x, z, pull, target, slope, scalings, rows):
    """For each link: slope of its pull and barrier added, G^-1, and the root (10, 10) of its scaled Hessian.

    The pull is `pull[0]` E + `pull[1]` X.
    """
    work = np.empty((6, SIDE, SIDE))
    matrix, lower, inverse, root, right, v = (
        work[0], work[1], work[2], work[3], work[4], work[5],
    )  # fmt: skip
    for link in range(z.shape[0]):
        first = COORDINATES * link
        matrix_of(x[first : first + COORDINATES], matrix)
        cholesky(matrix, lower)
        inverted(lower, inverse)
        cholesky(z[link], root)
        product(root, True, lower, False, right)
        orthogonalised(right, v)
        scaling = scalings[link]
        product(v, True, inverse, False, scaling)
        for i in range(SIDE):
            length = 0.0
            for k in range(SIDE):
                length += right[k, i] * right[k, i]
            for k in range(SIDE):
                scaling[i, k] *= length**0.25
        part = slope[first : first + COORDINATES]
        add_coordinates(matrix, pull[1], part)
        for i in range(SIDE):
            for j in range(SIDE):
                v[i, j] = pull[0] if i == j else 0.0
        add_coordinates(v, 1.0, part)
        product(inverse, True, inverse, False, v)
        add_coordinates(v, -target, part)
        k = 0
        for i in range(SIDE):
            for j in range(i, SIDE):
                c = 0
                for a in range(SIDE):
                    for b in range(a, SIDE):
                        both = scaling[a, i] * scaling[b, j] + scaling[a, j] * scaling[b, i]
                        rows[link, c, k] = (
                            both * (0.5 if i == j else HALF) * (1.0 if a == b else 2.0 * HALF)
                        )
                        c += 1
                k += 1


@kernel
def newton_step(root, slope, change):
    """change = -(R^T R)^-1 slope; returns the decrement squared."""
    count = len(slope)
    for i in range(count):
        change[i] = -slope[i]
    for i in range(count):
        change[i] /= root[i, i]
        for k in range(i + 1, count):
            change[k] -= root[i, k] * change[i]
    for i in range(count - 1, -1, -1):
        left = change[i]
        for k in range(i + 1, count):
            left -= root[i, k] * change[k]
        change[i] = left / root[i, i]
    decrement = 0.0
    for i in range(count):
        decrement -= slope[i] * change[i]
    return decrement


@inline
def matrix_room(lower_inverse, change, work, out):
    """How many times a change fits before a matrix ceases to be positive definite."""
    product(lower_inverse, False, change, False, work)
    product(work, False, lower_inverse, True, out)
    least, _ = extremes(out)
    return -1.0 / least if least < 0.0 else np.inf


@kernel
def multiplier_changes(x, z, change, scalings, target, dz):
    """Changes of the links' multipliers into `dz`; returns how many times both changes fit."""
    space = np.empty((7, SIDE, SIDE))
    matrix, dx, lower, inverse = space[0], space[1], space[2], space[3]
    w, work, out = space[4], space[5], space[6]
    room = np.inf
    for link in range(z.shape[0]):
        part = slice(COORDINATES * link, COORDINATES * (link + 1))
        matrix_of(x[part], matrix)
        matrix_of(change[part], dx)
        cholesky(matrix, lower)
        inverted(lower, inverse)
        room = min(room, matrix_room(inverse, dx, work, out))
        product(scalings[link], True, scalings[link], False, w)
        product(w, False, dx, False, work)
        product(work, False, w, False, out)
        product(inverse, True, inverse, False, work)
        for i in range(SIDE):
            for j in range(SIDE):
                both = 0.5 * (out[i, j] + out[j, i])
                dz[link, i, j] = target * 0.5 * (work[i, j] + work[j, i]) - z[link, i, j] - both
        cholesky(z[link], lower)
        inverted(lower, inverse)
        room = min(room, matrix_room(inverse, dz[link], work, out))
    return room


@kernel
def link_balance(x, z, target):
    """Smallest and largest eigenvalue of X Z of all links beside what they should be; NaN where none exist."""
    space = np.empty((4, SIDE, SIDE))
    matrix, lower, work, out = space[0], space[1], space[2], space[3]
    least, most = 1.0, 1.0
    for link in range(z.shape[0]):
        matrix_of(x[COORDINATES * link : COORDINATES * (link + 1)], matrix)
        cholesky(matrix, lower)
        product(lower, True, z[link], False, work)
        product(work, False, lower, False, out)
        low, high = extremes(out)
        if np.isnan(low):
            return np.nan, np.nan
        least, most = min(least, low / target), max(most, high / target)
    return least, most
