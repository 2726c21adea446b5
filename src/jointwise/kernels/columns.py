"""Friction columns of the regressor: functions of the motor's reflected velocity whose coefficients are linear.

Each name stands for one column per joint. K(12), L(6), J2(15); sgn(0) = 0.
"""

from __future__ import annotations

import numpy as np

from jointwise.kernels.jit import inline, kernel
from jointwise.kernels.regressor import PER_LINK

NAMES = (
    "coulomb",  # sgn(v)
    "viscous",  # v
    "offset",  # 1
    "coulomb_forward",  # 1 where v > 0           Liu's f_c1
    "coulomb_backward",  # 1 where v < 0          Liu's f_c2, itself negative
    "viscous_square",  # v^2, even as in Liu's table
    "viscous_cube",  # v^3
    "viscous_root",  # sgn(v) sqrt|v|, degressive
)


@inline
def friction_column(code, v):
    """Value of the column with that place in NAMES at velocity v."""
    if code == 0:
        return np.sign(v)
    if code == 1:
        return v
    if code == 2:
        return 1.0
    if code == 3:
        return 1.0 if v > 0.0 else 0.0
    if code == 4:
        return 1.0 if v < 0.0 else 0.0
    if code == 5:
        return v * v
    if code == 6:
        return v * v * v
    return np.sign(v) * np.sqrt(abs(v))


@kernel
def drive_columns_batch(coupling, codes, dq, ddq, y):
    """Rotor and friction columns into y (samples, n, columns), next to the ten columns per link.

    `codes` lists the blocks of n columns: -1 for rotor inertia, else a place in NAMES. The motors turn at C dq, and
    their torque reaches the joints through C^T.
    """
    n = dq.shape[1]
    first = PER_LINK * n
    for s in range(dq.shape[0]):
        for motor in range(n):
            speed = 0.0
            acceleration = 0.0
            for k in range(n):
                speed += coupling[motor, k] * dq[s, k]
                acceleration += coupling[motor, k] * ddq[s, k]
            for b in range(codes.shape[0]):
                value = acceleration if codes[b] < 0 else friction_column(codes[b], speed)
                for j in range(n):
                    y[s, j, first + n * b + motor] = coupling[motor, j] * value
