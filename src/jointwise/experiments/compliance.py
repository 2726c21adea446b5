"""Compliance of the gears from ordinary recordings: how far rotors turn for their load while the links stand.

Friction with memory acts at the rotor. Where only the link was measured the rotor is at theta = q + load / K, and the
friction of a joint that a servo holds follows the motion of the other joints through its gear. For each motor the
compliance 1/K is the one under which its friction, all other parameters held, is most likely:

    min over 1/K of  M log |e|^2 + sum over recordings of log det of the unknown start's share

The gears before and after a joint bend its bearings with their loads, which turns its rotor a little as well, to
either side. Each of these two shares is found in the same way beside the joint's own.

Above, e is what non-negative least squares leaves, whitened against the start (see `memory_start`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jointwise.estimators.bounded import solve_bounded
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.problem import Problem
from jointwise.experiments.design import Design
from jointwise.experiments.equations import Equations
from jointwise.experiments.memory_start import LEAST, WIDE, log_determinant, whitened
from jointwise.laws.columns import Term
from jointwise.robot.independent import qr_factor
from jointwise.robot.samples import cores

Array = NDArray[np.float64]

WINDUPS = (0.0, *(float(v) for v in np.geomspace(2e-5, 1e-2, 8)))
"""rad at the largest load: what is tried first, from stiffer than any gear to softer than any."""
HALVINGS = 3
"""Of the step between two of them, by logarithm, around the best."""
TILTS = (0.0, *(float(v) for v in np.geomspace(2e-5, 2e-3, 4)))
"""The same for the loads of the neighbouring gears, tried to both sides."""
ROUNDS = 2
"""Torques and the spread of the start depend on each other."""


def found_compliances(
    system: Equations, problem: Problem, estimate: Estimate, load: Sequence[Array]
) -> tuple[tuple[float, ...], tuple[tuple[float, ...], ...]]:
    """Compliance of the gear of every motor whose rotor was not measured and whose friction has memory, and tilts."""
    design = system.design
    if all(piece.rotor_measured for piece in system.pieces):
        return design.compliances, design.tilt
    base = design.base.count
    inward = np.linalg.inv(design.robot.coupling_matrix())
    friction = [(r.y - r.w[..., :base] @ estimate.values[:base]) @ inward for r in problem.rows]

    def found(motor: int) -> Array:
        one = _Motor(
            system=system,
            load=load,
            motor=motor,
            target=[values[:, motor] for values in friction],
            noise=float(estimate.noise[motor]),
        )
        return one.best() if one.remembers else design.windup(motor)

    with ThreadPoolExecutor(cores()) as pool:
        rows = list(pool.map(found, range(design.robot.n)))
    own = tuple(float(row[motor]) for motor, row in enumerate(rows))
    return own, tuple(tuple(row.tolist()) for row in rows)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Motor:
    """Friction of one motor, the rest of the torque taken out."""

    system: Equations
    load: Sequence[Array]
    motor: int
    target: Sequence[Array]
    noise: float

    @functools.cached_property
    def mine(self) -> list[int]:
        return [
            k
            for k, place in enumerate(self.system.design.friction_places)
            if place[2] == self.motor
        ]

    @functools.cached_property
    def terms(self) -> list[Term]:
        design = self.system.design
        return [design.uses[design.friction_places[k][0]].term for k in self.mine]

    @property
    def remembers(self) -> bool:
        return any(term.memory for term in self.terms)

    def best(self) -> Array:
        """(n,): the most likely windup, first by the motor's own load, then by the loads of its neighbours."""
        row = np.zeros(self.system.design.robot.n)
        row[self.motor] = self._share(row, self.motor, WINDUPS)
        for other in (self.motor - 1, self.motor + 1):
            if 0 <= other < len(row):
                row[other] = self._share(row, other, (*TILTS, *(-v for v in TILTS[1:])))
        if row.any():
            row[self.motor] = self._share(row, self.motor, WINDUPS)
        return row

    def _share(self, row: Array, gear: int, windups: Sequence[float]) -> float:
        """Most likely compliance by the load of one gear beside the others; zero unless it earns its place."""
        most = max(float(np.abs(values[:, gear]).max()) for values in self.load)
        if most == 0.0:
            return 0.0

        def cost(windup: float) -> float:
            one = row.copy()
            one[gear] = windup / most
            return self.cost(one)

        tried = {windup: cost(windup) for windup in windups}
        step = np.log(windups[2] / windups[1])
        for _ in range(HALVINGS):
            top, step = min(tried, key=lambda windup: tried[windup]), 0.5 * step
            for windup in (top * np.exp(-step), top * np.exp(step)):
                if windup != 0.0 and windup not in tried:
                    tried[windup] = cost(windup)
        best = min(tried, key=lambda windup: tried[windup])
        earned = tried[0.0] - tried[best] > np.log(sum(len(y) for y in self.target))
        return float(best / most) if earned else 0.0

    def cost(self, row: Array) -> float:
        """Twice the negative logarithm of the likelihood, but for a constant."""
        design = self.system.design
        values, tilt = list(design.compliances), np.zeros((len(row), len(row)))
        values[self.motor], tilt[self.motor] = float(row[self.motor]), row
        design = replace(design, compliance=tuple(values), tilt=tuple(map(tuple, tilt.tolist())))
        parts = [self._columns(design, k) for k in range(len(self.target))]
        low = np.array([0.0 if term.nonnegative else -np.inf for term in self.terms])
        memory = np.array([term.memory for term in self.terms])
        spread, noise = WIDE * self.noise * memory, self.noise
        for _ in range(ROUNDS):
            loose = np.flatnonzero(memory)
            spans = [half[:, loose] * (spread[loose] / noise) for _, half in parts]
            rows = [
                whitened(span, np.column_stack([mid, y]))
                for span, (mid, _), y in zip(spans, parts, self.target, strict=True)
            ]
            factor = qr_factor(np.concatenate(rows))
            found = solve_bounded(factor, low, np.full(len(low), np.inf)).values
            squares = float(np.sum((factor @ np.append(-found, 1.0)) ** 2))
            count = sum(len(y) for y in self.target)
            noise = max(float(np.sqrt(squares / count)), 1e-12)
            spread = np.maximum(np.abs(found) / np.sqrt(3.0), LEAST * noise) * memory
        return count * float(np.log(max(squares, 1e-300))) + sum(map(log_determinant, spans))

    @functools.cached_property
    def unmoved(self) -> list[Array]:
        """Columns without memory of each piece: wind-up is too small to show in them."""
        design = self.system.design
        chosen = [k for k, term in zip(self.mine, self.terms, strict=True) if not term.memory]
        return [
            self.system.seen(i, design.motor_columns(piece, self.load[i], self.motor, chosen, 0.0))
            for i, piece in enumerate(self.system.pieces)
        ]

    def _columns(self, design: Design, i: int) -> tuple[Array, Array]:
        piece, load = self.system.pieces[i], self.load[i]
        memory = np.array([term.memory for term in self.terms])
        chosen = [k for k, remembers in zip(self.mine, memory, strict=True) if remembers]
        low, high = (
            design.motor_columns(piece, load, self.motor, chosen, start) for start in (-1.0, 1.0)
        )
        both = self.system.seen(i, np.column_stack([0.5 * (low + high), 0.5 * (high - low)]))
        middle, half = np.empty((len(both), len(memory))), np.zeros((len(both), len(memory)))
        middle[:, ~memory] = self.unmoved[i]
        middle[:, memory], half[:, memory] = np.hsplit(both, 2)
        return middle, half
