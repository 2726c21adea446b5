"""The stacked base regressor along a path and its gradient with respect to the motion of every sample.

A gradient G with respect to W is carried back to q, dq and ddq of each sample:

    dL/dx = sum_jk G_jk dY_jk/dx,      x one of q_i, dq_i, ddq_i.

Y is linear in ddq and quadratic in dq, so differences over a full step are exact for these; for q they are central.
Friction columns jump with the sign of the speed; here they are rounded over `width`, so that they have a slope.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jointwise.motion.path import Array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jointwise.robot.base_parameters import BaseParameters
    from jointwise.robot.description import Robot

STEP = 1e-5
"""rad [m] of the central difference in q; its error is about 1e-10 of the regressor."""


class BaseStack:
    """The base regressor of a robot with friction columns whose jumps are rounded, and its gradients."""

    def __init__(
        self, robot: Robot, base: BaseParameters, friction: Sequence[str], *, width: float
    ) -> None:
        self.robot, self.width = robot, width
        self.coupling = robot.coupling_matrix()
        n = robot.n
        self.links = 10 * n
        self.kept = base.kept
        self.own = base.kept[base.kept < self.links]
        beyond = base.kept[base.kept >= self.links] - self.links
        self.drives = [(friction[k // n], int(k % n)) for k in beyond]

    def at(self, q: Array, dq: Array, ddq: Array) -> tuple[Array, Array]:
        """W (samples, n, base parameters) and the regressor Y of the links (samples, n, 10 n)."""
        y = self.robot.regressor(q, dq, ddq)
        w = np.empty((*y.shape[:2], len(self.kept)))
        w[..., : len(self.own)] = y[..., self.own]
        for place, (name, motor) in enumerate(self.drives, len(self.own)):
            value, _ = rounded(name, dq @ self.coupling[motor], self.width)
            w[..., place] = value[:, None] * self.coupling[motor]
        return w, y

    def back(self, gradient: Array, extra: Array, state: tuple[Array, Array, Array]) -> list[Array]:
        """Gradients with respect to q, dq and ddq of G with respect to W, plus `extra` with respect to Y."""
        q, dq, ddq = state
        total = extra.copy()
        total[..., self.own] += gradient[..., : len(self.own)]
        found = [np.zeros_like(q) for _ in range(3)]
        for i in range(self.robot.n):
            for order, step in ((0, STEP), (1, 1.0), (2, 1.0)):
                moved = []
                for sign in (1.0, -1.0):
                    arrays = [q, dq, ddq]
                    arrays[order] = arrays[order].copy()
                    arrays[order][:, i] += sign * step
                    moved.append(self.robot.regressor(*arrays))
                slope = (moved[0] - moved[1]) / (2.0 * step)
                found[order][:, i] = np.einsum("sjk,sjk->s", total, slope)
        for place, (name, motor) in enumerate(self.drives, len(self.own)):
            _, slope = rounded(name, dq @ self.coupling[motor], self.width)
            along = (gradient[..., place] @ self.coupling[motor]) * slope
            found[1] += along[:, None] * self.coupling[motor]
        return found


def rounded(name: str, v: Array, width: float) -> tuple[Array, Array]:
    """A friction column of `kernels.columns` with its jump at rest rounded over `width`, and its derivative."""
    sign = np.tanh(v / width)
    slope = (1.0 - sign * sign) / width
    one = np.ones_like(v)
    if name == "coulomb_forward":
        return 0.5 * (1.0 + sign), 0.5 * slope
    if name == "coulomb_backward":
        return 0.5 * (1.0 - sign), -0.5 * slope
    if name == "viscous_root":
        soft = v * v + width * width
        return v * soft**-0.25, soft**-0.25 - 0.5 * v * v * soft**-1.25
    return {
        "coulomb": (sign, slope),
        "viscous": (v, one),
        "offset": (one, 0.0 * v),
        "viscous_square": (v * v, 2.0 * v),
        "viscous_cube": (v**3, 3.0 * v * v),
    }[name]
