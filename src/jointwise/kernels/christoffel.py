"""Derivative of the mass matrix with respect to every joint, and the Coriolis matrix built from it.

With screws S_i and composite bodies I_j about one fixed point of the base, M_ij = S_i . I_j S_j for i <= j. Turning
joint k moves everything beyond it as one rigid body, which gives, with X_ki = S_k x S_i,

    dM_ij/dq_k = 0                                         k <= i
               = - X_ki . I_j S_j                          i < k <= j
               = - X_ki . I_k S_j - X_kj . I_k S_i         j < k

The Coriolis matrix uses the Christoffel symbols, T(2.29) without its surplus factor (erratum 2), so Mdot - 2C is
skew-symmetric. Checked against differences of the mass matrix and the skew property in the tests.
"""

from __future__ import annotations

import numpy as np

from jointwise.kernels.arm import INERTIAL, KIND, PRISMATIC, tensor_of, triple
from jointwise.kernels.jit import inline, kernel, merged
from jointwise.kernels.kinematics import ZERO, column, rotated, spindle_poses
from jointwise.kernels.mass_matrix import shifted_tensor
from jointwise.kernels.vector import add3, cross3, scale3, tensor3


@inline
def turned_tensor(pose, i):
    """R I R^T for the rotation part of a pose."""
    a = rotated(pose, (i[0], i[1], i[2]))
    b = rotated(pose, (i[1], i[3], i[4]))
    c = rotated(pose, (i[2], i[4], i[5]))
    x = rotated(pose, (a[0], b[0], c[0]))
    y = rotated(pose, (a[1], b[1], c[1]))
    z = rotated(pose, (a[2], b[2], c[2]))
    return (x[0], x[1], x[2], y[1], y[2], z[2])


@inline
def store6(slots, a, b):
    """Two vectors into six numbers."""
    for c in range(3):
        slots[c] = a[c]
        slots[3 + c] = b[c]


@inline
def inner6(a, b):
    """Screw times wrench."""
    total = 0.0
    for c in range(6):
        total += a[c] * b[c]
    return total


@merged
def screws_and_bodies(arm, poses, screws, bodies):
    """Joint screws (angular, linear) and composite bodies about the base origin, in base axes."""
    n = screws.shape[0]
    moment = ZERO
    mass = 0.0
    for i in range(n - 1, -1, -1):
        row = arm[i + 1]
        pose = poses[i + 1]
        origin = column(pose, 3)
        z = column(pose, 2)
        if row[KIND] == PRISMATIC:
            store6(screws[i], ZERO, z)
        else:
            store6(screws[i], z, cross3(origin, z))
        m = row[INERTIAL + 9]
        s = rotated(pose, triple(row, INERTIAL + 6))
        own = shifted_tensor(turned_tensor(pose, tensor_of(row)), s, m, origin)
        mass += m
        moment = add3(moment, add3(s, scale3(m, origin)))
        for c in range(3):
            bodies[i, 6 + c] = moment[c]
        for c in range(6):
            bodies[i, c] = own[c] + (bodies[i + 1, c] if i < n - 1 else 0.0)
        bodies[i, 9] = mass


@inline
def body_times(body, screw, out):
    """Wrench (moment, force) = composite body times screw (angular, linear)."""
    w = (screw[0], screw[1], screw[2])
    v = (screw[3], screw[4], screw[5])
    s = (body[6], body[7], body[8])
    i = (body[0], body[1], body[2], body[3], body[4], body[5])
    moment = add3(tensor3(i, w), cross3(s, v))
    force = add3(scale3(body[9], v), cross3(w, s))
    store6(out, moment, force)


@merged
def mass_matrix_slopes(arm, q, work, slopes):
    """dM_ij/dq_k of the links as slopes[k, i, j]."""
    n = q.shape[0]
    poses, screws, bodies, wrenches, brackets = work
    spindle_poses(arm, q, poses)
    screws_and_bodies(arm, poses, screws, bodies)
    for k in range(n):
        for j in range(k + 1):
            body_times(bodies[k], screws[j], wrenches[k, j])
        w = (screws[k, 0], screws[k, 1], screws[k, 2])
        v = (screws[k, 3], screws[k, 4], screws[k, 5])
        for i in range(k):
            wi = (screws[i, 0], screws[i, 1], screws[i, 2])
            vi = (screws[i, 3], screws[i, 4], screws[i, 5])
            store6(brackets[k, i], cross3(w, wi), add3(cross3(w, vi), cross3(v, wi)))
    for k in range(n):
        for i in range(n):
            for j in range(i, n):
                value = 0.0
                if k > j:
                    value = -inner6(brackets[k, i], wrenches[k, j])
                    value -= inner6(brackets[k, j], wrenches[k, i])
                elif k > i:
                    value = -inner6(brackets[k, i], wrenches[j, j])
                slopes[k, i, j] = value
                slopes[k, j, i] = value


@inline
def slopes_workspace(n):
    """Scratch arrays of `mass_matrix_slopes` for n joints."""
    return (
        np.empty((n + 1, 3, 4)),
        np.empty((n, 6)),
        np.empty((n, 10)),
        np.empty((n, n, 6)),
        np.empty((n, n, 6)),
    )


@inline
def christoffel_matrix(slopes, dq, coriolis):
    """C_ij = 1/2 sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) dq_k."""
    n = dq.shape[0]
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += (slopes[k, i, j] + slopes[j, i, k] - slopes[i, j, k]) * dq[k]
            coriolis[i, j] = 0.5 * total


@kernel
def mass_matrix_slopes_batch(arm, q, slopes):
    """dM/dq of many samples, (samples, n, n, n), first of the three the joint that turns."""
    work = slopes_workspace(q.shape[1])
    for k in range(q.shape[0]):
        mass_matrix_slopes(arm, q[k], work, slopes[k])


@kernel
def coriolis_matrix_batch(arm, q, dq, coriolis):
    """Coriolis matrix of many samples, (samples, n, n)."""
    n = q.shape[1]
    work = slopes_workspace(n)
    slopes = np.empty((n, n, n))
    for k in range(q.shape[0]):
        mass_matrix_slopes(arm, q[k], work, slopes)
        christoffel_matrix(slopes, dq[k], coriolis[k])
