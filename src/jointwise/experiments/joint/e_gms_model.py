"""The model behind the E-GMS experiment: rows of all recordings, columns for a shape, and the search for the shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointwise.estimators import slip
from jointwise.estimators.slip_convex import convex
from jointwise.experiments.joint.pose import ALIGNED
from jointwise.experiments.joint.samples import JointSamples
from jointwise.experiments.joint.steady import plateaus
from jointwise.laws.transmissions import Transmission
from jointwise.recording import filters
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]
MOST_ROWS = 20_000
"""Rows of a recording of strokes, so that some lie microns behind every reversal."""
EVEN = 0.3
"""Range of speed beside its mean, up to which a piece counts as one of constant velocity."""
STEADY, SLIDING_S = 0.25, 0.1
"""Share of constant velocity from which a recording is one of sweeps, and s averaged into a row of such a recording, of
which only steady sliding counts."""
GENTLE = 0.15
"""rad/s^2; at larger accelerations small errors of timing outweigh friction."""
STROKES, SAME_SPEED = 6, 1.1
"""Reversals at each speed from which a recording is one of strokes; ratio of speeds that count as two."""
SLOW_HZ, WARMTH_HZ = 8.0, 2.0
SLIDING_RAD = 4e-3
"""rad gone one way after which every operator slips: twice a wide backlash; earlier samples do not count."""
MOVING = 1e-3
WAVES = 3
"""Waves of the backlash over the turn."""
COVERED = 0.9
FEWEST = 6
"""Reversals below which the memory cannot be seen."""
SPREAD = 3.0
"""K"""
LOADED = 1.0, 0.25
"""N m, and share of the largest load, that loads must cover."""
LOADS = 2
"""Rounds of gravity and friction, which sees gravity as load."""
# Shape: limit exponent, stiffness exponent, log half backlash, log V_S, mu; then waves of the backlash.
LOW = (1.0, 0.3, np.log(5e-5), np.log(3e-3), 0.5)
HIGH = (6.0, 5.0, np.log(2e-2), np.log(0.15), 2.5)
START = (4.0, 2.0, np.log(1e-3), np.log(0.03), 1.2)
WAVE_SIZE = 0.8
EVALUATIONS = 14


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """Thinned samples of all recordings, one after the other; `part` counts the recordings."""

    part: NDArray[np.int64]
    time: Array
    theta: Array
    """without kinematic error"""
    omega: Array
    alpha: Array
    torque: Array
    warmth: Array
    """K above the reference; zero where the temperature was not recorded"""
    feels_gravity: NDArray[np.bool_]
    used: NDArray[np.bool_]
    spread: float
    reversals: int
    covered: float

    @property
    def root(self) -> Array:
        """sgn(omega) sqrt(abs(omega))."""
        return np.asarray(np.sign(self.omega) * np.sqrt(np.abs(self.omega)))


def rows_of(
    robot: Robot, parts: Sequence[JointSamples], j: int, angles: Sequence[float], reference: float
) -> Rows:
    """Means of few samples each."""
    known = robot.joints[j].transmission
    error = None if isinstance(known, Unknown) else Transmission.from_law(known).kinematic_error
    tables, spread, reversals = [], [], 0
    for k, (samples, angle) in enumerate(zip(parts, angles, strict=True)):
        turns = _reversals(samples.omega)
        theta = samples.theta if error is None else samples.theta - error.error(samples.theta)
        place = filters.zero_phase(theta, samples.filter_hz, samples.rate_hz)
        alpha = filters.zero_phase(samples.alpha, SLOW_HZ, samples.rate_hz)
        warmth = np.zeros(len(samples))
        if samples.temperature is not None:
            calm = filters.zero_phase(samples.temperature, WARMTH_HZ, samples.rate_hz)
            warmth = calm - reference
            spread += [float(calm.min()), float(calm.max())]
        good = _sliding(samples)
        if good.mean() > STEADY and turns < STROKES * _speeds(samples):
            step = max(1, round(SLIDING_S * samples.rate_hz))
        else:
            step = max(1, len(samples) // MOST_ROWS)
            good = np.abs(alpha) < GENTLE
        good &= _slipping(place, samples.omega)
        reversals += turns
        columns = [samples.time, place, samples.omega, alpha, samples.torque, warmth]
        means = [_mean(values, step) for values in columns]
        own, bent = np.full_like(means[0], float(k)), np.full_like(means[0], float(angle > ALIGNED))
        used = _mean(good.astype(np.float64), step) > 1.0 - 1e-9
        tables.append(np.column_stack([own, *means, bent, used]))
    t = np.concatenate(tables)
    cells = np.unique(np.floor(t[:, 2] % (2.0 * np.pi) / (2.0 * np.pi) * 60))
    return Rows(
        part=t[:, 0].astype(np.int64), time=t[:, 1], theta=t[:, 2], omega=t[:, 3], alpha=t[:, 4],
        torque=t[:, 5], warmth=t[:, 6], feels_gravity=t[:, 7] > 0.5, used=t[:, 8] > 0.5,
        spread=float(np.ptp(spread)) if spread else 0.0, reversals=reversals, covered=len(cells) / 60.0,
    )  # fmt: skip


def _mean(values: Array, step: int) -> Array:
    count = len(values) // step * step
    return np.asarray(values[:count].reshape(-1, step).mean(axis=1))


def _sliding(samples: JointSamples) -> NDArray[np.bool_]:
    """True inside pieces of constant velocity: on the way there and back the arm swings."""
    good = np.zeros(len(samples), dtype=bool)
    calm = filters.zero_phase(samples.omega, SLOW_HZ, samples.rate_hz)
    for piece in plateaus(samples):
        part = slice(piece.start, piece.stop)
        good[part] = float(np.ptp(calm[part])) < EVEN * abs(piece.omega)
    return good


def _speeds(samples: JointSamples) -> int:
    """How many speeds are held: strokes turn back again and again at one, sweeps a few times at each."""
    ordered = np.sort(np.abs([piece.omega for piece in plateaus(samples)]))
    return 1 + int(np.sum(ordered[1:] > SAME_SPEED * ordered[:-1]))


def _slipping(place: Array, omega: Array) -> NDArray[np.bool_]:
    """True from where the joint has once gone far enough in one direction."""
    way, since = 0.0, 0
    sign = np.sign(omega)
    for k in range(1, len(place)):
        if sign[k] != sign[since]:
            since = k
        way = abs(place[k] - place[since])
        if way > SLIDING_RAD:
            return np.arange(len(place)) >= k
    return np.zeros(len(place), dtype=bool)


def _reversals(omega: Array) -> int:
    sign = np.sign(omega[np.abs(omega) > MOVING])
    return int(np.sum(np.diff(sign) != 0))


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """What these recordings can show, and the shape's bounds and start."""

    operators: int
    memory: bool
    waves: int
    loaded: bool
    warm: bool
    notes: tuple[str, ...]
    start: Array
    low: Array
    high: Array

    @classmethod
    def for_rows(cls, rows: Rows, operators: int) -> Model:
        """Leave out what cannot be seen, and say so."""
        notes = []
        memory = rows.reversals >= FEWEST
        if not memory:
            notes.append(
                f"{rows.reversals} reversals are too few, at least {FEWEST} are needed: the shape of the memory is not "
                "known, and nothing was put into the robot"
            )
        waves = WAVES if memory and rows.covered >= COVERED else 0
        if memory and not waves:
            notes.append(
                f"{100.0 * rows.covered:.0f} % of the turn was seen: the backlash is taken as the same everywhere"
            )
        warm = rows.spread >= SPREAD
        if not warm:
            notes.append(
                f"the temperature changed by {rows.spread:.2g} K only, at least {SPREAD:g} K are needed"
            )
        gravity = _gravity(rows)
        # Inertia loads the joint too, but by far less than its own noise.
        size = np.abs(gravity[rows.used & rows.feels_gravity])
        covered = float(np.ptp(size)) if size.size else 0.0
        loaded = covered > max(LOADED[0], LOADED[1] * float(size.max(initial=0.0)))
        if not loaded:
            notes.append(f"loads cover {covered:.2g} N m only: growth with load is not known")
        extra = (0.0,) * (2 * waves)
        start = np.array([*START, *extra])
        if memory:
            start[2] = np.clip(_first_width(rows), LOW[2] + 0.1, HIGH[2] - 0.1)
        return cls(
            operators=operators, memory=memory, waves=waves, loaded=loaded, warm=warm, notes=tuple(notes),
            start=start,
            low=np.array([*LOW, *(-WAVE_SIZE for _ in extra)]),
            high=np.array([*HIGH, *(WAVE_SIZE for _ in extra)]),
        )  # fmt: skip


