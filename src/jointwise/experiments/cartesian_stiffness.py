"""Stiffness of all gears from pushing at the tool: the static test of the motor-encoder-only method. Spec 07.8.

    dx = J(q) K^-1 J(q)^T F

The motors hold the arm, a known load F pushes the tool, and an external sensor sees it give way by dx. This is linear
in the compliances 1/K of the gears, which are found by least squares and cannot be negative; shifts and turns
count by the scatter each leaves. Links and bearings that bend count as gears, as in the method's source.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.estimators.bounded import solve_bounded
from jointwise.estimators.estimate import CONVERGED, student_reach
from jointwise.experiments.fit import AT_BOUND, HIDDEN, IDENTIFIED, WEAK, Fit, Parameter
from jointwise.experiments.joint.result import LEVEL, POORLY_KNOWN, covariance, with_transmission
from jointwise.experiments.static_tests import StaticTests, load_static_tests
from jointwise.laws.linear import LinearSpring
from jointwise.robot.description import Robot
from jointwise.robot.independent import qr_factor

Array = NDArray[np.float64]

NAME = "cartesian-stiffness"
PASSES = 10
UNSEEN = 1e-3
"""Of the longest column: a gear that bends less is not seen."""
MORE = "push across this joint's axis, with a long lever"


def columns(robot: Robot, tests: StaticTests) -> Array:
    """What the tool would move if one gear had a compliance of one, (tests, 6, n)."""
    jacobian = robot.jacobian(tests.q)
    torque = np.einsum("tij,ti->tj", jacobian, tests.load)
    return np.asarray(jacobian * torque[:, None, :])


def fit_cartesian_stiffness(robot: Robot, tests: StaticTests | str | Path) -> Fit:
    """Stiffness of every gear, and the robot with it, from a table of static tests or the file of one."""
    given = tests if isinstance(tests, StaticTests) else load_static_tests(tests, robot.n)
    if given.q.shape[1] != robot.n:
        raise ParameterError(
            "joints of the tests", given.q.shape[1], f"{robot.n}, as {robot.name} has"
        )
    seen = np.isfinite(given.way)
    if int(seen.sum()) <= robot.n or len(given) < 2:
        raise ParameterError(
            "measured shifts and turns", int(seen.sum()), f"more than {robot.n}, in two tests or more",
            "push in more poses and directions",
        )  # fmt: skip
    w, y = columns(robot, given)[seen], given.way[seen]
    kind, group = np.nonzero(seen)[1] // 3, np.nonzero(seen)[0]
    lengths = np.linalg.norm(w, axis=0)
    used = np.flatnonzero(lengths > UNSEEN * lengths.max())
    if not len(used):
        raise ParameterError("loads", "none that bends a gear", "forces or moments at the tool")
    weights, compliance, held = _solved(w[:, used], y, kind)
    residual = (y - w[:, used] @ compliance) * weights
    cov = covariance(w[:, used] * weights[:, None], residual, group)
    reach = student_reach(LEVEL, max(len(given) - len(used), 1))
    rows, changes = [], {}
    spread = np.zeros(robot.n)
    for j, joint in enumerate(robot.joints):
        place = int(np.searchsorted(used, j)) if j in used else None
        row = _row(joint.name, joint.kind, place, compliance, held, cov, reach)
        rows.append(row)
        spread[j] = row.std
        if row.verdict == IDENTIFIED:
            spring = LinearSpring(spring_stiffness=row.value)
            law = with_transmission(robot, joint.name, stiffness=spring)
            changes[f"joints.{joint.name}.transmission"] = law
    return Fit(
        experiment=NAME,
        robot=robot.replace(changes, source=f"{NAME} experiment") if changes else robot,
        status=CONVERGED,
        parameters=tuple(rows),
        covariance=np.diag(spread**2),
        settings={"tests": len(given), "measured": int(seen.sum())},
        joints=tuple({"joint": joint.name} for joint in robot.joints),
        notes=_notes(y - w[:, used] @ compliance, y, kind),
        arrays={"way": given.way, "expected": columns(robot, given)[..., used] @ compliance},
    )


def _solved(w: Array, y: Array, kind: NDArray[np.int64]) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Weights of the rows, compliances and which are held at zero; shifts and turns by their own scatter."""
    kinds = np.unique(kind)
    weights = np.zeros(len(y))
    for k in kinds:
        weights[kind == k] = 1.0 / max(float(np.sqrt(np.mean(y[kind == k] ** 2))), 1e-12)
    low, high = np.zeros(w.shape[1]), np.full(w.shape[1], np.inf)
    for _ in range(PASSES):
        factor = qr_factor(np.column_stack([w, y]) * weights[:, None])
        found = solve_bounded(factor, low, high)
        error = y - w @ found.values
        for k in kinds:
            size = float(np.sqrt(np.mean(y[kind == k] ** 2)))
            scatter = float(np.sqrt(np.mean(error[kind == k] ** 2)))
            weights[kind == k] = 1.0 / max(scatter, 1e-6 * size, 1e-12)
    return weights, found.values, found.held


def _row(
    joint: str,
    kind: str,
    place: int | None,
    compliance: Array,
    held: NDArray[np.bool_],
    cov: Array,
    reach: float,
) -> Parameter:
    """Stiffness of one gear with its interval; 1/c has the relative spread of c."""
    base: dict[str, Any] = {
        "name": f"stiffness_{joint}",
        "unit": "N/m" if kind == "prismatic" else "N m/rad",
        "meaning": "torque per deformation of the gear and what bends with it",
    }
    if place is None:
        return Parameter(
            **base, value=0.0, std=0.0, lower=0.0, upper=0.0, verdict=HIDDEN,
            advice=f"no load bends this gear; {MORE}",
        )  # fmt: skip
    c, std = float(compliance[place]), float(np.sqrt(max(cov[place, place], 0.0)))
    if held[place] or c <= 0.0:
        return Parameter(
            **base, value=0.0, std=0.0, lower=0.0, upper=0.0, verdict=AT_BOUND,
            advice=f"too stiff beside the others to be seen; {MORE}",
        )  # fmt: skip
    value, share = 1.0 / c, std / c
    good = share <= POORLY_KNOWN
    return Parameter(
        **base,
        value=value,
        std=value * share,
        lower=max(value * (1.0 - reach * share), 0.0),
        upper=value * (1.0 + reach * share),
        verdict=IDENTIFIED if good else WEAK,
        advice="" if good else MORE,
    )


def _notes(error: Array, way: Array, kind: NDArray[np.int64]) -> tuple[str, ...]:
    out = []
    for k, (name, unit, scale) in enumerate((("shifts", "um", 1e6), ("turns", "urad", 1e6))):
        if (kind == k).any():
            left, all_ = (float(np.sqrt(np.mean(v[kind == k] ** 2))) for v in (error, way))
            out.append(
                f"{name} of {scale * all_:.3g} {unit} RMS are explained to {scale * left:.3g} {unit}"
            )
    return tuple(out)
