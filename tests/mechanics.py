"""What mechanics demands of any arm, as relative errors: used by the tests on some arms, by the sweep on many."""

from __future__ import annotations

import numpy as np

from jointwise.robot.description import Robot
from lagrange import Arm


def size(values) -> float:
    return float(np.linalg.norm(np.asarray(values, dtype=np.longdouble).ravel()))


def skewness(robot: Robot, q, dq) -> float:
    """Symmetric part of dM/dt - 2C with the exact derivative, beside its size or that of M."""
    rate = np.einsum("kij,k->ij", robot.mass_matrix_derivative(q), dq)
    surplus = rate - 2.0 * robot.coriolis_matrix(q, dq)
    return size(surplus + surplus.T) / max(size(surplus), size(robot.mass_matrix(q)))


def skewness_by_differences(robot: Robot, q, dq) -> float:
    """The same with dM/dt from central differences of the mass matrix."""
    h = 1e-5
    rate = (robot.mass_matrix(q + h * dq) - robot.mass_matrix(q - h * dq)) / (2.0 * h)
    surplus = rate - 2.0 * robot.coriolis_matrix(q, dq)
    return size(surplus + surplus.T) / max(size(rate), size(robot.mass_matrix(q)))


def energy_imbalance(robot: Robot, rng: np.random.Generator) -> float:
    """d/dt(T + U) = dq . tau along q_i(t) = a_i sin(w_i t + p_i), beside the work done and taken.

    Gauss quadrature over one second is exact to rounding.
    """
    amplitude, rate, phase = rng.uniform(0.2, 1.0, (3, robot.n)) * [[1.0], [3.0], [6.0]]
    nodes, weights = np.polynomial.legendre.leggauss(64)

    def motion(t):
        angle = rate * np.asarray(t)[:, None] + phase
        velocity = amplitude * rate * np.cos(angle)
        return amplitude * np.sin(angle), velocity, -amplitude * rate**2 * np.sin(angle)

    q, dq, ddq = motion(0.5 * (nodes + 1.0))
    power = np.einsum("ti,ti->t", dq, robot.inverse_dynamics(q, dq, ddq))
    change = np.diff(sum(robot.energy(*motion([0.0, 1.0])[:2])))[0]
    return float(abs(0.5 * weights @ power - change) / (0.5 * weights @ np.abs(power)))


def torque_rates_error(robot: Robot, motion) -> float:
    """Joint torque with two time derivatives against Taylor polynomials of 4 x 4 transforms in longer numbers."""
    pairs = zip(robot.joint_torque_rates(*motion), Arm(robot, motion).torque(), strict=True)
    return max(size(ours - reference) / size(reference) for ours, reference in pairs)
