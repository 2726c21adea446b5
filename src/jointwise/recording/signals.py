"""`Signals`: what identification reads of a recording, on an even clock, with derivatives and joint torque.

A recording is cut at gaps; each piece is resampled to the recording's own mean period, its positions are low-passed
and differentiated without delay, its torque is brought to the joints (current times torque constant, motor side
through the coupling). Rates far above what the pass band needs are thinned, so an hour of data stays small.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.recording import filters
from jointwise.recording.recording import Recording
from jointwise.recording.way import step_of, travelled
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]

MEASURED = ("motor_torque", "joint_torque", "current")
TORQUES = (*MEASURED, "command_torque", "model_torque")
"""Columns a fit may explain. Of the measured ones the user states which where a recording has several; what the
controller asked for or believed is used only when named."""
POSITION_BAND = 5.0
"""Cut-off of the positions beside that of the torque. J2 4.1 has 2.5. A lower one rounds off the sudden stop at a
reversal and so moves it in time, by more than the noise of the torque; what noise a higher one lets into the
accelerations is taken out again by the filter that all columns pass."""
OVERSAMPLING = 20.0
"""Working rate beside the cut-off: derivatives are taken before thinning, so 20 samples a period are plenty."""
LONG = 500_000
OVERSAMPLING_OF_LONG = 12.0
"""The same for pieces of more samples, where memory counts; only the instants at which motion turns get coarser."""
LONGEST_GAP = 0.5
"""Periods of the cut-off frequency; over a longer gap nothing can be said, the recording is cut there."""
SHORTEST = 3.0
"""Settling times of the filter; a shorter piece would be all transient."""
ANTI_ALIAS = 0.8
"""Cut-off of the torque before samples are dropped, beside the new Nyquist frequency."""
TAPS = 6
"""Samples that a shift by part of a period is interpolated from."""

DIFFERENTIATIONS = ("band_pass", "savitzky_golay")


@dataclass(frozen=True, kw_only=True, eq=False)
class Signals:
    """One gapless piece of a recording; arrays (samples, joints), joint torque in `torque`.

    `q` is the link position where it was measured, else the rotor's reflected to the output side (`link_measured`
    says which). `theta` and its derivatives are motor coordinates: measured, or C q.
    """

    name: str
    rate_hz: float
    time: Array
    q: Array
    dq: Array
    ddq: Array
    theta: Array
    dtheta: Array
    ddtheta: Array
    torque: Array
    """joint torque as measured, not filtered"""
    speed: Array
    """measured joint speed where recorded, else dq: what decides whether a joint moves"""
    temperature: Array | None = None
    link_measured: bool = True
    rotor_measured: bool = False
    stamp_period: float = 0.0
    """mean time between the recorded stamps, s"""
    edge: int = 0
    """samples at either end that filters spoil"""
    travel: Callable[[], Array] | None = None
    """finds `way`, which only friction with memory needs"""
    known: Array | None = None
    """part of the joint torque that is known beforehand and need not be explained; on the clock of the positions"""
    commanded: Array | None = None
    """link position the controller was asked for, where it was recorded: motion without the noise of the encoders"""

    def __len__(self) -> int:
        return len(self.time)

    @functools.cached_property
    def way(self) -> Array | None:
        """Motor coordinates that drive friction with memory, fine at the stops of motion; None: `theta` does."""
        return None if self.travel is None else self.travel()


def torque_column(recording: Recording, torque: str | None) -> str:
    """The column whose values are explained; never guessed where there are several."""
    present = [name for name in TORQUES if name in recording]
    if torque is not None:
        if torque not in present:
            raise UnknownNameError("torque column of this recording", torque, present)
        return torque
    measured = [name for name in present if name in MEASURED]
    if len(measured) != 1:
        raise ParameterError(
            "torque column",
            "not stated" if measured else "missing",
            f"named by you (--torque): {' or '.join(present or TORQUES)}",
        )
    return measured[0]


def joint_torque(recording: Recording, robot: Robot, torque: str | None = None) -> Array:
    """Measured torque at the joints (samples, n): tau_m = K_tau i, reflected through the coupling C^T."""
    name = torque_column(recording, torque)
    values = recording[name]
    if name == "joint_torque":
        return values
    if name == "current":
        constants = [
            (f"joints.{j.name}.drive.torque_constant", j.drive.torque_constant)
            for j in robot.joints
        ]
        robot.require("torque from current", constants)
        values = values * np.array([float(c) for _, c in constants if not isinstance(c, Unknown)])
    return values @ robot.coupling_matrix()


def signals(
    recording: Recording,
    robot: Robot,
    *,
    filter_hz: float,
    torque: str | None = None,
    name: str = "recording",
    differentiation: str = "band_pass",
) -> list[Signals]:
    """The gapless pieces of a recording that are long enough for the filter, as identification reads them."""
    check_joints(recording, robot)
    measured = joint_torque(recording, robot, torque)
    pieces: list[Signals] = []
    for part in _pieces(recording.time, filter_hz):
        piece = _piece(recording, robot, measured, part, filter_hz, differentiation)
        if piece is not None:
            pieces.append(_named(piece, name, len(pieces)))
    if not pieces:
        raise ParameterError(
            f"duration of {name}",
            f"{recording.time[-1] - recording.time[0]:.3g} s without a gap",
            f"at least {2 * SHORTEST * filters.SETTLING / filter_hz:.3g} s for a low-pass of {filter_hz:g} Hz",
        )
    return pieces


def check_joints(recording: Recording, robot: Robot) -> None:
    """Raise unless the recording has the robot's joints."""
    names = tuple(j.name for j in robot.joints)
    if recording.joint_names != names:
        raise ParameterError(
            "joints of the recording",
            ", ".join(recording.joint_names),
            f"those of {robot.name}: {', '.join(names)}",
        )


