"""Poses, the geometric Jacobian and its time derivative, kinetic and potential energy.

Jacobian column i is [z_i x (p_e - o_i); z_i] for a revolute joint, [z_i; 0] for a prismatic one, linear part first,
in the axes of the base; spec 02.1.
"""

from __future__ import annotations

import numpy as np

from jointwise.kernels.arm import (
    FRAME_ORIGIN,
    FRAME_ROTATION,
    GRAVITY,
    INERTIAL,
    KIND,
    PRISMATIC,
    tensor_of,
    tilt_of,
    triple,
    turn,
)
from jointwise.kernels.jit import inline, kernel
from jointwise.kernels.newton_euler import into, placement
from jointwise.kernels.vector import add3, cross3, dot3, scale3, spin3, tensor3, tilt3

X = (1.0, 0.0, 0.0)
Y = (0.0, 1.0, 0.0)
Z = (0.0, 0.0, 1.0)
ZERO = (0.0, 0.0, 0.0)


@inline
def put_column(matrix, k, v):
    """Write a vector as column k of the rotation part of a (3, 4) pose."""
    matrix[0, k] = v[0]
    matrix[1, k] = v[1]
    matrix[2, k] = v[2]


@inline
def column(matrix, k):
    """Column k of a (3, 4) pose."""
    return (matrix[0, k], matrix[1, k], matrix[2, k])


@inline
def rotated(pose, v):
    """Rotation part of a (3, 4) pose times a vector."""
    return add3(
        scale3(v[0], column(pose, 0)),
        add3(scale3(v[1], column(pose, 1)), scale3(v[2], column(pose, 2))),
    )


@inline
def spindle_poses(arm, q, poses):
    """Pose of each spindle frame in the user's base frame, (n + 1, 3, 4) with the spindle base first."""
    base = arm[0]
    put_column(poses[0], 0, turn(base, FRAME_ROTATION, X))
    put_column(poses[0], 1, turn(base, FRAME_ROTATION, Y))
    put_column(poses[0], 2, turn(base, FRAME_ROTATION, Z))
    put_column(poses[0], 3, triple(base, FRAME_ORIGIN))
    for i in range(q.shape[0]):
        row = arm[i + 1]
        r, p = placement(row, q[i])
        before = poses[i]
        tilt = tilt_of(row)
        put_column(poses[i + 1], 0, rotated(before, tilt3(tilt, spin3(r, X))))
        put_column(poses[i + 1], 1, rotated(before, tilt3(tilt, spin3(r, Y))))
        put_column(poses[i + 1], 2, rotated(before, tilt3(tilt, Z)))
        put_column(poses[i + 1], 3, add3(column(before, 3), rotated(before, p)))


@inline
def user_pose(row, spindle, out):
    """Pose of the user's frame stored in a row, given the pose of its spindle frame."""
    put_column(out, 0, rotated(spindle, turn(row, FRAME_ROTATION, X)))
    put_column(out, 1, rotated(spindle, turn(row, FRAME_ROTATION, Y)))
    put_column(out, 2, rotated(spindle, turn(row, FRAME_ROTATION, Z)))
    put_column(out, 3, add3(column(spindle, 3), rotated(spindle, triple(row, FRAME_ORIGIN))))


@kernel
def pose_batch(arm, q, out):
    """Poses of links 1..n and the tool in the base frame, (samples, n + 1, 4, 4)."""
    n = q.shape[1]
    poses = np.empty((n + 1, 3, 4))
    for k in range(q.shape[0]):
        spindle_poses(arm, q[k], poses)
        out[k] = 0.0
        for i in range(n + 1):
            user_pose(arm[i + 1], poses[min(i + 1, n)], out[k, i])
            out[k, i, 3, 3] = 1.0


@inline
def _put_jacobian(jacobian, i, linear, angular):
    for k in range(3):
        jacobian[k, i] = linear[k]
        jacobian[3 + k, i] = angular[k]


