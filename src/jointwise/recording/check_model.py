"""How well torques follow from a motion of this arm: the model the checks of torques compare with.

Joint torque = a times the robot's own inverse dynamics + the first moments of a payload + rotor inertia + Coulomb and
viscous friction + offset. Factor, inertia, mass and friction cannot be negative (friction takes power, whatever the
arm), so a reversed column shows. Where the robot's link inertias are unknown, the columns of its regressor stand for
them, free in sign: then only friction tells the sign, and the checks ask for more evidence.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import UnknownValueError
from jointwise.recording.check_case import Case
from jointwise.recording.columns import KINDS
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]

MOST_SAMPLES = 1500
SOFT = 0.05
"""rad/s [m/s / 10] over which friction changes sign; smoothed motion cannot tell more."""
SMALLEST = 1e-3
"""Unexplained share below which a fit is as good as it can be."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Motion:
    """Smoothed motion of all joints at a few samples."""

    q: Array
    dq: Array
    ddq: Array

    def flipped(self, j: int) -> Motion:
        """The motion with one joint turning the other way."""
        sign = np.ones(self.q.shape[1])
        sign[j] = -1.0
        return Motion(q=self.q * sign, dq=self.dq * sign, ddq=self.ddq * sign)

    def exchanged(self, i: int, j: int) -> Motion:
        """The motion with two joints exchanged."""
        order = list(range(self.q.shape[1]))
        order[i], order[j] = order[j], order[i]
        return Motion(q=self.q[:, order], dq=self.dq[:, order], ddq=self.ddq[:, order])


class Features:
    """Columns that explain the torque of each joint along a motion, reduced to their triangular factors."""

    def __init__(self, robot: Robot, motion: Motion, prior: bool) -> None:
        self.robot, self.motion, self.prior = robot, motion, prior

    @functools.cached_property
    def signed(self) -> list[Array]:
        """Per joint the columns whose coefficients cannot be negative."""
        m = self.motion
        own = [
            np.column_stack([np.tanh(m.dq[:, j] / SOFT), m.dq[:, j], m.ddq[:, j]])
            for j in range(self.robot.n)
        ]
        if not self.prior:
            return own
        torque = self.robot.inverse_dynamics(m.q, m.dq, m.ddq)
        mass = self._regressor[:, :, -1]
        return [np.column_stack([torque[:, j], own[j], mass[:, j]]) for j in range(self.robot.n)]

    @functools.cached_property
    def free(self) -> list[Array]:
        """Per joint the columns of either sign."""
        m, one = self.motion, np.ones((len(self.motion.q), 1))
        y = self._regressor
        if self.prior:
            return [np.column_stack([y[:, j, -4:-1], one]) for j in range(self.robot.n)]
        return [np.column_stack([_independent(y[:, j, :]), one]) for j in range(m.q.shape[1])]

    def unexplained(
        self, torque: Array, joint: int, *, prior: bool = True, extra: Array | None = None
    ) -> tuple[float, Array]:
        """Share of a torque's variance that the features of a joint leave, and the signed coefficients.

        Without `prior`, the robot's own inverse dynamics is left out; `extra` is a further column of either sign.
        """
        from scipy.optimize import nnls

        if extra is None:
            basis, columns, size = self._reduced[joint]
        else:
            free = np.column_stack([self.free[joint], extra])
            basis, columns, size = _reduced(self.signed[joint], free)
        left = torque - basis @ (basis.T @ torque)
        total = float(np.sum((torque - torque.mean()) ** 2))
        coefficients = np.zeros(len(size))
        if total <= 0.0:
            return 1.0, coefficients
        use = size > 1e-9 * max(1.0, float(size.max(initial=0.0)))
        if self.prior and not prior:
            use[0] = False
        if use.any():
            # Least squares with bounds needs only the inner products, whatever the number of samples.
            part = columns[:, use] / size[use]
            gram = part.T @ part
            root = np.linalg.cholesky(gram + 1e-9 * np.eye(len(gram)))
            found, _ = nnls(root.T, np.linalg.solve(root, part.T @ left))
            coefficients[use] = found / size[use]
        rest = left - columns @ coefficients
        return max(float(rest @ rest) / total, SMALLEST), coefficients

    @functools.cached_property
    def _reduced(self) -> list[tuple[Array, Array, Array]]:
        """Per joint a basis of the free columns, the signed columns without their part in it, and their sizes."""
        return [_reduced(signed, free) for signed, free in zip(self.signed, self.free, strict=True)]

    @functools.cached_property
    def _regressor(self) -> Array:
        m = self.motion
        return self.robot.regressor(m.q, m.dq, m.ddq)


