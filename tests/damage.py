"""Kinds of damage a recording can have, drawn at random from a seed, and sound recordings to damage.

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


# ---- values that are not there ----------------------------------------------------------------


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


# ---- clock ------------------------------------------------------------------------------------


@damage("bad_stamps")
def stamps_missing(rec, rng):
    time = rec.time.copy()
    time[rng.choice(np.arange(10, len(rec) - 10), 3, replace=False)] = np.nan
    return replace(rec, time=time), ()


@damage("unsorted_time")
def rows_out_of_order(rec, rng):
    index = np.arange(len(rec))
    for _ in range(int(rng.integers(1, 6))):
        k, width = middle(rec, rng), int(rng.integers(2, 30))
        index[k : k + width] = rng.permutation(index[k : k + width])
    if np.all(index == np.arange(len(rec))):
        index[[50, 60]] = index[[60, 50]]
    return rows(rec, index), ()


@damage("unsorted_time")
def blocks_exchanged(rec, rng):
    a = len(rec) // 4
    b = a + max(10, int(rng.uniform(0.1, 0.2) * len(rec)))
    c = b + max(10, int(rng.uniform(0.1, 0.2) * len(rec)))
    index = np.concatenate((np.arange(a), np.arange(b, c), np.arange(a, b), np.arange(c, len(rec))))
    return rows(rec, index), ()


@damage("duplicate_rows")
def rows_written_twice(rec, rng):
    twice = rng.choice(len(rec), max(1, len(rec) // 100), replace=False)
    return rows(rec, np.sort(np.concatenate((np.arange(len(rec)), twice)))), ()


@damage("duplicate_time")
def stamps_written_twice(rec, rng):
    time = rec.time.copy()
    for k in rng.choice(np.arange(1, len(rec)), max(1, len(rec) // 200), replace=False):
        time[k] = time[k - 1]
    return replace(rec, time=time), ()


@damage("time_unit")
def time_in_milliseconds(rec, rng):
    return replace(rec, time=rec.time * 1e3), ()


@damage("time_unit")
def time_in_microseconds(rec, rng):
    return replace(rec, time=rec.time * 1e6), ()


@damage("time_unit")
def time_in_minutes(rec, rng):
    return replace(rec, time=rec.time / 3600.0), ()


@damage("coarse_stamps")
def stamps_rounded(rec, rng):
    coarse = step(rec) * float(rng.uniform(4.0, 12.0))
    return replace(rec, time=np.floor(rec.time / coarse) * coarse), ()


@damage("gap")
def gap(rec, rng):
    k = middle(rec, rng, 0.2)
    width = int(rng.uniform(0.3, 1.0) / step(rec))
    return rows(rec, np.delete(np.arange(len(rec)), slice(k, k + width))), ()


@damage("lost_samples")
def samples_lost(rec, rng):
    share = float(rng.uniform(0.05, 0.2))
    keep = rng.random(len(rec)) >= share
    keep[[0, -1]] = True
    return rows(rec, np.flatnonzero(keep)), ()


@damage("late_samples")
def stamps_late(rec, rng):
    late = rng.random(len(rec)) < rng.uniform(0.05, 0.15)
    late[[0, -1]] = False
    late[1:] &= ~late[:-1]
    return replace(
        rec, time=rec.time + 0.8 * step(rec) * late * rng.uniform(0.8, 1.0, len(rec))
    ), ()


@damage("late_samples")
def stamps_very_late(rec, rng):
    late = rng.random(len(rec)) < rng.uniform(0.05, 0.2)
    delay = np.where(late, rng.uniform(3.0, 20.0, len(rec)) * step(rec), 0.0)
    return replace(rec, time=rec.time + delay), ()


@damage("clock_jump")
def clock_jumps(rec, rng):
    time, j = rec.time.copy(), moving(rec, rng)
    time[fast_row(rec, rng, j, 0.1, 0.9) :] += float(rng.uniform(0.5, 2.0))
    return replace(rec, time=time), ()


@damage("clock_restart")
def two_recordings_in_one(rec, rng):
    k = int(rng.uniform(0.4, 0.6) * len(rec))
    time = rec.time - rec.time[0]
    index = np.concatenate((np.arange(len(rec)), np.arange(k)))
    return rows(rec, index, np.concatenate((time, time[:k]))), ()


@damage("time_step_change")
def clock_changes_speed(rec, rng):
    k = int(rng.uniform(0.3, 0.7) * len(rec))
    time = rec.time.copy()
    time[k:] = time[k] + float(rng.choice([0.5, 1.5, 2.0])) * (time[k:] - time[k])
    return replace(rec, time=time), ()


@damage("time_step_change")
def rate_changes(rec, rng):
    k = int(rng.uniform(0.3, 0.7) * len(rec))
    return rows(rec, np.concatenate((np.arange(k), np.arange(k, len(rec), 2)))), ()


@damage("clock_drift", needs=("dq",))
def clock_drifts(rec, rng):
    t = rec.time - rec.time[0]
    return replace(rec, time=t + float(rng.uniform(0.07, 0.11)) * t**2 / t[-1]), ()


@damage("too_short")
def too_short(rec, rng):
    return rows(rec, np.arange(min(int(0.5 / step(rec)), 40))), ()


@damage("slow_sampling", "time_unit", needs=("slow",))
def sampled_too_slowly(rec, rng):
    every = min(int(float(rng.uniform(0.2, 0.35)) / step(rec)), len(rec) // 60)
    return rows(rec, np.arange(0, len(rec), every)), ()


@damage("truncated")
def last_row_cut(rec, rng):
    columns = {n: v.copy() for n, v in rec.columns.items()}
    last = list(columns)[-1]
    columns[last][-1, int(rng.integers(rec.n)) :] = np.nan
    return replace(rec, columns=columns), ()


@damage("ends_in_motion", needs=("rest",))
def end_lost(rec, rng):
    j = moving(rec, rng)
    return rows(rec, np.arange(fast_row(rec, rng, j, 0.4, 0.95))), ()


# ---- rows and readings ------------------------------------------------------------------------


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


# ---- units, signs, order ----------------------------------------------------------------------


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
