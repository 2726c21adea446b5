"""Drive gains from a payload of known mass: what it adds to the currents.

    i_j = W_j(q, dq, ddq) x_j + g_j Y_p,j(q, dq, ddq) p,    K_j = 1 / g_j

for every joint on its own: x_j are base parameters and friction divided by the gain, p the ten known parameters of the
payload, Y_p the columns of a body at the flange, zero in recordings without it. Linear, and no model of the arm is
needed beyond its geometry (the separate form of the global identification of Gautier and Briot, 2013).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError, UnknownValueError
from jointwise.estimators.correlated import corrected
from jointwise.estimators.estimate import student_reach
from jointwise.estimators.problem import Problem
from jointwise.estimators.registry import estimator
from jointwise.experiments.design import Design
from jointwise.experiments.drive_gain_result import Gain, gains_fit
from jointwise.experiments.equations import Equations, equations
from jointwise.experiments.fit import Fit
from jointwise.experiments.methods import hidden_parameters, on_independent
from jointwise.experiments.payload import payload_columns
from jointwise.experiments.robot_fit import RobotFitOptions, thresholds
from jointwise.recording.recording import Recording
from jointwise.recording.signals import signals
from jointwise.robot.description import Robot
from jointwise.robot.inertia import Body
from jointwise.units import Unit, check_fields

Array = NDArray[np.float64]

GAIN = "gain"
LEVEL = 0.95
FRICTION = ("coulomb", "viscous", "offset")


@dataclass(frozen=True, kw_only=True)
class GainOptions:
    """Options of the gains from a payload; see `jointwise fit drive-gain --help`."""

    filter_hz: Annotated[float, Unit("Hz", lower=0.05, upper=1e4)]
    friction: tuple[str, ...] = FRICTION

    def __post_init__(self) -> None:
        check_fields(self, "fit drive-gain")
        object.__setattr__(self, "friction", tuple(self.friction))


def gains_from_payload(
    robot: Robot,
    loaded: Mapping[str, Recording],
    bare: Mapping[str, Recording],
    payload: Body,
    **options: object,
) -> Fit:
    """Torque constant of every drive from recordings with and without a known payload."""
    chosen = GainOptions(**options)  # type: ignore[arg-type]
    if payload.unknown():
        raise UnknownValueError("drive gains", [f"payload.{part}" for part in payload.unknown()])
    if payload.mass == 0.0:
        raise ParameterError("mass of the payload", 0.0, "above 0 kg")
    if (robot.coupling_matrix() != np.eye(robot.n)).any():
        raise ParameterError(
            "coupling of the robot", "motors that turn several joints",
            "one motor per joint for gains from a payload", "use gains from standstill",
        )  # fmt: skip
    ampere = robot.replace(
        {f"joints.{joint.name}.drive.torque_constant": 1.0 for joint in robot.joints},
        source="torques counted in ampere",
    )
    pieces = [
        (piece, carries)
        for recordings, carries in ((loaded, True), (bare, False))
        for name, rec in recordings.items()
        for piece in signals(rec, ampere, filter_hz=chosen.filter_hz, torque="current", name=name)
    ]
    parts = [piece for piece, _ in pieces]
    design_options = RobotFitOptions(filter_hz=chosen.filter_hz, friction=chosen.friction)
    moving, zone = thresholds(parts, design_options)
    design = Design(robot=ampere, friction=chosen.friction, rotors=True, zone=zone)
    if design.reads_load:
        raise ParameterError(
            "friction", ", ".join(chosen.friction), "terms that do not depend on the load"
        )
    system = equations(design, parts, filter_hz=chosen.filter_hz, moving=moving)
    added = [
        payload_columns(system, k) @ payload.parameters() if carries else np.zeros(0)
        for k, (_, carries) in enumerate(pieces)
    ]
    return gains_fit(
        robot,
        [_gain(system, added, j) for j in range(robot.n)],
        {**loaded, **bare},
        settings={
            "way": "payload",
            "filter_hz": chosen.filter_hz,
            "friction": list(chosen.friction),
            "payload_mass": payload.mass,
        },
        notes=(
            "friction that grows with the load is taken for payload where it does not change sign with the motion",
        ),
    )


def _gain(system: Equations, added: list[Array], j: int) -> Gain:
    """The gain of joint j from the equations of that joint alone."""
    whole = system.problem(None)
    rows, values, use = [], [], []
    for row, extra in zip(whole.rows, added, strict=True):
        column = extra[:, j] if len(extra) else np.zeros(len(row.y))
        rows.append(np.concatenate([row.w[:, j], column[:, None]], axis=1)[:, None, :])
        values.append(row.y[:, j : j + 1])
        use.append(row.use[:, j : j + 1])
    if not any(kept.any() for kept in use):
        return Gain(hidden="the joint never moves")
    problem = Problem.from_rows(
        (*whole.names, GAIN), rows, values, use=use, recordings=whole.recordings
    )
    seen = [name for name in problem.names if name not in hidden_parameters(problem)]
    if GAIN not in seen:
        return Gain(
            hidden="the payload adds nothing to its current that the arm itself could not; "
            "give recordings with and without it, and other poses"
        )
    problem = problem.select(seen)
    estimate = corrected(problem, on_independent(problem, estimator("ols")))
    k = estimate.names.index(GAIN)
    g, std = float(estimate.values[k]), float(np.sqrt(estimate.covariance[k, k]))
    if g == 0.0:
        return Gain(hidden="the payload does not show in its current")
    return Gain(
        value=1.0 / g,
        std=std / g**2,
        reach=student_reach(LEVEL, estimate.freedom),
        residual=float(estimate.noise[0]) / abs(g),
    )