@kernel
def jacobian_batch(arm, q, jacobian):
    """Geometric Jacobian of the tool, (samples, 6, n)."""
    n = q.shape[1]
    poses = np.empty((n + 1, 3, 4))
    tool = np.empty((3, 4))
    for k in range(q.shape[0]):
        spindle_poses(arm, q[k], poses)
        user_pose(arm[n + 1], poses[n], tool)
        end = column(tool, 3)
        for i in range(n):
            z = column(poses[i + 1], 2)
            if arm[i + 1, KIND] == PRISMATIC:
                _put_jacobian(jacobian[k], i, z, ZERO)
            else:
                arm_to_end = add3(end, scale3(-1.0, column(poses[i + 1], 3)))
                _put_jacobian(jacobian[k], i, cross3(z, arm_to_end), z)


@kernel
def jacobian_derivative_batch(arm, q, dq, derivative):
    """Time derivative of the geometric Jacobian along dq, (samples, 6, n)."""
    n = q.shape[1]
    poses = np.empty((n + 1, 3, 4))
    tool = np.empty((3, 4))
    rates = np.empty((n, 2, 3))  # rate of axis z_i, velocity of origin o_i
    for k in range(q.shape[0]):
        spindle_poses(arm, q[k], poses)
        user_pose(arm[n + 1], poses[n], tool)
        w = ZERO
        v = ZERO  # velocity of the body point at origin o_{i-1}
        at = column(poses[0], 3)
        for i in range(n):
            origin = column(poses[i + 1], 3)
            z = column(poses[i + 1], 2)
            v = add3(v, cross3(w, add3(origin, scale3(-1.0, at))))
            dz = cross3(w, z)
            if arm[i + 1, KIND] == PRISMATIC:
                v = add3(v, scale3(dq[k, i], z))
            else:
                w = add3(w, scale3(dq[k, i], z))
            for c in range(3):
                rates[i, 0, c] = dz[c]
                rates[i, 1, c] = v[c]
            at = origin
        end = column(tool, 3)
        v = add3(v, cross3(w, add3(end, scale3(-1.0, at))))
        for i in range(n):
            dz = (rates[i, 0, 0], rates[i, 0, 1], rates[i, 0, 2])
            if arm[i + 1, KIND] == PRISMATIC:
                _put_jacobian(derivative[k], i, dz, ZERO)
            else:
                z = column(poses[i + 1], 2)
                do = (rates[i, 1, 0], rates[i, 1, 1], rates[i, 1, 2])
                reach = add3(end, scale3(-1.0, column(poses[i + 1], 3)))
                relative = add3(v, scale3(-1.0, do))
                _put_jacobian(derivative[k], i, add3(cross3(dz, reach), cross3(z, relative)), dz)


@kernel
def energy_batch(arm, q, dq, energy):
    """Kinetic and potential energy of the links, (samples, 2); potential is zero at the origin of the base."""
    n = q.shape[1]
    for k in range(q.shape[0]):
        w = ZERO
        v = ZERO
        g = triple(arm[0], GRAVITY)
        height = 0.0  # -g . origin of the current frame
        kinetic = 0.0
        potential = 0.0
        for i in range(n):
            row = arm[i + 1]
            r, p = placement(row, q[k, i])
            height -= dot3(g, p)
            v = into(row, r, add3(v, cross3(w, p)))
            w = into(row, r, w)
            g = into(row, r, g)
            if row[KIND] == PRISMATIC:
                v = add3(v, scale3(dq[k, i], Z))
            else:
                w = add3(w, scale3(dq[k, i], Z))
            s = triple(row, INERTIAL + 6)
            m = row[INERTIAL + 9]
            kinetic += 0.5 * (m * dot3(v, v) + dot3(w, tensor3(tensor_of(row), w)))
            kinetic += dot3(v, cross3(w, s))
            potential += m * height - dot3(g, s)
        energy[k, 0] = kinetic
        energy[k, 1] = potential
