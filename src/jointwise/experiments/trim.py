"""Trim of an arm and its recordings: the slope of the base, the zeros of the encoders, the gains of the torques.

No table is level, no encoder reads exactly zero there, and a torque sensor or a torque constant is right to a few
percent. An arm that carries its own weight feels all three: half a degree of slope gives a vertical first joint
weight to lift, and links shared by several joints weigh differently on each. Beside links, rotors and friction,

    tau_measured = C^T diag(1 + k) C^-T tau(q + z, dq, ddq; g + |g| (s_1 e_1 + s_2 e_2))

has slopes s along two level axes, zeros z and gains k, drawn towards none as far as they usually are. They multiply
the links, so their columns are renewed with the links found, beside the friction columns of a first fit. They are taken
where they explain a tenth of the error of some joint; for less, the set-up is believed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError, ShapeError
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.physical import physical
from jointwise.estimators.problem import Problem
from jointwise.experiments.delay import WORTH
from jointwise.experiments.equations import Equations
from jointwise.experiments.physical import asked, effective_weights, standard_behind
from jointwise.recording import filters
from jointwise.recording.signals import Signals
from jointwise.robot.description import Robot
from jointwise.robot.frames import Transform, homogeneous, rotation_z, rpy_of
from jointwise.robot.rigid_torque import link_torque
from jointwise.robot.samples import in_threads

Array = NDArray[np.float64]

USUAL_SLOPE, USUAL_ZERO, USUAL_GAIN = 0.01, 0.005, 0.05
"""rad, rad, 1: standard deviations of a base that was set up, an encoder that was zeroed, a torque that was scaled."""
ROUNDS = 4
MOST_INSTANTS = 4000
OVERSAMPLING = 10.0
"""Samples of a period of the cut-off at which links are weighed: positions have five times its band."""
STEP = 1e-5
"""rad, of a difference quotient: wrong by less than a ten-thousandth, and far above rounding"""
SOURCE = "trim, fitted to recordings"


@dataclass(frozen=True, kw_only=True)
class Trim:
    """Slopes (2,) in rad, zeros of the joints in rad, and gains of the motors' torques less one."""

    slope: tuple[float, ...]
    zero: tuple[float, ...]
    gain: tuple[float, ...]

    def __post_init__(self) -> None:
        for name in ("slope", "zero", "gain"):
            values = getattr(self, name)
            if not np.isfinite(values).all():
                raise ParameterError(f"{name} of the set-up", values, "finite numbers")

    @property
    def none(self) -> bool:
        """Whether the set-up is believed."""
        return not any((*self.slope, *self.zero, *self.gain))

    def robot(self, robot: Robot) -> Robot:
        """The robot as it stands and counts its angles; what its torques are multiplied by is not part of it."""
        if self.none:
            return robot
        down = np.array(robot.gravity)
        strength = float(np.linalg.norm(down))
        lean = down + np.array(self.slope) @ leanings(robot)
        scale = strength / np.linalg.norm(lean) if strength > 0.0 else 1.0
        changes: dict[str, Any] = {"gravity": tuple((scale * lean).tolist())}
        for joint, zero in zip(robot.joints, self.zero, strict=True):
            if zero != 0.0:
                changes[f"joints.{joint.name}.frame"] = turned(joint.frame, zero)
        return robot.replace(changes, source=SOURCE)

    def signals(self, piece: Signals, robot: Robot) -> Signals:
        """The piece with its torque in true N m."""
        if not any(self.gain):
            return piece
        true = piece.torque @ np.linalg.inv(gains_at_joints(robot, self.gain))
        return replace(piece, torque=true)

    def notes(self) -> tuple[str, ...]:
        """One sentence for the report, if there is anything to say."""
        if self.none:
            return ()
        base, zeros = (
            ", ".join(f"{1e3 * v:.1f}" for v in values) for values in (self.slope, self.zero)
        )
        gains = ", ".join(f"{100.0 * v:+.1f}" for v in self.gain)
        return (
            f"the set-up is off: base {base} mrad from level, encoders {zeros} mrad from zero, "
            f"torques {gains} % from true",
        )