def _first_width(rows: Rows) -> float:
    """Logarithm of the limit below which the convex form has 99 % of its torque, from the recording with most turns."""
    turns = [_reversals(rows.omega[rows.part == k]) for k in range(int(rows.part.max()) + 1)]
    own = rows.part == int(np.argmax(turns))
    extra = nuisances(rows)[own]
    plain = np.column_stack(
        [rows.omega[own], rows.root[own], extra[:, np.abs(extra).max(axis=0) > 0.0]]
    )
    data = slip.slip_data(rows.theta[own], rows.torque[own], extra=plain, used=rows.used[own])
    found = convex(data)
    if not found.torques.size:
        return float(START[2])
    share = np.cumsum(found.torques) / max(float(found.torques.sum()), 1e-300)
    return float(np.log(found.limits[int(np.searchsorted(share, 0.99))]))


def _gravity(rows: Rows) -> Array:
    """Gravity of every recording by a static model: sign of motion, speed and its nuisances."""
    extra = nuisances(rows)
    sign = np.where(np.abs(rows.omega) > MOVING, np.sign(rows.omega), 0.0)
    x = np.column_stack([sign, rows.root, rows.omega, extra])
    values = np.linalg.lstsq(x[rows.used], rows.torque[rows.used], rcond=1e-10)[0]
    return gravity_of(rows, values[3:])


