"""Methods that compare the arm with its simulation: IDIM-IV, DIDIM, CLOE. Spec 07.9.

    idim_iv   gamma = (Z^T G W)^-1 Z^T G y        Z = Y at simulated states, W = Y at measured ones
    didim     min |y - Y(q_s, dq_s, ddq_s) gamma|  simulated states of the estimate before, in turn
    cloe      min |y - y_s(gamma)|                 torque of the closed loop, by Gauss-Newton:
              y - y_s + J gamma = J gamma_new      T(2.45)-(2.46), J from one simulation per parameter

Each is a linear problem whose columns come from a simulation with the last estimate, solved in turn until the torque
it predicts no longer changes. DIDIM is CLOE with Y(q_s) in place of the sensitivities J, to which it is close while the
servo follows well. All solve with the physical solver, because only an arm that can exist can be simulated, and because
directions a recording hardly excites would otherwise differ from round to round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import JointwiseError, NumericalError, ParameterError
from jointwise.estimators.estimate import CONVERGED, STOPPED, Estimate
from jointwise.estimators.instrumental import instrumental
from jointwise.estimators.problem import Problem
from jointwise.estimators.solve import settled_weights
from jointwise.estimators.whitening import noise_models
from jointwise.experiments.closed_loop import ClosedLoop, closed_loop
from jointwise.experiments.equations import Equations, equations
from jointwise.experiments.methods import (
    SIMULATED,
    Solver,
    independent_places,
    standard_parameters,
)
from jointwise.experiments.physical import MOST_MEMORY
from jointwise.recording.signals import Signals

Array = NDArray[np.float64]
Progress = Callable[[str, int, int], None]

MOST_ROUNDS = 12
SETTLED = 1e-3
"""Change of the predicted torque, beside its size, that no longer matters."""
STEP = 1e-2
"""Of a parameter, by the torque it adds beside the torque of its joint: difference quotients of a chattering loop need
a step well above the ripple."""
NOISY = 0.05
MEASURED_INSTRUMENTS = (
    "instruments follow the measured motion and share its noise below the cut-off: "
    "no q_ref was recorded"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """The linear problem of the last round with its estimate."""

    problem: Problem
    estimate: Estimate
    rounds: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """What all rounds share."""

    system: Equations
    plain: Problem
    loop: ClosedLoop
    find: Solver
    progress: Progress | None

    # ---- the three problems -------------------------------------------------------------------

    def idim_iv(self, estimate: Estimate) -> Problem:
        """W replaced by its projection on the instruments: least squares with it is the formula of instruments."""
        z = self.simulated(estimate, commanded=True)
        kept = independent_places(z)
        both = _beside(z.select([z.names[k] for k in kept]), self.plain)
        r = both.weighted_factor(settled_weights(self.plain))
        count = len(kept)
        share = np.linalg.lstsq(r[:count, :count], r[:count, count:-1], rcond=None)[0]
        projected = [rows.w[..., kept] @ share for rows in z.rows]
        return self._problem(projected, [rows.y for rows in self.plain.rows])

    def didim(self, estimate: Estimate) -> Problem:
        """The columns at simulated states."""
        return self.simulated(estimate)

    def cloe(self, estimate: Estimate) -> Problem:
        """The sensitivities of the torque, and the torque less what is not linear in the parameters.

        Where no step of a parameter leaves an arm that can exist, the sensitivity is that of DIDIM.
        """
        values, gamma = np.array(estimate.values), self._standard(estimate)
        z = self.simulated(estimate)
        columns = [rows.w.copy() for rows in z.rows]
        start = [rows.w @ values for rows in z.rows]
        for i in range(len(values)):
            ahead, step = self._stepped(values, gamma, i)
            if step != 0.0:
                for column, one, other in zip(columns, ahead, start, strict=True):
                    column[..., i] = (one - other) / step
            if self.progress is not None:
                self.progress("sensitivities", i + 1, len(values))
        targets = [
            rows.y - y + column @ values
            for rows, y, column in zip(self.plain.rows, start, columns, strict=True)
        ]
        return self._problem(columns, targets)

    def _stepped(self, values: Array, gamma: Array, i: int) -> tuple[list[Array], float]:
        """Torque of the closed loop after a step of one parameter, and the step; nothing where none is possible."""
        for step in (self._step(i), -self._step(i)):
            moved = values.copy()
            moved[i] += step
            try:
                return self._torque(moved, self._moved(gamma, moved - values)), step
            except (ParameterError, NumericalError):
                continue
        return [], 0.0

    # ---- simulation ---------------------------------------------------------------------------

    def simulated(self, estimate: Estimate, *, commanded: bool = False) -> Problem:
        """Equations along the simulated motion, with the torque that was measured."""
        gamma, values = self._standard(estimate), np.array(estimate.values)
        pieces = self.loop.along(self.system.pieces, values, gamma, commanded=commanded)
        design, load = self.system.design, None
        if design.reads_load:
            load = [design.load(piece, gamma, estimate.values) for piece in pieces]
        rows = self._along(pieces).problem(load).rows
        return self._problem([r.w for r in rows], [r.y for r in self.plain.rows])

    def _standard(self, estimate: Estimate) -> Array:
        """Standard parameters of links and rotors that can exist, at the estimate or nearest to it."""
        design = self.system.design
        return np.array(standard_parameters(design, estimate)[: len(design.base.columns)])

    def _along(self, pieces: Sequence[Signals]) -> Equations:
        system = self.system
        found = equations(system.design, pieces, filter_hz=system.filter_hz, moving=system.moving)
        return replace(found, use=system.use, delay=system.delay)

    def _torque(self, values: Array, gamma: Array) -> list[Array]:
        """Torque of the closed loop under these parameters, as the equations have it."""
        design = self.system.design
        pieces = self.loop.along(self.system.pieces, values, gamma)
        parts = [design.torque(piece, values, gamma) for piece in pieces]
        return [
            self.system.seen(k, rigid + friction) for k, (rigid, friction, _) in enumerate(parts)
        ]

    def _moved(self, gamma: Array, change: Array) -> Array:
        """Standard parameters whose base parameters have changed by so much, by the shortest way."""
        base = self.system.design.base
        return gamma + np.linalg.pinv(base.matrix) @ change[: base.count]

    def _step(self, i: int) -> float:
        """Step of a parameter that moves the torque of the joint it acts on most by a share of it."""
        squares = np.sum(self.plain.joint_factors[:, :, i] ** 2, axis=1)
        share = float(np.sqrt(squares / np.maximum(self.plain.torque_norms**2, 1e-300)).max())
        return STEP / share if share > 0.0 else STEP

    def _problem(self, w: list[Array], y: list[Array]) -> Problem:
        return Problem.from_rows(
            self.plain.names, w, y,
            use=[rows.use for rows in self.plain.rows], recordings=self.plain.recordings,
        )  # fmt: skip


def compared(
    method: str,
    system: Equations,
    plain: Problem,
    start: Estimate,
    find: Solver,
    *,
    elastic: bool = False,
    progress: Progress | None = None,
) -> Compared:
    """Rounds of simulation and estimate; `start` is a physical estimate of the same equations."""
    check(method, system)
    comparison = Comparison(
        system=system,
        plain=plain,
        loop=closed_loop(system.design, system.pieces, system.filter_hz, elastic),
        find=find,
        progress=progress,
    )
    linear = getattr(comparison, method)
    estimate, status = start, STOPPED
    for k in range(MOST_ROUNDS):
        problem = linear(estimate)
        new = find(problem)
        change = _change(plain, estimate.values, new.values)
        estimate = new
        if progress is not None:
            progress(method, k + 1, MOST_ROUNDS)
        if change < SETTLED:
            status = CONVERGED
            break
    notes = (*estimate.notes, f"{k + 1} rounds of simulating the closed loop and estimating")
    if method == "idim_iv":
        notes += exogeneity(comparison.simulated(estimate, commanded=True), plain, estimate)
        if any(piece.commanded is None for piece in system.pieces):
            notes += (MEASURED_INSTRUMENTS,)
    if estimate.status != CONVERGED:
        status = estimate.status
    found = replace(estimate, method=method, status=status, notes=notes)
    return Compared(problem=problem, estimate=found, rounds=k + 1)


def check(method: str, system: Equations) -> None:
    """Raise where a method that simulates cannot be used."""
    if method not in SIMULATED:
        raise ParameterError("method", method, f"one of {', '.join(SIMULATED)}")
    if system.design.has_memory:
        raise ParameterError(
            "friction", "with memory", f"without memory for method {method}",
            "what a spring holds from before the recording cannot be simulated; use physical",
        )  # fmt: skip


def exogeneity(z: Problem, plain: Problem, estimate: Estimate) -> tuple[str, ...]:
    """What the test of Durbin, Wu and Hausman says of the measured regressor, one sentence.

    The test takes equations as independent, so only as many are used as the memory of the residual leaves.
    """
    kept = independent_places(plain)
    models = noise_models(plain, estimate.values, 1)
    memory = min(max(abs(float(model[0])) for model in models), MOST_MEMORY)
    every = slice(None, None, int(np.ceil((1.0 + memory) / (1.0 - memory))))
    try:
        found = instrumental(
            [rows.w[every][..., kept] for rows in z.rows],
            [rows.w[every][..., kept] for rows in plain.rows],
            [rows.y[every] for rows in plain.rows],
            [plain.names[k] for k in kept],
            use=[rows.use[every] for rows in plain.rows],
        )
    except JointwiseError as error:
        return (f"no test of the measured regressor: {error}",)
    p = found.exogeneity_p_value
    said = (
        "noise has come into the measured regressor"
        if p < NOISY
        else "no noise in it is seen, least squares would do"
    )
    return (f"test of the measured regressor (Durbin, Wu and Hausman): p = {p:.2g}, {said}",)


def _beside(z: Problem, plain: Problem) -> Problem:
    names = [f"instrument {name}" for name in z.names] + list(plain.names)
    wide = [np.concatenate([a.w, b.w], axis=2) for a, b in zip(z.rows, plain.rows, strict=True)]
    return Problem.from_rows(
        names, wide, [rows.y for rows in plain.rows], use=[rows.use for rows in plain.rows]
    )


def _change(plain: Problem, old: Array, new: Array) -> float:
    """Change of the predicted torque beside the measured, the largest over the joints."""
    moved = np.linalg.norm(plain.joint_factors[:, :, :-1] @ (new - old), axis=1)
    return float(np.max(moved / np.maximum(plain.torque_norms, 1e-300)))
