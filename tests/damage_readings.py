"""Damage of rows and readings: spikes, jumps, frozen, wrapped, held and clipped sensors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from damage import (
    TURN,
    changed,
    damage,
    fast_row,
    middle,
    moving,
    named,
    position,
    positions,
    step,
    torque,
)


def _garbage(rec, rng, at):
    columns = {n: v.copy() for n, v in rec.columns.items()}
    values = np.array([253.0, -1.6e98, 0.0, 2.0, 3.1e217, 1e-310, 6.3951])
    for v in columns.values():
        for k in at:
            v[k] = rng.choice(values, rec.n)
    name = positions(rec)[0]
    columns[name][at, 0] = rng.choice([1e98, -4e150, 7e12], len(at))
    return replace(rec, columns=columns)


@damage("uninitialised_rows")
def garbage_rows(rec, rng):
    at = rng.choice(np.arange(20, len(rec) - 20), int(rng.integers(1, 5)), replace=False)
    return _garbage(rec, rng, at), ()


@damage("uninitialised_rows")
def garbage_at_the_start(rec, rng):
    return _garbage(rec, rng, np.arange(int(rng.integers(2, 12)))), ()


@damage("encoder_spike")
def encoder_spikes(rec, rng):
    j, name = moving(rec, rng), position(rec, rng)
    at = rng.choice(np.arange(20, len(rec) - 20), max(2, len(rec) // 300), replace=False)
    size = float(rng.uniform(0.1, 0.8)) * rng.choice([-1.0, 1.0], len(at))
    if rec.n == 1:
        size = 0.05 * size
    return changed(rec, name, lambda v: v.__setitem__((at, j), v[at, j] + size)), named(rec, j)


@damage("torque_spike")
def torque_spikes(rec, rng):
    j, name = moving(rec, rng), torque(rec)
    at = rng.choice(np.arange(20, len(rec) - 20), max(2, len(rec) // 400), replace=False)
    size = float(rng.uniform(3.0, 8.0)) * np.ptp(rec[name][:, j])
    return changed(rec, name, lambda v: v.__setitem__((at, j), v[at, j] + size)), named(rec, j)


@damage("wrapped_encoder", needs=("revolute",))
def encoder_wraps(rec, rng):
    j, name = moving(rec, rng), position(rec, rng)
    values = rec[name][:, j]
    edge = float(np.quantile(values, rng.uniform(0.35, 0.65)))
    return (
        changed(rec, name, lambda v: v.__setitem__((slice(None), j), (values - edge) % TURN)),
        named(rec, j),
    )


@damage("position_jump")
def encoder_jumps(rec, rng):
    j, name, k = moving(rec, rng), position(rec, rng), middle(rec, rng)
    size = float(rng.uniform(0.3, 1.0)) * rng.choice([-1.0, 1.0]) * (0.1 if rec.n == 1 else 1.0)
    return changed(rec, name, lambda v: v.__setitem__((slice(k, None), j), v[k:, j] + size)), named(
        rec, j
    )


@damage("frozen_encoder")
def encoder_freezes(rec, rng):
    j, name = moving(rec, rng), position(rec, rng)
    k = fast_row(rec, rng, j)
    width = int(rng.uniform(0.3, 1.0) / step(rec))
    return changed(rec, name, lambda v: v.__setitem__((slice(k, k + width), j), v[k, j])), named(
        rec, j
    )


@damage("frozen_encoder")
def encoder_dies(rec, rng):
    j, name = moving(rec, rng), position(rec, rng)
    k = fast_row(rec, rng, j, 0.3)
    return changed(rec, name, lambda v: v.__setitem__((slice(k, None), j), v[k, j])), named(rec, j)


@damage("frozen_torque")
def torque_freezes(rec, rng):
    j = moving(rec, rng)
    k = fast_row(rec, rng, j)
    width = int(rng.uniform(0.5, 1.5) / step(rec))
    k = max(0, k - width // 2)
    return changed(
        rec, torque(rec), lambda v: v.__setitem__((slice(k, k + width), j), v[k, j])
    ), named(rec, j)


@damage("held_samples")
def values_held(rec, rng):
    j, name, every = moving(rec, rng), position(rec, rng), int(rng.integers(3, 7))
    at = np.arange(len(rec)) // every * every
    return changed(rec, name, lambda v: v.__setitem__((slice(None), j), v[at, j])), named(rec, j)


@damage("coarse_resolution", "held_samples")
def coarse_encoder(rec, rng):
    j, name = moving(rec, rng), position(rec, rng)
    coarse = float(np.ptp(rec[name][:, j])) / float(rng.uniform(30.0, 200.0))
    return changed(
        rec, name, lambda v: v.__setitem__((slice(None), j), np.round(v[:, j] / coarse) * coarse)
    ), named(rec, j)


@damage("saturation")
def torque_clipped(rec, rng):
    j, name = moving(rec, rng), torque(rec)
    top = float(np.quantile(np.abs(rec[name][:, j]), rng.uniform(0.75, 0.93)))
    return changed(
        rec, name, lambda v: v.__setitem__((slice(None), j), np.clip(v[:, j], -top, top))
    ), named(rec, j)
