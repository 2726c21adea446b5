"""How many harmonics a kinematic error has: the fewest that predict strokes left out about as well as any number does.

Sums of products of all candidate columns are formed once for every stroke; every number of harmonics of the output and
of the rotor, with and without a lone wave of the link's encoder, is then a small system of equations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.joint.kinematic_error_strokes import Strokes

Array = NDArray[np.float64]
HARMONICS = (1, 2, 3, 4, 6, 8, 12)
"""Candidates for the output's family; T: no more than twelve are needed."""
ROTOR = 6
"""Most harmonics of the rotor's family."""
LONE = 64
"""Most cycles a turn of a lone wave."""
SMALL_GAIN = 0.03
"""Share of the mean squared error below which a gain is not worth another harmonic, however sure it is."""
FOLDS = 5
PLAIN = 3
"""Columns that are always there: offset, direction (half the backlash), acceleration (the links bend the gear)."""


class Chosen(NamedTuple):
    """Harmonics of output and rotor, cycles of the lone wave (0: none)."""

    order: int
    rotor: int
    wave: int


class Sums(NamedTuple):
    """Products of the columns with each other, with the deformation, and its square, for every stroke."""

    squares: Array
    shares: Array
    size: Array
    rows: int
    fold: NDArray[np.int64]


def columns(data: Strokes, chosen: Chosen, ratio: float) -> Array:
    """Offset, direction, acceleration, output family, rotor family, lone wave."""
    every = _every(data, chosen.order, chosen.rotor, ratio)
    if chosen.wave:
        angle = chosen.wave * data.theta
        every = np.column_stack([every, np.cos(angle), np.sin(angle)])
    return every


def _every(data: Strokes, order: int, rotor: int, ratio: float) -> Array:
    parts = [np.ones_like(data.theta), data.direction, data.alpha]
    waves = [float(n) for n in range(1, order + 1)]
    waves += [2.0 * n * ratio for n in range(1, rotor + 1)]
    for cycles in waves:
        parts += [np.cos(cycles * data.theta), np.sin(cycles * data.theta)]
    return np.column_stack(parts)


def solved(data: Strokes, design: Array, order: int, tame: float) -> Array:
    """Weighted least squares, harmonics of the output held small by `tame`."""
    weighted, phi = design * data.weight[:, None], data.phi * data.weight
    if tame > 0.0:
        hold = np.diag(np.sqrt(_hold(np.arange(design.shape[1]), order, tame) * len(phi)))
        weighted = np.concatenate([weighted, hold])
        phi = np.concatenate([phi, np.zeros(len(hold))])
    # Accelerations are a thousandth of the other columns.
    scale = np.maximum(np.linalg.norm(weighted, axis=0), 1e-300)
    return np.asarray(np.linalg.lstsq(weighted / scale, phi, rcond=1e-12)[0] / scale)


def choose(
    data: Strokes, orders: tuple[int, ...], rotor: int, ratio: float, tame: float
) -> tuple[Chosen, dict[Chosen, Array]]:
    """The fewest harmonics within one standard error of the best on strokes left out, and all errors squared."""
    sums = _sums(data, rotor, ratio)
    every = np.ones(len(sums.size), dtype=bool)
    errors: dict[Chosen, Array] = {}
    for order in orders:
        for count in range(rotor + 1):
            alone = Chosen(order, count, 0)
            errors[alone] = _left_out(sums, alone, tame, False)
            beside = alone._replace(wave=_lone(sums, every, alone, tame))
            errors[beside] = _left_out(sums, alone, tame, True)
    best = errors[min(errors, key=lambda one: float(errors[one].sum()))]
    fewest = sorted(errors, key=lambda one: one.order + one.rotor + (one.wave > 0))
    return next(one for one in fewest if _as_good(errors[one], best)), errors


def least(errors: dict[Chosen, Array], order: int) -> float:
    """Mean squared error of a cycle with so many harmonics of the output, whatever the others."""
    return min(float(found.mean()) for one, found in errors.items() if one.order == order)