def nuisances(rows: Rows) -> Array:
    """Of each recording: offset, inertia, and a cos + b sin where its axis feels gravity."""
    parts = int(rows.part.max()) + 1
    out = np.zeros((len(rows.part), 4 * parts))
    for k in range(parts):
        own = rows.part == k
        out[own, 4 * k] = 1.0
        out[own, 4 * k + 1] = rows.alpha[own]
        bent = own & rows.feels_gravity
        out[bent, 4 * k + 2] = np.cos(rows.theta[bent])
        out[bent, 4 * k + 3] = np.sin(rows.theta[bent])
    return out


def gravity_of(rows: Rows, values: Array) -> Array:
    """The part of the nuisances that loads the joint: gravity and inertia."""
    x = nuisances(rows)
    x[:, 0::4] = 0.0
    return np.asarray(x @ values)


def width_of(model: Model, theta: Array, place: Array) -> Array:
    """Bl(theta) = exp(b_0 + sum of waves)."""
    log = np.full(len(theta), place[2])
    for n in range(model.waves):
        a, b = place[5 + 2 * n], place[6 + 2 * n]
        log = log + a * np.cos((n + 1) * theta) + b * np.sin((n + 1) * theta)
    return np.asarray(np.exp(log))


def unit_memory(model: Model, rows: Rows, place: Array) -> Array:
    """H along all recordings; every recording starts relaxed."""
    i = np.arange(1, model.operators + 1)
    limits = (i / model.operators) ** place[0]
    weights = i[::-1] ** place[1]
    out = np.empty(len(rows.theta))
    for k in range(int(rows.part.max()) + 1):
        own = rows.part == k
        data = slip.slip_data(
            rows.theta[own], rows.torque[own], width=width_of(model, rows.theta[own], place)
        )
        out[own] = slip.columns(data, limits) @ (weights / weights.sum())
    return out


