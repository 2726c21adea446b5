"""Smoothing of a value that wanders while something moves: Kalman's filter forward, then Rauch's smoother backward."""

from __future__ import annotations

import numpy as np

from jointwise.kernels.jit import kernel


@kernel
def wandered(seen, steps, noise, out):
    """Most likely value at every sample of `seen`, with white noise of variance `noise`, > 0.

    Between sample k - 1 and k the value takes a random step of variance steps[k]; steps[0] is not read. Where nothing
    moves the smoothed value is the mean of what was seen there.
    """
    count = len(seen)
    before, after = np.empty(count), np.empty(count)
    value, spread = seen[0], noise
    for k in range(count):
        before[k] = spread
        if k > 0:
            before[k] = spread + steps[k]
            share = before[k] / (before[k] + noise)
            value += share * (seen[k] - value)
            spread = (1.0 - share) * before[k]
        out[k] = value
        after[k] = spread
    for k in range(count - 2, -1, -1):
        out[k] += after[k] / before[k + 1] * (out[k + 1] - out[k])
