"""The way a motor went, fine enough for friction that remembers it: recorded position and recorded speed together.

An encoder's steps and a low-pass both hide what happens within tenths of milliradians of a stop, and that is what
friction remembers. The speed of a drive is fine but drifts when integrated. What the position says beside the
integral of the speed is therefore believed as far as the integral may have drifted: with the way gone, and hardly
at all while the drive stands. A standing joint then keeps one position while its encoder flickers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointwise.kernels.wandering import wandered
from jointwise.recording import filters

Array = NDArray[np.float64]

DRIFT = 5e-4
"""rad/rad^0.5 [m/m^0.5]: by how much an integrated speed wanders from the position over a way of one rad."""
CREEP = 1e-5
"""rad/s^0.5 [m/s^0.5]: the same over one second of standing; drives call less than some 1e-4 rad/s standing still."""
ROUNDINGS = 2.0
"""An encoder rounds, and its reading flickers or is rounded again by the log: a twelfth of a squared step each."""
LEAST = 1e-9
"""rad [m]: noise below which no recorded position is believed."""
CROSSOVER_HZ = 2.0
"""Above, what positions and speeds differ by is delay; below it is drift. Above, wind-up shows in a recorded speed."""
PERIODS_LATE = 1.0
"""Of the samples: how much later than the position a recorded speed is believed to be."""
SPREAD = 1.4826
"""Standard deviation of normal noise beside its median size."""


def travelled(position: Array, speed: Array, rate_hz: float, step: float) -> Array:
    """Position of one joint with the drive's own account of slow motion; `step` is the encoder's.

    A drive stamps its speed later than the position by a few milliseconds, which show as a share of the speed in the
    difference of the two.
    """
    middle = 0.5 * (speed[1:] + speed[:-1]) / rate_hz
    integral = position[0] + np.concatenate([[0.0], np.cumsum(middle)])

    def fast(values: Array) -> Array:
        return values - slow_part(values, rate_hz)

    quick, ahead = fast(speed), fast(position - integral)
    size = float(quick @ quick)
    late = float(quick @ ahead) / size if size > 0.0 else 0.0
    late = float(np.clip(late, -PERIODS_LATE / rate_hz, PERIODS_LATE / rate_hz))
    integral = integral + late * speed
    beside = position - integral
    moved = np.abs(np.diff(integral, prepend=integral[0]))
    found = np.empty_like(beside)
    wandered(beside, DRIFT**2 * moved + CREEP**2 / rate_hz, _noise(beside, step), found)
    return np.asarray(integral + found)


def step_of(position: Array) -> float:
    """The smallest step a recorded position ever took: that of its encoder, or of the digits it was written with."""
    moved = np.abs(np.diff(position))
    return float(moved[moved > 0.0].min(initial=np.inf)) if moved.any() else 0.0


def slow_part(values: Array, rate_hz: float) -> Array:
    """A low-pass that never overshoots."""
    crossover = float(np.clip(CROSSOVER_HZ, filters.DEFINITION * rate_hz, 0.2 * rate_hz))
    return filters.zero_phase(values, crossover, rate_hz, order=1)


def _noise(beside: Array, step: float) -> float:
    """Variance of a recorded position: that of rounding, or of what changes from one sample to the next."""
    white = SPREAD * float(np.median(np.abs(np.diff(beside)))) / np.sqrt(2.0)
    return float(max(ROUNDINGS * step**2 / 12.0, white**2, LEAST**2))
