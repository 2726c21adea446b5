"""The payload of an arm: mass, centre and inertia of what is fixed to the flange, from recordings with it.

    tau - Y_b beta = Y_p(q, dq, ddq) p + friction

beta is known from the fit of the arm without the payload, p are the ten inertial parameters of the payload in the
flange frame and Y_p the columns of the last link carried there (spec 02.2). Friction changes from day to day and grows
with the load, so its coefficients are fitted again; the load it sees contains the payload found, hence the rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import UnknownNameError
from jointwise.estimators.bounded import bounded
from jointwise.estimators.correlated import corrected
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.physical import physical
from jointwise.estimators.problem import Problem
from jointwise.experiments import payload_result
from jointwise.experiments.equations import Equations, equations
from jointwise.experiments.fit import Fit
from jointwise.experiments.methods import hidden_parameters, on_independent
from jointwise.experiments.prediction import TorqueModel, model_of
from jointwise.experiments.recordings import named
from jointwise.experiments.rigid_rows import filtered_in_chunks
from jointwise.recording.recording import Recording
from jointwise.recording.signals import Signals, signals
from jointwise.robot.inertia import INERTIAL_NAMES, transport
from jointwise.units import Unit, check_fields

Array = NDArray[np.float64]

BODIES = ("full", "point")
MOST_ROUNDS = 12
SETTLED = 1e-4
"""Change of the payload, beside its size, below which friction no longer changes."""
LIGHTEST = 0.05
"""kg: mass of the prior where the data say none; a prior needs one."""
RADIUS = 0.08
"""m: the prior is a ball of this size around the centre found."""


@dataclass(frozen=True, kw_only=True)
class PayloadOptions:
    """Options of the payload experiment; see `jointwise fit payload --help`."""

    body: Literal["full", "point"] = "full"
    """all ten parameters of a body that can exist, or mass and centre of something small"""
    keep_friction: bool = False
    """use the friction of the arm's fit as it is; for recordings too short to tell friction"""
    filter_hz: Annotated[float | None, Unit("Hz", lower=0.05, upper=1e4)] = None
    """None for that of the arm's fit"""
    torque: str | None = None

    def __post_init__(self) -> None:
        if self.filter_hz is not None:
            check_fields(self, "fit payload")
        if self.body not in BODIES:
            raise UnknownNameError("body", self.body, BODIES)


@dataclass(frozen=True, kw_only=True, eq=False)
class Loaded:
    """What the rounds start from: the model of the arm, equations of all recordings, columns of the payload."""

    model: TorqueModel
    system: Equations
    columns: tuple[Array, ...]
    """of each piece, (samples, n, 10); zero for recordings without the payload"""
    carries: tuple[bool, ...]
    options: PayloadOptions

    @property
    def names(self) -> tuple[str, ...]:
        """The payload's parameters, named like those of a further link."""
        return tuple(f"{name}{self.model.design.robot.n + 1}" for name in INERTIAL_NAMES)


@dataclass(frozen=True, kw_only=True, eq=False)
class Found:
    """Payload with the equations and the estimate behind it."""

    gamma: Array
    """ten parameters in the flange frame"""
    problem: Problem
    estimate: Estimate
    covariance: Array
    rounds: int
    settled: bool
    hidden: Mapping[str, str]


def fit_payload(
    arm: Fit,
    recordings: Mapping[str, Recording] | Sequence[Recording],
    *,
    without: Mapping[str, Recording] | Sequence[Recording] = (),
    **options: Any,
) -> Fit:
    """Payload from recordings with it, given the fit of the arm; options as in `PayloadOptions`.

    Recordings `without` the payload, of the same day, help to tell friction from load.
    """
    chosen = PayloadOptions(**options)
    model = model_of(arm)
    filter_hz = float(arm.settings["filter_hz"]) if chosen.filter_hz is None else chosen.filter_hz
    chosen = replace(
        chosen, filter_hz=filter_hz, torque=chosen.torque or arm.settings.get("torque") or None
    )
    with_it = _pieces(model, named(recordings), chosen, filter_hz)
    bare = _pieces(model, named(without), chosen, filter_hz) if without else []
    system = equations(
        model.design,
        [*with_it, *bare],
        filter_hz=filter_hz,
        moving=arm.settings["moving"],
        standing=bool(arm.settings["standing"]),
    )
    system = replace(system, delay=model.delay)
    columns = [payload_columns(system, k) for k in range(len(with_it))]
    columns += [np.zeros((*rigid.shape[:2], 10)) for rigid in system.rigid[len(with_it) :]]
    loaded = Loaded(
        model=model,
        system=system,
        columns=tuple(columns),
        carries=tuple(k < len(with_it) for k in range(len(system.pieces))),
        options=chosen,
    )
    found = rounds(loaded, arm)
    return payload_result.result(arm, found, loaded.names, asdict(chosen))


def _pieces(
    model: TorqueModel,
    recordings: Mapping[str, Recording],
    chosen: PayloadOptions,
    filter_hz: float,
) -> list[Signals]:
    return [
        model.known.applied(model.trim.signals(piece, model.design.robot), filter_hz)
        for name, rec in recordings.items()
        for piece in signals(
            rec,
            model.design.robot,
            filter_hz=filter_hz,
            torque=chosen.torque,
            name=name,
            differentiation=model.differentiation,
        )
    ]


