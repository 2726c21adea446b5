"""What a kind of damage to a recording is, and what all kinds need; `damages` has them all.

Every damage is large enough to change a fit. It says which findings name it and which joint it hit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jointwise.recording.recording import Recording

TURN = 2.0 * np.pi


@dataclass(frozen=True, kw_only=True)
class Damage:
    """One kind of damage: how it is done, the findings that name it, and what a recording must have."""

    name: str
    kinds: tuple[str, ...]
    apply: Callable[[Recording, np.random.Generator], tuple[Recording, tuple[str, ...]]]
    needs: tuple[str, ...] = ()
    links: bool = False
    """True where only a robot with known link inertias shows it"""


DAMAGES: list[Damage] = []


def damage(*kinds: str, needs: tuple[str, ...] = (), links: bool = False) -> Callable[[Any], Any]:
    """Register a function as a damage of its own name."""

    def register(function: Any) -> Any:
        DAMAGES.append(
            Damage(name=function.__name__, kinds=kinds, apply=function, needs=needs, links=links)
        )
        return function

    return register


# ---- helpers ----------------------------------------------------------------------------------


def positions(rec):
    return [n for n in ("q", "theta") if n in rec]


def position(rec, rng):
    names = positions(rec)
    return names[rng.integers(len(names))]


def torque(rec):
    return next(n for n in ("current", "motor_torque", "joint_torque") if n in rec)


def moving(rec, rng):
    """A joint that moves well."""
    path = np.nan_to_num(rec[positions(rec)[0]])
    good = np.flatnonzero(np.ptp(path, axis=0) > (0.3 if path.shape[1] > 1 else 0.05))
    return int(rng.choice(good))


def two(rec, rng):
    path = np.nan_to_num(rec[positions(rec)[0]])
    good = np.flatnonzero(np.ptp(path, axis=0) > 0.3)
    return tuple(sorted(int(j) for j in rng.choice(good, 2, replace=False)))


def speed(rec, j):
    return np.gradient(np.nan_to_num(rec[positions(rec)[0]])[:, j], rec.time)


def changed(rec, name, edit):
    columns = dict(rec.columns)
    values = columns[name].copy()
    edit(values)
    columns[name] = values
    return replace(rec, columns=columns)


def rows(rec, index, time=None):
    time = rec.time[index] if time is None else time
    return replace(rec, time=time, columns={n: v[index] for n, v in rec.columns.items()})


def named(rec, *joints):
    return tuple(rec.joint_names[j] for j in joints)


def step(rec):
    return float(np.median(np.diff(rec.time)))


def fast_row(rec, rng, j, low=0.1, high=0.8):
    """A row in which a joint is fast, far from both ends."""
    v = np.abs(speed(rec, j))
    part = v[int(low * len(rec)) : int(high * len(rec))]
    return int(low * len(rec)) + int(rng.choice(np.flatnonzero(part >= 0.6 * part.max())))


def middle(rec, rng, share=0.15):
    return int(rng.integers(int(share * len(rec)), int((1.0 - share) * len(rec))))


def all_kinematics(rec):
    return [n for n in ("q", "theta", "dq", "dtheta", "q_ref", "dq_ref") if n in rec]
