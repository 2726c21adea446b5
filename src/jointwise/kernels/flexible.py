"""The full flexible-joint model with inertial coupling between links and rotors; spec 03.2, T(2.8)-(2.22).

Coordinates (q; theta), theta the rotor angle reflected to the output side. Motor j sits on link j-1 with its spin
axis along joint axis j:

    S_ij = (B_j / r_j) z_i . z_j    i < j, revolute i;  zero otherwise          erratum 3, register 55
    M    = M_links + S B^-1 S^T     links carry rotor masses and transversal inertia        T(2.10)

The Coriolis matrix of the 2n coordinates is made of the blocks CA1, CB1, CB2, CB3 of T(2.15)-(2.18), which are the
Christoffel symbols written out; the lower right block is zero.
"""

from __future__ import annotations

import numpy as np

from jointwise.kernels.arm import KIND, PRISMATIC, RATIO, ROTOR
from jointwise.kernels.christoffel import (
    christoffel_matrix,
    mass_matrix_slopes,
    slopes_workspace,
)
from jointwise.kernels.jit import inline, kernel, merged
from jointwise.kernels.kinematics import column
from jointwise.kernels.mass_matrix import composite_sweep
from jointwise.kernels.newton_euler import PLAIN, SLOTS, recursion
from jointwise.kernels.vector import cross3, dot3


@merged
def rotor_coupling(arm, poses, coupling, slopes):
    """S(q) and dS_ij/dq_k as slopes[k, i, j]; only joints strictly between i and j turn z_i against z_j."""
    n = coupling.shape[0]
    coupling[:] = 0.0
    slopes[:] = 0.0
    for j in range(n):
        per_turn = arm[j + 1, ROTOR] / arm[j + 1, RATIO]
        zj = column(poses[j + 1], 2)
        for i in range(j):
            if arm[i + 1, KIND] == PRISMATIC:
                continue
            zi = column(poses[i + 1], 2)
            coupling[i, j] = per_turn * dot3(zi, zj)
            for k in range(i + 1, j):
                if arm[k + 1, KIND] != PRISMATIC:
                    zk = column(poses[k + 1], 2)
                    slopes[k, i, j] = per_turn * dot3(zi, cross3(zk, zj))


@merged
def add_dragged_rotors(arm, coupling, s_slopes, mass, m_slopes):
    """Add S B^-1 S^T to the mass matrix of the links, and its derivative to the slopes."""
    n = mass.shape[0]
    for i in range(n):
        for j in range(n):
            for r in range(n):
                b = arm[r + 1, ROTOR]
                if b > 0.0:
                    mass[i, j] += coupling[i, r] * coupling[j, r] / b
                    for k in range(n):
                        m_slopes[k, i, j] += (
                            s_slopes[k, i, r] * coupling[j, r] + coupling[i, r] * s_slopes[k, j, r]
                        ) / b


@merged
def coriolis_blocks(m_slopes, s_slopes, dq, dtheta, coriolis):
    """The 2n x 2n Coriolis matrix from T(2.15)-(2.18)."""
    n = dq.shape[0]
    christoffel_matrix(m_slopes, dq, coriolis[:n, :n])  # CB1
    for i in range(n):
        for j in range(n):
            ca1 = 0.0
            cb2 = 0.0
            cb3 = 0.0
            for k in range(n):
                ca1 += (s_slopes[j, i, k] - s_slopes[i, j, k]) * dtheta[k]
                cb2 += (s_slopes[k, i, j] - s_slopes[i, k, j]) * dq[k]
                cb3 += (s_slopes[k, j, i] + s_slopes[j, k, i]) * dq[k]
            coriolis[i, j] += 0.5 * ca1
            coriolis[i, n + j] = 0.5 * cb2
            coriolis[n + i, j] = 0.5 * cb3
            coriolis[n + i, n + j] = 0.0


@inline
def flexible_scratch(n):
    """Scratch arrays of `flexible_matrices`: results first, then what they are made from."""
    return (
        np.empty((2 * n, 2 * n)),
        np.empty((2 * n, 2 * n)),
        np.empty((2, n)),
        np.empty((n, SLOTS)),
        np.empty((n, n)),
        np.empty((n, n)),
        np.empty((n, n, n)),
        np.empty((n, n, n)),
        slopes_workspace(n),
    )


@inline
def flexible_matrices(arm, q, dq, dtheta, scratch):
    """Mass and Coriolis matrix of the 2n coordinates and gravity torque, as views of the scratch."""
    mass, coriolis, gravity, slots, links, coupling, m_slopes, s_slopes, work = scratch
    n = q.shape[0]
    for j in range(n):
        gravity[1, j] = 0.0
    recursion(arm, q, gravity[1], gravity[1], gravity[1], gravity[1], gravity[0], slots, PLAIN)
    composite_sweep(arm, slots, links)
    mass_matrix_slopes(arm, q, work, m_slopes)
    rotor_coupling(arm, work[0], coupling, s_slopes)
    add_dragged_rotors(arm, coupling, s_slopes, links, m_slopes)
    for i in range(n):
        for j in range(n):
            mass[i, j] = links[i, j]
            mass[i, n + j] = coupling[i, j]
            mass[n + i, j] = coupling[j, i]
            mass[n + i, n + j] = arm[i + 1, ROTOR] if i == j else 0.0
    coriolis_blocks(m_slopes, s_slopes, dq, dtheta, coriolis)
    return mass, coriolis, gravity[0]


@kernel
def flexible_model_batch(arm, q, rates, mass, coriolis, gravity):
    """Mass and Coriolis matrix of the 2n coordinates and gravity torque for many samples.

    `rates` is (samples, 2n): dq then dtheta; the matrices are (samples, 2n, 2n), gravity (samples, n).
    """
    n = q.shape[1]
    scratch = flexible_scratch(n)
    for k in range(q.shape[0]):
        m, c, g = flexible_matrices(arm, q[k], rates[k, :n], rates[k, n:], scratch)
        mass[k] = m
        coriolis[k] = c
        gravity[k] = g
