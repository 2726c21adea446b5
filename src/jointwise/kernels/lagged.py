"""Sums of a series over its past."""

from __future__ import annotations

from jointwise.kernels.jit import kernel


@kernel
def lagged_sums(x, weights, out):
    """out(t) = sum_k weights(k) x(t - k) of each column of `x` (samples, columns), from the first sample on."""
    for t in range(x.shape[0]):
        for c in range(x.shape[1]):
            out[t, c] = weights[0] * x[t, c]
        for k in range(1, min(len(weights), t + 1)):
            weight = weights[k]
            for c in range(x.shape[1]):
                out[t, c] += weight * x[t - k, c]
