"""Cubic interpolation that keeps the shape of uneven samples (Fritsch and Butland 1984), all columns at once."""

from __future__ import annotations

import numpy as np

from jointwise.kernels.jit import inline, kernel


@inline
def end_slope(near, far, first, second):
    """Slope at an end from three points, never against the first stretch; widths `near`, `far`, chords `first`, ..."""
    slope = ((2.0 * near + far) * first - near * second) / (near + far)
    if np.sign(slope) != np.sign(first):
        return 0.0
    if np.sign(first) != np.sign(second) and abs(slope) > 3.0 * abs(first):
        return 3.0 * first
    return slope


@inline
def slope_at(stamps, values, i, c):
    """Slope of column c at sample i: harmonic mean of the chords beside it, none at a turn."""
    last = len(stamps) - 1
    k = min(max(i, 1), last - 1)
    left, right = stamps[k] - stamps[k - 1], stamps[k + 1] - stamps[k]
    before = (values[k, c] - values[k - 1, c]) / left
    after = (values[k + 1, c] - values[k, c]) / right
    if i == 0:
        return end_slope(left, right, before, after)
    if i == last:
        return end_slope(right, left, after, before)
    if np.sign(before) != np.sign(after) or before == 0.0 or after == 0.0:
        return 0.0
    heavy_left, heavy_right = 2.0 * right + left, right + 2.0 * left
    share = (heavy_left / before + heavy_right / after) / (heavy_left + heavy_right)
    return 1.0 / share


@kernel
def shape_keeping_batch(stamps, values, time, out):
    """Columns of `values` (stamps, columns) at ascending instants `time` into `out`; three stamps at least."""
    last = len(stamps) - 2
    for c in range(values.shape[1]):
        k = 0
        start, stop = slope_at(stamps, values, 0, c), slope_at(stamps, values, 1, c)
        for i in range(len(time)):
            while k < last and time[i] >= stamps[k + 1]:
                k += 1
                start, stop = stop, slope_at(stamps, values, k + 1, c)
            width = stamps[k + 1] - stamps[k]
            s = time[i] - stamps[k]
            chord = (values[k + 1, c] - values[k, c]) / width
            bend = (start + stop - 2.0 * chord) / width
            out[i, c] = values[k, c] + s * (
                start + s * ((chord - start) / width - bend + s * bend / width)
            )