def _as_good(errors: Array, best: Array) -> bool:
    excess, count = errors - best, len(errors)
    slack = float(excess.std(ddof=min(1, count - 1))) / np.sqrt(count)
    return bool(excess.mean() <= max(slack, SMALL_GAIN * float(best.mean())))


def _sums(data: Strokes, rotor: int, ratio: float) -> Sums:
    design = _every(data, LONE - 1, rotor, ratio) * data.weight[:, None]
    phi = data.phi * data.weight
    # A cycle, forward and backward, is one piece of evidence.
    cycle = data.stroke // 2
    edges = np.flatnonzero(np.diff(cycle, prepend=-1))
    parts = [slice(a, b) for a, b in zip(edges, [*edges[1:], len(cycle)], strict=True)]
    return Sums(
        squares=np.array([design[p].T @ design[p] for p in parts]),
        shares=np.array([design[p].T @ phi[p] for p in parts]),
        size=np.array([float(phi[p] @ phi[p]) for p in parts]),
        rows=len(phi),
        fold=np.arange(len(parts)) % FOLDS,
    )


def _places(chosen: Chosen) -> NDArray[np.int64]:
    """Places of a candidate's columns among all of them; a lone wave is one more harmonic of the output."""
    output = PLAIN + np.arange(2 * chosen.order)
    rotor = PLAIN + 2 * (LONE - 1) + np.arange(2 * chosen.rotor)
    lone = PLAIN + 2 * (chosen.wave - 1) + np.arange(2 if chosen.wave else 0)
    return np.concatenate([np.arange(PLAIN), output, rotor, lone])


def _hold(place: NDArray[np.int64], order: int, tame: float) -> Array:
    """Weight of a column's size, by the steepness of its harmonic."""
    harmonic = (place - PLAIN) // 2 + 1
    return np.asarray(np.where((place >= PLAIN) & (harmonic <= order), tame * harmonic**2, 0.0))


def _values(sums: Sums, kept: NDArray[np.bool_], chosen: Chosen, tame: float) -> Array:
    place = _places(chosen)
    matrix = sums.squares[kept].sum(axis=0)[np.ix_(place, place)]
    matrix = matrix + np.diag(_hold(place, chosen.order, tame) * sums.rows)
    scale = 1.0 / np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    matrix = matrix * np.outer(scale, scale)
    share = sums.shares[kept].sum(axis=0)[place] * scale
    return np.asarray(scale * np.linalg.lstsq(matrix, share, rcond=1e-13)[0])


def _left_out(sums: Sums, chosen: Chosen, tame: float, lone: bool) -> Array:
    """Squared error of each cycle, predicted from those of the other folds; so is which lone wave there is."""
    out = np.zeros(len(sums.size))
    for fold in np.unique(sums.fold):
        rest = sums.fold != fold
        if not rest.any():
            return out
        if lone:
            chosen = chosen._replace(wave=_lone(sums, rest, chosen._replace(wave=0), tame))
        place, values = _places(chosen), _values(sums, rest, chosen, tame)
        for k in np.flatnonzero(~rest):
            square = values @ sums.squares[k][np.ix_(place, place)] @ values
            out[k] = sums.size[k] - 2.0 * values @ sums.shares[k][place] + square
    return out


def _lone(sums: Sums, kept: NDArray[np.bool_], chosen: Chosen, tame: float) -> int:
    """Cycles a turn of the wave that is largest in what the others leave, at least one apart from the harmonics."""
    values = _values(sums, kept, chosen, tame)
    seen = sums.squares[kept][:, :, _places(chosen)].sum(axis=0) @ values
    rest = sums.shares[kept].sum(axis=0) - seen
    waves = rest[PLAIN : PLAIN + 2 * (LONE - 1)].reshape(-1, 2)
    sizes = np.hypot(waves[:, 0], waves[:, 1])
    sizes[: chosen.order + 1] = 0.0
    return int(np.argmax(sizes)) + 1
