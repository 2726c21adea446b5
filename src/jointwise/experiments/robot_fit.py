"""Identification of the whole arm from recordings: links, rotors and friction of every joint. Spec 07.

Signals, equations, delay, estimate, and the load that friction sees are found in turn until the load no longer
changes; then come scores on recordings left out, uncertainty, verdicts and the updated robot.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.problem import Problem
from jointwise.experiments.compliance import found_compliances
from jointwise.experiments.delay import estimated_delays
from jointwise.experiments.design import Design
from jointwise.experiments.equations import Equations, Spans, equations
from jointwise.experiments.fit import Fit
from jointwise.experiments.known import taken_as_known
from jointwise.experiments.memory_start import Noise, noise_of, without_start
from jointwise.experiments.methods import SIMULATED, checked, solver
from jointwise.experiments.physical import standard_behind
from jointwise.experiments.recordings import Recordings, named
from jointwise.experiments.trim import found_trim, no_trim
from jointwise.experiments.update import friction_law
from jointwise.recording.recording import Recording
from jointwise.recording.signals import DIFFERENTIATIONS, Signals, signals, torque_column
from jointwise.robot.description import Robot
from jointwise.robot.samples import in_threads
from jointwise.units import Unit, check_fields

Array = NDArray[np.float64]
Progress = Callable[[str, int, int], None]

FRICTION = ("coulomb", "viscous", "offset", "load", "degressive")
"""What motors of strain-wave and cycloid arms feel; others may do with less, and the report says so."""
SENSED = ("memory", "viscous", "offset")
"""What a sensor behind the gear feels: bearings and seals of the link, and its own hysteresis; no loss of the gear."""
USUAL = ("usual",)
"""One of these two, by what was measured."""
AUTO = ("auto",)
"""Friction chosen by the recordings, see `friction_ladder`."""
SPEED = Unit("rad/s [m/s]", lower=0.0, upper=100.0)
MOVING_SHARE, MOVING_FLOOR = 0.01, 0.003
"""Of a joint's own fastest speed and of the arm's fastest: slower than both counts as standing."""
ZONE_SHARE = 0.001
"""Of a joint's fastest speed: where the sign of motion fades out, wider than the noise of filtered positions."""
MOST_ROUNDS = 8
SETTLED = 1e-3
"""Change of the load, beside its size, below which friction no longer changes."""
AGREED = 5e-3
"""The same for the chosen method, whose rounds cost more."""
UNSETTLED = 0.05
"""Change of the load that still says something: friction of another arm than the links."""


@dataclass(frozen=True, kw_only=True)
class RobotFitOptions:
    """Options of the fit of a whole arm; see `jointwise fit robot --help`."""

    filter_hz: Annotated[float, Unit("Hz", lower=0.05, upper=1e4)]
    friction: tuple[str, ...] = USUAL
    method: str = "physical"
    """with options behind its name where it has some: wls:power=1"""
    torque: str | None = None
    moving: float | None = None
    """speed above which a joint counts as moving, rad/s [m/s]; None follows from the speeds recorded"""
    zone: float | None = None
    """speed below which the sign of motion fades out, rad/s [m/s]; None follows from the speeds recorded"""
    rotors: bool = True
    standing: bool = False
    delay: bool = True
    trim: bool = True
    """find slope of the base, zeros of encoders and gains of torques, see `experiments.trim`"""
    compliance: tuple[float, ...] | None = None
    """of the gears, rad/(N m), for friction with memory; None finds it from the recordings"""
    compensate: tuple[str, ...] = ()
    """"rotors", "friction": taken from the robot file and off the torque before the fit, see `experiments.known`"""
    differentiation: str = "band_pass"
    """"band_pass": low-pass and central differences, or "savitzky_golay": polynomials along a window"""
    elastic: bool = False
    """links follow from rotors and joint torque through the gears' elasticity, for arms with motor encoders only"""

    def __post_init__(self) -> None:
        check_fields(self, "fit robot")
        for name in ("moving", "zone"):
            if getattr(self, name) is not None:
                SPEED.check(name, getattr(self, name))
        object.__setattr__(self, "friction", tuple(self.friction))
        checked(self.method)
        if self.differentiation not in DIFFERENTIATIONS:
            raise UnknownNameError("way of differentiation", self.differentiation, DIFFERENTIATIONS)
        if self.friction == AUTO and self.method in SIMULATED:
            raise ParameterError(
                "friction", "auto", f"terms by name for method {self.method}",
                "let method physical choose the friction first",
            )  # fmt: skip
        if self.compliance is not None:
            object.__setattr__(self, "compliance", tuple(self.compliance))
        object.__setattr__(self, "compensate", tuple(self.compensate))

    @property
    def fits_rotors(self) -> bool:
        """Whether rotor inertias are parameters: an elastic fit needs to know them, compensation takes them off."""
        return self.rotors and not self.elastic and "rotors" not in self.compensate


