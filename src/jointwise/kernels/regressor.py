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
def link_block(w, dw):
    """What a link's 6 x 10 block K(6) is made of, apart from the origin's acceleration.

    The moment of each inertia entry is I dw + w x I w for that entry alone; force and moment of the first moment s
    are A s and s x a with A s = dw x s + w x (w x s), rows of A here.
    """
    x, y, z = w
    ax, ay, az = dw
    entries = (
        (ax, x * z, -x * y),  # XX
        (ay - x * z, ax + y * z, x * x - y * y),  # XY
        (az + x * y, z * z - x * x, ax - y * z),  # XZ
        (-y * z, ay, x * y),  # YY
        (y * y - z * z, az - x * y, ay + x * z),  # YZ
        (y * z, -x * z, az),  # ZZ
    )
    columns = (
        (-y * y - z * z, x * y + az, x * z - ay),
        (x * y - az, -x * x - z * z, y * z + ax),
        (x * z + ay, y * z - ax, -x * x - y * y),
    )
    return entries, columns


@inline
def write_entries(y, k, angular, linear, block, a):
    """Ten entries from column k on: a screw times the columns of one link's block."""
    entries, columns = block
    y[k] = dot3(angular, entries[0])
    y[k + 1] = dot3(angular, entries[1])
    y[k + 2] = dot3(angular, entries[2])
    y[k + 3] = dot3(angular, entries[3])
    y[k + 4] = dot3(angular, entries[4])
    y[k + 5] = dot3(angular, entries[5])
    m = cross3(a, angular)
    y[k + 6] = dot3(linear, columns[0]) + m[0]
    y[k + 7] = dot3(linear, columns[1]) + m[1]
    y[k + 8] = dot3(linear, columns[2]) + m[2]
    y[k + 9] = dot3(linear, a)


@merged
def regressor_core(arm, q, dq, ddq, y, screws):
    """Regressor of one sample into y (n, 10 n); entries below the block diagonal are left alone.

    `screws` is (n, 6) scratch for the joints' screws (angular, linear), seen from the link that is being visited.
    """
    w = ZERO
    dw = ZERO
    g = triple(arm[0], GRAVITY)
    a = (-g[0], -g[1], -g[2])
    for i in range(q.shape[0]):
        row = arm[i + 1]
        rotation, origin = placement(row, q[i])
        w, dw, a = advance(row, rotation, origin, dq[i], ddq[i], w, dw, a)
        same = own_frame(row)
        p = triple(row, FRAME_ORIGIN)
        if same:
            block = link_block(w, dw)
            au = a
        else:
            block = link_block(unturn(row, FRAME_ROTATION, w), unturn(row, FRAME_ROTATION, dw))
            au = add3(a, add3(cross3(dw, p), cross3(w, cross3(w, p))))
            au = unturn(row, FRAME_ROTATION, au)
        for j in range(i + 1):
            if j < i:
                angular = triple(screws[j], 0)
                linear = add3(triple(screws[j], 3), cross3(angular, origin))
                linear = into(row, rotation, linear)
                angular = into(row, rotation, angular)
            else:
                slides = row[KIND] == PRISMATIC
                angular = (0.0, 0.0, 0.0 if slides else 1.0)
                linear = (0.0, 0.0, 1.0 if slides else 0.0)
            for c in range(3):
                screws[j, c] = angular[c]
                screws[j, 3 + c] = linear[c]
            if not same:
                linear = unturn(row, FRAME_ROTATION, add3(linear, cross3(angular, p)))
                angular = unturn(row, FRAME_ROTATION, angular)
            write_entries(y[j], PER_LINK * i, angular, linear, block, au)


@kernel
def regressor_batch(arm, q, dq, ddq, y):
    """Regressor of many samples into y (samples, n, columns); columns beyond 10 n are left alone.

    Each sample is made in a small array and then copied in one sweep: touching a large array piece by piece, in the
    order of the links, would wait for memory at every piece.
    """
    n = q.shape[1]
    screws = np.empty((n, 6))
    sample = np.zeros((n, PER_LINK * n))
    for k in range(q.shape[0]):
        regressor_core(arm, q[k], dq[k], ddq[k], sample, screws)
        for j in range(n):
            for c in range(PER_LINK * n):
                y[k, j, c] = sample[j, c]
