"""Damage of the clock: stamps and rows lost, doubled, late or out of order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from damage import damage, fast_row, middle, moving, rows, step


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
