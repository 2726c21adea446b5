"""The closed loop in one kernel: measure, control, hold the command, advance the plant; spec design section 4.

For one given arm the tracer replaces `semi_implicit_step` by straight-line code (`plant.traced`); everything else of
this file is then compiled again around it.
"""

from __future__ import annotations

import numpy as np

from jointwise.kernels.flexible import flexible_scratch
from jointwise.kernels.jit import kernel
from jointwise.kernels.newton_euler import SLOTS
from jointwise.laws.compiled import leaf
from jointwise.plant.environment import outside_torque
from jointwise.plant.layout import (
    DQ,
    DTHETA,
    FORCES,
    JOINT_TORQUE,
    LINK_FRICTION,
    MOTOR_TORQUE,
    ROTOR_FRICTION,
    TEMPERATURE,
    THETA,
    Q,
)
from jointwise.plant.measure import (
    OIL,
    R_COMMAND,
    R_DQ,
    R_DTHETA,
    R_FRICTION,
    R_JOINT_TORQUE,
    R_LINK_FRICTION,
    R_OIL,
    R_Q,
    R_THETA,
    TORQUE,
    measure,
    servo,
    torque_command,
    warm_up,
)
from jointwise.plant.step import coupled_step, drive_forces, rk4_step, semi_implicit_step

SEMI_IMPLICIT, RK4 = 0, 1
FASTEST = 1e4  # rad/s; a joint faster than this has diverged
HOTTEST = 1e4  # degC; likewise


@leaf
def truth(x, temperature, torque, forces, record):
    """Fill the rows of a record that no sensor sees."""
    for j in range(x.shape[1]):
        record[R_COMMAND, j] = torque[j]
        record[R_Q, j] = x[Q, j]
        record[R_DQ, j] = x[DQ, j]
        record[R_THETA, j] = x[THETA, j]
        record[R_DTHETA, j] = x[DTHETA, j]
        record[R_JOINT_TORQUE, j] = forces[JOINT_TORQUE, j]
        record[R_FRICTION, j] = forces[ROTOR_FRICTION, j]
        record[R_LINK_FRICTION, j] = forces[LINK_FRICTION, j]
        record[R_OIL, j] = temperature[OIL, j]


@leaf
def diverged(x, temperature):
    """True where a joint is not finite, absurdly fast or absurdly hot."""
    for j in range(x.shape[1]):
        fast = max(abs(x[DQ, j]), abs(x[DTHETA, j]))
        if not (fast < FASTEST and abs(x[Q, j]) < 1e9 and abs(x[THETA, j]) < 1e9):
            return True
        if not max(abs(temperature[0, j]), abs(temperature[OIL, j])) < HOTTEST:
            return True
    return False


@leaf
def age(wear, p, x, before):
    """Let parameters drift with the way gone, inside bounds; wear: place in p, joint, change per rad, lower, upper."""
    for k in range(wear.shape[0]):
        j, place = int(wear[k, 1]), int(wear[k, 0])
        drifted = p[place] + wear[k, 2] * abs(x[THETA, j] - before[j])
        p[place] = min(max(drifted, wear[k, 3]), wear[k, 4])


@kernel
def run(
    arm,
    drives,
    table,
    terms,
    p,
    sensors,
    thermal,
    wear,
    gains,
    reference,
    noise,
    jitter,
    events,
    wrench,
    wall,
    x,
    s,
    temperature,
    memory,
    period,
    substeps,
    method,
    coupled,
    servoed,
    out,
):
    """Advance the closed loop over all ticks of `reference` (ticks, 3, n), with one record per tick in `out`.

    `x` (4, n), `s`, `temperature` (2, n), `memory` and, where it wears, `p` are the state and are changed in place.
    `noise`, `events` and `wrench` have one entry per tick, or a single one for all. Returns the number of ticks
    completed; fewer than asked for means that the arm diverged in the last of them, and `x` holds the last good
    state.
    """
    n = x.shape[1]
    dt = period / substeps
    inputs = np.zeros((3, n))
    origin = np.empty((2, n))
    s_new = np.empty_like(s)
    forces = np.zeros((FORCES, n))
    work = np.empty((n, SLOTS))
    mass = np.empty((n, n))
    rate = np.zeros((2, n))
    heat = np.zeros(n)
    stages = np.empty((2, 4, n))
    poses = np.empty((n + 1, 3, 4))
    tool = np.empty((3, 4))
    load = np.empty(2 * n)
    scratch = flexible_scratch(n if coupled else 1)
    torque = np.zeros(n)
    good = x.copy()
    cool = temperature.copy()
    touched = wall[0] > 0.0 or np.any(wrench != 0.0)
    for tick in range(reference.shape[0]):
        record = out[tick]
        event = events[tick if events.shape[0] > 1 else 0]
        push = wrench[tick if wrench.shape[0] > 1 else 0]
        sample = noise[tick if noise.shape[0] > 1 else 0]
        stagger = jitter[tick if jitter.shape[0] > 1 else 0]
        for j in range(n):
            origin[0, j] = x[Q, j]
            origin[1, j] = x[THETA, j]
            inputs[TEMPERATURE, j] = temperature[OIL, j]
            torque[j] = memory[j, TORQUE]
        drive_forces(drives, table, terms, p, x, origin, s, s_new, inputs, 0.0, forces)
        measure(sensors, x, torque, temperature, stagger, sample, event, memory, record)
        if servoed:
            servo(sensors, gains, reference[tick], record, event, memory, period, torque)
        else:
            torque_command(sensors, reference[tick], record, event, memory, torque)
        truth(x, temperature, torque, forces, record)
        for j in range(n):
            inputs[MOTOR_TORQUE, j] = torque[j]
            memory[j, TORQUE] = torque[j]
            heat[j] = 0.0
            good[0, j] = x[0, j]
            good[1, j] = x[1, j]
            good[2, j] = x[2, j]
            good[3, j] = x[3, j]
        for _ in range(substeps):
            if touched:
                outside_torque(arm, x, push, wall, poses, tool, inputs)
            if method == RK4:
                rk4_step(
                    arm, drives, table, terms, p, x, s, inputs, dt, origin, s_new, forces, work, mass,
                    rate, heat, stages, coupled, scratch, load,
                )  # fmt: skip
            elif coupled:
                coupled_step(
                    arm, drives, table, terms, p, x, s, inputs, dt, origin, s_new, forces, rate, heat,
                    scratch, load,
                )  # fmt: skip
            else:
                semi_implicit_step(
                    arm, drives, table, terms, p, x, s, inputs, dt, origin, s_new, forces, work, mass,
                    rate, heat,
                )  # fmt: skip
        cool[:] = temperature
        warm_up(thermal, torque, heat, period, temperature)
        if diverged(x, temperature):
            x[:] = good
            temperature[:] = cool
            return tick
        if wear.shape[0] > 0:
            age(wear, p, x, good[THETA])
    return reference.shape[0]
