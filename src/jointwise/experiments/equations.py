"""The linear problem of several recordings: filtered, thinned equations whose friction columns can be renewed.

The rigid part of the regressor is computed once. Friction that depends on the load is renewed whenever the link
parameters, and with them the load, have changed.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.estimators.problem import Problem
from jointwise.experiments.design import Design
from jointwise.experiments.rigid_rows import acting, filtered_rigid, kept_samples
from jointwise.recording import filters
from jointwise.recording.signals import Signals, shifted
from jointwise.robot.samples import in_threads

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]
MOST_INSTANTS = 15_000
"""A quarter of an hour at a cut-off of 5 Hz; more only costs memory."""
Spans = tuple[Array | None, ...]
"""Per piece (equations, friction parameters): what a spring adds where it began slipping forward; None: no memory."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Equations:
    """Equations of a design along pieces of recordings, ready to be solved."""

    design: Design
    pieces: tuple[Signals, ...]
    filter_hz: float
    moving: tuple[float, ...]
    """speed above which each joint counts as moving; standing equations are left out of static fits"""
    kept: tuple[slice, ...]
    """of the samples of each piece: at which there are equations"""
    rigid: tuple[Array, ...]
    delay: tuple[float, ...]
    """time in s by which the torque of each joint is stamped later than its position"""
    use: tuple[NDArray[np.bool_], ...] = ()

    def torque_at(self, k: int, delay: Sequence[float] | Array) -> Array:
        """Filtered, thinned torque of piece k, each joint's read `delay` seconds late, less what is known of it."""
        late = shifted(self.smooth[k], self.pieces[k].rate_hz, delay, self.kept[k])
        known = self.smooth_known[k]
        return late if known is None else late - known

    @functools.cached_property
    def smooth(self) -> tuple[Array, ...]:
        """Low-passed torque of each piece, not shifted and not thinned."""
        return tuple(filters.zero_phase(p.torque, self.filter_hz, p.rate_hz) for p in self.pieces)

    @functools.cached_property
    def smooth_known(self) -> tuple[Array | None, ...]:
        """Low-passed, thinned known torque of each piece, None where nothing is known."""
        return tuple(
            None if piece.known is None else self.seen(k, piece.known)
            for k, piece in enumerate(self.pieces)
        )

    def problem(self, load: Sequence[Array] | None) -> Problem:
        """The problem for friction under this load (one array per piece); zero load without."""
        return self.problem_of(self.regressors(load)[0])

    def problem_of(self, regressors: Sequence[Array]) -> Problem:
        """The problem of these regressors, with the torque at the delays there are now."""
        return Problem.from_rows(
            self.design.names,
            regressors,
            [self.torque_at(k, self.delay) for k in range(len(self.pieces))],
            use=list(self.use),
            recordings=[piece.name for piece in self.pieces],
        )

    def regressors(self, load: Sequence[Array] | None) -> tuple[list[Array], Spans]:
        """(kept, n, columns) of each piece, and by how much the unknown time before it may move friction columns."""
        design = self.design

        def whole(k: int) -> tuple[Array, Array | None]:
            piece, rigid = self.pieces[k], self.rigid[k]
            loads = np.zeros((len(piece), design.robot.n)) if load is None else load[k]
            at_motors, spans = design.expected_columns(
                piece, loads, functools.partial(self.seen, k)
            )
            out = np.zeros((*rigid.shape[:2], len(design.names)))
            out[..., : design.base.count] = rigid
            out[..., design.base.count :] = at_motors[:, None, :] * design.friction_at_joints.T
            return out, spans

        found = in_threads(whole, range(len(self.pieces)))
        return [one for one, _ in found], tuple(spans for _, spans in found)

    def seen(self, k: int, columns: Array) -> Array:
        """Columns along piece k as the equations have them: filtered, thinned, without the filter's start-up."""
        return filters.zero_phase(
            columns, self.filter_hz, self.pieces[k].rate_hz, keep=self.kept[k]
        )

    def with_friction(self, friction: Sequence[str], standing: bool) -> Equations:
        """The same equations with other friction terms; standing joints count with memory, or where wanted."""
        design = replace(self.design, friction=tuple(friction), compliance=0.0, tilt=())
        turning = [self.turning(k) for k in range(len(self.pieces))]
        every = standing or design.has_memory
        use = tuple(np.ones_like(t) if every else t for t in turning)
        return replace(self, design=design, use=use)

    def turning(self, k: int) -> NDArray[np.bool_]:
        """Which joints move at the equations of piece k, (equations, n)."""
        speed = self.pieces[k].speed[self.kept[k]]
        return np.asarray(np.abs(speed) > self.moving)

    def first(self, k: int, seconds: float) -> int:
        """Equations of the first seconds of piece k."""
        return max(1, round(seconds * self.rate_hz(k)))

    def rate_hz(self, k: int) -> float:
        """Rate of the kept equations of piece k."""
        return self.pieces[k].rate_hz / float(self.kept[k].step)


def equations(
    design: Design,
    pieces: Sequence[Signals],
    *,
    filter_hz: float,
    moving: float | Sequence[float],
    standing: bool = False,
    progress: Progress | None = None,
) -> Equations:
    """Equations of a design along pieces; `standing` keeps those of joints that stand still."""
    if not pieces:
        raise ParameterError("recordings", "none", "at least one")
    slowest = np.broadcast_to(np.asarray(moving, dtype=np.float64), (design.robot.n,))
    steps = _steps(pieces, filter_hz)
    kept = [kept_samples(piece, step) for piece, step in zip(pieces, steps, strict=True)]
    uses = []
    for piece, keep in zip(pieces, kept, strict=True):
        turning = np.abs(piece.speed[keep]) > slowest
        uses.append(np.ones_like(turning) if standing else turning)
    done, entries = 0, acting(design)

    def one(k: int) -> Array:
        nonlocal done
        found = filtered_rigid(design, entries, pieces[k], filter_hz, kept[k])
        done += 1
        if progress is not None:
            progress(done, len(pieces))
        return found

    return Equations(
        design=design,
        pieces=tuple(pieces),
        filter_hz=filter_hz,
        moving=tuple(float(v) for v in slowest),
        kept=tuple(kept),
        rigid=tuple(in_threads(one, range(len(pieces)))),
        use=tuple(uses),
        delay=(0.0,) * design.robot.n,
    )


def _steps(pieces: Sequence[Signals], filter_hz: float) -> list[int]:
    """Thinning of each piece. Equations hold at every instant, so of a long recording fewer instants serve as well."""
    steps = [filters.thinning(piece.rate_hz, filter_hz) for piece in pieces]
    instants = sum(len(piece) / step for piece, step in zip(pieces, steps, strict=True))
    return [step * max(1, math.ceil(instants / MOST_INSTANTS)) for step in steps]
