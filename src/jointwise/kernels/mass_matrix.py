"""Composite bodies: the mass matrix, and forward dynamics with it.

The bodies beyond joint i, seen as one rigid body, are described by ten numbers like a single link; carrying them one
frame down is the same map that regroups base parameters (spec 02.6). T(2.28) defines M column by column; composite
bodies give the same columns in one sweep.
"""

from __future__ import annotations

import numpy as np

from jointwise.kernels.arm import (
    INERTIAL,
    KIND,
    PRISMATIC,
    TILT,
    tensor_of,
    triple,
)
from jointwise.kernels.jit import inline, kernel, merged
from jointwise.kernels.newton_euler import PLAIN, SLOTS, out_of, placement, recursion
from jointwise.kernels.scalar import minimum
from jointwise.kernels.vector import add3, cross3, dot3, scale3, spin3, tilt3

LOST_PIVOT = 1e-14
"""A pivot below this fraction of its diagonal entry is the rounding of n sums of 1e-16 each, and says nothing."""


@inline
def spun_tensor(r, i):
    """Rot_z I Rot_z^T with r = (cos, sin, 1)."""
    c, s = r[0], r[1]
    xx, xy, xz, yy, yz, zz = i
    mixed = 2.0 * c * s * xy
    return (
        c * c * xx - mixed + s * s * yy,
        c * s * (xx - yy) + (c * c - s * s) * xy,
        c * xz - s * yz,
        s * s * xx + mixed + c * c * yy,
        s * xz + c * yz,
        zz,
    )


@inline
def tilted_tensor(row, i):
    """Rot_x I Rot_x^T with the tilt of a row."""
    c, s = row[TILT], row[TILT + 1]
    xx, xy, xz, yy, yz, zz = i
    mixed = 2.0 * c * s * yz
    return (
        xx,
        c * xy - s * xz,
        s * xy + c * xz,
        c * c * yy - mixed + s * s * zz,
        c * s * (yy - zz) + (c * c - s * s) * yz,
        s * s * yy + mixed + c * c * zz,
    )


@inline
def shifted_tensor(i, s, m, p):
    """Inertia about a point from which the body's own origin is seen at p; s is the first moment about that origin."""
    sp = 2.0 * dot3(s, p) + m * dot3(p, p)
    return (
        i[0] + sp - 2.0 * s[0] * p[0] - m * p[0] * p[0],
        i[1] - s[0] * p[1] - s[1] * p[0] - m * p[0] * p[1],
        i[2] - s[0] * p[2] - s[2] * p[0] - m * p[0] * p[2],
        i[3] + sp - 2.0 * s[1] * p[1] - m * p[1] * p[1],
        i[4] - s[1] * p[2] - s[2] * p[1] - m * p[1] * p[2],
        i[5] + sp - 2.0 * s[2] * p[2] - m * p[2] * p[2],
    )


@inline
def add6(a, b):
    """Sum of two tensors."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@inline
def carried_down(row, rotation, origin, tensor, moment, mass):
    """A body given in frame i expressed in frame i-1."""
    s = tilt3((row[TILT], row[TILT + 1], 0.0), spin3(rotation, moment))
    i = tilted_tensor(row, spun_tensor(rotation, tensor))
    return shifted_tensor(i, s, mass, origin), add3(s, scale3(mass, origin))


@merged
def composite_sweep(arm, work, mass_matrix):
    """Fill the symmetric mass matrix; `work` holds rotation and origin of each joint in slots 6 to 11."""
    n = mass_matrix.shape[0]
    tensor = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    moment = (0.0, 0.0, 0.0)
    mass = 0.0
    for i in range(n - 1, -1, -1):
        row = arm[i + 1]
        tensor = add6(tensor, tensor_of(row))
        moment = add3(moment, triple(row, INERTIAL + 6))
        mass += row[INERTIAL + 9]
        if row[KIND] == PRISMATIC:
            f = (0.0, 0.0, mass)
            t = (moment[1], -moment[0], 0.0)
            mass_matrix[i, i] = mass
        else:
            f = (-moment[1], moment[0], 0.0)
            t = (tensor[2], tensor[4], tensor[5])
            mass_matrix[i, i] = tensor[5]
        for j in range(i, -1, -1):
            lower = arm[j + 1]
            if j < i:
                value = f[2] if lower[KIND] == PRISMATIC else t[2]
                mass_matrix[i, j] = value
                mass_matrix[j, i] = value
            rotation = triple(work[j], 6)
            f = out_of(lower, rotation, f)
            t = add3(out_of(lower, rotation, t), cross3(triple(work[j], 9), f))
        tensor, moment = carried_down(
            row, triple(work[i], 6), triple(work[i], 9), tensor, moment, mass
        )


@merged
def place_all(arm, q, work):
    """Rotation and origin of every joint into slots 6 to 11 of `work`."""
    for i in range(q.shape[0]):
        r, p = placement(arm[i + 1], q[i])
        for k in range(3):
            work[i, 6 + k] = r[k]
            work[i, 9 + k] = p[k]


@kernel
def mass_matrix_batch(arm, q, mass_matrix):
    """Mass matrix of many samples, (samples, n, n)."""
    work = np.empty((q.shape[1], SLOTS))
    for k in range(q.shape[0]):
        place_all(arm, q[k], work)
        composite_sweep(arm, work, mass_matrix[k])


@inline
def factorise(a):
    """L D L^T of a symmetric matrix, in place; False where it is not positive definite.

    Afterwards L is below the diagonal, 1 / D on it, D L^T above: six divisions and no root for six joints, where
    each step of the plant waits for one pivot after the other.
    """
    n = a.shape[0]
    smallest = 1.0
    for j in range(n):
        d = a[j, j]
        rounding = LOST_PIVOT * d
        for k in range(j):
            d = d - a[j, k] * a[k, j]
        smallest = minimum(smallest, d - rounding)
        inverse = 1.0 / d
        a[j, j] = inverse
        for i in range(j + 1, n):
            x = a[i, j]
            for k in range(j):
                x = x - a[i, k] * a[k, j]
            a[j, i] = x
            a[i, j] = x * inverse
    return smallest > 0.0


@inline
def solve_factorised(a, x):
    """Solve L D L^T y = x in place."""
    n = a.shape[0]
    for i in range(n):
        for k in range(i):
            x[i] -= a[i, k] * x[k]
    for i in range(n - 1, -1, -1):
        x[i] *= a[i, i]
        for k in range(i + 1, n):
            x[i] -= a[k, i] * x[k]


@kernel
def forward_dynamics_batch(arm, extra, q, dq, tau, ddq):
    """Acceleration of many samples; `extra` (n, n) is added to the mass matrix (reflected rotor inertia).

    Returns the index of the first sample whose mass matrix is not positive definite, or -1.
    """
    n = q.shape[1]
    work = np.empty((n, SLOTS))
    mass = np.empty((n, n))
    still = np.zeros(n)
    bias = np.empty(n)
    for k in range(q.shape[0]):
        recursion(arm, q[k], dq[k], still, still, still, bias, work, PLAIN)
        composite_sweep(arm, work, mass)
        for i in range(n):
            ddq[k, i] = tau[k, i] - bias[i]
            for j in range(n):
                mass[i, j] += extra[i, j]
        if not factorise(mass):
            return k
        solve_factorised(mass, ddq[k])
    return -1
