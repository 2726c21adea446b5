"""Models of stiffness fitted to deformation and load: the cubic of the sources, and three segments. Spec 04.1, 04.2.

    tau = alpha_1 x + alpha_2 x^3           alpha_2 >= 0           x = phi - phi_0
    tau = K1 x, then K2, then K3            K1 <= K2 <= K3, 0 < T1 < T2

Columns of the cubic are scaled, since x^3 is a millionth of x. Rows of a source have one weight, its own scatter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.experiments.joint.result import Row, numeric_jacobian
from jointwise.laws.odd_polynomial import OddPolynomial
from jointwise.laws.three_segments import ThreeSegments
from jointwise.laws.transmission import TransmissionLaw

Array = NDArray[np.float64]
GAUGE, MOTOR = 0, 1
ROUNDS = 20
REWEIGHTED = 4
UNSTIFFENED = "the joint does not stiffen within these loads: the cubic term is zero"
NARROW = 1e-3
"""Share by which two stiffnesses, or two torques, must differ to count as two."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadRows:
    """Deformation [rad] and load [N m] by gauge and by motor; rows of one load step share a group."""

    phi: Array
    torque: Array
    source: NDArray[np.int64]
    group: NDArray[np.int64]

    @property
    def by_motor(self) -> Array:
        """1 for rows whose torque has the motor's offset: only beside a gauge can it be told."""
        whole = (self.source == GAUGE).any()
        return np.asarray((self.source == MOTOR) * float(whole), dtype=np.float64)

    def only(self, rows: NDArray[np.bool_]) -> LoadRows:
        """Some of the rows."""
        return replace(
            self, phi=self.phi[rows], torque=self.torque[rows], source=self.source[rows],
            group=self.group[rows],
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Stiff:
    """A fitted model: its law, the zero of the deformation, the offset of the motor, and weights of the rows."""

    law: TransmissionLaw
    zero: float
    offset: float
    rows: tuple[Row, ...]
    weights: Array
    made: Callable[[Array], Callable[[Array], Array]]
    """values of parameters and zero -> torque at deformations"""

    def expected(self, rows: LoadRows) -> Array:
        """Torque of every row."""
        return np.asarray(self.law.torque(rows.phi - self.zero)) + self.offset * rows.by_motor

    def jacobian(self, rows: LoadRows) -> Array:
        """Derivative of that by the parameters, the zero and the offset."""
        values = np.array([*(row.value for row in self.rows), self.zero])
        # Parameters differ by twelve orders of magnitude: the step is taken in units of their size.
        scale = np.where(values == 0.0, values[0], values)

        def torque(steps: Array) -> Array:
            return self.made(values + scale * (steps - 1.0))(rows.phi)

        slopes = numeric_jacobian(torque, np.ones(len(values))) / scale
        return np.column_stack([slopes, rows.by_motor])


def cubic(rows: LoadRows) -> Stiff:
    """Linear least squares in turn with the zero."""
    phi, y, offset = rows.phi, rows.torque, rows.by_motor
    scale = float(np.abs(phi - phi.mean()).max())
    weights = np.ones(len(y))
    values = np.array([0.0, 0.0, float(phi.mean()), 0.0])
    stiffens = True
    for _ in range(ROUNDS):
        root = np.sqrt(weights)
        x = (phi - values[2]) / scale
        slope = -(values[0] * scale + 3.0 * values[1] * scale**3 * x**2)
        size = max(float(np.abs(slope).max()), 1.0)
        third = x**3 if stiffens else np.zeros_like(x)
        design = np.column_stack([x, third, slope / size, offset]) * root[:, None]
        solved = np.linalg.lstsq(design, y * root, rcond=1e-12)[0]
        shift = float(solved[2] / size * scale)
        values = np.array([solved[0] / scale, solved[1] / scale**3, values[2] + shift, solved[3]])
        if values[1] < 0.0 and stiffens:
            stiffens = False
            values[1] = 0.0
        x = phi - values[2]
        weights = _weights(rows, y - values[0] * x - values[1] * x**3 - values[3] * offset)
        if abs(shift) < 1e-12:
            break
    if values[0] <= 0.0:
        raise _soft(float(values[0]))
    first, third_power = float(values[0]), float(values[1])
    names = (
        Row(name="stiffness", value=first, unit="N m/rad", meaning="at no load"),
        Row(name="stiffness_cubic", value=third_power, unit="N m/rad^3", meaning="stiffening",
            bound="" if stiffens else UNSTIFFENED),
    )  # fmt: skip
    return Stiff(
        law=OddPolynomial(coefficients=(first, third_power)), zero=float(values[2]),
        offset=float(values[3]), rows=names, weights=weights, made=_cubic_of,
    )  # fmt: skip


def three_segments(rows: LoadRows) -> Stiff:
    """Nonlinear least squares in steps of stiffness and of torque, from the cubic."""
    from scipy.optimize import least_squares

    start = cubic(rows)
    k = start.rows[0].value
    most = float(np.abs(rows.torque - start.offset * rows.by_motor).max())
    weights, zero, offset = start.weights, start.zero, start.offset
    place = np.array([0.0, -1.0, -1.0, np.log(0.15), np.log(0.4)])

    def law(at: Array) -> ThreeSegments:
        k1 = k * np.exp(at[0])
        k2 = k1 * (1.0 + NARROW + np.exp(at[1]))
        k3 = k2 * (1.0 + NARROW + np.exp(at[2]))
        t1 = most * np.exp(at[3])
        t2 = t1 * (1.0 + NARROW) + most * np.exp(at[4])
        return ThreeSegments(
            stiffness_1=k1, stiffness_2=k2, stiffness_3=k3, torque_1=t1, torque_2=t2
        )

    span = float(np.ptp(rows.phi))
    for _ in range(REWEIGHTED):
        root = np.sqrt(weights) / most

        def miss(at: Array, root: Array = root, about: float = zero) -> Array:
            torque = np.asarray(law(at[:5]).torque(rows.phi - about - span * at[5]))
            return np.asarray((rows.torque - torque - most * at[6] * rows.by_motor) * root)

        full = np.concatenate([place, [0.0, offset / most]])
        low = [-1.5, -8.0, -8.0, np.log(0.02), np.log(0.02), -0.5, -0.5]
        high = [1.5, 1.5, 1.5, 0.0, 0.0, 0.5, 0.5]
        solved = least_squares(miss, np.clip(full, low, high), bounds=(low, high)).x
        weights = _weights(rows, miss(solved) / root)
        place, zero, offset = solved[:5], zero + span * float(solved[5]), most * float(solved[6])
    found = law(place)
    bound = "the loads do not reach it"
    names = (
        Row(name="stiffness_1", value=found.stiffness_1, unit="N m/rad", meaning="at small loads"),
        Row(name="stiffness_2", value=found.stiffness_2, unit="N m/rad", meaning="in between"),
        Row(name="stiffness_3", value=found.stiffness_3, unit="N m/rad", meaning="at large loads",
            bound=bound if found.torque_2 > 0.95 * most else ""),
        Row(name="torque_1", value=found.torque_1, unit="N m", meaning="where the first ends"),
        Row(name="torque_2", value=found.torque_2, unit="N m", meaning="where the second ends",
            bound=bound if found.torque_2 > 0.95 * most else ""),
    )  # fmt: skip
    return Stiff(
        law=found, zero=zero, offset=offset, rows=names, weights=weights, made=_segments_of
    )


MODELS: Mapping[str, Callable[[LoadRows], Stiff]] = {
    "cubic": cubic,
    "three segments": three_segments,
}


def _weights(rows: LoadRows, error: Array) -> Array:
    weights = np.ones(len(error))
    for source in (GAUGE, MOTOR):
        own = rows.source == source
        if own.any():
            weights[own] = 1.0 / max(float(np.mean(error[own] ** 2)), 1e-12)
    return np.asarray(weights / weights.max())


def _soft(value: float) -> ParameterError:
    what = "check the signs of theta, q and torque"
    return ParameterError("stiffness", value, "above 0 N m/rad", what)


def _cubic_of(values: Array) -> Callable[[Array], Array]:
    def torque(phi: Array) -> Array:
        x = phi - values[2]
        return np.asarray(values[0] * x + values[1] * x**3)

    return torque


def _segments_of(values: Array) -> Callable[[Array], Array]:
    k1, k2, k3, t1, t2, zero = values

    def torque(phi: Array) -> Array:
        x = np.abs(phi - zero)
        first, second = t1 / k1, (t2 - t1) / k2
        bent = k1 * np.minimum(x, first) + k2 * np.clip(x - first, 0.0, second)
        return np.asarray(np.sign(phi - zero) * (bent + k3 * np.maximum(x - first - second, 0.0)))

    return torque
