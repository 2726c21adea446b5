"""The equations of links and rotors along a recording: base regressor, low-passed and thinned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.design import Design
from jointwise.recording import filters
from jointwise.recording.signals import Signals
from jointwise.robot.samples import in_threads

Array = NDArray[np.float64]
Places = NDArray[np.int64]

CHUNK = 8192
"""Samples of a long piece that are filtered at one time: some 12 MB for six joints."""
CACHED = 256
"""Samples whose whole regressor exists at one time: it stays in the cache."""
STATES = 4
"""Random states in which an entry of the regressor must be zero to be zero in all."""


class Acting(NamedTuple):
    """The entries of the base regressor that are not zero in all states: links first, then rotors."""

    joints: Places
    parameters: Places
    links: Places
    """places in the flat regressor of the links"""
    motors: Places
    """of the entries that are of rotors"""


def acting(design: Design) -> Acting:
    """Joint j does not feel the links before it, and no other motor than those that drive it."""
    robot, base, rng = design.robot, design.base, np.random.default_rng(0)
    links = 10 * robot.n
    felt = np.any(robot.regressor(*rng.uniform(-1.0, 1.0, (3, STATES, robot.n))) != 0.0, axis=0)
    if design.rotors:
        felt = np.concatenate([felt, robot.coupling_matrix().T != 0.0], axis=1)
    joints, parameters = np.nonzero(felt[:, base.kept])
    columns = base.kept[parameters]
    order = np.argsort(columns >= links, kind="stable")
    joints, parameters, columns = joints[order], parameters[order], columns[order]
    lone = columns < links
    return Acting(joints, parameters, (joints * links + columns)[lone], columns[~lone] - links)


def filtered_rigid(
    design: Design, entries: Acting, piece: Signals, filter_hz: float, kept: slice
) -> Array:
    """Base regressor (kept, n, base parameters) at these samples."""

    def links(part: slice) -> Array:
        y = design.robot.regressor(piece.q[part], piece.dq[part], piece.ddq[part])
        return y.reshape(len(y), -1)[:, entries.links]

    rotors = len(entries.links)
    share = design.robot.coupling_matrix()[entries.motors, entries.joints[rotors:]]
    turning = filters.zero_phase(piece.ddtheta, filter_hz, piece.rate_hz, keep=kept)
    out = np.zeros((len(turning), design.robot.n, design.base.count))
    smooth = filtered_in_chunks(links, rotors, piece, filter_hz, kept)
    out[:, entries.joints[:rotors], entries.parameters[:rotors]] = smooth
    out[:, entries.joints[rotors:], entries.parameters[rotors:]] = (
        turning[:, entries.motors] * share
    )
    return out


def filtered_in_chunks(
    columns: Callable[[slice], Array], count: int, piece: Signals, filter_hz: float, kept: slice
) -> Array:
    """(kept, count) of columns that need not exist along the whole piece at one time; they are asked for in turn."""
    wanted = range(len(piece))[kept]
    out = np.empty((len(wanted), count))
    margin = 2 * filters.settling_samples(piece.rate_hz, filter_hz)
    parts = list(_chunks(len(piece), margin, wanted))

    def one(part: tuple[range, slice, slice]) -> None:
        chunk, inside, target = part
        values = np.empty((len(chunk), count))
        for first in range(0, len(chunk), CACHED):
            cut = chunk[first : first + CACHED]
            values[first : first + CACHED] = columns(slice(cut.start, cut.stop))
        out[target] = filters.zero_phase(values, filter_hz, piece.rate_hz, keep=inside)

    in_threads(one, parts)
    return out


def _chunks(length: int, margin: int, kept: range) -> Iterator[tuple[range, slice, slice]]:
    """Cut a piece into overlapping parts: what to compute, what of it is kept, and where that belongs."""
    count = max(CHUNK // kept.step, 1)
    for first in range(0, len(kept), count):
        wanted = kept[first : first + count]
        low, high = max(0, wanted.start - margin), min(length, wanted[-1] + 1 + margin)
        inside = slice(wanted.start - low, wanted[-1] + 1 - low, kept.step)
        yield range(low, high), inside, slice(first, first + len(wanted))


def kept_samples(piece: Signals, step: int) -> slice:
    """Every so manieth sample, without those at either end that the filter's start-up touches."""
    thinned = range(0, len(piece), step)
    edge = min(-(-piece.edge // step), (len(thinned) - 1) // 2)
    inside = thinned[edge : len(thinned) - edge]
    return slice(inside.start, inside[-1] + 1, step)
