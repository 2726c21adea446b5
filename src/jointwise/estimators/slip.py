"""Regression of hysteresis: a torque as the sum of slipping springs with given limits, and of plain columns.

    y = sum_i W_i h_i(Delta_i) + Z c + noise,   h_i = delta_i / (Bl Delta_i),   W_i >= 0        J1(36), (38), (39)

W_i = k_i Delta_i is the torque operator i carries when it slips. For given limits the problem is linear: non-negative
least squares in W, free in c. Operators start slipping (condition C0 of Rizos and Fassois, spec 09.6) or relaxed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError, ShapeError
from jointwise.estimators.slip_states import slip_states

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

NO_SLOPES = np.zeros((0, 0))
NARROWEST = 0.02
"""Smallest limit looked for, beside the middle way between two samples: the steps near a reversal are that small."""
LARGEST = 3.0
"""Largest limit looked for, in half backlashes, where a map of the backlash is given."""
DENSE = 80
"""Thresholds of the dense grid: about twenty to the decade."""
MILD = 1e-8
"""Smallest share of the largest eigenvalue with which normal equations still keep half of the digits."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SlipData:
    """Samples of one joint in the order they were taken.

    `shift` is the way since the sample before [rad], `width` the half backlash there (ones where the limits are meant
    in rad), `torque` what is explained, `extra` (samples, p) plain columns of either sign, `used` which samples
    count: operators move on through all of them. `start` is 1 or -1 where all operators slip at the first sample, 0
    where they are relaxed.
    """

    shift: Array
    width: Array
    torque: Array
    extra: Array
    used: Mask
    start: float = 0.0

    def __post_init__(self) -> None:
        count = len(self.shift)
        for name in ("shift", "width", "torque", "extra", "used"):
            values = np.asarray(getattr(self, name))
            if len(values) != count or not np.isfinite(values).all():
                shape = f"{count} finite samples"
                raise ShapeError(name, f"{len(values)} samples or values not finite", shape)
            if name != "used":
                object.__setattr__(self, name, np.ascontiguousarray(values, dtype=np.float64))
        if not self.width.min(initial=1.0) > 0.0:
            raise ParameterError("width", float(self.width.min()), "above 0")

    @property
    def travel(self) -> float:
        """The longest way without a reversal, in widths: a limit above half of it never slips from side to side."""
        place = np.concatenate([[0.0], np.cumsum(self.shift / self.width)])
        turns = np.flatnonzero(np.diff(np.sign(np.diff(place))) != 0) + 1
        corners = place[np.concatenate([[0], turns, [len(place) - 1]])]
        return float(np.abs(np.diff(corners)).max(initial=0.0))

    def grid(self, count: int = DENSE) -> Array:
        """Limits from below the way between two samples to half the longest way, evenly spaced in their logarithm."""
        steps = np.abs(self.shift / self.width)
        most = 0.5 * self.travel
        if not np.all(self.width == 1.0):
            most = min(most, LARGEST)
        if most <= 0.0:
            raise ParameterError(
                "motion", "without any way", "back and forth", "record slow reversals first"
            )
        least = NARROWEST * float(np.median(steps[steps > 0.0]))
        return np.geomspace(min(max(least, 1e-5 * most), 0.1 * most), most, count)


