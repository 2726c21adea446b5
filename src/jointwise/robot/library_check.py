"""The library against numbers computed elsewhere: the specification's test vectors and closed forms.

`check_library()` recomputes them all; a difference above the tolerance means that a robot file or a kernel changed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointwise.robot.description import Robot
from jointwise.robot.library import load_robot

Array = NDArray[np.float64]

PRINTED = 6e-7
"""Half a unit of the sixth digit after the point, as the test vectors are printed, and rounding."""
EXACT = 1e-12

# Spec 02.11: UR5e, modified DH, table mount, inertia of spec 12.7.
Q = np.array([0.3, -1.1, 0.9, -0.4, 0.7, 0.2])
DQ = np.array([0.5, -0.4, 0.3, 0.8, -0.6, 1.0])
DDQ = np.array([1.0, -2.0, 1.5, 0.5, 2.0, -1.0])
POSE = [
    [0.884788, 0.371039, -0.281922, -0.593850],
    [-0.387197, 0.248746, -0.887809, -0.402971],
    [-0.259285, 0.894682, 0.363753, 0.573125],
    [0.0, 0.0, 0.0, 1.0],
]
GRAVITY = [0.0, -38.141697, -19.400345, -1.328748, 0.242217, 0.0]
CORIOLIS = [-0.601822, -0.373074, 0.039027, 0.034854, -0.001116, -0.000006]
TORQUE = [2.124344, -43.574154, -20.699796, -1.255008, 0.205748, -0.000090]
STRETCHED = [0.0, -59.75642, -18.439153, 0.0, 0.0, 0.0]
MASS_ROWS = [
    [2.032642, -0.388622, -0.018202, 0.020166, -0.033227, 0.000048],
    [3.276188, 1.243780, 0.040487, -0.002099, 0.000101],
    [0.771382, 0.064658, -0.011009, 0.000101],
    [0.022938, -0.004330, 0.000101],
    [0.006177, 0.0],
    [0.000132],
]
# Spec 02.1: a2, a3, d1, d4, d5, d6 of the manufacturer; at q = 0 the flange is at (a2 + a3, -d4 - d6, d1 - d5).
UR_LENGTHS = {
    "ur3e": (-0.24355, -0.2132, 0.15185, 0.13105, 0.08535, 0.0921),
    "ur5e": (-0.425, -0.3922, 0.1625, 0.1333, 0.0997, 0.0996),
    "ur10e": (-0.6127, -0.57155, 0.1807, 0.17415, 0.11985, 0.11655),
    "ur16e": (-0.4784, -0.36, 0.1807, 0.17415, 0.11985, 0.11655),
    "ur5": (-0.425, -0.39225, 0.089159, 0.10915, 0.09465, 0.0823),
}
KR300_RATIOS = (1798 / 7, 1872 / 7, 757 / 3, 221.0, 5032 / 21, 206793 / 1340)
KR300_ROTORS = (0.0138, 0.0177, 0.0177, 0.0150, 0.0150, 0.0150)


@dataclass(frozen=True)
class Check:
    """One number recomputed."""

    robot: str
    quantity: str
    error: float
    tolerance: float

    @property
    def passed(self) -> bool:
        """True where the difference is within the tolerance; never for NaN."""
        return self.error <= self.tolerance


def check_library() -> tuple[Check, ...]:
    """Every check of the library, passed or not."""
    checks = [*_ur5e(), *_pendulum(), *_two_link(), *_kr300()]
    for name, lengths in UR_LENGTHS.items():
        checks.append(_flange_at_zero(load_robot(name), lengths))
    return tuple(checks)


def _ur5e() -> list[Check]:
    robot = load_robot("ur5e")
    still = np.zeros(6)
    mass = np.zeros((6, 6))
    for i, row in enumerate(MASS_ROWS):
        mass[i, i:] = mass[i:, i] = row
    found = {
        "pose": (robot.pose(Q), POSE),
        "gravity torque": (robot.gravity_torque(Q), GRAVITY),
        "gravity torque, stretched": (robot.gravity_torque(still), STRETCHED),
        "Coriolis torque": (robot.coriolis_matrix(Q, DQ) @ DQ, CORIOLIS),
        "inverse dynamics": (robot.inverse_dynamics(Q, DQ, DDQ), TORQUE),
        "mass matrix": (robot.mass_matrix(Q), mass),
    }
    return [Check("ur5e", k, _difference(a, b), PRINTED) for k, (a, b) in found.items()]


def _flange_at_zero(robot: Robot, lengths: tuple[float, ...]) -> Check:
    a2, a3, d1, d4, d5, d6 = lengths
    expected = np.array([a2 + a3, -d4 - d6, d1 - d5])
    if robot.name == "ur5":  # Kovincic's base is turned half around
        expected[:2] *= -1.0
    position = robot.pose(np.zeros(6))[:3, 3]
    return Check(robot.name, "flange at zero", _difference(position, expected), EXACT)


def _pendulum() -> list[Check]:
    """Closed form: tau = m l^2 / 3 ddq + m g l / 2 cos q."""
    robot = load_robot("pendulum")
    m, length, g = 3.0, 0.5, 9.81
    q, dq, ddq = 0.7, 1.3, -2.0
    expected = m * length**2 / 3 * ddq + m * g * length / 2 * math.cos(q)
    torque = robot.inverse_dynamics([q], [dq], [ddq])
    return [Check("pendulum", "inverse dynamics", _difference(torque, [expected]), EXACT)]


def _two_link() -> list[Check]:
    """The textbook arm: two rods in a vertical plane."""
    robot = load_robot("two_link")
    m1, m2, length, g = 6.0, 3.0, 0.5, 9.81
    q, dq, ddq = np.array([0.4, -1.1]), np.array([1.2, -0.7]), np.array([2.0, -3.0])
    c = m2 * length**2 / 2 * math.cos(q[1])
    own = m2 * length**2 / 3
    m11 = m1 * length**2 / 3 + m2 * length**2 + own + 2 * c
    mass = np.array([[m11, own + c], [own + c, own]])
    h = -m2 * length**2 / 2 * math.sin(q[1])
    coriolis = np.array([[h * dq[1], h * (dq[0] + dq[1])], [-h * dq[0], 0.0]])
    tip = m2 * g * length / 2 * math.cos(q[0] + q[1])
    gravity = np.array([(m1 / 2 + m2) * g * length * math.cos(q[0]) + tip, tip])
    found = {
        "mass matrix": (robot.mass_matrix(q), mass),
        "Coriolis matrix": (robot.coriolis_matrix(q, dq), coriolis),
        "inverse dynamics": (
            robot.inverse_dynamics(q, dq, ddq),
            mass @ ddq + coriolis @ dq + gravity,
        ),
    }
    return [Check("two_link", k, _difference(a, b), EXACT) for k, (a, b) in found.items()]


def _kr300() -> list[Check]:
    robot = load_robot("kr300")
    ratios = [joint.drive.gear_ratio for joint in robot.joints]
    rotors = [u * u * j for u, j in zip(KR300_RATIOS, KR300_ROTORS, strict=True)]
    reach = robot.pose(np.zeros(6))[:3, 3]
    # Stretched out level, as KUKA's zero is; the forearm runs 41 mm below the elbow.
    expected = np.array([0.35 + 1.15 + 1.0 + 0.24, 0.0, 0.675 - 0.041])
    return [
        Check("kr300", "gear ratios", _difference(np.array(ratios), KR300_RATIOS), EXACT),
        Check("kr300", "rotor inertia", _difference(robot.rotor_matrix(), np.diag(rotors)), 1e-9),
        Check("kr300", "flange at zero", _difference(reach, expected), EXACT),
    ]


def _difference(found: Array, expected: object) -> float:
    return float(np.max(np.abs(found - np.asarray(expected, dtype=np.float64))))