def gains_at_joints(robot: Robot, gain: Sequence[float]) -> Array:
    """Matrix that turns rows of true joint torque into what is measured."""
    if len(gain) != robot.n:
        raise ShapeError("gain of the set-up", f"{len(gain)} numbers", f"{robot.n}")
    coupling = robot.coupling_matrix()
    return np.asarray(np.linalg.inv(coupling) @ ((1.0 + np.array(gain))[:, None] * coupling))


def no_trim(robot: Robot) -> Trim:
    """The set-up as it is believed to be."""
    return Trim(slope=(0.0, 0.0), zero=(0.0,) * robot.n, gain=(0.0,) * robot.n)


def found_trim(system: Equations, problem: Problem, start: Estimate | None = None) -> Trim:
    """The trim of an arm; none where the recordings are explained as well without.

    `start` is the physical estimate of just this problem, if there is one already.
    """
    n, whole = system.design.robot.n, problem
    system, problem = _sparser(system, whole)
    options = asked(system.design)(problem)
    if start is None:
        start = physical(problem, weights=effective_weights(problem), **options)
    values, weights = start.values, start.weights
    if problem is not whole:
        weights = effective_weights(problem)
    before = problem.squares(values)
    free = unknowns(system.design.robot)
    for _ in range(ROUNDS):
        wider = _beside(problem, _columns(system, problem, values, free), free)
        found = physical(wider, weights=weights, **_extended(options, free)).values
        if not np.any(wider.squares(found) < (1.0 - WORTH) ** 2 * before):
            return no_trim(system.design.robot)
        values, weights = found[: problem.columns], effective_weights(wider)
    trim = dict(zip(free, found[problem.columns :].tolist(), strict=True))
    return Trim(
        slope=(trim.get("slope1", 0.0), trim.get("slope2", 0.0)),
        zero=tuple(trim.get(f"zero{j + 1}", 0.0) for j in range(n)),
        gain=tuple(trim[f"gain{j + 1}"] for j in range(n)),
    )


def unknowns(robot: Robot) -> dict[str, float]:
    """Names of what may be off, with its usual size. A first joint's zero only turns the whole arm."""
    out: dict[str, float] = {}
    if any(robot.gravity):
        out |= {"slope1": USUAL_SLOPE, "slope2": USUAL_SLOPE}
    for j, joint in enumerate(robot.joints):
        if j > 0 and joint.kind == "revolute":
            out[f"zero{j + 1}"] = USUAL_ZERO
    return out | {f"gain{j + 1}": USUAL_GAIN for j in range(robot.n)}


def leanings(robot: Robot) -> Array:
    """(2, 3): what gravity gains per slope along two axes square to it; x and y where it is along z."""
    gravity = np.array(robot.gravity)
    strength = float(np.linalg.norm(gravity))
    down = gravity / strength if strength > 0.0 else np.array([0.0, 0.0, -1.0])
    first = np.eye(3)[int(np.argmin(np.abs(down)))]
    first = first - (first @ down) * down
    first /= np.linalg.norm(first)
    return strength * np.stack([first, np.cross(first, down)])


def turned(frame: Any, angle: float) -> Any:
    """The frame of a joint whose recorded angle is to be read `angle` larger."""
    if not isinstance(frame, Transform):
        return replace(frame, offset=frame.offset + angle)
    ahead = frame.before() @ homogeneous(rotation_z(angle), np.zeros(3)) @ frame.after()
    return replace(frame, rpy=rpy_of(ahead[:3, :3]))


def _sparser(system: Equations, problem: Problem) -> tuple[Equations, Problem]:
    """At most MOST_INSTANTS of the equations: a few numbers of the whole set-up need no more."""
    step = math.ceil(sum(len(rows.y) for rows in problem.rows) / MOST_INSTANTS)
    if step < 2:
        return system, problem
    thin = Problem.from_rows(
        problem.names,
        [rows.w[::step] for rows in problem.rows],
        [rows.y[::step] for rows in problem.rows],
        use=[rows.use[::step] for rows in problem.rows],
        recordings=problem.recordings,
    )
    return replace(
        system,
        kept=tuple(slice(k.start, k.stop, k.step * step) for k in system.kept),
        rigid=tuple(rigid[::step] for rigid in system.rigid),
        use=tuple(use[::step] for use in system.use),
    ), thin


