"""Filters without delay, differentiation and thinning of evenly sampled columns. Spec 07.2, J2 4.1 and 4.2.

The band-pass process of the thesis: a Butterworth low-pass run forward and backward (no phase, twice the order),
then central differences. Both sides of an equation pass the same low-pass before they are compared, and then only
as many samples are kept as the pass band can hold (parallel filtering and decimation).
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError

Array = NDArray[np.float64]

ORDER = 4
"""Of the Butterworth low-pass in one direction; J2 4.1."""
SETTLING = 1.5
"""Periods of the cut-off frequency after which what the filter knew of the end of the data is below 1 %."""
GUARD = 0.8
"""Share of the new Nyquist frequency that the pass band may fill after thinning; J2 4.2."""
DEFINITION = 1e-3
"""A cut-off below this share of the sampling rate needs thinning first: the filter's poles crowd at one."""

SIDE_BY_SIDE = 16
"""Columns that are filtered together where memory does not matter."""
LARGE = 1 << 20
"""Numbers that are filtered at one time at most: copies of them are needed."""


def zero_phase(
    values: Array,
    cutoff_hz: float,
    rate_hz: float,
    order: int = ORDER,
    keep: slice = slice(None),
) -> Array:
    """Low-pass along the first axis without delay: half the amplitude at the cut-off, twice the order.

    `keep` says which of the filtered samples are wanted; to say so here saves memory.
    """
    from jointwise.kernels.low_pass import zero_phase_batch

    check_cutoff(cutoff_hz, rate_hz)
    sections, settled = _low_pass(order, cutoff_hz, rate_hz)
    count = len(values)
    padding = min(count - 1, round(SETTLING * rate_hz / cutoff_hz) + 3 * order)
    kept = range(count)[keep]
    columns = for_kernels(values.reshape(count, -1))
    out = np.empty((len(kept), columns.shape[1]))
    width = max(1, min(SIDE_BY_SIDE, LARGE // count))
    zero_phase_batch(sections, settled, padding, columns, width, kept.start, kept.step, out)
    return out.reshape(len(kept), *values.shape[1:])


def for_kernels(values: Array) -> Array:
    """Doubles in C order that may be written to: for every other kind a kernel would be compiled once more."""
    ordered = np.ascontiguousarray(values, dtype=np.float64)
    return ordered if ordered.flags.writeable else ordered.copy()


@functools.lru_cache(maxsize=64)
def _low_pass(order: int, cutoff_hz: float, rate_hz: float) -> tuple[Array, Array]:
    """Second-order sections of the Butterworth low-pass, and their states where the input is one for ever.

    Designing them takes longer than filtering a short log.
    """
    from scipy import signal

    sections = signal.butter(order, cutoff_hz, fs=rate_hz, output="sos")
    return for_kernels(sections), for_kernels(signal.sosfilt_zi(sections))


def check_cutoff(cutoff_hz: float, rate_hz: float) -> None:
    """Raise ParameterError unless a low-pass at this frequency can be built at this sampling rate."""
    low, high = DEFINITION * rate_hz, 0.49 * rate_hz
    if not low <= cutoff_hz <= high:
        raise ParameterError(
            "cut-off frequency",
            f"{cutoff_hz:g} Hz",
            f"from {low:g} to {high:g} Hz for a recording at {rate_hz:g} Hz",
        )


def central_differences(values: Array, rate_hz: float) -> tuple[Array, Array]:
    """First and second derivative along the first axis; one-sided at the two ends. Spec 07.2."""
    first = np.gradient(values, 1.0 / rate_hz, axis=0)
    second = np.empty_like(values)
    second[1:-1] = (values[2:] - 2.0 * values[1:-1] + values[:-2]) * rate_hz**2
    second[0], second[-1] = second[1], second[-2]
    return first, second


def savitzky_golay(
    values: Array, rate_hz: float, window_s: float, degree: int = 4
) -> tuple[Array, Array, Array]:
    """Value and two derivatives of the polynomial fitted around every sample; spec 07.9."""
    from scipy import signal

    length = 2 * round(0.5 * window_s * rate_hz) + 1
    if length <= degree or length > len(values):
        raise ParameterError(
            "window",
            f"{window_s:g} s",
            f"from {(degree + 1) / rate_hz:g} to {len(values) / rate_hz:g} s",
        )
    smooth = [
        signal.savgol_filter(values, length, degree, deriv=k, delta=1.0 / rate_hz, axis=0)
        for k in range(3)
    ]
    return smooth[0], smooth[1], smooth[2]


def thinning(rate_hz: float, cutoff_hz: float) -> int:
    """Every how many-th sample may be kept after a low-pass: n_d = 0.8 f_S / (2 f_c), at least 1. J2 4.2."""
    return max(1, int(GUARD * rate_hz / (2.0 * cutoff_hz)))


def settling_samples(rate_hz: float, cutoff_hz: float) -> int:
    """Samples at either end that the filter's start-up touches."""
    return int(np.ceil(SETTLING * rate_hz / cutoff_hz))
