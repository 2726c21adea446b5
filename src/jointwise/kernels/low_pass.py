"""A low-pass of second-order sections run forward and backward over the columns of an array; spec 07.2.

    y(k) = b0 x(k) + z0,   z0 <- b1 x(k) - a1 y(k) + z1,   z1 <- b2 x(k) - a2 y(k)        for each section in turn

The data are continued beyond both ends by their odd reflection, and each pass begins in the steady state of its first
sample, so a constant passes unchanged. Columns run side by side: the recursion waits for itself along time, never
across columns.
"""

from __future__ import annotations

import numpy as np

from jointwise.kernels.jit import inline, kernel


@inline
def pass_over(sections, settled, line, backward):
    """One pass over `line` (samples, columns), in place; `settled` are the states of a constant one."""
    count, width = line.shape
    order = sections.shape[0]
    z0 = np.empty((order, width))
    z1 = np.empty((order, width))
    for s in range(order):
        for c in range(width):
            begin = line[count - 1, c] if backward else line[0, c]
            z0[s, c] = settled[s, 0] * begin
            z1[s, c] = settled[s, 1] * begin
    for k in range(count):
        i = count - 1 - k if backward else k
        for s in range(order):
            b0, b1, b2 = sections[s, 0], sections[s, 1], sections[s, 2]
            a1, a2 = sections[s, 4], sections[s, 5]
            for c in range(width):
                x = line[i, c]
                y = b0 * x + z0[s, c]
                z0[s, c] = b1 * x - a1 * y + z1[s, c]
                z1[s, c] = b2 * x - a2 * y
                line[i, c] = y


@kernel
def zero_phase_batch(sections, settled, padding, values, side_by_side, start, every, out):
    """Low-passed columns of `values` (samples, columns) into `out`, of them the samples start, start + every, ...

    `side_by_side` columns are filtered together: some sixteen are quickest, fewer need less memory.
    """
    count, columns = values.shape
    for left in range(0, columns, side_by_side):
        width = min(side_by_side, columns - left)
        line = np.empty((count + 2 * padding, width))
        for c in range(width):
            low, high = 2.0 * values[0, left + c], 2.0 * values[count - 1, left + c]
            for i in range(padding):
                line[i, c] = low - values[padding - i, left + c]
                line[padding + count + i, c] = high - values[count - 2 - i, left + c]
        for i in range(count):
            for c in range(width):
                line[padding + i, c] = values[i, left + c]
        pass_over(sections, settled, line, False)
        pass_over(sections, settled, line, True)
        for i in range(out.shape[0]):
            for c in range(width):
                out[i, left + c] = line[padding + start + every * i, c]
