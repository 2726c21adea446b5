"""The gear from any recording with both encoders: compliance, hysteresis, kinematic error. Spec 04.1, 04.5, 07.2.

    theta - q = phi_0 + tau/K + c_3 tau^3 - (B/K) ddtheta + H(theta) + e(theta) + T_d dq

tau is the motor torque, of which B ddtheta turns the rotor. H is the sum of slipping springs in the rotor's way: lost
motion of the gear, less the drive's friction over K, which torque alone cannot tell apart. e are harmonics of the turn
of the link and of the rotor, T_d the time by which the two encoders are read apart. All is linear but the limits of the
springs, which stand on a grid. Terms are added as long as they lower the error on stretches of time left out by one
percent; intervals allow for residuals that agree within a stretch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.estimators import slip
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.common import need_both_encoders, read
from jointwise.experiments.joint.motions import strokes
from jointwise.experiments.joint.pose import find_pose
from jointwise.experiments.joint.result import (
    Outcome,
    Row,
    joint_fit,
    saturation_note,
    with_transmission,
)
from jointwise.experiments.joint.samples import FILTER_HZ, JointSamples, joint_index
from jointwise.experiments.metrics import nrmse_percent, rmse
from jointwise.experiments.recordings import Recordings
from jointwise.laws.linear import LinearSpring
from jointwise.motion.motion import Motion
from jointwise.recording import filters
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]
Groups = NDArray[np.int64]

LIMITS = (1e-4, 1e-3, 1e-2, 1e-1)
"""rad of the rotor's way, output side, after which a spring slips."""
ROTOR, LINK = (1, 2, 3, 4, 6), (1, 2, 3)
"""Harmonics of the rotor's and of the link's turn that may be in the kinematic error."""
STRETCHES = 10
"""Of all recordings: left out one after the other."""
CLUSTERS = 40
"""Of all recordings: residuals within one may agree; a quarter of a second of a log of ten."""
WORTH = 0.01
"""Share of the error a term must take away on stretches left out."""
CYCLES = 6
MOTION_NEEDED = 1e-3
"""rad: a joint that moved less shows nothing of its gear."""


class _Term(NamedTuple):
    """Columns that are kept or left out together."""

    name: str
    names: tuple[str, ...]
    unit: str
    meaning: str
    columns: Array


def plan(robot: Robot, joint: str | int, *, cycles: int = CYCLES) -> Motion:
    """Strokes to and fro over half of the range, with accelerations that bend the gear."""
    j = joint_index(robot, joint)
    pose = find_pose(robot, j, "normal", sweep=1.0)
    width = pose.high - pose.low
    return strokes(
        robot, pose, j, cycles=cycles, net=0.1 * width / cycles, back=0.4 * width, acceleration=0.5
    )


def fit(
    robot: Robot,
    recordings: Recordings,
    joint: str | int,
    *,
    torque: str | None = None,
    filter_hz: float = FILTER_HZ,
) -> Fit:
    """Compliance, hysteresis and kinematic error of a joint's gear from any motion with both encoders."""
    given = read(robot, recordings, joint, torque=torque, filter_hz=filter_hz)
    need_both_encoders("transmission", given.parts)
    if max(float(np.ptp(part.theta)) for part in given.parts) < MOTION_NEEDED:
        raise ParameterError(f"motion of {given.joint}", "next to none", "a motion of the joint")
    ratio = robot.joints[given.place].drive.gear_ratio
    terms = _joined([_terms(part, ratio) for part in given.parts])
    phi = np.concatenate([_seen(part, part.theta - part.q) for part in given.parts])  # type: ignore[operator]
    stretch = (np.arange(len(phi)) * STRETCHES) // len(phi)
    kept, path = _climbed(terms, phi, stretch)
    cluster = (np.arange(len(phi)) * CLUSTERS) // len(phi)
    outcome = _outcome([terms[k] for k in kept], phi, cluster, given.joint, path)
    notes = saturation_note(max(part.saturated for part in given.parts))
    stiffness = outcome.rows[1]
    changes = {}
    if not stiffness.hidden:
        law = LinearSpring(spring_stiffness=stiffness.value)
        changes = {"transmission": with_transmission(robot, given.joint, stiffness=law)}
    load = np.concatenate([part.smooth_torque[part.inside] for part in given.parts])
    found = replace(
        outcome,
        notes=(*outcome.notes, *notes),
        arrays={**outcome.arrays, "torque": load},
    )
    return joint_fit(found, robot, changes, given.recordings)


def _seen(part: JointSamples, values: Array) -> Array:
    """Values as torque is seen: low-passed, without what the filter's ends spoil."""
    return filters.zero_phase(values, part.filter_hz, part.rate_hz)[part.inside]


