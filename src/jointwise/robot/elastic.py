"""Elastic inverse dynamics: from a motion of the links to the motion of the rotors and the torque of the motors.

tau_J   = M ddq + C dq + g                      with its two time derivatives, from jets (kernels.newton_euler)
theta   = q + phi,   phi = tau_E^-1(tau_J)      any stiffness law                      spec 11.5
dphi    = dtau_J / k(phi)
ddphi   = (ddtau_J - k'(phi) dphi^2) / k(phi)
tau_m   = B ddtheta + tau_J                     friction and damping not included
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError, ShapeError
from jointwise.robot import samples

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

Array = NDArray[np.float64]


@runtime_checkable
class StiffnessLaw(Protocol):
    """What a transmission must answer, for torques and deformations of shape (..., n)."""

    def deformation(self, torque: Array) -> Array:
        """phi with tau_E(phi) = torque."""
        ...

    def stiffness(self, deformation: Array) -> Array:
        """k = d tau_E / d phi."""
        ...

    def stiffness_slope(self, deformation: Array) -> Array:
        """dk / d phi."""
        ...


class LinearStiffness:
    """tau_E = k phi for each joint."""

    def __init__(self, stiffness: Array) -> None:
        self._k = stiffness

    def deformation(self, torque: Array) -> Array:
        """Torque over stiffness."""
        return torque / self._k

    def stiffness(self, deformation: Array) -> Array:
        """The constant stiffness."""
        return np.broadcast_to(self._k, deformation.shape)

    def stiffness_slope(self, deformation: Array) -> Array:
        """Zero."""
        return np.zeros(deformation.shape)


class JointTorqueRates(NamedTuple):
    """Joint torque and its time derivatives, each (..., n)."""

    torque: Array
    rate: Array
    acceleration: Array


class ElasticMotion(NamedTuple):
    """What the rotors do, and the motor torque it takes, each (..., n); rotor angles reflected to the output side."""

    joint_torque: Array
    rotor_position: Array
    rotor_velocity: Array
    rotor_acceleration: Array
    motor_torque: Array


def joint_torque_rates(robot: Robot, *motion: ArrayLike) -> JointTorqueRates:
    """Joint torque with two time derivatives; `motion` is q and its four time derivatives."""
    from jointwise.kernels.newton_euler import elastic_torque_batch

    names = ("q", "dq", "ddq", "d3q", "d4q")
    leading, arrays = samples.samples(robot.n, dict(zip(names, motion, strict=True)))
    stacked = np.empty((len(arrays[0]), len(names), robot.n))
    for k, array in enumerate(arrays):
        stacked[:, k] = array
    out = np.empty((len(stacked), 3, robot.n))
    samples.spread(elastic_torque_batch, (robot.arm,), [stacked, out])
    out = out.reshape(*leading, 3, robot.n)
    return JointTorqueRates(out[..., 0, :], out[..., 1, :], out[..., 2, :])


def elastic_inverse_dynamics(
    robot: Robot, motion: tuple[ArrayLike, ...], stiffness: ArrayLike | StiffnessLaw
) -> ElasticMotion:
    """Rotor motion and motor torque for a motion of the links."""
    law = as_law(robot, stiffness)
    rotors = robot.rotor_matrix()
    torque, rate, acceleration = joint_torque_rates(robot, *motion)
    q, dq, ddq = (np.asarray(m, dtype=np.float64) for m in motion[:3])
    phi = law.deformation(torque)
    k = law.stiffness(phi)
    dphi = rate / k
    ddphi = (acceleration - law.stiffness_slope(phi) * dphi**2) / k
    ddtheta = ddq + ddphi
    return ElasticMotion(torque, q + phi, dq + dphi, ddtheta, ddtheta @ rotors + torque)


def as_law(robot: Robot, stiffness: ArrayLike | StiffnessLaw) -> StiffnessLaw:
    """A law as it is; numbers in N m/rad as linear stiffness of each joint."""
    # Asking an array whether it has the methods of a law takes five times the dynamics.
    if not isinstance(stiffness, np.ndarray) and isinstance(stiffness, StiffnessLaw):
        return stiffness
    each = np.full(robot.n, stiffness) if np.isscalar(stiffness) else stiffness
    k = samples.checked("stiffness", each, robot.n)
    if k.ndim != 1:
        raise ShapeError("stiffness", f"shape {k.shape}", f"one number or shape ({robot.n},)")
    if not (k > 0.0).all():
        joint = int(np.argmin(k > 0.0))
        name = f"stiffness of {robot.joints[joint].name}"
        raise ParameterError(name, float(k[joint]), "above 0 N m/rad")
    return LinearStiffness(k)
