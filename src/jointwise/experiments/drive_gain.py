"""Drive gains: how much torque a motor gives per ampere, from a torque somebody knows. K_tau of spec 06, output side.

Two ways. At standstill, where nothing accelerates, the torque the controller's own model asks for (or a joint torque
sensor reports) stands beside the current: tau = K i in every pose held. Or a payload of known mass is carried, and
the current of recordings with it is compared with that without it, see `drive_gain_payload`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.estimators.estimate import student_reach
from jointwise.experiments.drive_gain_result import Gain, gains_fit
from jointwise.experiments.fit import Fit
from jointwise.experiments.recordings import Recordings, named
from jointwise.recording.recording import Recording
from jointwise.recording.signals import check_joints
from jointwise.robot.description import Robot
from jointwise.robot.inertia import Body
from jointwise.units import Unit, check_fields

Array = NDArray[np.float64]

REFERENCES = ("model_torque", "joint_torque")
CURRENTS = ("current_ref", "current")
"""What the controller asked for comes first: at rest the measured current also holds friction."""
LEVEL = 0.95
SHORTEST = 0.1
"""s: a stretch of rest must last that long after both ends are cut off."""
FEWEST_POSES, LOADED = 2, 0.1
"""Poses with that share of the largest torque; agreement of at least two is evidence."""
MANY_VALUES = 50
"""Different values from which the smallest step between them is that of the sensor or the file."""
RESOLVED = 10.0
"""Steps of resolution that the largest torque and current must have for their ratio to mean anything."""


@dataclass(frozen=True, kw_only=True)
class StandstillOptions:
    """Options of the gains from standstill; see `jointwise fit drive-gain --help`."""

    reference: str = "model_torque"
    """column whose torque is believed"""
    current: str | None = None
    """column of the current; None for the one the controller asked for, else the measured one"""
    standing: Annotated[float, Unit("rad/s [m/s]", lower=0.0, upper=1.0, open_lower=True)] = 0.002
    """speed below which all joints must stay"""
    settle: Annotated[float, Unit("s", lower=0.0, upper=60.0)] = 0.1
    """time cut off at both ends of a stretch of rest"""

    def __post_init__(self) -> None:
        check_fields(self, "fit drive-gain")
        if self.reference not in REFERENCES:
            raise UnknownNameError("reference torque", self.reference, REFERENCES)
        if self.current is not None and self.current not in CURRENTS:
            raise UnknownNameError("current", self.current, CURRENTS)


HELD = "friction at rest is in the measured current; give current_ref, or recordings of a known payload"
ALONE = "one pose under load is no evidence"
MODEL = ("the gains are as true as the controller's own model of the arm and its payload setting",)


class Pose(NamedTuple):
    """Means over one stretch of rest, per motor."""

    torque: Array
    current: Array


def fit_drive_gain(
    robot: Robot,
    recordings: Recordings,
    *,
    payload: Body | None = None,
    without: Recordings = (),
    **options: object,
) -> Fit:
    """Torque constant of every drive.

    Without a `payload`: from recordings at rest, options as in `StandstillOptions`. With one: `recordings` carry this
    body on the flange, those `without` do not; options as in `drive_gain_payload.GainOptions`.
    """
    given = named(recordings)
    for rec in given.values():
        check_joints(rec, robot)
    if payload is not None:
        from jointwise.experiments.drive_gain_payload import gains_from_payload

        bare = named(without) if without else {}
        return gains_from_payload(robot, given, bare, payload, **options)
    if without:
        raise ParameterError(
            "payload", "not stated", "a body, where recordings without it are given"
        )
    chosen = StandstillOptions(**options)  # type: ignore[arg-type]
    column = chosen.current or _current_of(given)
    poses = [
        pose for name, rec in given.items() for pose in _poses(name, rec, robot, chosen, column)
    ]
    if not poses:
        raise ParameterError(
            "rest in the recordings",
            "none",
            f"stretches of {SHORTEST + 2.0 * chosen.settle:g} s in which every joint stays below "
            f"{chosen.standing:g} rad/s",
            "let the arm hold several poses before and after its motion",
        )
    steps = (_resolution(given, column, robot), _resolution(given, chosen.reference, robot))
    measured = column == "current"
    found = [_gain(j, poses, steps, measured=measured) for j in range(robot.n)]
    return gains_fit(
        robot,
        found,
        given,
        settings={
            "way": "standstill",
            "reference": chosen.reference,
            "current": column,
            "standing": chosen.standing,
            "settle": chosen.settle,
            "poses": len(poses),
        },
        notes=MODEL if chosen.reference == "model_torque" else (),
    )


def _current_of(given: Mapping[str, Recording]) -> str:
    for name in CURRENTS:
        if all(name in rec for rec in given.values()):
            return name
    raise ParameterError("column of the current", "missing", " or ".join(CURRENTS))


def _poses(
    name: str, rec: Recording, robot: Robot, chosen: StandstillOptions, column: str
) -> list[Pose]:
    """Every stretch in which all joints stand, without its ends."""
    current = rec[column]
    if not np.isfinite(np.column_stack([rec.time, rec[chosen.reference], current])).all():
        raise ParameterError(
            f"{name}", "values that are not numbers", "numbers", "run `jointwise check` first"
        )
    torque: Array = np.asarray(
        np.linalg.solve(robot.coupling_matrix().T, rec[chosen.reference].T).T, dtype=np.float64
    )
    rests = (np.abs(_speed(rec)) < chosen.standing).all(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], rests.astype(np.int8), [0]])))
    found = []
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        begin, finish = rec.time[first] + chosen.settle, rec.time[end - 1] - chosen.settle
        inside = slice(*np.searchsorted(rec.time, [begin, finish]))
        if finish - begin >= SHORTEST and inside.stop > inside.start:
            found.append(Pose(torque[inside].mean(axis=0), current[inside].mean(axis=0)))
    return found


def _speed(rec: Recording) -> Array:
    if "dq" in rec:
        return rec["dq"]
    position = rec["q"] if "q" in rec else rec["theta"]
    return np.asarray(np.gradient(position, rec.time, axis=0))


def _resolution(given: Mapping[str, Recording], column: str, robot: Robot) -> Array:
    """Smallest step between the values of a column of each motor: what rounding leaves open; 0 where it cannot show."""
    out = np.zeros(robot.n)
    for j in range(robot.n):
        values = np.unique(np.concatenate([rec[column][:, j] for rec in given.values()]))
        if len(values) >= MANY_VALUES:
            gaps = np.diff(values)
            out[j] = float(gaps[gaps > 1e-12].min(initial=np.inf))
    return np.where(np.isfinite(out), out, 0.0)


def _gain(j: int, poses: Sequence[Pose], steps: tuple[Array, Array], *, measured: bool) -> Gain:
    """K = sum(tau^2) / sum(i tau) over the poses, each counted once; spread between poses, and rounding.

    The current is explained by the torque and not the other way round, since friction and noise are in the current.
    """
    i = np.array([pose.current[j] for pose in poses])
    tau = np.array([pose.torque[j] for pose in poses])
    size, largest = float(tau @ tau), float(np.abs(tau).max())
    if largest <= RESOLVED * steps[1][j] or float(np.abs(i).max()) <= RESOLVED * steps[0][j]:
        return Gain(
            hidden="its motor held no load in any pose; hold poses in which gravity loads it"
        )
    g = float(i @ tau) / size
    if g == 0.0:
        return Gain(hidden="its current does not follow the torque at all")
    rest = i - g * tau
    freedom = max(len(poses) - 1, 1)
    spread = float((tau * rest) @ (tau * rest)) / size**2 * len(poses) / freedom
    rounding = (steps[0][j] ** 2 + (g * steps[1][j]) ** 2) / 12.0 / size
    loaded = int(np.sum(np.abs(tau) > LOADED * largest))
    return Gain(
        value=1.0 / g,
        std=float(np.sqrt(spread + rounding)) / g**2,
        reach=student_reach(LEVEL, freedom),
        residual=float(np.sqrt(np.mean(rest**2))) / abs(g),
        doubt=HELD if measured else ALONE if loaded < FEWEST_POSES else "",
    )
