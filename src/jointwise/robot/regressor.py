"""The regressor of a robot with names for its columns, and its accumulation over recordings of any length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ShapeError, UnknownNameError
from jointwise.robot import samples
from jointwise.robot.independent import CACHED_NUMBERS, qr_factor
from jointwise.robot.inertia import INERTIAL_NAMES

if TYPE_CHECKING:
    from jointwise.robot.base_parameters import BaseParameters
    from jointwise.robot.description import Robot

Array = NDArray[np.float64]


def column_names(
    robot: Robot, *, rotors: bool = False, friction: Sequence[str] = ()
) -> tuple[str, ...]:
    """Names of the regressor's columns: XX1 ... m1 ... mN, J1 ... JN, viscous1 ... in the order asked for."""
    names = [f"{p}{i}" for i in range(1, robot.n + 1) for p in INERTIAL_NAMES]
    if rotors:
        names += [f"J{i}" for i in range(1, robot.n + 1)]
    for name in friction:
        names += [f"{name}{i}" for i in range(1, robot.n + 1)]
    return tuple(names)


def regressor(
    robot: Robot,
    q: ArrayLike,
    dq: ArrayLike,
    ddq: ArrayLike,
    *,
    rotors: bool = False,
    friction: Sequence[str] = (),
) -> Array:
    """Regressor of shape (..., n, columns)."""
    codes = _codes(rotors, friction)
    leading, arrays = samples.samples(robot.n, {"q": q, "dq": dq, "ddq": ddq})
    columns = (10 + len(codes)) * robot.n
    out = np.empty((arrays[0].shape[0], robot.n, columns))
    samples.spread(_fill, (robot.chain, robot.coupling_matrix(), codes), [*arrays, out])
    return out.reshape(*leading, robot.n, columns)


def _fill(
    arm: Array, coupling: Array, codes: NDArray[np.int64], q: Array, dq: Array, ddq: Array, y: Array
) -> None:
    from jointwise.kernels.columns import drive_columns_batch
    from jointwise.kernels.regressor import regressor_batch

    regressor_batch(arm, q, dq, ddq, y)
    if len(codes):
        drive_columns_batch(coupling, codes, dq, ddq, y)


def _codes(rotors: bool, friction: Sequence[str]) -> NDArray[np.int64]:
    from jointwise.kernels.columns import NAMES

    for name in friction:
        if name not in NAMES:
            raise UnknownNameError("friction column", name, NAMES)
    return np.array([-1] * rotors + [NAMES.index(name) for name in friction], dtype=np.int64)


class Accumulator:
    """The triangular factor of a stacked, weighted regressor, built block by block; the stack is never stored.

    After any number of `add` calls, `factor` is the R of a QR decomposition of [W tau], so that least squares, ranks
    and residuals follow from it as from the whole stack, without the squared condition number of normal equations.
    With `base` only the columns of base parameters are stacked, which is faster and leaves a factor of full rank.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        rotors: bool = False,
        friction: Sequence[str] = (),
        base: BaseParameters | None = None,
    ) -> None:
        columns = column_names(robot, rotors=rotors, friction=friction)
        if base is not None and base.columns != columns:
            expected = f"base parameters of {len(columns)} columns, {columns[0]} to {columns[-1]}"
            raise ShapeError("base", f"{len(base.columns)} columns", expected)
        self.robot = robot
        self.names = columns if base is None else base.names
        self.samples = 0
        self._codes = _codes(rotors, friction)
        kept = np.arange(len(columns)) if base is None else base.kept
        self._stacked = np.append(kept, len(columns))
        height = max(8, CACHED_NUMBERS // (robot.n * len(self._stacked)))
        self._block = np.zeros((height, robot.n, len(columns) + 1))
        self._factor = np.zeros((0, len(self._stacked)))

    def add(
        self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, tau: ArrayLike, weights: ArrayLike = 1.0
    ) -> None:
        """Add samples of shape (..., n); `weights` (n,) multiplies the equations of each joint."""
        given = {"q": q, "dq": dq, "ddq": ddq, "tau": tau}
        _, (q2, dq2, ddq2, tau2) = samples.samples(self.robot.n, given)
        each = np.full(self.robot.n, weights) if np.ndim(weights) == 0 else weights
        weight = samples.checked("weights", each, self.robot.n)
        coupling = self.robot.coupling_matrix()
        for start in range(0, len(q2), len(self._block)):
            part = slice(start, start + len(self._block))
            y = self._block[: len(q2[part])]
            _fill(self.robot.chain, coupling, self._codes, q2[part], dq2[part], ddq2[part], y)
            y[..., -1] = tau2[part]
            self._absorb(y, weight)
        self.samples += len(q2)

    def _absorb(self, y: Array, weight: Array) -> None:
        used = y[..., self._stacked] if len(self._stacked) < y.shape[2] else y
        if (weight != 1.0).any():
            used = used * weight[:, None]
        rows = used.reshape(-1, used.shape[2])
        self._factor = qr_factor(np.concatenate([self._factor, rows]))

    @property
    def equations(self) -> int:
        """Rows stacked so far: samples times joints."""
        return self.samples * self.robot.n

    @property
    def factor(self) -> Array:
        """R of the decomposition of [W tau]; its last column belongs to the torque."""
        return self._factor
