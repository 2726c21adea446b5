"""The physically consistent solver for a design: links that can exist, friction and rotors that are not negative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.estimators.bodies import Waypoint
from jointwise.estimators.estimate import Estimate
from jointwise.estimators.generic_prior import LinkPrior, link_prior
from jointwise.estimators.physical import closest_bodies, physical
from jointwise.estimators.problem import Problem
from jointwise.estimators.solve import settled_weights, shortest
from jointwise.estimators.whitening import noise_models
from jointwise.experiments.design import Design
from jointwise.laws.friction import FrictionModel
from jointwise.robot.parts import Law
from jointwise.units import Unknown

Array = NDArray[np.float64]

MOST_MEMORY = 0.98
"""Autocorrelation from one equation to the next above which a residual is drift, which says nothing of the noise."""
SHAPE = 0.1
"""Of a stated balancing law: how far it may be off in any of its harmonics."""
PRESSURE, GEOMETRY = 0.5, 0.05
"""Standard deviations of the size of a stated balancing cylinder, and of its harmonics beside all of them."""
UNKNOWN_ROTOR = 0.1
"""How much a rotor of unknown inertia counts beside a link where the torque of both is shared out."""


def physical_solver(
    design: Design,
    spread: float | None = None,
    weights: Array | None = None,
    begin: Waypoint | None = None,
) -> Callable[[Problem], Estimate]:
    """Solver with the robot file's links as prior, and rough bodies where it knows none.

    `spread` is the relative standard deviation of the prior; without it that of `link_prior`. Friction is drawn
    towards none, as weakly as `friction_reach` says. `weights` are inverse variances of the joints where they are known
    already, which saves most of the work; without them those of `effective_weights`. `begin` is where to begin, of an
    estimate from much the same data.
    """
    options = asked(design, spread)

    def find(problem: Problem) -> Estimate:
        known = effective_weights(problem) if weights is None else weights
        return physical(problem, weights=known, begin=begin, **options(problem))

    return find


def asked(design: Design, spread: float | None = None) -> Callable[[Problem], dict[str, Any]]:
    """What `physical` is asked about a problem of this design, all but the weights of its joints.

    A cylinder that the robot file states has a size of its own beside its harmonics: where it turns little, recordings
    cannot tell its torque from that of the links, but geometry fixes its shape, and its gas can only push.
    """
    links = link_prior(design.robot)
    standard = len(design.base.columns)
    prior = prior_values(design, links)
    weighing = design.base.matrix @ prior[:standard]
    scales, whole = stated_scales(design), stated_friction(design)[1]
    prior[standard:][whole > 0.0] = 0.0
    columns = (*design.base.columns, *design.names[design.base.count :])
    held = [name for name in columns if _nonnegative(name, design)]
    matrix = np.zeros((len(design.names), len(columns) + len(scales)))
    matrix[:, : len(columns)] = standard_matrix(design)
    for k, stated in enumerate(scales.values()):
        matrix[design.base.count :, len(columns) + k] = stated

    def options(problem: Problem) -> dict[str, Any]:
        reach = friction_reach(design, problem, weighing)
        reach = np.where(whole > 0.0, GEOMETRY * whole, reach)
        return {
            "columns": (*columns, *scales),
            "matrix": matrix,
            "prior": np.concatenate([prior, np.ones(len(scales))]),
            "nonnegative": (*held, *scales),
            "spread": links.spread if spread is None else spread,
            "reach": np.concatenate(
                [np.full(standard, np.nan), reach, np.full(len(scales), PRESSURE)]
            ),
        }

    return options


def friction_reach(design: Design, problem: Problem, links: Array) -> Array:
    """How large each friction parameter may well be: its torque no more than all the torque of the joint, RMS.

    Columns that recordings hardly tell apart would otherwise get huge numbers of opposite sign, which say nothing about
    the next recording. Some terms know a size of their own: the share of the load that becomes friction, a zero that is
    a tenth off. A balancing cylinder holds up links, and may be as large as their torque, which the motor does not
    feel; `links` are the base parameters of the prior. Where the robot file states the cylinder, a harmonic may be off
    by its own size, and by a tenth of all of them together: geometry is known better than gas pressure.
    """
    first = design.base.count
    squares, torque = problem.column_squares[:, :-1], problem.column_squares[:, -1]
    weight = np.sum((problem.factors[..., :first] @ links) ** 2, axis=(0, 2))
    out = np.full(len(design.friction_places), np.nan)
    for k, (u, _, motor) in enumerate(design.friction_places):
        term = design.uses[u].term
        mine = squares[motor, first + k]
        all_torque = torque[motor] + (weight[motor] if term.carried else 0.0)
        if mine > 0.0 and all_torque > 0.0:
            out[k] = term.usual * np.sqrt(all_torque / mine)
        if term.largest is not None:
            out[k] = np.nanmin([out[k], term.largest])
    stated, whole = stated_friction(design)
    return np.where(whole > 0.0, np.abs(stated) + SHAPE * whole, out)


def stated_friction(design: Design) -> tuple[Array, Array]:
    """What the robot file says of each friction parameter that gears carry, and of all of its law together.

    Other friction it states is that of another arm of the kind, of another temperature and another age.
    """
    stated, whole = np.zeros((2, len(design.friction_places)))
    for k, (u, column, motor) in enumerate(design.friction_places):
        term, law = design.uses[u].term, design.robot.joints[motor].friction
        if term.coefficients is None or not isinstance(law, Law) or design.correcting:
            continue
        for part in FrictionModel.from_law(law).terms:
            if part.name == term.name:
                values = term.coefficients(part)
                stated[k], whole[k] = values[column], float(np.linalg.norm(values))
    return stated, whole


def stated_scales(design: Design) -> dict[str, Array]:
    """Of each cylinder the robot file states, by name: (friction parameters,) what its size multiplies."""
    stated, whole = stated_friction(design)
    motors = np.array([motor for _, _, motor in design.friction_places])
    places = dict.fromkeys(motors[whole > 0.0].tolist())
    return {f"cylinder{m + 1}": np.where(motors == m, stated, 0.0) for m in places}


def effective_weights(problem: Problem) -> Array:
    """Inverse variances of the joints, fewer for residuals that follow each other.

    n equations whose residual has the first autocorrelation rho say as much as n (1 - rho) / (1 + rho) free ones. Least
    squares does not care; beside a prior the data must not count for more than they say.
    """
    weights = settled_weights(problem)
    if not problem.rows:
        return weights
    models = noise_models(problem, shortest(problem.weighted_factor(weights)), 1)
    memory = np.clip([float(model[0]) for model in models], 0.0, MOST_MEMORY)
    return np.asarray(weights * (1.0 - memory) / (1.0 + memory))


def standard_behind(design: Design, beta: Array) -> Array:
    """Standard parameters with exactly these base parameters, close to what the robot file says of links and rotors.

    Torque cannot tell a link's inertia about a base joint from that of its rotor; load friction sees only the first:
    what the links of the file do not explain is given to rotors whose inertia it does not state.
    """
    base, robot = design.base, design.robot
    prior = prior_values(design, link_prior(robot))[: len(base.columns)]
    if not any(joint.link.unknown() for joint in robot.joints) and not robot.payload.unknown():
        prior[: 10 * robot.n] = robot.parameters()
    weights = np.ones(len(base.columns))
    if design.rotors:
        for k, joint in enumerate(robot.joints):
            if isinstance(joint.drive.rotor_inertia, Unknown):
                weights[10 * robot.n + k] = UNKNOWN_ROTOR
    return base.standard(beta, prior, weights)


def nearest_bodies(design: Design, estimate: Estimate) -> Array:
    """Standard parameters of bodies closest to the base parameters of an estimate that did not ask for bodies."""
    links = link_prior(design.robot)
    base = design.base
    count = base.count
    covariance = np.array(estimate.covariance[:count, :count])
    # A parameter the data left open, or held at a bound, may move freely.
    loose = np.diag(covariance) <= 0.0
    widest = max(float(np.diag(covariance).max(initial=0.0)), 1.0)
    covariance[loose, loose] = 1e4 * widest
    covariance += np.diag(1e-12 * np.diag(covariance))
    found = closest_bodies(
        estimate.values[:count],
        covariance,
        columns=base.columns,
        matrix=base.matrix,
        prior=prior_values(design, links)[: len(base.columns)],
        nonnegative=base.columns[10 * design.robot.n :],
        spread=links.spread,
    )
    return found.standard


def standard_matrix(design: Design) -> Array:
    """(parameters, standard parameters): base parameters collect those of links and rotors, friction is its own."""
    base, friction = design.base, len(design.friction_places)
    out = np.zeros((base.count + friction, len(base.columns) + friction))
    out[: base.count, : len(base.columns)] = base.matrix
    out[base.count :, len(base.columns) :] = np.eye(friction)
    return out


def prior_values(design: Design, links: LinkPrior) -> Array:
    """One value per standard parameter: links, rotors and balance where the robot file knows them; zero elsewhere."""
    values = np.zeros(len(design.base.columns) + len(design.friction_places))
    values[: len(links.values)] = links.values
    if design.rotors:
        for k, joint in enumerate(design.robot.joints):
            inertia = joint.drive.rotor_inertia
            if not isinstance(inertia, Unknown):
                values[len(links.values) + k] = inertia
    values[len(design.base.columns) :] = stated_friction(design)[0]
    return values


def _nonnegative(name: str, design: Design) -> bool:
    return name in design.nonnegative or (
        design.rotors and name in design.base.columns[10 * design.robot.n :]
    )