class Torques:
    """One torque column of a case, smoothed and brought to the joints, with the motion it belongs to."""

    def __init__(self, case: Case, column: str) -> None:
        self.case, self.column = case, column
        smooth = case.smooth
        inside = np.flatnonzero(smooth.inside)
        every = max(1, len(inside) // MOST_SAMPLES)
        self.at = inside[::every]
        path = (smooth.values("path"), smooth.slope("path"), smooth.curve("path"))
        self.motion = Motion(q=path[0][self.at], dq=path[1][self.at], ddq=path[2][self.at])
        self.prior = _knows_links(case.robot)
        raw = smooth.values(column)
        self.scaled, self.scale = True, np.ones(case.recording.n)
        if column == "current":
            constants = [j.drive.torque_constant for j in case.robot.joints]
            self.scaled = not any(isinstance(c, Unknown) for c in constants)
            self.scale = np.array([1.0 if isinstance(c, Unknown) else float(c) for c in constants])
            raw = raw * self.scale
        self.all = raw @ case.robot.coupling_matrix() if KINDS[column].of_motor else raw
        self.torque = self.all[self.at]

    @functools.cached_property
    def features(self) -> Features:
        """Features along the motion as recorded."""
        return Features(self.case.robot, self.motion, self.prior)

    @functools.cached_property
    def judged(self) -> list[int]:
        """Joints that move and whose torque was recorded."""
        case = self.case
        return [j for j in range(case.recording.n) if case.moves[j] and case.filled(self.column, j)]

    @functools.cached_property
    def fits(self) -> list[tuple[float, Array]]:
        """Unexplained share and coefficients of each joint, as recorded."""
        return [
            self.features.unexplained(self.torque[:, j], j) for j in range(self.case.recording.n)
        ]

    def with_step(self, joint: int, time: float) -> tuple[float, float]:
        """Share left where the torque of a joint may step at a time, and that step in the unit of its column."""
        smooth = self.case.smooth
        after = (smooth.time[:: smooth.every][self.at] > time).astype(np.float64)
        torque = self.torque[:, joint]
        share, found = self.features.unexplained(torque, joint, extra=after)
        free = np.column_stack([self.features.free[joint], after])
        left = torque - self.features.signed[joint] @ found
        size = np.linalg.lstsq(free, left, rcond=None)[0][-1]
        return share, float(size / self.scale[joint])

    def shifted(self, lag: float) -> Array:
        """The torque as it was `lag` seconds later."""
        smooth = self.case.smooth
        kept = smooth.time[:: smooth.every]
        return np.column_stack([np.interp(kept[self.at] + lag, kept, c) for c in self.all.T])


def _reduced(signed: Array, free: Array) -> tuple[Array, Array, Array]:
    basis = np.linalg.qr(free)[0]
    columns = signed - basis @ (basis.T @ signed)
    return basis, columns, np.linalg.norm(columns, axis=0)


def _independent(columns: Array) -> Array:
    """The columns that matter, orthogonal: the others are combinations of them within the noise."""
    size = np.linalg.norm(columns, axis=0)
    used = columns[:, size > 1e-9] / size[size > 1e-9]
    if used.shape[1] == 0:
        return np.zeros((len(columns), 0))
    u, s, _ = np.linalg.svd(used, full_matrices=False)
    return np.asarray(u[:, s > 0.02 * s[0]])


def _knows_links(robot: Robot) -> bool:
    try:
        robot.parameters()
    except UnknownValueError:
        return False
    return True
