"""Damping of the gear by logarithmic decrement: output held, rotor deflected and let go. Spec 04.4, PA1 3, PA2 7.

    D = 2 B ln(A_1/A_m) / (t_m - t_1)          from peaks of one sign, A ~ exp(-D t / (2 B))

All peaks of both signs count: the slope of log amplitude over time by least squares. A decay that is not exponential
(dry friction takes off a constant each swing) shows as curvature of that line, and is said.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.motions import held
from jointwise.experiments.joint.pose import find_pose
from jointwise.experiments.joint.result import Outcome, Row, joint_fit, with_transmission
from jointwise.experiments.joint.samples import joint_index
from jointwise.experiments.recordings import Recordings, named
from jointwise.laws.damping import Damping
from jointwise.motion.motion import Motion
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]
FEWEST = 4
"""Extremes (of both signs) below which there is no decay to speak of."""
SMALLEST = 0.05
"""Share of the first extreme below which later ones are noise."""
CURVED = 3.0
"""Curvature of the logarithms beside its standard deviation, above which dry friction is suspected."""


def plan(robot: Robot, joint: str | int, *, duration: float = 5.0) -> Motion:
    """The arm standing still while the rotor is deflected and released, its output held from outside."""
    j = joint_index(robot, joint)
    return held(robot, find_pose(robot, j, "parallel", sweep=0.2), j, duration)


def fit(robot: Robot, recordings: Recordings, joint: str | int) -> Fit:
    """Damping from the free decay of the rotor in each recording; the recordings begin at the release."""
    given = named(recordings)
    j = joint_index(robot, joint)
    name = robot.joints[j].name
    inertia = robot.joints[j].drive.rotor_inertia
    robot.require("damping from a decay", [(f"joints.{name}.drive.rotor_inertia", inertia)])
    b = 0.0 if isinstance(inertia, Unknown) else float(inertia)
    times, logs, groups = _decays(given, j)
    design = np.column_stack([-times / (2.0 * b), *_own(groups)])
    values = np.linalg.lstsq(design, logs, rcond=None)[0]
    residual = logs - design @ values
    damping = float(values[0])
    bound = ""
    if damping < 0.0:
        damping, bound = 0.0, "the swing does not decay: something feeds it"
    notes: tuple[str, ...] = ()
    curve = np.column_stack([design, times**2])
    bent = np.linalg.lstsq(curve, logs, rcond=None)[0][-1]
    spread = float(np.sqrt(np.mean(residual**2))) / max(float(np.ptp(times)) ** 2, 1e-12)
    if bent < -CURVED * max(spread, 1e-12):
        notes = (
            "the decay is faster at small swings, as by dry friction: the damping is too high; deflect further",
        )
    basis = np.column_stack(_own(groups))
    q = np.linalg.qr(basis)[0]
    jacobian = design[:, :1] - q @ (q.T @ design[:, :1])
    changes: dict[str, Any] = {}
    if not isinstance(robot.joints[j].transmission, Unknown):
        changes["transmission"] = with_transmission(robot, name, damping=Damping(damping=damping))
    row = Row(
        name="damping",
        value=damping,
        unit="N m s/rad",
        meaning="between rotor and link",
        bound=bound,
    )
    outcome = Outcome(
        experiment="damping",
        joint=name,
        rows=(row,),
        jacobian=jacobian,
        residual=residual,
        groups=np.arange(len(logs)),
        scores={"extremes": float(len(logs)), "rmse_log": float(np.sqrt(np.mean(residual**2)))},
        settings={"rotor_inertia": b},
        notes=notes,
        arrays={"time": times, "log_amplitude": logs},
    )
    return joint_fit(outcome, robot, changes, given)


def _own(groups: NDArray[np.int64]) -> list[Array]:
    """A level for each recording."""
    return [(groups == g).astype(np.float64) for g in np.unique(groups)]


def _decays(given: dict[str, Recording], j: int) -> tuple[Array, Array, NDArray[np.int64]]:
    times, logs, groups = [], [], []
    for number, (name, recording) in enumerate(given.items()):
        theta = recording["theta" if "theta" in recording else "q"][:, j]
        swing = theta - float(np.median(theta[-max(10, len(theta) // 5) :]))
        place, size = _extremes(recording.time, swing)
        if len(place) < FEWEST:
            raise ParameterError(
                f"swing in {name}", f"{len(place)} extremes", f"at least {FEWEST}",
                "if the joint is too damped to swing, add inertia on its input axle and say so in rotor_inertia",
            )  # fmt: skip
        times.append(place - place[0])
        logs.append(np.log(size))
        groups.append(np.full(len(place), number))
    return np.concatenate(times), np.concatenate(logs), np.concatenate(groups)


def _extremes(time: Array, swing: Array) -> tuple[Array, Array]:
    """Times and sizes of the extremes between zero crossings, by a parabola through the three samples at the top."""
    crossings = np.flatnonzero(np.diff(np.sign(swing)) != 0)
    place, size = [], []
    for start, stop in itertools.pairwise(crossings):
        part = np.abs(swing[start + 1 : stop + 1])
        k = start + 1 + int(np.argmax(part))
        if 0 < k < len(swing) - 1:
            left, top, right = (abs(float(v)) for v in swing[k - 1 : k + 2])
            bend = left - 2.0 * top + right
            shift = 0.5 * (left - right) / bend if bend < 0.0 else 0.0
            place.append(float(time[k]) + shift * float(time[k + 1] - time[k]))
            size.append(top - 0.25 * (left - right) * shift)
    if not size:
        return np.zeros(0), np.zeros(0)
    keep = np.array(size) > SMALLEST * max(size)
    last = len(keep) if keep.all() else int(np.argmin(keep))
    return np.array(place)[:last], np.array(size)[:last]
