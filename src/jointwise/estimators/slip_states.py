"""States of unit Maxwell-slip operators along a motion, for any limits, and how they change with the limits.

The kernel calls no kernel of another file, so that its machine code on disk is never older than what it calls.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointwise.kernels.jit import kernel

Array = NDArray[np.float64]


@kernel
def slip_states(
    shift: Array, width: Array, limits: Array, start: float, out: Array, slopes: Array
) -> None:
    """h_i = delta_i / (Bl Delta_i) into `out` (samples, operators), from delta_i = start * Bl Delta_i.

    delta_i(k+1) = sgn(u_i) min(abs u_i, Bl Delta_i), u_i = delta_i(k) + shift, J1(35), J1(38) with Bl at the new
    position (erratum 26). Where `slopes` has rows, it receives d h_i / d log Delta_i.
    """
    count = limits.shape[0]
    sloped = slopes.shape[0] > 0
    delta = np.empty(count)
    grown = np.empty(count)
    for i in range(count):
        delta[i] = start * width[0] * limits[i]
        grown[i] = start * width[0]
    for k in range(shift.shape[0]):
        w, move = width[k], shift[k]
        for i in range(count):
            limit = w * limits[i]
            u = delta[i] + move
            e = grown[i]
            if u > limit:
                u, e = limit, w
            if u < -limit:
                u, e = -limit, -w
            delta[i] = u
            grown[i] = e
            h = u / limit
            out[k, i] = h
            if sloped:
                slopes[k, i] = e / w - h