def _pieces(time: Array, filter_hz: float) -> Iterator[slice]:
    steps = np.diff(time)
    if len(time) < 2 or steps.min() <= 0.0 or not np.isfinite(time).all():
        raise ParameterError(
            "time", "not increasing", "increasing stamps", "run `jointwise check` first"
        )
    allowed = max(LONGEST_GAP / filter_hz, 3.0 * float(np.median(steps)))
    edges = [0, *(np.flatnonzero(steps > allowed) + 1), len(time)]
    for start, stop in itertools.pairwise(edges):
        yield slice(int(start), int(stop))


def _piece(
    recording: Recording,
    robot: Robot,
    measured: Array,
    part: slice,
    filter_hz: float,
    differentiation: str,
) -> Signals | None:
    stamps = recording.time[part]
    shortest = 2 * SHORTEST * filters.SETTLING / filter_hz
    if len(stamps) < 20 or stamps[-1] - stamps[0] < shortest:
        return None
    rate = (len(stamps) - 1) / (stamps[-1] - stamps[0])
    time = stamps[0] + np.arange(len(stamps)) / rate
    oversampling = OVERSAMPLING if len(stamps) <= LONG else OVERSAMPLING_OF_LONG
    keep = max(1, int(rate / (oversampling * filter_hz)))
    position_hz = POSITION_BAND * filter_hz

    coupling = robot.coupling_matrix()

    def derived(values: Array) -> list[Array]:
        """Position and derivatives of each joint at the kept samples; of a long piece a few at a time."""
        out = [np.empty((len(time[::keep]), values.shape[1])) for _ in range(3)]
        for part in _column_blocks(values):
            even = _even(time, stamps, values[:, part])
            found = _derivatives(even, rate, position_hz, differentiation)
            for target, source in zip(out, found, strict=True):
                target[:, part] = source[::keep]
        return out

    def thinned(values: Array) -> Array:
        return np.column_stack([np.interp(time[::keep], stamps, column) for column in values.T])

    def way_of(position: Array, speed: Array) -> Array:
        even = [_even(time, stamps, values)[::keep] for values in (position, speed)]
        steps = [step_of(column) for column in position.T]
        each = zip(even[0].T, even[1].T, steps, strict=True)
        way = [travelled(q, dq, rate / keep, step) for q, dq, step in each]
        return np.column_stack(way) @ coupling.T

    has_link, has_rotor = "q" in recording, "theta" in recording
    if not has_link and not has_rotor:
        raise UnknownNameError("position column of this recording", "q or theta", recording.columns)
    rotor = derived(recording["theta"][part]) if has_rotor else None
    link: list[Array] = []
    if rotor is not None:
        link = [np.asarray(np.linalg.solve(coupling, v.T).T) for v in rotor]
    if has_link:
        link = _measured_over(link, derived, recording["q"][part])
    if rotor is None:
        rotor = link if robot.coupling is None else [v @ coupling.T for v in link]
    torque = measured[part]
    speed, travel = link[1], None
    if _finite(recording, "dq"):
        turned = recording["dq"][part]
        speed = thinned(turned)
        if not has_rotor:
            travel = functools.partial(way_of, recording["q"][part], turned)
    return Signals(
        name="",
        rate_hz=rate / keep,
        time=time[::keep],
        q=link[0],
        dq=link[1],
        ddq=link[2],
        theta=rotor[0],
        dtheta=rotor[1],
        ddtheta=rotor[2],
        torque=_averaged(time, stamps, torque, rate, keep),
        speed=speed,
        temperature=thinned(recording["temperature"][part]) if "temperature" in recording else None,
        commanded=thinned(recording["q_ref"][part]) if _finite(recording, "q_ref") else None,
        link_measured=has_link,
        rotor_measured=has_rotor,
        stamp_period=1.0 / rate,
        edge=filters.settling_samples(rate / keep, filter_hz),
        travel=travel,
    )


