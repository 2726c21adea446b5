"""From a payload estimate to a `Fit`: mass, centre and inertia with intervals, and the robot that carries it.

Values and covariance are those of the ten parameters about the flange, carried over to the centre to first order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.estimators.estimate import student_reach
from jointwise.estimators.verdict import POORLY_IDENTIFIED
from jointwise.experiments.fit import AT_BOUND, HIDDEN, IDENTIFIED, WEAK, Fit, Parameter
from jointwise.robot.description import Robot
from jointwise.robot.inertia import body_from_parameters, entries_of, matrix_of

if TYPE_CHECKING:
    from jointwise.experiments.payload import Found

Array = NDArray[np.float64]

CENTRE = ("center_of_mass_x", "center_of_mass_y", "center_of_mass_z")
TENSOR = ("inertia_xx", "inertia_xy", "inertia_xz", "inertia_yy", "inertia_yz", "inertia_zz")
SMALLEST_ARM = 0.01
"""m: a centre closer to the flange than this is judged as if it were that far away."""
LEVEL = 0.95
SOURCE = "payload fitted to recordings"


def result(arm: Fit, found: Found, names: tuple[str, ...], settings: dict[str, Any]) -> Fit:
    """The fit of a payload; the robot carries it."""
    full = settings["body"] == "full"
    own = 10 if full else 4
    mass = float(found.gamma[9])
    notes = list(found.estimate.notes)
    robot = arm.robot
    table, change = _friction_rows(arm, found, own), np.eye(found.problem.columns)
    if mass > 0.0:
        change[:own, :own] = slopes(found.gamma, full)
        robot, note = carrying(robot, found.gamma)
        notes += note
    else:
        notes.append("no mass above zero explains the recordings better: the flange is bare")
    covariance = change @ found.covariance @ change.T
    rows = _body_rows(found, names, covariance, full)
    at = ", ".join(f"{row.value:.4f}" for row in rows[1:4])
    spoken = f"mass {mass:.3f} kg ({rows[0].lower:.3f} to {rows[0].upper:.3f}), centre ({at}) m"
    return Fit(
        experiment="payload",
        robot=robot,
        status="converged" if found.settled and found.estimate.converged else "not converged",
        parameters=(*rows, *table),
        covariance=covariance,
        settings={**settings, "arm": arm.robot.name, "rounds": found.rounds},
        recordings=tuple(
            {"name": name, "equations": int(row.use.sum())}
            for name, row in zip(found.problem.recordings, found.problem.rows, strict=True)
        ),
        joints=tuple(
            {"joint": joint.name, "residual_rms": float(noise)}
            for joint, noise in zip(robot.joints, found.estimate.noise, strict=True)
        ),
        notes=(spoken, *notes),
    )


def centred(gamma: Array) -> Array:
    """Mass, centre and inertia about the centre (10,) of ten inertial parameters about the origin."""
    mass = gamma[9]
    c = gamma[6:9] / mass
    about = matrix_of(tuple(gamma[:6])) - mass * (c @ c * np.eye(3) - np.outer(c, c))
    return np.concatenate([[mass], c, entries_of(about)])


def slopes(gamma: Array, full: bool) -> Array:
    """Change of mass, centre and inertia with the parameters that were estimated."""
    out = np.zeros((10, 10))
    for k in range(10):
        step = 1e-4 * max(abs(float(gamma[k])), 1e-3 * float(gamma[9]))
        up, down = gamma.copy(), gamma.copy()
        up[k], down[k] = up[k] + step, down[k] - step
        out[:, k] = (centred(up) - centred(down)) / (2.0 * step)
    return out if full else out[:4, 6:]


def carrying(robot: Robot, gamma: Array) -> tuple[Robot, list[str]]:
    """The robot with this body at its flange, beside what its description has there already."""
    try:
        together = body_from_parameters(robot.payload.parameters() + gamma)
    except ParameterError as error:
        return robot, [f"the payload was not put into the robot: {error}"]
    return robot.replace({"payload": together}, source=SOURCE), []


def _body_rows(
    found: Found, names: tuple[str, ...], covariance: Array, full: bool
) -> list[Parameter]:
    labels = ("mass", *CENTRE, *(TENSOR if full else ()))
    mass = float(found.gamma[9])
    values = centred(found.gamma) if mass > 0.0 else np.zeros(10)
    arm = max(float(np.linalg.norm(values[1:4])), SMALLEST_ARM)
    sizes = [mass, *(3 * [arm]), *(6 * [float(np.linalg.norm(values[4:]))])]
    units = ["kg", *(3 * ["m"]), *(6 * ["kg m^2"])]
    behind = [names[9], *names[6:9], *names[:6]]
    reach = student_reach(LEVEL, found.estimate.freedom)
    rows = []
    for k, label in enumerate(labels):
        std = float(np.sqrt(max(covariance[k, k], 0.0)))
        verdict, advice = IDENTIFIED, ""
        if behind[k] in found.hidden:
            verdict, advice = HIDDEN, found.hidden[behind[k]]
        elif behind[k] in found.estimate.active or mass <= 0.0:
            verdict, advice = AT_BOUND, "check the sign of the torque, and the fit of the arm"
        elif 100.0 * std > POORLY_IDENTIFIED * sizes[k]:
            verdict, advice = WEAK, "turn the flange through more attitudes, and faster"
        rows.append(
            Parameter(
                name=label,
                value=float(values[k]),
                std=std,
                lower=float(values[k]) - reach * std,
                upper=float(values[k]) + reach * std,
                unit=units[k],
                verdict=verdict,
                meaning=f"of the payload, {'in the axes of the flange' if k else 'together'}",
                advice=advice,
            )
        )
    return rows


def _friction_rows(arm: Fit, found: Found, own: int) -> list[Parameter]:
    """Friction on the day of the payload; the arm's own values stand in its fit."""
    reach = student_reach(LEVEL, found.estimate.freedom)
    known: Mapping[str, Parameter] = {p.name: p for p in arm.parameters}
    rows = []
    for k, name in enumerate(found.problem.names[own:], start=own):
        value = float(found.estimate.values[k])
        std = float(np.sqrt(max(found.covariance[k, k], 0.0)))
        verdict, advice = IDENTIFIED, ""
        if name in found.hidden:
            verdict, advice = HIDDEN, found.hidden[name]
        elif name in found.estimate.active:
            verdict, advice = AT_BOUND, "the data would rather have it beyond its bound"
        elif 100.0 * std > POORLY_IDENTIFIED * abs(value):
            verdict, advice = WEAK, "move the joint more, or trust the interval only"
        rows.append(
            Parameter(
                name=name,
                value=value,
                std=std,
                lower=value - reach * std,
                upper=value + reach * std,
                unit=known[name].unit,
                verdict=verdict,
                meaning=known[name].meaning,
                advice=advice,
            )
        )
    return rows
