"""Dynamics of an arm from Lagrange's equations on 4 x 4 transforms, without any vector recursion.

With the pose T_k(t) of link k as a Taylor polynomial, its pseudo-inertia P_k and the generator G_i of joint i in base
coordinates (dT_k/dq_i = G_i T_k for k >= i, Uicker and Kahn):

    M_ij  = sum_{k >= i, j} tr(G_i T_k P_k T_k^T G_j^T)
    tau_i = sum_{k >= i}    tr(G_i T_k P_k (d2T_k/dt2)^T) - g^T G_i T_k P_k e_4
    T     = 1/2 sum_k tr(dT_k/dt P_k (dT_k/dt)^T),   U = - sum_k g^T T_k P_k e_4

Polynomials carry the time derivatives exactly, so the torque comes with its own. Numbers are numpy's longdouble:
64 bits of mantissa on a PC, never fewer than a double. Nothing of the package but the description of the arm is used.
"""

from __future__ import annotations

import numpy as np

from jointwise.robot.description import Robot
from jointwise.robot.frames import ModifiedDH, StandardDH
from jointwise.robot.inertia import Body

LONG = np.longdouble


def elementary(axis: int, angle=0.0, shift=(0.0, 0.0, 0.0)) -> np.ndarray:
    """Transform that turns about one axis and shifts."""
    out = np.eye(4, dtype=LONG)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(LONG(angle)), np.sin(LONG(angle))
    out[i, i] = out[j, j] = c
    out[i, j], out[j, i] = -s, s
    out[:3, 3] = shift
    return out


def fixed(pose) -> np.ndarray:
    roll, pitch, yaw = pose.rpy
    shift = elementary(2, 0.0, pose.origin)
    return shift @ elementary(2, yaw) @ elementary(1, pitch) @ elementary(0, roll)


