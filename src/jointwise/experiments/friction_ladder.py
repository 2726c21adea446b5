"""A ladder of friction models from Coulomb to load, temperature and memory, climbed by the recordings of an arm.

Each step adds one term to the one below, and equals it where that term is zero. Every model predicts each recording
from a fit to all others, with its start read off as `validate` does, whose first second does not count for any model.
The score of a recording is the mean over joints, moving and standing apart, of its squared error beside that of the
lowest step:

    s_r = mean over j, i of  e_rji^2 / mean over recordings of e_0ji^2

Steps are compared on the same recordings, so the spread of what one is worse than the best counts, not that of the
recordings: taken is the lowest step that is worse than the best by no more than the standard error of that difference
(the one-standard-error rule of Breiman and others, paired).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.experiments.equations import Equations
from jointwise.experiments.robot_fit import (
    RobotFitOptions,
    Solved,
    settled,
    system_of,
)
from jointwise.recording.signals import Signals
from jointwise.robot.description import Robot

Array = NDArray[np.float64]
Progress = Callable[[str, int, int], None]
Scorer = Callable[[Solved, RobotFitOptions], Array]

BOTTOM = ("coulomb", "offset")
STEPS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("viscous", ("viscous",), ()),
    ("degressive", ("degressive",), ()),
    ("stribeck", ("stribeck",), ()),
    ("rested", ("rested",), ()),
    ("load", ("load",), ()),
    ("square", ("square",), ()),
    ("load square", ("load_square",), ()),
    ("temperature", ("temperature",), ()),
    ("memory", ("memory",), ()),
    ("rotor behind the gear", (), ()),
    ("memory that grows with load", ("memory_load",), ()),
    ("each direction its own", ("asymmetric",), ("coulomb", "viscous")),
)
"""What each step adds, and what of the step below it holds already."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Ladder:
    """The steps that were tried, their scores, and the one taken."""

    names: tuple[str, ...]
    friction: tuple[tuple[str, ...], ...]
    scores: Array
    """(steps, recordings left out): squared error beside the lowest step's"""
    errors: Array
    """(steps, recordings, joints, moving and standing): RMS, N m"""
    chosen: int

    def to_settings(self) -> dict[str, Any]:
        """Names, scores and differences as plain data with stable keys."""
        worse, error = excess(self.scores).T
        return {
            "ladder": list(self.names),
            "ladder_score": self.scores.mean(axis=1).tolist(),
            "ladder_excess": worse.tolist(),
            "ladder_excess_error": error.tolist(),
            "ladder_chosen": self.names[self.chosen],
        }


def climb(
    robot: Robot,
    pieces: Sequence[Signals],
    chosen: RobotFitOptions,
    score: Scorer,
    progress: Progress | None = None,
) -> tuple[Solved, RobotFitOptions, Ladder]:
    """Solve every step, score it by `score`, and return the lowest within one standard error of the best."""
    every = names_for(pieces)
    system = system_of(robot, pieces, replace(chosen, friction=BOTTOM, standing=True), progress)
    tried: list[tuple[Solved, RobotFitOptions]] = []
    errors: list[Array] = []
    for k, (_, friction, stiff) in enumerate(every):
        options = replace(
            chosen,
            friction=friction,
            compliance=(0.0,) * robot.n
            if stiff and chosen.compliance is None
            else chosen.compliance,
        )
        step = system.with_friction(friction, options.standing)
        wound = k > 0 and not every[k - 1][2]
        if wound:
            step = wound_alike(step, tried[-1][0])
        solved = settled(step, options, wound=wound)
        tried.append((solved, options))
        errors.append(score(solved, options))
        if not np.isfinite(errors[0]).any():
            raise ParameterError(
                "friction", "auto", "a list of terms where recordings are too short to leave parts of them out",
                "record longer, or several motions",
            )  # fmt: skip
        if progress is not None:
            progress("friction ladder", k + 1, len(every))
    squares = np.array(errors) ** 2
    scores = relative(squares)
    taken = simplest(scores)
    ladder = Ladder(
        names=tuple(name for name, _, _ in every),
        friction=tuple(friction for _, friction, _ in every),
        scores=scores,
        errors=np.array(errors),
        chosen=taken,
    )
    return *tried[taken], ladder


def wound_alike(system: Equations, below: Solved) -> Equations:
    """Equations with gears as compliant as the step below found them: no matter of the friction added above it."""
    gears = below.equations.design
    known = replace(system.design, compliance=gears.compliances, tilt=gears.tilt)
    return replace(system, design=known)


def names_for(pieces: Sequence[Signals]) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
    """Name and friction terms of every step these recordings can decide on, and whether its gears are stiff."""
    warm = all(piece.temperature is not None for piece in pieces)
    rotors = all(piece.rotor_measured for piece in pieces)
    out: list[tuple[str, tuple[str, ...], bool]] = [("Coulomb", BOTTOM, True)]
    for name, added, held in STEPS:
        if (name == "temperature" and not warm) or (not added and rotors):
            continue
        stiff = out[-1][2] and bool(added)
        kept = tuple(term for term in out[-1][1] if term not in held)
        out.append((name, (*kept, *added), stiff))
    return tuple(out)


def relative(squares: Array) -> Array:
    """Scores (steps, recordings) from squared errors (steps, recordings, joints, 2)."""
    usual = np.nanmean(squares[0], axis=0)
    beside = squares / np.where(usual > 0.0, usual, np.nan)
    return np.asarray(np.nanmean(beside, axis=(2, 3)))


def excess(scores: Array) -> Array:
    """How much worse than the best each step is on average, and the standard error of that, (steps, 2)."""
    best = scores[int(np.argmin(scores.mean(axis=1)))]
    worse = scores - best
    count = scores.shape[1]
    error = worse.std(axis=1, ddof=1) / np.sqrt(count) if count > 1 else np.zeros(len(scores))
    return np.column_stack([worse.mean(axis=1), error])


def simplest(scores: Array) -> int:
    """The lowest step that is worse than the best by no more than one standard error of the difference."""
    mean, error = excess(scores).T
    return int(np.flatnonzero(mean <= error)[0])
