"""Damage of meaning: units, signs, sides and the order of columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from damage import (
    all_kinematics,
    changed,
    damage,
    fast_row,
    moving,
    named,
    positions,
    step,
    torque,
    two,
)


@damage("position_unit", needs=("revolute",))
def positions_in_degrees(rec, rng):
    for name in positions(rec):
        rec = changed(rec, name, lambda v: v.__imul__(180.0 / np.pi))
    return rec, ()


@damage("velocity_unit", needs=("dq", "revolute"))
def velocities_in_degrees(rec, rng):
    return changed(rec, "dq", lambda v: v.__imul__(180.0 / np.pi)), ()


@damage("velocity_unit", needs=("dq", "revolute"))
def velocities_in_rpm(rec, rng):
    return changed(rec, "dq", lambda v: v.__imul__(30.0 / np.pi)), ()


@damage("torque_unit", needs=("current",))
def current_in_milliamperes(rec, rng):
    return changed(rec, "current", lambda v: v.__imul__(1e3)), ()


@damage("torque_unit", needs=("constant", "weighed"), links=True)
def current_called_torque(rec, rng):
    columns = dict(rec.columns)
    columns["motor_torque"] = columns.pop("current")
    return replace(rec, columns=columns), ()


@damage("torque_unit", needs=("constant", "weighed"), links=True)
def torque_of_the_motor_side(rec, rng):
    columns = dict(rec.columns)
    columns["motor_torque"] = columns.pop("current") * 10.0 / 101.0
    return replace(rec, columns=columns), ()


@damage("temperature_unit", needs=("temperature",))
def temperature_in_kelvin(rec, rng):
    return changed(rec, "temperature", lambda v: v.__iadd__(273.15)), ()


def _exchange(rec, names, i, j):
    for name in names:
        rec = changed(rec, name, lambda v: v.__setitem__((slice(None), [i, j]), v[:, [j, i]]))
    return rec


@damage("swapped_joints", needs=("two", "matched"), links=True)
def torques_exchanged(rec, rng):
    i, j = two(rec, rng)
    return _exchange(rec, [torque(rec)], i, j), named(rec, i, j)


@damage("swapped_joints", needs=("two", "matched"), links=True)
def positions_exchanged(rec, rng):
    i, j = two(rec, rng)
    return _exchange(rec, all_kinematics(rec), i, j), named(rec, i, j)


@damage("swapped_joints", needs=("two", "dq"))
def velocities_exchanged(rec, rng):
    i, j = two(rec, rng)
    return _exchange(rec, ["dq"], i, j), named(rec, i, j)


@damage("swapped_encoders", needs=("q", "theta"))
def encoders_exchanged(rec, rng):
    columns = dict(rec.columns)
    columns["q"], columns["theta"] = columns["theta"], columns["q"]
    return replace(rec, columns=columns), ()


@damage("wrong_sign", needs=("matched",), links=True)
def torque_reversed(rec, rng):
    j = moving(rec, rng)
    return changed(rec, torque(rec), lambda v: v.__setitem__((slice(None), j), -v[:, j])), named(
        rec, j
    )


@damage("wrong_sign", needs=("matched", "two"), links=True)
def position_reversed(rec, rng):
    j = moving(rec, rng)
    for name in all_kinematics(rec):
        rec = changed(rec, name, lambda v: v.__setitem__((slice(None), j), -v[:, j]))
    return rec, named(rec, j)


@damage("wrong_sign", needs=("dq",))
def velocity_reversed(rec, rng):
    j = moving(rec, rng)
    return changed(rec, "dq", lambda v: v.__setitem__((slice(None), j), -v[:, j])), named(rec, j)


@damage("delayed_column", needs=("matched",), links=True)
def torque_delayed(rec, rng):
    shift = round(float(rng.uniform(0.06, 0.2)) / step(rec))
    name = torque(rec)
    at = np.maximum(np.arange(len(rec)) - shift, 0)
    return changed(rec, name, lambda v: v.__setitem__(slice(None), v[at])), ()


@damage("delayed_column", needs=("dq",))
def velocity_delayed(rec, rng):
    shift = max(3, round(float(rng.uniform(0.05, 0.12)) / step(rec)))
    at = np.maximum(np.arange(len(rec)) - shift, 0)
    return changed(rec, "dq", lambda v: v.__setitem__(slice(None), v[at])), ()


@damage("torque_jump", needs=("matched",))
def torque_offset_jumps(rec, rng):
    j, name = moving(rec, rng), torque(rec)
    k = fast_row(rec, rng, j, 0.2)
    size = float(rng.uniform(0.4, 1.0)) * np.ptp(rec[name][:, j]) * rng.choice([-1.0, 1.0])
    return changed(rec, name, lambda v: v.__setitem__((slice(k, None), j), v[k:, j] + size)), named(
        rec, j
    )


@damage("other_robot")
def another_robot(rec, rng):
    return replace(rec, robot="somebody_elses_arm"), ()