def around_joint(frame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Transform to the joint, transform to the link frame after it, joint axis."""
    z = np.array([0, 0, 1], dtype=LONG)
    if isinstance(frame, ModifiedDH):
        before = elementary(0, frame.alpha) @ elementary(0, 0.0, (frame.a, 0, 0))
        return before @ elementary(2, frame.offset, (0, 0, frame.d)), np.eye(4, dtype=LONG), z
    if isinstance(frame, StandardDH):
        after = elementary(2, 0.0, (0, 0, frame.d)) @ elementary(0, frame.alpha, (frame.a, 0, 0))
        return elementary(2, frame.offset), after, z
    axis = np.array(frame.axis, dtype=LONG)
    return fixed(frame), np.eye(4, dtype=LONG), axis / np.sqrt(axis @ axis)


def generator(kind: str, axis: np.ndarray) -> np.ndarray:
    out = np.zeros((4, 4), dtype=LONG)
    if kind == "prismatic":
        out[:3, 3] = axis
    else:
        x, y, z = axis
        out[:3, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    return out


def pseudo_inertia(body: Body) -> np.ndarray:
    """Integral of (r, 1)(r, 1)^T over the mass."""
    xx, xy, xz, yy, yz, zz = (LONG(v) for v in body.inertia)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    c = np.array(body.center_of_mass, dtype=LONG)
    out = np.empty((4, 4), dtype=LONG)
    out[:3, :3] = (
        np.trace(tensor) / 2 * np.eye(3, dtype=LONG) - tensor + LONG(body.mass) * np.outer(c, c)
    )
    out[:3, 3] = out[3, :3] = LONG(body.mass) * c
    out[3, 3] = body.mass
    return out


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Product of two matrix polynomials, coefficients along the first axis, cut at the shorter length."""
    return np.array(
        [sum(a[j] @ b[k - j] for j in range(k + 1)) for k in range(min(len(a), len(b)))]
    )


def transposed(a: np.ndarray) -> np.ndarray:
    return a.transpose(0, 2, 1)


def constant(matrix: np.ndarray, length: int) -> np.ndarray:
    out = np.zeros((length, 4, 4), dtype=LONG)
    out[0] = matrix
    return out


def inverse(pose: np.ndarray) -> np.ndarray:
    """Inverse of a polynomial of rigid transforms."""
    out = np.zeros_like(pose)
    out[:, :3, :3] = pose[:, :3, :3].transpose(0, 2, 1)
    out[:, 3, 3] = pose[:, 3, 3]
    shift = product(out[:, :3, :3], pose[:, :3, 3:])
    out[:, :3, 3:] = -shift
    return out


def moved(kind: str, axis: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Polynomial of the joint's motion: a shift, or Rodrigues' formula with polynomials for sine and cosine."""
    out = constant(np.eye(4), len(q))
    g = generator(kind, axis)
    if kind == "prismatic":
        return out + q[:, None, None] * g
    c, s = np.zeros_like(q), np.zeros_like(q)
    c[0], s[0] = np.cos(q[0]), np.sin(q[0])
    for k in range(1, len(q)):
        s[k] = sum(j * q[j] * c[k - j] for j in range(1, k + 1)) / k
        c[k] = -sum(j * q[j] * s[k - j] for j in range(1, k + 1)) / k
    one_minus = -c
    one_minus[0] += 1
    return out + s[:, None, None] * g + one_minus[:, None, None] * (g @ g)


class Arm:
    """Poses and generators of an arm along q(t) = sum_k motion[k] t^k / k!."""

    def __init__(self, robot: Robot, motion) -> None:
        derivatives = np.array(motion, dtype=LONG)
        factorial = np.cumprod(np.maximum(np.arange(len(derivatives)), 1)).astype(LONG)
        taylor = derivatives / factorial[:, None]
        self.n, length = robot.n, len(taylor)
        self.gravity = np.append(np.array(robot.gravity, dtype=LONG), LONG(0))
        self.links, self.joints, self.generators, self.bodies, self.axes = [], [], [], [], []
        pose = constant(fixed(robot.base), length)
        for i, joint in enumerate(robot.joints):
            before, after, axis = around_joint(joint.frame)
            at_joint = pose @ before
            turn = generator(joint.kind, axis)
            self.joints.append(at_joint)
            self.generators.append(product(at_joint @ turn, inverse(at_joint)))
            self.axes.append(at_joint[:, :3, :3] @ axis)
            pose = product(at_joint, moved(joint.kind, axis, taylor[:, i])) @ after
            self.links.append(pose)
            self.bodies.append(pseudo_inertia(joint.link))
        if robot.payload.mass:
            flange = fixed(robot.flange)
            self.bodies[-1] = self.bodies[-1] + flange @ pseudo_inertia(robot.payload) @ flange.T

    def mass_matrix(self) -> np.ndarray:
        beyond = np.zeros((4, 4), dtype=LONG)
        out = np.empty((self.n, self.n), dtype=LONG)
        for i in reversed(range(self.n)):
            pose = self.links[i][0]
            beyond = beyond + pose @ self.bodies[i] @ pose.T
            for j in range(i + 1):
                out[i, j] = out[j, i] = np.trace(
                    self.generators[i][0] @ beyond @ self.generators[j][0].T
                )
        return out

    def torque(self) -> np.ndarray:
        """Torque and, as far as the motion is known, its time derivatives, (derivatives, n)."""
        length = len(self.links[0]) - 2
        inertial = np.zeros((length, 4, 4), dtype=LONG)
        first = np.zeros((length, 4), dtype=LONG)
        out = np.empty((length, self.n), dtype=LONG)
        factor = np.array([(k + 1) * (k + 2) for k in range(length)], dtype=LONG)[:, None, None]
        for i in reversed(range(self.n)):
            pose = self.links[i]
            inertial = inertial + product(
                pose[:length] @ self.bodies[i], transposed(factor * pose[2:])
            )
            first = first + (pose[:length] @ self.bodies[i])[:, :, 3]
            turn = self.generators[i][:length]
            out[:, i] = product(turn, inertial).trace(axis1=1, axis2=2)
            out[:, i] -= product(turn, first[:, :, None])[:, :, 0] @ self.gravity
        factorial = np.cumprod(np.maximum(np.arange(length), 1)).astype(LONG)
        return out * factorial[:, None]

    def energy(self) -> tuple[np.ndarray, np.ndarray]:
        """Kinetic and potential energy."""
        kinetic = (
            sum(np.trace(t[1] @ p @ t[1].T) for t, p in zip(self.links, self.bodies, strict=True))
            / 2
        )
        potential = -sum(
            self.gravity @ t[0] @ p[:, 3] for t, p in zip(self.links, self.bodies, strict=True)
        )
        return kinetic, potential
