"""Damping of the gear from a free swing: output held, rotor deflected and let go. Spec 04.4, PA1 3, PA2 7.

    elastic energy lost = D integral(omega^2) + B (omega_2^2 - omega_1^2)/2 + integral(f omega)

over short pieces of the swing, which finds the rotor's inertia B beside the damping D.

f is the friction of the rotor where the robot knows it: dry friction takes as much as the gear's own damping, and a
logarithmic decrement alone blames all of it on damping. What is not known of f is part of the interval. Without known
stiffness the decrement is used,

    D = 2 B ln(A_1/A_m) / (t_m - t_1)          from peaks of one sign, A ~ exp(-D t / (2 B)),

and a decay that is not exponential shows as curvature of log amplitude, and is said.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.motions import held
from jointwise.experiments.joint.pose import find_pose
from jointwise.experiments.joint.result import Outcome, Row, joint_fit, with_transmission
from jointwise.experiments.joint.samples import joint_index
from jointwise.experiments.metrics import nrmse_percent
from jointwise.experiments.recordings import Recordings, named
from jointwise.laws.columns import columns_along
from jointwise.laws.damping import Damping
from jointwise.laws.friction import FrictionModel
from jointwise.laws.transmissions import Transmission
from jointwise.motion.motion import Motion
from jointwise.recording import filters
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]
FEWEST, FEWEST_WITH_GEAR = 4, 2
"""Extremes (of both signs) below which there is no decay to speak of; with known stiffness one half swing will do."""
DOUBT = 0.1
"""Of the friction known: a law of a joint is good to a tenth along a motion as quick as a swing."""
SMALLEST = 0.05
"""Share of the first extreme below which later ones are noise."""
SWING_HZ = 150.0
"""Low-pass of the swing: several times the frequency of a rotor on its gear."""
ROOM_DEGC = 25.0
"""Taken where the recording has no temperature."""
PIECE = 3
"""Samples of one piece of a swing: a tenth of its period or so."""
CURVED = 3.0
"""Curvature of the logarithms beside its standard deviation, above which dry friction is suspected."""


def plan(robot: Robot, joint: str | int, *, duration: float = 5.0) -> Motion:
    """The arm standing still while the rotor is deflected and released, its output held from outside."""
    j = joint_index(robot, joint)
    return held(robot, find_pose(robot, j, "parallel", sweep=0.2), j, duration)


class Swings(NamedTuple):
    """Loss of elastic energy in every piece of the swings, and what takes it."""

    lost: Array
    columns: Array
    """integral of omega^2; half the change of omega^2; change of elastic energy by the zero of the encoders"""
    group: NDArray[np.int64]
    taken: Array
    """by friction as it is known"""


def fit(robot: Robot, recordings: Recordings, joint: str | int) -> Fit:
    """Damping from the free swing of the rotor in each recording; the recordings begin at the release."""
    given = named(recordings)
    j = joint_index(robot, joint)
    name = robot.joints[j].name
    known = robot.joints[j].transmission
    fewest = FEWEST if isinstance(known, Unknown) else FEWEST_WITH_GEAR
    gear = None if isinstance(known, Unknown) else Transmission.from_law(known)
    times, logs, groups = _decays(given, j, fewest, gear)
    if gear is None:
        design, target, notes = _by_decrement(robot, j, times, logs, groups)
        doubtful = np.zeros_like(target)
        settings = {"method": "decrement"}
    else:
        swings, notes = _by_energy(robot, given, j, gear)
        design, target, groups = swings.columns, swings.lost, swings.group
        doubtful = DOUBT * swings.taken
        settings = {"method": "energy"}
    values, doubt = np.linalg.lstsq(design, np.column_stack([target, doubtful]), rcond=None)[0].T
    residual = target - design @ values
    damping = float(values[0])
    bound = ""
    if damping < 0.0:
        damping, bound = 0.0, "the swing does not decay by more than the friction known takes"
    changes: dict[str, Any] = {}
    rows = [
        Row(name="damping", value=damping, unit="N m s/rad", meaning="between rotor and link", bound=bound)
    ]  # fmt: skip
    wanted = 1
    if not isinstance(known, Unknown):
        changes["transmission"] = with_transmission(robot, name, damping=Damping(damping=damping))
        rows.append(
            Row(name="rotor_inertia", value=float(values[1]), unit="kg m^2 [kg]", meaning="from the swing's period")
        )  # fmt: skip
        wanted = 2
        if isinstance(robot.joints[j].drive.rotor_inertia, Unknown):
            changes["drive.rotor_inertia"] = float(values[1])
    q = np.linalg.qr(design[:, wanted:])[0]
    jacobian = design[:, :wanted] - q @ (q.T @ design[:, :wanted])
    outcome = Outcome(
        experiment="damping",
        joint=name,
        rows=tuple(rows),
        jacobian=jacobian,
        residual=residual,
        doubt=np.outer(doubt[:wanted], doubt[:wanted]),
        groups=np.arange(len(residual)) // 4,
        scores={
            "extremes": float(len(logs)),
            "nrmse_percent": nrmse_percent(target, target - residual),
        },
        settings=settings,
        notes=notes,
        arrays={
            "time": times,
            "log_amplitude": logs,
            "target": target,
            "fitted": target - residual,
        },
    )
    return joint_fit(outcome, robot, changes, given)


def _by_decrement(
    robot: Robot, j: int, times: Array, logs: Array, groups: NDArray[np.int64]
) -> tuple[Array, Array, tuple[str, ...]]:
    """Columns for the damping and a level of each recording, against log amplitude."""
    name = robot.joints[j].name
    inertia = robot.joints[j].drive.rotor_inertia
    robot.require("damping from a decrement", [(f"joints.{name}.drive.rotor_inertia", inertia)])
    b = 0.0 if isinstance(inertia, Unknown) else float(inertia)
    design = np.column_stack([-times / (2.0 * b), *_own(groups)])
    residual = logs - design @ np.linalg.lstsq(design, logs, rcond=None)[0]
    notes: tuple[str, ...] = ()
    curve = np.column_stack([design, times**2])
    bent = np.linalg.lstsq(curve, logs, rcond=None)[0][-1]
    spread = float(np.sqrt(np.mean(residual**2))) / max(float(np.ptp(times)) ** 2, 1e-12)
    if bent < -CURVED * max(spread, 1e-12):
        notes = (
            "the decay is faster at small swings, as by dry friction: the damping is too high; fit stiffness and "
            "friction first, or deflect further",
        )
    return design, logs, notes


def _by_energy(
    robot: Robot, given: dict[str, Recording], j: int, gear: Transmission
) -> tuple[Swings, tuple[str, ...]]:
    """What every half swing loses, less what known friction of the rotor takes."""
    friction = robot.joints[j].friction
    notes: tuple[str, ...] = ()
    if isinstance(friction, Unknown):
        notes = (
            "the friction of the rotor is not known: what it takes counts as damping; fit friction first",
        )
    lost, columns, group, losses = [], [], [], []
    for number, recording in enumerate(given.values()):
        phi, omega, rate = _deformation(recording, j, gear)
        taken = np.zeros_like(phi)
        if not isinstance(friction, Unknown):
            warmth = (
                recording["temperature"][:, j]
                if "temperature" in recording
                else np.full(len(phi), ROOM_DEGC)
            )
            laws = FrictionModel.from_law(friction).terms
            load = np.asarray(gear.stiffness.torque(phi))
            own = columns_along(laws, phi, omega, load, warmth, 1.0 / rate)
            taken = own.sum(axis=1) * omega
        energy, slope = _energy(gear, phi), -np.asarray(gear.stiffness.torque(phi))
        last = _turns(phi)[-1]
        edges = np.arange(0, last + 1, PIECE)
        for start, stop in itertools.pairwise(edges):
            part = slice(start, stop)
            # Trapezoids: the pieces join without a gap.
            mean = 0.5 * (omega[start + 1 : stop + 1] ** 2 + omega[part] ** 2).sum()
            work = 0.5 * (taken[start + 1 : stop + 1] + taken[part]).sum()
            lost.append(energy[start] - energy[stop] - float(work) / rate)
            kinetic = 0.5 * float(omega[stop] ** 2 - omega[start] ** 2)
            columns.append((float(mean) / rate, kinetic, float(slope[stop] - slope[start])))
            group.append(number)
            losses.append(float(work) / rate)
    found = Swings(np.array(lost), np.array(columns), np.array(group), np.array(losses))
    return found, notes


def _deformation(
    recording: Recording, j: int, gear: Transmission | None
) -> tuple[Array, Array, float]:
    """Rotor angle against the clamped link less the kinematic error as far as it is known, smoothed; velocity, rate."""
    rate = recording.rate_hz
    theta = recording["theta" if "theta" in recording else "q"][:, j]
    if gear is not None and gear.kinematic_error is not None:
        theta = theta - np.asarray(gear.kinematic_error.error(theta))
    rest = float(np.median(theta[-max(10, len(theta) // 5) :]))
    smooth = filters.zero_phase(theta - rest, min(SWING_HZ, 0.2 * rate), rate)
    omega, _ = filters.central_differences(smooth, rate)
    return smooth, omega, rate


def _energy(gear: Transmission, phi: Array) -> Array:
    """Elastic energy at deformations: integral of the torque from zero, by Simpson's rule."""
    half = np.asarray(gear.stiffness.torque(0.5 * phi))
    return np.asarray(phi / 6.0 * (4.0 * half + np.asarray(gear.stiffness.torque(phi))))