def slip_data(
    position: ArrayLike,
    torque: ArrayLike,
    *,
    width: ArrayLike = 1.0,
    extra: ArrayLike | None = None,
    used: ArrayLike | None = None,
    start: float = 0.0,
) -> SlipData:
    """Data of one joint from its positions [rad]; see `SlipData`."""
    place = np.asarray(position, dtype=np.float64)
    count = len(place)
    shift = np.diff(place, prepend=place[:1])
    columns = np.zeros((count, 0)) if extra is None else np.asarray(extra, dtype=np.float64)
    return SlipData(
        shift=shift,
        width=np.broadcast_to(np.asarray(width, dtype=np.float64), shift.shape),
        torque=np.asarray(torque, dtype=np.float64),
        extra=columns.reshape(count, -1),
        used=np.ones(count, dtype=bool) if used is None else np.asarray(used, dtype=bool),
        start=start,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class SlipFit:
    """Limits (in widths), slip torques and coefficients of the plain columns, with what they leave."""

    limits: Array
    torques: Array
    extra: Array
    rmse: float
    method: str
    status: str = "converged"
    rounds: int = 1

    @property
    def stiffness(self) -> Array:
        """k_i = W_i / Delta_i, torque per width."""
        return np.asarray(self.torques / self.limits)

    def sorted(self) -> SlipFit:
        """The same with limits in increasing order."""
        order = np.argsort(self.limits)
        return SlipFit(
            limits=self.limits[order], torques=self.torques[order], extra=self.extra,
            rmse=self.rmse, method=self.method, status=self.status, rounds=self.rounds,
        )  # fmt: skip


def columns(data: SlipData, limits: Array) -> Array:
    """h_i for each limit, (samples, limits), at all samples."""
    out = np.empty((len(data.shift), len(limits)))
    slip_states(data.shift, data.width, np.ascontiguousarray(limits), data.start, out, NO_SLOPES)
    return out


def columns_and_slopes(data: SlipData, limits: Array) -> tuple[Array, Array]:
    """h_i and d h_i / d log Delta_i."""
    out = np.empty((len(data.shift), len(limits)))
    slopes = np.empty_like(out)
    slip_states(data.shift, data.width, np.ascontiguousarray(limits), data.start, out, slopes)
    return out, slopes


def predict(data: SlipData, fit: SlipFit) -> Array:
    """The torque a fit expects at all samples."""
    return np.asarray(columns(data, fit.limits) @ fit.torques + data.extra @ fit.extra)


class Projected:
    """Torque and columns with the plain columns taken out, at the samples that count."""

    def __init__(self, data: SlipData) -> None:
        self.data = data
        self.whole = bool(data.used.all())
        extra = self.at(data.extra)
        self.basis = np.linalg.qr(extra)[0] if extra.shape[1] else extra
        self.torque = self.without(self.at(data.torque))
        self.count = len(self.torque)

    def at(self, values: Array) -> Array:
        """Values at the samples that count."""
        return values if self.whole else values[self.data.used]

    def without(self, values: Array) -> Array:
        """Values less their part in the span of the plain columns."""
        if not self.basis.shape[1]:
            return values
        return np.asarray(values - self.basis @ (self.basis.T @ values))


def nonnegative(x: Array, y: Array) -> Array:
    """min norm(y - x w) over w >= 0: by normal equations where they keep enough digits, else by QR."""
    from scipy.optimize import nnls

    gram = x.T @ x
    scale = np.sqrt(np.diag(gram))
    scale[scale == 0.0] = 1.0
    values, vectors = np.linalg.eigh(gram / np.outer(scale, scale))
    if values[0] > MILD * values[-1]:
        half = np.sqrt(values)
        left, right = (vectors * half).T, (vectors.T @ ((x.T @ y) / scale)) / half
    else:
        factor: Array = np.asarray(np.linalg.qr(np.column_stack([x / scale, y]), mode="r"))
        left, right = factor[:, :-1], factor[:, -1]
    return np.asarray(nnls(left, right, maxiter=50 * x.shape[1])[0] / scale)


def least_squares(x: Array, y: Array) -> Array:
    """The shortest w that minimises norm(y - x w)."""
    if not x.shape[1]:
        return np.zeros(0)
    return np.asarray(np.linalg.lstsq(x, y, rcond=None)[0])


def regression(data: SlipData, limits: ArrayLike, *, method: str = "regression") -> SlipFit:
    """Torques for given limits: LR of J1 4.4.3, with W >= 0; `polynomial_limits` and `linear_limits` give limits."""
    given = np.atleast_1d(np.asarray(limits, dtype=np.float64))
    if given.min() <= 0.0:
        raise ParameterError("limits", float(given.min()), "above 0")
    projected = Projected(data)
    x = projected.at(columns(data, given))
    return solved(projected, given, x, method)


def solved(projected: Projected, limits: Array, x: Array, method: str, rounds: int = 1) -> SlipFit:
    """Torques and plain coefficients for columns x of these limits."""
    torques = nonnegative(projected.without(x), projected.torque)
    target = projected.at(projected.data.torque) - x @ torques
    extra = projected.at(projected.data.extra)
    plain = least_squares(extra, target)
    error = target - extra @ plain
    return SlipFit(
        limits=limits,
        torques=torques,
        extra=plain,
        rmse=float(np.sqrt(np.mean(error**2))),
        method=method,
        rounds=rounds,
    )


def linear_limits(operators: int, largest: float = 1.0) -> Array:
    """I/M: the uniform spacing of Rizos and Fassois."""
    return largest * np.arange(1, operators + 1) / operators


def polynomial_limits(operators: int, exponent: float = 4.0, largest: float = 1.0) -> Array:
    """(i/M)^r, J1(40); r = 4 on a UR5e."""
    return np.asarray(largest * (np.arange(1, operators + 1) / operators) ** exponent)


def preassigned(
    data: SlipData,
    operators: int,
    *,
    level: float,
    limit_exponent: float = 4.0,
    stiffness_exponent: float = 2.0,
) -> SlipFit:
    """GMS of J1(40), (41) with a Coulomb level read off from sliding; nothing but the plain columns is fitted."""
    limits = polynomial_limits(operators, limit_exponent)
    weights = np.arange(operators, 0, -1, dtype=np.float64) ** stiffness_exponent
    torques = level * weights / weights.sum()
    projected = Projected(data)
    target = projected.at(data.torque) - projected.at(columns(data, limits)) @ torques
    extra = projected.at(data.extra)
    plain = least_squares(extra, target)
    rmse = float(np.sqrt(np.mean((target - extra @ plain) ** 2)))
    return SlipFit(limits=limits, torques=torques, extra=plain, rmse=rmse, method="preassigned")


def sliding_level(data: SlipData) -> float:
    """Coulomb level F_C read off where an operator of limit one slips: the plain columns are fitted beside it."""
    h = columns(data, np.ones(1))[:, 0]
    chosen = (np.abs(h) >= 1.0 - 1e-9) & data.used
    if chosen.sum() < data.extra.shape[1] + 2 or np.ptp(h[chosen]) == 0.0:
        raise ParameterError(
            "motion",
            "without sliding in both directions",
            "long enough to slide both ways",
            "move further than twice the half backlash between reversals",
        )
    design = np.column_stack([h[chosen], data.extra[chosen]])
    return float(np.linalg.lstsq(design, data.torque[chosen], rcond=None)[0][0])
