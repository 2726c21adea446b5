"""The regressor of a robot with names for its columns, and its accumulation over recordings of any length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import UnknownNameError
from jointwise.robot import samples
from jointwise.robot.inertia import INERTIAL_NAMES

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

Array = NDArray[np.float64]
BLOCK = 512
"""Samples per block of an accumulation: the block stays in the processor's cache."""


def column_names(robot: Robot, *, rotors: bool = False, friction: Sequence[str] = ()) -> tuple[str, ...]:
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


def _fill(arm: Array, coupling: Array, codes: Array, q: Array, dq: Array, ddq: Array, y: Array) -> None:
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
    """

    def __init__(self, robot: Robot, *, rotors: bool = False, friction: Sequence[str] = ()) -> None:
        self.robot = robot
        self.names = column_names(robot, rotors=rotors, friction=friction)
        self.samples = 0
        self._options: dict[str, Any] = {"rotors": rotors, "friction": tuple(friction)}
        self._factor = np.zeros((0, len(self.names) + 1))

    def add(
        self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, tau: ArrayLike, weights: ArrayLike = 1.0
    ) -> None:
        """Add samples of shape (..., n); `weights` (n,) multiplies the equations of each joint."""
        given = {"q": q, "dq": dq, "ddq": ddq, "tau": tau}
        _, (q2, dq2, ddq2, tau2) = samples.samples(self.robot.n, given)
        weight = np.broadcast_to(np.asarray(weights, dtype=np.float64), (self.robot.n,))
        for start in range(0, len(q2), BLOCK):
            part = slice(start, start + BLOCK)
            y = self.robot.regressor(q2[part], dq2[part], ddq2[part], **self._options)
            block = np.concatenate([y, tau2[part, :, None]], axis=2) * weight[:, None]
            stacked = np.concatenate([self._factor, block.reshape(-1, block.shape[2])])
            self._factor = np.linalg.qr(stacked, mode="r")
        self.samples += len(q2)

    @property
    def factor(self) -> Array:
        """R of the decomposition of [W tau]; its last column belongs to the torque."""
        return self._factor