def _turns(phi: Array) -> list[int]:
    """Samples of the extremes of a swing, from the first one to the last that is more than noise."""
    crossings = np.flatnonzero(np.diff(np.sign(phi)) != 0)
    edges = [0, *(int(c) + 1 for c in crossings)]
    ends = [a + int(np.argmax(np.abs(phi[a:b]))) for a, b in itertools.pairwise(edges) if b > a]
    largest = max((abs(float(phi[k])) for k in ends), default=0.0)
    return [k for k in ends if abs(float(phi[k])) > SMALLEST * largest]


def _own(groups: NDArray[np.int64]) -> list[Array]:
    """A level for each recording."""
    return [(groups == g).astype(np.float64) for g in np.unique(groups)]


def _decays(
    given: dict[str, Recording], j: int, fewest: int, gear: Transmission | None
) -> tuple[Array, Array, NDArray[np.int64]]:
    times, logs, groups = [], [], []
    for number, (name, recording) in enumerate(given.items()):
        swing, _, rate = _deformation(recording, j, gear)
        ends = _turns(swing)
        if len(ends) < fewest:
            raise ParameterError(
                f"swing in {name}", f"{len(ends)} extremes", f"at least {fewest}",
                "if the joint is too damped to swing, add inertia on its input axle and say so in rotor_inertia",
            )  # fmt: skip
        times.append((np.array(ends) - ends[0]) / rate)
        logs.append(np.log(np.abs(swing[ends])))
        groups.append(np.full(len(ends), number))
    return np.concatenate(times), np.concatenate(logs), np.concatenate(groups)