def _columns(
    system: Equations, problem: Problem, values: Array, free: Mapping[str, float]
) -> list[Array]:
    """Torque per unknown along each piece, (equations, n, unknowns), for the links found."""
    design = system.design
    gamma = standard_behind(design, values[: design.base.count])[: 10 * design.robot.n]

    def along(k: int) -> Array:
        piece, kept = system.pieces[k], system.kept[k]
        every = _every(piece.rate_hz, system.filter_hz, kept.step)
        keep = slice(kept.start // every, (kept.stop - 1) // every + 1, kept.step // every)
        weighed = (
            filters.zero_phase(torque, system.filter_hz, piece.rate_hz / every, keep=keep)
            for torque in _weights(design.robot, gamma, piece, every, free)
        )
        return np.stack([*weighed, *_scaled(system, k, problem.rows[k].w @ values)], axis=2)

    return in_threads(along, range(len(system.pieces)))


def _every(rate_hz: float, filter_hz: float, step: int) -> int:
    """Every how many-th sample links are weighed at: a divisor of the step that leaves OVERSAMPLING."""
    most = rate_hz / (OVERSAMPLING * filter_hz)
    return max(every for every in range(1, step + 1) if step % every == 0 and every <= max(most, 1))


def _weights(
    robot: Robot, gamma: Array, piece: Signals, every: int, free: Mapping[str, float]
) -> Iterator[Array]:
    """Torque of links per slope and per zero at every so manieth sample, not filtered."""
    q, dq, ddq = (values[::every] for values in (piece.q, piece.dq, piece.ddq))
    still, here = np.zeros_like(q), link_torque(robot, gamma, q, dq, ddq)
    for name in free:
        if name.startswith("slope"):
            leaning = tuple(leanings(robot)[int(name[5:]) - 1])
            arm = robot.replace({"gravity": leaning}, source=SOURCE)
            yield link_torque(arm, gamma, q, still, still)
        elif name.startswith("zero"):
            way = STEP * np.eye(robot.n)[int(name[4:]) - 1]
            yield (link_torque(robot, gamma, q + way, dq, ddq) - here) / STEP


def _scaled(system: Equations, k: int, torque: Array) -> Iterator[Array]:
    """Torque at the joints per gain of each motor's torque, that along piece k given; what is known counts too."""
    known = system.smooth_known[k]
    whole = torque if known is None else torque + known
    coupling = system.design.robot.coupling_matrix()
    at_motors = whole @ np.linalg.inv(coupling)
    for motor, row in enumerate(coupling):
        yield at_motors[:, motor, None] * row


def _beside(problem: Problem, columns: Sequence[Array], free: Mapping[str, float]) -> Problem:
    """The problem with more columns."""
    pairs = zip(problem.rows, columns, strict=True)
    return Problem.from_rows(
        (*problem.names, *free),
        [np.concatenate([rows.w, more], axis=2) for rows, more in pairs],
        [rows.y for rows in problem.rows],
        use=[rows.use for rows in problem.rows],
        recordings=problem.recordings,
    )


def _extended(given: Mapping[str, Any], free: Mapping[str, float]) -> dict[str, Any]:
    """What `physical` is asked for the same links and friction beside these unknowns."""
    size, count = given["matrix"].shape
    matrix = np.zeros((size + len(free), count + len(free)))
    matrix[:size, :count] = given["matrix"]
    matrix[size:, count:] = np.eye(len(free))
    return {
        **given,
        "columns": (*given["columns"], *free),
        "matrix": matrix,
        "prior": np.append(given["prior"], np.zeros(len(free))),
        "reach": np.append(given["reach"], list(free.values())),
    }
