"""One step of an arm with flexible joints; spec 03.3, T(2.23)-(2.24) with friction on either side of the gear.

    M ddq  + C dq + g + F_q = tau_J + tau_link
    B ddtheta + f + tau_J (1 - e'(theta)) = tau_m
    tau_J = tau_E(phi) + D dphi,   phi = theta - e(theta) - q,   e the kinematic error

The factor 1 - e' makes the kinematic error do no work: tau_E derives from a potential of phi. Friction with memory is
a map from the state at the beginning of a step and the displacement since then, so every stage of a step starts from
the same memory and only the completed step writes it.
"""

from __future__ import annotations

from jointwise.kernels.flexible import flexible_matrices
from jointwise.kernels.jit import inline
from jointwise.kernels.mass_matrix import composite_sweep, factorise, solve_factorised
from jointwise.kernels.newton_euler import PLAIN, recursion
from jointwise.laws.compiled import leaf, shared
from jointwise.laws.dispatch import (
    friction_sum,
    kinematic_error,
    kinematic_error_slope,
    transmission_torque,
)
from jointwise.plant.layout import (
    DAMPING,
    DQ,
    DTHETA,
    ERROR,
    JOINT_TORQUE,
    LEVERAGE,
    LINK_FRICTION,
    LINK_TERMS,
    LINK_TORQUE,
    MOTOR_TORQUE,
    ROTOR,
    ROTOR_FRICTION,
    ROTOR_TERMS,
    TEMPERATURE,
    THETA,
    TRANSMISSION,
    Q,
)


@shared
def drive_forces(drives, table, terms, p, x, origin, s, s_new, inputs, dt, forces):
    """Joint torques and friction at state x; `origin` (2, n) holds q and theta where the memory s belongs."""
    for j in range(x.shape[1]):
        theta = x[THETA, j]
        row = table[j]
        numbers = p[row[ERROR + 1] : row[ERROR + 2]]
        error = kinematic_error(row[ERROR], numbers, theta)
        leverage = 1.0 - kinematic_error_slope(row[ERROR], numbers, theta)
        phi = theta - error - x[Q, j]
        dphi = x[DTHETA, j] * leverage - x[DQ, j]
        numbers = p[row[TRANSMISSION + 1] : row[TRANSMISSION + 2]]
        torque = transmission_torque(row[TRANSMISSION], numbers, phi) + drives[j, DAMPING] * dphi
        heat = inputs[TEMPERATURE, j]
        forces[JOINT_TORQUE, j] = torque
        forces[LEVERAGE, j] = leverage
        rotor = (theta - origin[1, j], x[DTHETA, j], torque, heat, theta, dt)
        first, last = row[ROTOR_TERMS], row[ROTOR_TERMS + 1]
        forces[ROTOR_FRICTION, j] = friction_sum(terms, first, last, p, s, s_new, rotor)
        link = (x[Q, j] - origin[0, j], x[DQ, j], torque, heat, x[Q, j], dt)
        first, last = row[LINK_TERMS], row[LINK_TERMS + 1]
        forces[LINK_FRICTION, j] = friction_sum(terms, first, last, p, s, s_new, link)


@shared
def accelerate(arm, drives, x, inputs, forces, work, mass, rate):
    """Accelerations of links (row 0 of rate) and rotors (row 1) under the forces of the drives."""
    n = x.shape[1]
    for j in range(n):
        rate[0, j] = 0.0
    recursion(arm, x[Q], x[DQ], rate[0], rate[0], rate[0], rate[1], work, PLAIN)
    composite_sweep(arm, work, mass)
    for j in range(n):
        link = forces[JOINT_TORQUE, j] + inputs[LINK_TORQUE, j] - forces[LINK_FRICTION, j]
        rate[0, j] = link - rate[1, j]
    factorise(mass)
    solve_factorised(mass, rate[0])
    for j in range(n):
        rotor = inputs[MOTOR_TORQUE, j] - forces[JOINT_TORQUE, j] * forces[LEVERAGE, j]
        rate[1, j] = (rotor - forces[ROTOR_FRICTION, j]) / drives[j, ROTOR]


@inline
def accelerate_coupled(arm, x, inputs, forces, scratch, load, rate):
    """The same with the inertial coupling S(q) of rotors and links: T(2.22) instead of T(2.23)-(2.24).

    `arm` carries rotor inertia and gear ratio of each joint (`robot.flexible.arm_with_rotors`).
    """
    n = x.shape[1]
    mass, coriolis, gravity = flexible_matrices(arm, x[Q], x[DQ], x[DTHETA], scratch)
    for j in range(n):
        torque = forces[JOINT_TORQUE, j]
        load[j] = torque + inputs[LINK_TORQUE, j] - forces[LINK_FRICTION, j] - gravity[j]
        rotor = inputs[MOTOR_TORQUE, j] - torque * forces[LEVERAGE, j]
        load[n + j] = rotor - forces[ROTOR_FRICTION, j]
    for i in range(2 * n):
        for j in range(n):
            load[i] -= coriolis[i, j] * x[DQ, j] + coriolis[i, n + j] * x[DTHETA, j]
    factorise(mass)
    solve_factorised(mass, load)
    for j in range(n):
        rate[0, j] = load[j]
        rate[1, j] = load[n + j]


