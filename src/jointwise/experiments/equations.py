"""The linear problem of several recordings: filtered, thinned equations whose friction columns can be renewed.

The rigid part of the regressor is computed once. Friction that depends on the load is renewed whenever the link
parameters, and with them the load, have changed.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.estimators.problem import Problem
from jointwise.experiments.design import Design, filtered_columns, filtered_rigid
from jointwise.recording import filters
from jointwise.recording.signals import Signals, shifted
from jointwise.robot.samples import cores

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]
MOST_INSTANTS = 30_000
"""Half an hour at a cut-off of 5 Hz; more only costs memory."""
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
    steps: tuple[int, ...]
    kept: tuple[slice, ...]
    """of the thinned samples: those the filter's start-up does not touch"""
    rigid: tuple[Array, ...]
    delay: tuple[float, ...]
    """time in s by which the torque of each joint is stamped later than its position"""
    use: tuple[NDArray[np.bool_], ...] = ()

    def torque_at(self, k: int, delay: Sequence[float] | Array) -> Array:
        """Filtered, thinned torque of piece k, each joint's read `delay` seconds late, less what is known of it."""
        late = shifted(self.smooth[k], self.pieces[k].rate_hz, delay, self.steps[k])[self.kept[k]]
        known = self.smooth_known[k]
        return late if known is None else late - known[:: self.steps[k]][self.kept[k]]

    @functools.cached_property
    def smooth(self) -> tuple[Array, ...]:
        """Low-passed torque of each piece, not shifted and not thinned."""
        return tuple(filters.zero_phase(p.torque, self.filter_hz, p.rate_hz) for p in self.pieces)

    @functools.cached_property
    def smooth_known(self) -> tuple[Array | None, ...]:
        """Low-passed known torque of each piece, None where nothing is known."""
        return tuple(
            None if p.known is None else filters.zero_phase(p.known, self.filter_hz, p.rate_hz)
            for p in self.pieces
        )

    def problem(self, load: Sequence[Array] | None) -> Problem:
        """The problem for friction under this load (one array per piece); zero load without."""
        return self.problem_and_spans(load)[0]

    def problem_and_spans(self, load: Sequence[Array] | None) -> tuple[Problem, Spans]:
        """The problem, and by how much the unknown time before each piece may move its friction columns."""
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

        with ThreadPoolExecutor(cores()) as pool:
            rows, spans = zip(*pool.map(whole, range(len(self.pieces))), strict=True)
        problem = Problem.from_rows(
            design.names,
            list(rows),
            [self.torque_at(k, self.delay) for k in range(len(self.pieces))],
            use=list(self.use),
            recordings=[piece.name for piece in self.pieces],
        )
        return problem, tuple(spans)

    def seen(self, k: int, columns: Array) -> Array:
        """Columns along piece k as the equations have them: filtered, thinned, without the filter's start-up."""
        return filtered_columns(columns, self.pieces[k], self.filter_hz, self.steps[k])[
            self.kept[k]
        ]

    def with_friction(self, friction: Sequence[str], standing: bool) -> Equations:
        """The same equations with other friction terms; standing joints count with memory, or where wanted."""
        design = replace(self.design, friction=tuple(friction), compliance=0.0, tilt=())
        turning = [self.turning(k) for k in range(len(self.pieces))]
        every = standing or design.has_memory
        use = tuple(np.ones_like(t) if every else t for t in turning)
        return replace(self, design=design, use=use)

    def turning(self, k: int) -> NDArray[np.bool_]:
        """Which joints move at the equations of piece k, (equations, n)."""
        speed = self.pieces[k].speed[:: self.steps[k]][self.kept[k]]
        return np.asarray(np.abs(speed) > self.moving)

    def first(self, k: int, seconds: float) -> int:
        """Equations of the first seconds of piece k."""
        return max(1, round(seconds * self.rate_hz(k)))

    def rate_hz(self, k: int) -> float:
        """Rate of the kept equations of piece k."""
        return self.pieces[k].rate_hz / self.steps[k]


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
    kept, uses = [], []
    for piece, step in zip(pieces, steps, strict=True):
        count = len(range(0, len(piece), step))
        edge = min(-(-piece.edge // step), (count - 1) // 2)
        keep = slice(edge, count - edge)
        kept.append(keep)
        turning = np.abs(piece.speed[::step][keep]) > slowest
        uses.append(np.ones_like(turning) if standing else turning)
    done = 0

    def one(k: int) -> Array:
        nonlocal done
        found = filtered_rigid(design, pieces[k], filter_hz, steps[k])[kept[k]]
        done += 1
        if progress is not None:
            progress(done, len(pieces))
        return found

    with ThreadPoolExecutor(cores()) as pool:
        rigid = list(pool.map(one, range(len(pieces))))
    return Equations(
        design=design,
        pieces=tuple(pieces),
        filter_hz=filter_hz,
        moving=tuple(float(v) for v in slowest),
        steps=tuple(steps),
        kept=tuple(kept),
        rigid=tuple(rigid),
        use=tuple(uses),
        delay=(0.0,) * design.robot.n,
    )


def _steps(pieces: Sequence[Signals], filter_hz: float) -> list[int]:
    """Thinning of each piece. Equations hold at every instant, so of a long recording fewer instants serve as well."""
    steps = [filters.thinning(piece.rate_hz, filter_hz) for piece in pieces]
    instants = sum(len(piece) / step for piece, step in zip(pieces, steps, strict=True))
    return [step * max(1, math.ceil(instants / MOST_INSTANTS)) for step in steps]