def payload_columns(system: Equations, k: int) -> Array:
    """Low-passed, thinned columns (kept, n, 10) of a body in the flange frame along piece k."""
    piece, robot = system.pieces[k], system.design.robot
    carried = transport(robot.flange.matrix())

    def body(part: slice) -> Array:
        y = robot.regressor(piece.q[part], piece.dq[part], piece.ddq[part])[..., -10:] @ carried
        return np.asarray(y.reshape(len(y), -1))

    flat = filtered_in_chunks(body, 10 * robot.n, piece, system.filter_hz, system.kept[k])
    return flat.reshape(-1, robot.n, 10)


def rounds(loaded: Loaded, arm: Fit) -> Found:
    """Estimate and load in turn until the payload no longer changes."""
    design = loaded.model.design
    point = loaded.options.body == "point"
    friction = () if loaded.options.keep_friction else design.names[design.base.count :]
    chosen = (*(loaded.names[6:] if point else loaded.names), *friction)
    gamma, count, settled = np.zeros(10), 0, False
    while not settled and count < MOST_ROUNDS:
        whole = _problem(loaded, gamma)
        problem = whole.select(chosen)
        estimate, new = _point(loaded, problem) if point else _full(loaded, problem)
        count += 1
        change = float(np.linalg.norm(new - gamma))
        settled = change <= SETTLED * float(np.linalg.norm(new)) or not (design.reads_load or point)
        gamma = new
    hidden = hidden_parameters(problem)
    return Found(
        gamma=gamma,
        problem=problem,
        estimate=estimate,
        covariance=_covariance(whole, problem, estimate, arm, hidden),
        rounds=count,
        settled=settled,
        hidden=hidden,
    )


def _problem(loaded: Loaded, gamma: Array) -> Problem:
    """Columns of payload, friction and arm, and the torque the known part of the arm leaves."""
    model, system = loaded.model, loaded.system
    design, count = model.design, model.design.base.count
    last = slice(10 * design.robot.n - 10, 10 * design.robot.n)
    loads = None
    if design.reads_load:
        carrying = model.gamma.copy()
        carrying[last] += transport(design.robot.flange.matrix()) @ gamma
        loads = [
            design.load(piece, carrying if carries else model.gamma, model.values)
            for piece, carries in zip(system.pieces, loaded.carries, strict=True)
        ]
    known = model.values.copy()
    if not loaded.options.keep_friction:
        known[count:] = 0.0
    given = system.problem(loads)
    point = loaded.options.body == "point"
    rows, left = [], []
    for row, columns in zip(given.rows, loaded.columns, strict=True):
        kept = columns[..., 6:] if point else columns
        rows.append(np.concatenate([kept, row.w[..., count:], row.w[..., :count]], axis=2))
        small = columns[..., :6] @ gamma[:6] if point else 0.0
        left.append(row.y - row.w @ known - small)
    names = loaded.names[6:] if point else loaded.names
    return Problem.from_rows(
        (*names, *design.names[count:], *design.names[:count]),
        rows,
        left,
        use=[row.use for row in given.rows],
        recordings=given.recordings,
    )


def _full(loaded: Loaded, problem: Problem) -> tuple[Estimate, Array]:
    """All ten parameters of a body that can exist; a ball as prior decides what the recordings leave open."""
    design = loaded.model.design
    _, point = _bounded(loaded, problem.select(problem.names[6:]))
    mass = max(float(point[3]), LIGHTEST)
    centre = np.clip(point[:3] / mass, -1.0, 1.0)
    tensor = mass * ((0.4 * RADIUS**2 + centre @ centre) * np.eye(3) - np.outer(centre, centre))
    body = [*tensor[np.triu_indices(3)], *(mass * centre), mass]
    estimate = physical(
        problem,
        prior=[*body, *(problem.columns - 10) * [np.nan]],
        nonnegative=[n for n in design.nonnegative if n in problem.names],
    )
    return estimate, estimate.values[:10]


def _point(loaded: Loaded, problem: Problem) -> tuple[Estimate, Array]:
    """Mass and centre; the inertia is that of a point there."""
    estimate, found = _bounded(loaded, problem)
    mass = float(found[3])
    if mass <= 0.0:
        return estimate, np.zeros(10)
    c = found[:3] / mass
    tensor = mass * (c @ c * np.eye(3) - np.outer(c, c))
    return estimate, np.array([*tensor[np.triu_indices(3)], *found])


def _bounded(loaded: Loaded, problem: Problem) -> tuple[Estimate, Array]:
    held = {*loaded.model.design.nonnegative, loaded.names[-1]}
    estimate = on_independent(
        problem, lambda part: bounded(part, nonnegative=[n for n in part.names if n in held])
    )
    return estimate, np.array([estimate.value(name) for name in loaded.names[6:]])


def _covariance(
    whole: Problem, problem: Problem, estimate: Estimate, arm: Fit, hidden: Mapping[str, str]
) -> Array:
    """Covariance for correlated residuals, and with what the arm's own fit did not know."""
    if hidden:
        return estimate.covariance
    found = np.array(corrected(problem, estimate).covariance)
    free = np.flatnonzero(np.diag(found) > 0.0)
    count = len(free)
    others = [name for name in arm.names if name not in problem.names]
    places = [whole.names.index(name) for name in (*(problem.names[k] for k in free), *others)]
    r: Array = np.asarray(
        np.linalg.qr(whole.weighted_factor(estimate.weights)[:, places], mode="r")
    )
    leak = np.linalg.solve(r[:count, :count], r[:count, count:])
    theirs = [arm.names.index(name) for name in others]
    found[np.ix_(free, free)] += leak @ arm.covariance[np.ix_(theirs, theirs)] @ leak.T
    return found