@dataclass(frozen=True, kw_only=True, eq=False)
class Solved:
    """Equations with their estimate and the load that belongs to it."""

    equations: Equations
    plain: Problem
    """the equations as they are: what scores are computed from"""
    spans: Spans
    problem: Problem
    """the same whitened against what memory holds from before the recordings: what was solved"""
    estimate: Estimate
    load: tuple[Array, ...] | None
    rounds: int
    settled: bool
    noise: Noise | None
    """what the equations were whitened with; None without memory"""

    @property
    def turning(self) -> list[NDArray[np.bool_]]:
        """Which joints move, per piece."""
        return [self.equations.turning(k) for k in range(len(self.equations.pieces))]


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
    known = taken_as_known(robot, chosen.compensate, chosen.elastic)
    pieces = pieces_of(robot, named(recordings), chosen)
    if chosen.friction == USUAL:
        chosen = replace(chosen, friction=usual_friction(named(recordings), chosen))
    bent = [known.applied(p, chosen.filter_hz) for p in pieces]
    if chosen.friction == AUTO:
        from jointwise.experiments.friction_ladder import climb
        from jointwise.experiments.robot_result import leave_one_out

        solved, chosen, ladder = climb(
            robot, bent, chosen, lambda s, c: leave_one_out(s, c)[1], progress
        )
    else:
        solved, ladder = solve(robot, bent, chosen, progress), None
    if chosen.elastic and not known.friction:
        known = replace(known, robot=with_friction(robot, solved))
        bent = [known.applied(p, chosen.filter_hz) for p in pieces]
        solved = solve(robot, bent, chosen, progress)
    trim = no_trim(robot)
    if chosen.trim and not chosen.elastic:
        alike = chosen.method == "physical" and solved.noise is None
        trim = found_trim(solved.equations, solved.plain, solved.estimate if alike else None)
    if not trim.none:
        bent = [known.applied(trim.signals(p, robot), chosen.filter_hz) for p in pieces]
        robot = trim.robot(robot)
        solved = solve(robot, bent, chosen, progress)
    return result(robot, solved, chosen, trim, ladder, progress)


def usual_friction(recordings: Mapping[str, Recording], chosen: RobotFitOptions) -> tuple[str, ...]:
    """Terms for what was measured; motion is simulated without memory."""
    kinds = {torque_column(recording, chosen.torque) for recording in recordings.values()}
    sensed = kinds == {"joint_torque"} and chosen.method not in SIMULATED
    return SENSED if sensed else FRICTION


def with_friction(robot: Robot, solved: Solved) -> Robot:
    """The robot with the friction that was found, which lowers the torque that bends the gears."""
    design = solved.equations.design
    laws = [friction_law(design, solved.estimate.values, k) for k in range(robot.n)]
    found = zip(robot.joints, laws, strict=True)
    return robot.replace(
        {f"joints.{j.name}.friction": law for j, law in found if law is not None}, source="fitted"
    )


def pieces_of(
    robot: Robot, recordings: Mapping[str, Recording], chosen: RobotFitOptions
) -> list[Signals]:
    """Signals of all recordings."""

    def one(named: tuple[str, Recording]) -> list[Signals]:
        return signals(
            named[1],
            robot,
            filter_hz=chosen.filter_hz,
            torque=chosen.torque,
            name=named[0],
            differentiation=chosen.differentiation,
        )

    return list(itertools.chain.from_iterable(in_threads(one, recordings.items())))


def solve(
    robot: Robot,
    pieces: Sequence[Signals],
    chosen: RobotFitOptions,
    progress: Progress | None = None,
) -> Solved:
    """Equations solved until load and delay are settled."""
    return settled(system_of(robot, pieces, chosen, progress), chosen, progress)


def system_of(
    robot: Robot,
    pieces: Sequence[Signals],
    chosen: RobotFitOptions,
    progress: Progress | None = None,
) -> Equations:
    """Equations of the chosen design along pieces of recordings."""
    moving, zone = thresholds(pieces, chosen)
    design = Design(
        robot=robot,
        friction=chosen.friction,
        rotors=chosen.fits_rotors,
        zone=zone,
        compliance=chosen.compliance or 0.0,
        correcting="friction" in chosen.compensate,
    )
    return equations(
        design,
        pieces,
        filter_hz=chosen.filter_hz,
        moving=moving,
        standing=chosen.standing or design.has_memory,
        progress=None if progress is None else lambda k, n: progress("equations", k, n),
    )


