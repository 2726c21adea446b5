"""The regressor: joint torque written as Y(q, dq, ddq) gamma, ten columns per link; spec 02.4, T(2.47)-(2.49).

Row j of Y belongs to joint j. A link beyond joint j loads it with the work its wrench does on the joint's screw, so
every entry is the screw of joint j, seen from the link, times one column of the link's 6 x 10 block K(6).
"""

from __future__ import annotations

import numpy as np

from jointwise.kernels.arm import (
    FRAME_ORIGIN,
    FRAME_ROTATION,
    GRAVITY,
    KIND,
    PRISMATIC,
    triple,
    unturn,
)
from jointwise.kernels.jit import inline, kernel, merged
from jointwise.kernels.newton_euler import advance, into, placement
from jointwise.kernels.vector import add3, cross3, dot3

PER_LINK = 10
ZERO = (0.0, 0.0, 0.0)


@inline
def own_frame(row):
    """True where the user's link frame is the spindle frame itself."""
    return (
        row[FRAME_ROTATION] == 1.0
        and row[FRAME_ROTATION + 4] == 1.0
        and row[FRAME_ORIGIN] == 0.0
        and row[FRAME_ORIGIN + 1] == 0.0
        and row[FRAME_ORIGIN + 2] == 0.0
    )


@inline
def write_entries(y, k, angular, linear, w, dw, a):
    """Ten entries from column k on: a screw times the columns of one link's block."""
    u = cross3(angular, w)
    y[k] = angular[0] * dw[0] + u[0] * w[0]
    y[k + 1] = angular[0] * dw[1] + angular[1] * dw[0] + u[0] * w[1] + u[1] * w[0]
    y[k + 2] = angular[0] * dw[2] + angular[2] * dw[0] + u[0] * w[2] + u[2] * w[0]
    y[k + 3] = angular[1] * dw[1] + u[1] * w[1]
    y[k + 4] = angular[1] * dw[2] + angular[2] * dw[1] + u[1] * w[2] + u[2] * w[1]
    y[k + 5] = angular[2] * dw[2] + u[2] * w[2]
    # force of the first moment s: dw x s + w x (w x s); moment: s x a
    b = add3(cross3(linear, dw), cross3(cross3(linear, w), w))
    m = cross3(a, angular)
    y[k + 6] = b[0] + m[0]
    y[k + 7] = b[1] + m[1]
    y[k + 8] = b[2] + m[2]
    y[k + 9] = dot3(linear, a)


@merged
def regressor_core(arm, q, dq, ddq, y, screws):
    """Regressor of one sample into the zeroed array y (n, >= 10 n); `screws` is (n, 6) scratch."""
    w = ZERO
    dw = ZERO
    g = triple(arm[0], GRAVITY)
    a = (-g[0], -g[1], -g[2])
    for i in range(q.shape[0]):
        row = arm[i + 1]
        rotation, origin = placement(row, q[i])
        w, dw, a = advance(row, rotation, origin, dq[i], ddq[i], w, dw, a)
        for j in range(i):
            angular = triple(screws[j], 0)
            linear = into(row, rotation, add3(triple(screws[j], 3), cross3(angular, origin)))
            angular = into(row, rotation, angular)
            for c in range(3):
                screws[j, c] = angular[c]
                screws[j, 3 + c] = linear[c]
        for c in range(6):
            screws[i, c] = 0.0
        screws[i, 5 if row[KIND] == PRISMATIC else 2] = 1.0
        if own_frame(row):
            for j in range(i + 1):
                write_entries(
                    y[j], PER_LINK * i, triple(screws[j], 0), triple(screws[j], 3), w, dw, a
                )
        else:
            p = triple(row, FRAME_ORIGIN)
            wu = unturn(row, FRAME_ROTATION, w)
            dwu = unturn(row, FRAME_ROTATION, dw)
            au = add3(a, add3(cross3(dw, p), cross3(w, cross3(w, p))))
            au = unturn(row, FRAME_ROTATION, au)
            for j in range(i + 1):
                angular = triple(screws[j], 0)
                linear = add3(triple(screws[j], 3), cross3(angular, p))
                angular = unturn(row, FRAME_ROTATION, angular)
                linear = unturn(row, FRAME_ROTATION, linear)
                write_entries(y[j], PER_LINK * i, angular, linear, wu, dwu, au)


@kernel
def regressor_batch(arm, q, dq, ddq, y):
    """Regressor of many samples into y (samples, n, columns); columns beyond 10 n are left alone."""
    n = q.shape[1]
    screws = np.empty((n, 6))
    for k in range(q.shape[0]):
        # Entries below the block diagonal are never written; a reused buffer must not keep old ones.
        for j in range(n):
            for c in range(PER_LINK * j):
                y[k, j, c] = 0.0
        regressor_core(arm, q[k], dq[k], ddq[k], y[k], screws)
