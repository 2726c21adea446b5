"""Damage of columns: values that are not there, columns that are empty, doubled or missing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from damage import changed, damage, middle, moving, named, position, positions, step, torque, two


@damage("not_finite")
def isolated_nan(rec, rng):
    j, name = moving(rec, rng), position(rec, rng)
    at = rng.choice(np.arange(20, len(rec) - 20), max(2, len(rec) // 400), replace=False)
    return changed(rec, name, lambda v: v.__setitem__((at, j), np.nan)), named(rec, j)


@damage("not_finite")
def block_of_nan(rec, rng):
    j, name = moving(rec, rng), rng.choice([position(rec, rng), torque(rec)])
    k = middle(rec, rng)
    width = max(8, int(0.4 / step(rec)))
    return changed(rec, name, lambda v: v.__setitem__((slice(k, k + width), j), np.nan)), named(
        rec, j
    )


@damage("not_finite")
def infinite_torque(rec, rng):
    j, k = moving(rec, rng), middle(rec, rng)
    return changed(rec, torque(rec), lambda v: v.__setitem__((k, j), np.inf)), named(rec, j)


@damage("empty_column")
def column_of_nan(rec, rng):
    j = moving(rec, rng)
    return changed(rec, torque(rec), lambda v: v.__setitem__((slice(None), j), np.nan)), named(
        rec, j
    )


@damage("zero_column")
def torque_of_zeros(rec, rng):
    j = moving(rec, rng)
    return changed(rec, torque(rec), lambda v: v.__setitem__((slice(None), j), 0.0)), named(rec, j)


@damage("zero_column")
def position_of_zeros(rec, rng):
    j, name = moving(rec, rng), positions(rec)[0]
    return changed(rec, name, lambda v: v.__setitem__((slice(None), j), 0.0)), named(rec, j)


@damage("constant_column")
def dead_torque(rec, rng):
    j = moving(rec, rng)
    value = float(rec[torque(rec)][0, j]) + 0.1
    return changed(rec, torque(rec), lambda v: v.__setitem__((slice(None), j), value)), named(
        rec, j
    )


@damage("repeated_column", needs=("two",))
def column_twice(rec, rng):
    i, j = two(rec, rng)
    name = rng.choice([position(rec, rng), torque(rec)])
    return changed(rec, name, lambda v: v.__setitem__((slice(None), j), v[:, i])), named(rec, j)


@damage("missing_column")
def no_torque(rec, rng):
    gone = ("current", "motor_torque", "joint_torque", "command_torque", "phase_a", "phase_b")
    columns = {n: v for n, v in rec.columns.items() if n not in gone}
    return replace(rec, columns=columns), ()


@damage("missing_column")
def no_position(rec, rng):
    columns = {n: v for n, v in rec.columns.items() if n not in ("q", "theta")}
    return replace(rec, columns=columns), ()


@damage("joint_count", needs=("two",))
def joint_missing(rec, rng):
    j = int(rng.integers(rec.n))
    keep = [k for k in range(rec.n) if k != j]
    columns = {n: v[:, keep] for n, v in rec.columns.items()}
    return replace(rec, joint_names=named(rec, *keep), columns=columns), ()


@damage("joint_names", needs=("two",))
def joints_in_another_order(rec, rng):
    order = rng.permutation(rec.n)
    while np.all(order == np.arange(rec.n)):
        order = rng.permutation(rec.n)
    columns = {n: v[:, order] for n, v in rec.columns.items()}
    return replace(rec, joint_names=named(rec, *order), columns=columns), ()