FRICTION = (
    "coulomb",
    "load_linear",
    "load_quadratic",
    "stribeck_excess",
    "viscous_root",
    "viscous",
    "slope",
)


def columns_of(
    model: Model, rows: Rows, place: Array, load: Array, *, memory: bool = True
) -> Array:
    """Columns in the order of FRICTION; what the recordings cannot show is a column of zeros."""
    sign = np.where(np.abs(rows.omega) > MOVING, np.sign(rows.omega), 0.0)
    h = unit_memory(model, rows, place) if memory and model.memory else sign
    peak = np.exp(-((np.abs(rows.omega) / np.exp(place[3])) ** place[4]))
    size = np.abs(load) * float(model.loaded)
    return np.column_stack(
        [
            h,
            size * h,
            size**2 * h,
            peak * h,
            rows.root,
            rows.omega,
            rows.warmth * rows.root * float(model.warm),
        ]
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """Shape, coefficients, and what they leave."""

    model: Model
    place: Array
    linear: Array
    columns: Array
    residual: Array
    load: Array

    @property
    def plain(self) -> int:
        """Columns of friction; those behind are nuisances."""
        return len(FRICTION)

    def width_table(self, knots: int = 48) -> Array:
        """Half backlash at equal angles over the turn; one value where it is the same everywhere."""
        angle = 2.0 * np.pi * np.arange(knots if self.model.waves else 1) / knots
        return width_of(self.model, angle, self.place)


def solve(model: Model, rows: Rows) -> Solution:
    """Search the shape for the load a static model sees; gravity of the full model is the load at the end."""
    from scipy.optimize import least_squares

    extra = nuisances(rows)
    extra = extra[:, np.abs(extra[rows.used]).max(axis=0) > 0.0]
    load = _gravity(rows)
    place = model.start
    scale = float(np.std(rows.torque[rows.used])) or 1.0
    if model.memory:

        def miss(at: Array) -> Array:
            x = np.column_stack([columns_of(model, rows, at, load), extra])[rows.used]
            return np.asarray(
                (rows.torque[rows.used] - x @ bounded(x, rows.torque[rows.used])) / scale
            )

        found = least_squares(
            miss, place, bounds=(model.low, model.high), diff_step=1e-3, max_nfev=EVALUATIONS,
            x_scale=np.maximum(0.1 * (model.high - model.low), 0.05), ftol=1e-6,
        )  # fmt: skip
        place = found.x
    for _ in range(LOADS):
        x = np.column_stack([columns_of(model, rows, place, load), extra])
        linear = bounded(x[rows.used], rows.torque[rows.used])
        load = _load_of(rows, extra, linear[len(FRICTION) :])
    return Solution(
        model=model,
        place=place,
        linear=linear,
        columns=x,
        residual=rows.torque - x @ linear,
        load=load,
    )


def _load_of(rows: Rows, extra: Array, values: Array) -> Array:
    """What loads the joint: everything of the nuisances but the offsets."""
    constant = np.array([np.ptp(c[c != 0.0]) == 0.0 and bool((c == 1.0).any()) for c in extra.T])
    return np.asarray(extra[:, ~constant] @ values[~constant])


def bounded(x: Array, y: Array) -> Array:
    """Least squares with the friction columns not below zero (the temperature slope is free)."""
    from scipy.optimize import lsq_linear

    size = np.linalg.norm(x, axis=0)
    size[size == 0.0] = 1.0
    factor: Array = np.asarray(np.linalg.qr(np.column_stack([x / size, y]), mode="r"))
    count = x.shape[1]
    low = np.full(count, -np.inf)
    low[: len(FRICTION) - 1] = 0.0
    solved = lsq_linear(
        factor[:count, :count], factor[:count, count], bounds=(low, np.inf), method="bvls"
    )
    # A column of zeros says nothing about its coefficient.
    return np.where(np.any(x != 0.0, axis=0), solved.x / size, 0.0)