def _terms(part: JointSamples, ratio: float | Unknown) -> list[_Term]:
    """Everything the deformation of one recording may hold."""
    inside, still = part.inside, np.zeros(len(part))
    tau = part.smooth_torque[inside]
    springs = slip.columns(slip.slip_data(part.theta, still), np.array(LIMITS))
    out = [
        _Term("zero", ("zero",), "rad", "encoder zeros", np.ones((len(tau), 1))),
        _Term("stiffness", ("stiffness",), "N m/rad [N/m]", "torque over bend at small torque", tau[:, None]),
        _Term("encoder delay", ("encoder_delay",), "s", "by which the link's encoder is read later",
              _link_speed(part)[inside, None]),
        _Term("rotor", ("rotor_share",), "s^2", "inertia of the rotor over stiffness, negative",
              part.alpha[inside, None]),
        _Term("curvature", ("compliance_cubic",), "rad/(N m)^3", "change of compliance with torque; negative: stiffer",
              tau[:, None] ** 3),
        _Term("hysteresis", tuple(f"hysteresis_{v:g}" for v in LIMITS), "rad",
              "half width of a loop that closes after this way; friction on the motor's side makes it negative",
              _seen(part, springs)),
    ]  # fmt: skip
    families: list[tuple[str, float, tuple[int, ...]]] = [("link", 1.0, LINK)]
    if not isinstance(ratio, Unknown):
        families.append(("rotor", float(ratio), ROTOR))
    for family, base, orders in families:
        for n in orders:
            wave = np.column_stack([np.sin(n * base * part.theta), np.cos(n * base * part.theta)])
            names = (f"{family}_sine_{n}", f"{family}_cosine_{n}")
            meaning = f"kinematic error, {n} per turn of the {family}"
            out.append(_Term(f"{family} {n}", names, "rad", meaning, _seen(part, wave)))
    return out


def _link_speed(part: JointSamples) -> Array:
    """Speed of the link: what its encoder misses is what the link turned meanwhile, not the rotor."""
    smooth = filters.zero_phase(part.q, part.filter_hz, part.rate_hz)  # type: ignore[arg-type]
    return filters.central_differences(smooth, part.rate_hz)[0]


def _joined(parts: Sequence[Sequence[_Term]]) -> list[_Term]:
    return [
        same[0]._replace(columns=np.concatenate([term.columns for term in same]))
        for same in zip(*parts, strict=True)
    ]


def _stacked(terms: Sequence[_Term]) -> Array:
    return np.concatenate([term.columns for term in terms], axis=1)


def _left_out(x: Array, phi: Array, stretch: Groups) -> float:
    """RMS error of stretches predicted from the others."""
    squares = 0.0
    for one in np.unique(stretch):
        out = stretch == one
        squares += float(np.sum((phi[out] - x[out] @ _solved(x[~out], phi[~out])) ** 2))
    return float(np.sqrt(squares / len(phi)))


def _solved(x: Array, y: Array) -> Array:
    size = np.linalg.norm(x, axis=0)
    size[size == 0.0] = 1.0
    return np.asarray(np.linalg.lstsq(x / size, y, rcond=1e-10)[0] / size)


def _climbed(
    terms: Sequence[_Term], phi: Array, stretch: Groups
) -> tuple[list[int], list[tuple[str, float]]]:
    """Terms worth keeping in the order of their worth, and the error left with each."""
    kept = [0, 1]
    path = [("stiffness", _left_out(_stacked([terms[k] for k in kept]), phi, stretch))]
    rest = list(range(2, len(terms)))
    while rest:
        errors = [_left_out(_stacked([terms[k] for k in (*kept, m)]), phi, stretch) for m in rest]
        best = int(np.argmin(errors))
        if errors[best] > (1.0 - WORTH) * path[-1][1]:
            break
        path.append((terms[rest[best]].name, errors[best]))
        kept.append(rest.pop(best))
    return kept, path


def _outcome(
    terms: Sequence[_Term],
    phi: Array,
    cluster: Groups,
    joint: str,
    path: Sequence[tuple[str, float]],
) -> Outcome:
    x = _stacked(terms)
    values = _solved(x, phi)
    jacobian, rows, k = x.copy(), [], 0
    for term in terms:
        for name in term.names:
            value, hidden = float(values[k]), ""
            if name == "stiffness":
                hidden = "" if value > 0.0 else "the bend of the gear does not follow the torque"
                jacobian[:, k] *= -(value**2)
                value = 1.0 / value if value != 0.0 else float("inf")
            rows.append(
                Row(name=name, value=value, unit=term.unit, meaning=term.meaning, hidden=hidden)
            )
            k += 1
    expected = x @ values
    return Outcome(
        experiment="transmission",
        joint=joint,
        rows=tuple(rows),
        jacobian=jacobian,
        residual=phi - expected,
        groups=cluster,
        scores={
            "nrmse_percent": nrmse_percent(phi, expected),
            "left_out_nrmse_percent": 100.0 * (1.0 - path[-1][1] / float(phi.std())),
            "rmse": rmse(phi - expected),
            "left_out_rmse": path[-1][1],
        },
        settings={
            "terms": [name for name, _ in path],
            "left_out_rmse_by_term": [error for _, error in path],
        },
        arrays={"deformation": phi, "fitted": expected},
    )
