"""What is left of the torque, against speed, load and position, and how long it stays alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointwise.recording import filters
from jointwise.report.chart import BLUE, GREY, ORANGE, Panel, chart
from jointwise.report.marks import Band, Cloud, Line
from jointwise.report.page import fragment
from jointwise.report.subject import Section, Subject

Array = NDArray[np.float64]

BINS, FEWEST = 24, 20
"""Intervals of the mean line, and samples below which an interval has none."""
BEYOND = 99.5
"""Percentile of the residual that the axis just holds; rarer ones are drawn on its edge."""
LAG = 2.0
"""s, longest lag of the autocorrelation."""
LAGS = 200


def residual(subject: Subject) -> Section | None:
    """Residuals of moving joints against what could still be missing from the model."""
    if not subject.scores:
        return None
    q, speed, load = (subject.samples(f) for f in ("q", "speed", "rigid"))
    error = subject.samples("measured") - subject.samples("predicted")
    panels = []
    for j, name in enumerate(subject.joints):
        moves = np.abs(speed[:, j]) > subject.moving[j]
        unit, place = subject.torque_unit(j), subject.position_unit(j)
        floor = float(subject.fit.joints[j]["noise_floor"])
        for what, x in (
            (f"speed ({place}/s)", speed),
            (f"load of the links ({unit})", load),
            (f"position ({place})", q),
        ):
            panels.append(
                _panel(name, what, f"residual ({unit})", x[moves, j], error[moves, j], floor)
            )
    svg = chart(
        panels,
        columns=3,
        panel_height=150.0,
        legend=(("residual", BLUE), ("its mean", ORANGE), ("noise floor", "#c9c9c9")),
        label="Residual of each joint against speed, load and position",
    )
    return Section(anchor="residual", title="Residual", html=fragment("residual.html", svg=svg))


def _panel(name: str, what: str, residual: str, x: Array, error: Array, floor: float) -> Panel:
    if not len(x):
        return Panel(title=f"{name} (never moves)", x_label=what, y_label=residual, marks=())
    reach = max(1.2 * float(np.percentile(np.abs(error), BEYOND)), 2.0 * floor, 1e-9)
    ends = np.array([float(x.min()), float(x.max())])
    middle, mean = binned_mean(x, error)
    return Panel(
        title=name,
        x_label=what,
        y_label=residual,
        y_range=(-reach, reach),
        marks=(
            Band(x=ends, lower=np.full(2, -floor), upper=np.full(2, floor), colour=GREY),
            Cloud(x=x, y=error, colour=BLUE),
            Line(x=middle, y=mean, colour=ORANGE, width=2.2),
        ),
    )


def binned_mean(x: Array, y: Array) -> tuple[Array, Array]:
    """Middle of equal intervals of x and the mean of y in each; NaN where there are few samples."""
    low, high = float(x.min()), float(x.max())
    width = (high - low) / BINS or 1.0
    place = np.minimum(((x - low) / width).astype(np.int64), BINS - 1)
    count = np.bincount(place, minlength=BINS)
    total = np.bincount(place, weights=y, minlength=BINS)
    middle: Array = low + (np.arange(BINS, dtype=np.float64) + 0.5) * width
    mean: Array = np.where(count >= FEWEST, total / np.maximum(count, 1), np.nan)
    return middle, mean


def memory(subject: Subject) -> Section | None:
    """Autocorrelation of the residual beside that of filtered white noise."""
    if not subject.scores:
        return None
    part = max((p for one in subject.scores for p in one.parts), key=lambda p: len(p.time))
    rate = (len(part.time) - 1) / (part.time[-1] - part.time[0])
    step = max(1, round(LAG * rate / LAGS))
    count = min(int(LAG * rate), len(part.time) - 1)
    lags = np.arange(0, count, step)
    noise = _noise_correlation(float(subject.fit.settings["filter_hz"]), rate, count)[lags]
    panels = []
    for j, name in enumerate(subject.joints):
        found = autocorrelation(subject, j, count)[lags]
        marks = (
            Line(x=lags / rate, y=noise, colour=GREY, width=1.4),
            Line(x=lags / rate, y=found, colour=BLUE, width=1.4),
        )
        panels.append(
            Panel(
                title=name,
                x_label="lag (s)",
                y_label="correlation",
                marks=marks,
                y_range=(-0.5, 1.0),
            )
        )
    svg = chart(
        panels,
        columns=3,
        panel_height=140.0,
        legend=(("residual", BLUE), ("white noise behind the same filter", GREY)),
        label="Autocorrelation of the residual of each joint",
    )
    return Section(
        anchor="memory",
        title="Residual in time",
        html=fragment("memory.html", svg=svg),
    )


def autocorrelation(subject: Subject, j: int, count: int) -> Array:
    """Correlation of a joint's residual with itself up to `count` samples later; standing samples left out."""
    total, weight = np.zeros(count), np.zeros(count)
    for one in subject.scores:
        for part in one.parts:
            moves = np.abs(part.speed[:, j]) > subject.moving[j]
            error = np.where(moves, part.measured[:, j] - part.predicted[:, j], 0.0)
            kept = min(count, len(error))
            total[:kept] += _products(error)[:kept]
            weight[:kept] += _products(moves.astype(np.float64))[:kept]
    mean = total / np.maximum(np.round(weight), 1.0)
    return np.where(weight > 0.5, mean / mean[0] if mean[0] > 0.0 else 0.0, np.nan)


def _products(values: Array) -> Array:
    """Sum of values times values k samples later, for all k; padded so that ends do not meet."""
    spectrum = np.fft.rfft(values, 2 * len(values))
    return np.asarray(np.fft.irfft(np.abs(spectrum) ** 2)[: len(values)])


def _noise_correlation(filter_hz: float, rate_hz: float, count: int) -> Array:
    impulse = np.zeros(2 * count + 2 * filters.settling_samples(rate_hz, filter_hz) + 1)
    impulse[len(impulse) // 2] = 1.0
    response = _products(filters.zero_phase(impulse, filter_hz, rate_hz))
    return np.asarray(response[:count] / response[0])