def _finite(recording: Recording, name: str) -> bool:
    return name in recording and bool(np.isfinite(recording[name]).all())


def _measured_over(
    fallback: list[Array], derived: Callable[[Array], list[Array]], q: Array
) -> list[Array]:
    """Link motion of the joints whose link encoder was recorded, and that of the rotors for the others."""
    seen = np.isfinite(q).all(axis=0)
    if seen.all():
        return derived(q)
    if not fallback:
        raise ParameterError(
            "column q", f"NaN at joint {int(np.argmin(seen)) + 1}", "finite where theta is missing"
        )
    link = [values.copy() for values in fallback]
    for target, values in zip(link, derived(q[:, seen]), strict=True):
        target[:, seen] = values
    return link


def _averaged(time: Array, stamps: Array, values: Array, rate: float, keep: int) -> Array:
    """Torque at the kept samples; where samples are dropped, low-passed first so that nothing folds back."""
    out = np.empty((len(time[::keep]), values.shape[1]))
    for part in _column_blocks(values):
        even = np.column_stack([np.interp(time, stamps, column) for column in values[:, part].T])
        if keep > 1:
            cutoff = 0.5 * ANTI_ALIAS * rate / keep
            out[:, part] = filters.zero_phase(even, cutoff, rate, keep=slice(None, None, keep))
        else:
            out[:, part] = even
    return out


def _column_blocks(values: Array) -> Iterator[slice]:
    """Groups of columns that are small enough to be worked on together."""
    width = max(1, filters.LARGE // len(values))
    for first in range(0, values.shape[1], width):
        yield slice(first, first + width)


def _even(time: Array, stamps: Array, values: Array) -> Array:
    """Columns on the even clock; cubic between uneven stamps, which keeps accelerations smooth."""
    if np.max(np.abs(time - stamps)) < 1e-9 * max(1.0, abs(time[-1])):
        return values
    from jointwise.kernels.resampling import shape_keeping_batch

    out = np.empty((len(time), values.shape[1]))
    given = [filters.for_kernels(v) for v in (stamps, values, time)]
    shape_keeping_batch(given[0], given[1], given[2], out)
    return out


def _derivatives(
    values: Array, rate: float, position_hz: float, differentiation: str
) -> tuple[Array, Array, Array]:
    if differentiation == "savitzky_golay":
        return filters.savitzky_golay(values, rate, 1.0 / position_hz)
    if differentiation != "band_pass":
        raise UnknownNameError("way of differentiation", differentiation, DIFFERENTIATIONS)
    if position_hz < 0.45 * rate:
        values = filters.zero_phase(values, position_hz, rate)
    return values, *filters.central_differences(values, rate)


def _named(piece: Signals, name: str, count: int) -> Signals:
    from dataclasses import replace

    return replace(piece, name=name if count == 0 else f"{name} (part {count + 1})")


def shifted(
    values: Array,
    rate_hz: float,
    delay: float | Sequence[float] | Array,
    keep: slice = slice(None),
) -> Array:
    """Values (samples, n) as they stand `delay` seconds later, at the kept samples; the ends repeat.

    One delay for all columns or one for each. Lagrange's polynomial through TAPS samples: a straight line would damp
    what lies between two of them, and a search for the delay would mistake the smaller noise for a better one.
    """
    late = np.broadcast_to(np.asarray(delay, dtype=np.float64), values.shape[1:])
    if not late.any():
        return values if keep == slice(None) else values[keep]
    out = np.zeros_like(values[keep])
    for d in np.unique(late):
        for whole, weight in zip(*taps(np.array(d * rate_hz)), strict=True):
            out[:, late == d] += weight * moved(values[:, late == d], int(whole), keep)
    return out


def taps(samples: Array) -> tuple[NDArray[np.int64], Array]:
    """By how many whole samples to move values, and with which weights to add them, to move them by a part of one.

    (..., TAPS) each.
    """
    whole = np.floor(samples).astype(np.int64)
    nodes = np.arange(TAPS) - (TAPS // 2 - 1)
    itself = np.eye(TAPS, dtype=bool)
    apart = np.where(itself, 1, nodes[:, None] - nodes)
    left = (samples - whole)[..., None, None] - nodes
    weights = np.prod(np.where(itself, 1.0, left) / apart, axis=-1)
    return whole[..., None] + nodes, weights


def moved(values: Array, whole: int, keep: slice = slice(None)) -> Array:
    """Values as they stand so many samples later, at the kept samples; the ends repeat."""
    places = np.arange(len(values))[keep] + whole
    return np.asarray(values[np.clip(places, 0, len(values) - 1)])