def settled(
    system: Equations,
    chosen: RobotFitOptions,
    progress: Progress | None = None,
    *,
    wound: bool = False,
) -> Solved:
    """The estimate whose load, delay, compliances and spread of the start are those it was found with.

    `wound` says that the design knows the compliances of its gears already.
    """
    if chosen.compliance is not None:
        system = replace(system, design=replace(system.design, compliance=chosen.compliance))
        wound = True
    design = system.design
    quick = solver("bounded", design)
    load: list[Array] | None = None
    noise: Noise | None = None
    turning = [system.turning(k) for k in range(len(system.pieces))]
    rounds, done = 1, not (design.reads_load or design.has_memory)
    regressors, spans = system.regressors(load)
    if chosen.delay and done:
        system = _with_delay(system, regressors)
    problem = plain = system.problem_of(regressors)
    while not done and rounds < MOST_ROUNDS:
        estimate = quick(problem)
        new = loads(system, estimate)
        change = 1.0 if load is None else _change(load, new)
        load, rounds, done = new, rounds + 1, change < SETTLED
        if rounds == 3 and design.has_memory and not wound:
            own, tilt = found_compliances(system, plain, estimate, load)
            system = replace(system, design=replace(system.design, compliance=own, tilt=tilt))
        regressors, spans = system.regressors(load)
        if rounds == 2 and chosen.delay:
            system = _with_delay(system, regressors)
        plain = system.problem_of(regressors)
        if design.has_memory:
            noise = noise_of(design, problem, turning, estimate.values, noise)
            problem = without_start(plain, spans, turning, noise)
        else:
            problem = plain
    simulates = chosen.method in SIMULATED
    find = solver("physical" if simulates else chosen.method, system.design)
    estimate = find(problem)
    # The quick solver settled the load of its own links; that of the method's may differ.
    for _ in range(MOST_ROUNDS if load is not None and chosen.method != "bounded" else 0):
        new = loads(system, estimate)
        change = _change(load or [], new)
        done = change < UNSETTLED
        if change < AGREED:
            break
        load, rounds = new, rounds + 1
        regressors, spans = system.regressors(load)
        plain = system.problem_of(regressors)
        problem = plain if noise is None else without_start(plain, spans, turning, noise)
        estimate = find(problem)
    if simulates:
        return _simulated(system, chosen, plain, estimate, rounds, progress)
    return Solved(
        equations=system,
        plain=plain,
        spans=spans,
        problem=problem,
        estimate=estimate,
        load=None if load is None else tuple(load),
        rounds=rounds,
        settled=done,
        noise=noise,
    )


def _simulated(
    system: Equations,
    chosen: RobotFitOptions,
    plain: Problem,
    start: Estimate,
    rounds: int,
    progress: Progress | None,
) -> Solved:
    """The estimate of a method that compares the arm with its simulation, begun from the physical one."""
    from jointwise.experiments.simulated import compared

    found = compared(
        chosen.method,
        system,
        plain,
        start,
        solver(chosen.method, system.design),
        elastic=chosen.elastic,
        progress=progress,
    )
    load = loads(system, found.estimate) if system.design.reads_load else None
    return Solved(
        equations=system,
        plain=system.problem(load),
        spans=(None,) * len(system.pieces),
        problem=found.problem,
        estimate=found.estimate,
        load=None if load is None else tuple(load),
        rounds=rounds + found.rounds,
        settled=True,
        noise=None,
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


def _with_delay(system: Equations, regressors: Sequence[Array]) -> Equations:
    """Equations with each joint's torque read at its most likely delay; standing joints say nothing of it."""
    turning = [use & system.turning(k) for k, use in enumerate(system.use)]
    delay = estimated_delays(system, regressors, turning)
    return replace(system, delay=tuple(delay.tolist()))


def loads(system: Equations, estimate: Estimate) -> list[Array]:
    """What the gears carry along every piece, from the parameters found."""
    design = system.design
    gamma = standard_behind(design, estimate.values[: design.base.count])
    return [design.load(piece, gamma, estimate.values) for piece in system.pieces]


def _change(old: Sequence[Array], new: Sequence[Array]) -> float:
    size = np.sqrt(sum(float(np.sum(a**2)) for a in old))
    step = np.sqrt(sum(float(np.sum((a - b) ** 2)) for a, b in zip(old, new, strict=True)))
    return float(step / size) if size > 0.0 else 0.0
