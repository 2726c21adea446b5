"""The physically consistent solver for a design: links that can exist, friction and rotors that are not negative."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from jointwise.estimators.estimate import Estimate
from jointwise.estimators.generic_prior import LinkPrior, link_prior
from jointwise.estimators.physical import closest_bodies, physical
from jointwise.estimators.problem import Problem
from jointwise.experiments.design import Design
from jointwise.units import Unknown

Array = NDArray[np.float64]

UNKNOWN_ROTOR = 0.1
"""How much a rotor of unknown inertia counts beside a link where the torque of both is shared out."""


def physical_solver(
    design: Design, spread: float | None = None, weights: Array | None = None
) -> Callable[[Problem], Estimate]:
    """Solver with the robot file's links as prior, and rough bodies where it knows none.

    `spread` is the relative standard deviation of the prior; without it that of `link_prior`. `weights` are inverse
    variances of the joints where they are known already, which saves most of the work.
    """
    links = link_prior(design.robot)
    columns = (*design.base.columns, *design.names[design.base.count :])
    matrix = standard_matrix(design)
    prior = prior_values(design, links)
    held = [name for name in columns if _nonnegative(name, design)]

    def find(problem: Problem) -> Estimate:
        return physical(
            problem,
            columns=columns,
            matrix=matrix,
            prior=prior,
            nonnegative=held,
            spread=links.spread if spread is None else spread,
            weights=weights,
        )

    return find


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
    """One value per standard parameter: links, rotor inertias where the robot file knows them, no prior elsewhere."""
    values = np.zeros(len(design.base.columns) + len(design.friction_places))
    values[: len(links.values)] = links.values
    if design.rotors:
        for k, joint in enumerate(design.robot.joints):
            inertia = joint.drive.rotor_inertia
            if not isinstance(inertia, Unknown):
                values[len(links.values) + k] = inertia
    return values


def _nonnegative(name: str, design: Design) -> bool:
    return name in design.nonnegative or (
        design.rotors and name in design.base.columns[10 * design.robot.n :]
    )