@leaf
def settle(x, origin, s, s_new, forces, heat):
    """Complete a step: the memory moves on, and friction's work since `origin` is added to `heat`."""
    for j in range(x.shape[1]):
        heat[j] += forces[ROTOR_FRICTION, j] * (x[THETA, j] - origin[1, j])
        heat[j] += forces[LINK_FRICTION, j] * (x[Q, j] - origin[0, j])
    for k in range(s.shape[0]):
        s[k] = s_new[k]


@leaf
def drift(x, dt, origin):
    """Remember where the step began and move the positions."""
    for j in range(x.shape[1]):
        origin[0, j] = x[Q, j]
        origin[1, j] = x[THETA, j]
        x[Q, j] = x[Q, j] + dt * x[DQ, j]
        x[THETA, j] = x[THETA, j] + dt * x[DTHETA, j]


@leaf
def kick(x, dt, rate):
    """Change the velocities."""
    for j in range(x.shape[1]):
        x[DQ, j] = x[DQ, j] + dt * rate[0, j]
        x[DTHETA, j] = x[DTHETA, j] + dt * rate[1, j]


@leaf
def semi_implicit_step(
    arm, drives, table, terms, p, x, s, inputs, dt, origin, s_new, forces, work, mass, rate, heat
):
    """Positions drift first, then the forces at the new positions change the velocities: first order, symplectic."""
    drift(x, dt, origin)
    drive_forces(drives, table, terms, p, x, origin, s, s_new, inputs, dt, forces)
    accelerate(arm, drives, x, inputs, forces, work, mass, rate)
    settle(x, origin, s, s_new, forces, heat)
    kick(x, dt, rate)


@inline
def coupled_step(
    arm, drives, table, terms, p, x, s, inputs, dt, origin, s_new, forces, rate, heat, scratch, load
):
    """The same with inertial coupling of rotors and links."""
    drift(x, dt, origin)
    drive_forces(drives, table, terms, p, x, origin, s, s_new, inputs, dt, forces)
    accelerate_coupled(arm, x, inputs, forces, scratch, load, rate)
    settle(x, origin, s, s_new, forces, heat)
    kick(x, dt, rate)


@inline
def rk4_step(
    arm, drives, table, terms, p, x, s, inputs, dt, origin, s_new, forces, work, mass, rate, heat,
    stages, coupled, scratch, load,
):  # fmt: skip
    """Classical fourth-order step; `stages` (2, 4, n) holds the state at the start and the sum of the slopes."""
    n = x.shape[1]
    start = stages[0]
    total = stages[1]
    for j in range(n):
        origin[0, j] = x[Q, j]
        origin[1, j] = x[THETA, j]
        for r in range(4):
            start[r, j] = x[r, j]
            total[r, j] = 0.0
    for stage in range(4):
        elapsed = 0.0 if stage == 0 else (0.5 * dt if stage < 3 else dt)
        drive_forces(drives, table, terms, p, x, origin, s, s_new, inputs, elapsed, forces)
        if coupled:
            accelerate_coupled(arm, x, inputs, forces, scratch, load, rate)
        else:
            accelerate(arm, drives, x, inputs, forces, work, mass, rate)
        weight = dt / 6.0 if stage in (0, 3) else dt / 3.0
        ahead = 0.5 * dt if stage < 2 else dt
        for j in range(n):
            total[Q, j] += weight * x[DQ, j]
            total[DQ, j] += weight * rate[0, j]
            total[THETA, j] += weight * x[DTHETA, j]
            total[DTHETA, j] += weight * rate[1, j]
            if stage < 3:
                speed_q = x[DQ, j]
                speed_theta = x[DTHETA, j]
                x[Q, j] = start[Q, j] + ahead * speed_q
                x[DQ, j] = start[DQ, j] + ahead * rate[0, j]
                x[THETA, j] = start[THETA, j] + ahead * speed_theta
                x[DTHETA, j] = start[DTHETA, j] + ahead * rate[1, j]
    for j in range(n):
        for r in range(4):
            x[r, j] = start[r, j] + total[r, j]
    drive_forces(drives, table, terms, p, x, origin, s, s_new, inputs, dt, forces)
    settle(x, origin, s, s_new, forces, heat)
