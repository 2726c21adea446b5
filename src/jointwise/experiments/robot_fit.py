"""Identification of the whole arm from recordings: links, rotors and friction of every joint. Spec 07.

Signals, equations, delay, estimate, and the load that friction sees are found in turn until the load no longer
changes; then come scores on recordings left out, uncertainty, verdicts and the updated robot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from jointwise.estimators.estimate import Estimate
from jointwise.estimators.problem import Problem
from jointwise.experiments.delay import estimated_delay
from jointwise.experiments.design import Design
from jointwise.experiments.equations import Equations, equations
from jointwise.experiments.fit import Fit
from jointwise.experiments.methods import solver
from jointwise.experiments.physical import standard_behind
from jointwise.experiments.recordings import Recordings, named
from jointwise.recording.recording import Recording
from jointwise.recording.signals import Signals, signals
from jointwise.robot.description import Robot
from jointwise.units import Unit, check_fields

Array = NDArray[np.float64]
Progress = Callable[[str, int, int], None]

FRICTION = ("coulomb", "viscous", "offset", "load", "degressive")
"""What strain-wave and cycloid arms need; others may do with less, and the report says so."""
SPEED = Unit("rad/s [m/s]", lower=0.0, upper=100.0)
MOVING_SHARE, MOVING_FLOOR = 0.01, 0.003
"""Of a joint's own fastest speed and of the arm's fastest: slower than both counts as standing."""
ZONE_SHARE = 0.001
"""Of a joint's fastest speed: where the sign of motion fades out, wider than the noise of filtered positions."""
MOST_ROUNDS = 8
SETTLED = 1e-3
"""Change of the load, beside its size, below which friction no longer changes."""


@dataclass(frozen=True, kw_only=True)
class RobotFitOptions:
    """Options of the fit of a whole arm; see `jointwise fit robot --help`."""

    filter_hz: Annotated[float, Unit("Hz", lower=0.05, upper=1e4)]
    friction: tuple[str, ...] = FRICTION
    method: str = "physical"
    torque: str | None = None
    moving: float | None = None
    """speed above which a joint counts as moving, rad/s [m/s]; None follows from the speeds recorded"""
    zone: float | None = None
    """speed below which the sign of motion fades out, rad/s [m/s]; None follows from the speeds recorded"""
    rotors: bool = True
    standing: bool = False
    delay: bool = True

    def __post_init__(self) -> None:
        check_fields(self, "fit robot")
        for name in ("moving", "zone"):
            if getattr(self, name) is not None:
                SPEED.check(name, getattr(self, name))
        object.__setattr__(self, "friction", tuple(self.friction))


@dataclass(frozen=True, kw_only=True, eq=False)
class Solved:
    """Equations with their estimate and the load that belongs to it."""

    equations: Equations
    problem: Problem
    estimate: Estimate
    load: tuple[Array, ...] | None
    rounds: int
    settled: bool


def fit_robot(
    robot: Robot,
    recordings: Recordings,
    *,
    progress: Progress | None = None,
    **options: Any,
) -> Fit:
    """Fit links, rotors and friction to recordings; options as in `RobotFitOptions`."""
    from jointwise.experiments.robot_result import result

    chosen = RobotFitOptions(**options)
    pieces = pieces_of(robot, named(recordings), chosen)
    solved = solve(robot, pieces, chosen, progress)
    return result(robot, solved, chosen, progress)


def pieces_of(
    robot: Robot, recordings: Mapping[str, Recording], chosen: RobotFitOptions
) -> list[Signals]:
    """Signals of all recordings."""
    return [
        piece
        for name, rec in recordings.items()
        for piece in signals(
            rec, robot, filter_hz=chosen.filter_hz, torque=chosen.torque, name=name
        )
    ]


def solve(
    robot: Robot,
    pieces: Sequence[Signals],
    chosen: RobotFitOptions,
    progress: Progress | None = None,
) -> Solved:
    """Equations solved until load and delay are settled."""
    moving, zone = thresholds(pieces, chosen)
    design = Design(robot=robot, friction=chosen.friction, rotors=chosen.rotors, zone=zone)
    system = equations(
        design,
        pieces,
        filter_hz=chosen.filter_hz,
        moving=moving,
        standing=chosen.standing or any(u.term.memory for u in design.uses),
        progress=None if progress is None else lambda k, n: progress("equations", k, n),
    )
    find = solver(chosen.method, design)
    quick = solver("bounded", design)
    load: list[Array] | None = None
    problem = system.problem(load)
    rounds, settled = 1, not design.reads_load
    if chosen.delay and settled:
        system, problem = _with_delay(system, problem, quick)
    while not settled and rounds < MOST_ROUNDS:
        new = loads(system, quick(problem))
        change = 1.0 if load is None else _change(load, new)
        load, rounds, settled = new, rounds + 1, change < SETTLED
        problem = system.problem(load)
        if rounds == 2 and chosen.delay:
            system, problem = _with_delay(system, problem, quick)
    return Solved(
        equations=system,
        problem=problem,
        estimate=find(problem),
        load=None if load is None else tuple(load),
        rounds=rounds,
        settled=settled,
    )


def thresholds(
    pieces: Sequence[Signals], chosen: RobotFitOptions
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Speeds of each joint: above which it moves, below which the sign of its motion fades out."""
    fastest = np.max([np.abs(piece.dq).max(axis=0) for piece in pieces], axis=0)
    moving = np.maximum(MOVING_SHARE * fastest, MOVING_FLOOR * fastest.max())
    zone = ZONE_SHARE * np.maximum(fastest, MOVING_FLOOR * fastest.max())
    if chosen.moving is not None:
        moving = np.full(len(fastest), chosen.moving)
    if chosen.zone is not None:
        zone = np.full(len(fastest), chosen.zone)
    return tuple(moving.tolist()), tuple(zone.tolist())


def _with_delay(
    system: Equations, problem: Problem, quick: Callable[[Problem], Estimate]
) -> tuple[Equations, Problem]:
    """Equations and problem with the torque read at its most likely delay."""
    delay = estimated_delay(system, problem, lambda p: quick(p).values)
    system = replace(system, delay=delay)
    shifted = Problem.from_rows(
        problem.names,
        [r.w for r in problem.rows],
        [system.torque_at(k, delay) for k in range(len(problem.rows))],
        use=[r.use for r in problem.rows],
        recordings=problem.recordings,
    )
    return system, shifted


def loads(system: Equations, estimate: Estimate) -> list[Array]:
    """Link torque at the motors along every piece, from the base parameters found."""
    design = system.design
    gamma = standard_behind(design, estimate.values[: design.base.count])
    return [design.load(piece, gamma) for piece in system.pieces]


def _change(old: Sequence[Array], new: Sequence[Array]) -> float:
    size = np.sqrt(sum(float(np.sum(a**2)) for a in old))
    step = np.sqrt(sum(float(np.sum((a - b) ** 2)) for a, b in zip(old, new, strict=True)))
    return float(step / size) if size > 0.0 else 0.0
