"""Inverse dynamics of one sample that checks its own input, for control loops written in Python.

Checking shapes and finiteness from Python costs ten times the recursion. The one signature also fits strided and
protected vectors.
"""

from __future__ import annotations

import numpy as np
from numba import types

from jointwise.kernels.jit import entry
from jointwise.kernels.newton_euler import PLAIN, SLOTS, recursion

ARM = types.Array(types.float64, 2, "C", readonly=True)
GIVEN = types.Array(types.float64, 1, "A", readonly=True)
RESULT = types.Array(types.float64, 1, "C")


@entry(types.boolean(ARM, GIVEN, GIVEN, GIVEN, RESULT))
def checked_inverse_dynamics(arm, q, dq, ddq, tau):
    """Joint torque into `tau`; False, and nothing written, where a length does not fit or a value is not finite."""
    n = arm.shape[0] - 2
    if q.shape[0] != n or dq.shape[0] != n or ddq.shape[0] != n:
        return False
    for i in range(n):
        if not (np.isfinite(q[i]) and np.isfinite(dq[i]) and np.isfinite(ddq[i])):
            return False
    work = np.empty((n, SLOTS))
    recursion(arm, q, dq, ddq, ddq, ddq, tau, work, PLAIN)
    return True
