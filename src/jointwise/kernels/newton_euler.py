"""Recursive Newton-Euler: joint torque from motion, and with it gravity torque and elastic inverse dynamics.

Source: Madsen thesis T(2.26) with inertia about the link origin, so that torque is linear in the inertial
parameters; spec 02.2, extended to prismatic joints. The recursion is written once, on plain values or on jets
(`kernels.vector`): fed jets of the motion it returns the joint torque with its first and second time derivative,
which is what a flexible joint needs (spec 11.4, 11.5).
"""

from __future__ import annotations

import numpy as np

from jointwise.kernels.arm import (
    GRAVITY,
    INERTIAL,
    KIND,
    OFFSET,
    ORIGIN,
    PRISMATIC,
    tensor_of,
    tilt_of,
    triple,
)
from jointwise.kernels.form import by_form
from jointwise.kernels.jit import inline, kernel, merged
from jointwise.kernels.scalar import cos, sin
from jointwise.kernels.vector import (
    add,
    along_z,
    constant,
    cross,
    scale,
    shifted,
    spin,
    tensor,
    tilt,
    unspin,
    untilt,
    z_of,
)

SLOTS = 12  # numbers kept per joint between the two passes: force, moment, rotation, origin
PLAIN = 0.0
JET = (0.0, 0.0, 0.0)


@inline
def _rotation_plain(angle):
    return (cos(angle), sin(angle), 1.0)


@inline
def _rotation_jet(angle):
    # Taylor coefficients of cos and sin along angle(t) = a0 + a1 t + a2 t^2.
    c = cos(angle[0])
    s = sin(angle[0])
    half = 0.5 * angle[1] * angle[1]
    return (
        (c, s, 1.0),
        (-s * angle[1], c * angle[1], 0.0),
        (-s * angle[2] - c * half, c * angle[2] - s * half, 0.0),
    )


rotation_of = by_form(
    {(False,): _rotation_plain, (True,): _rotation_jet},
    (0,),
    "rotation_of",
    "(cos, sin, 1) of an angle.",
)


@inline
def _taylor_plain(x, d1, d2, form):
    return x


@inline
def _taylor_jet(x, d1, d2, form):
    return (x, d1, 0.5 * d2)


taylor = by_form(
    {(False,) * 4: _taylor_plain, (False, False, False, True): _taylor_jet},
    (0, 0, 0, 0),
    "taylor",
    "A scalar, or the jet of a scalar with two known time derivatives.",
)


@inline
def _keep_plain(slots, k, v):
    slots[k] = v[0]
    slots[k + 1] = v[1]
    slots[k + 2] = v[2]


@inline
def _keep_jet(slots, k, v):
    _keep_plain(slots, k, v[0])
    _keep_plain(slots, k + SLOTS, v[1])
    _keep_plain(slots, k + 2 * SLOTS, v[2])


keep = by_form(
    {(False, False, False): _keep_plain, (False, False, True): _keep_jet},
    (0, 0, 1),
    "keep",
    "Store a vector from slot k on.",
)


@inline
def _recall_plain(slots, k, form):
    return (slots[k], slots[k + 1], slots[k + 2])


@inline
def _recall_jet(slots, k, form):
    return (
        _recall_plain(slots, k, PLAIN),
        _recall_plain(slots, k + SLOTS, PLAIN),
        _recall_plain(slots, k + 2 * SLOTS, PLAIN),
    )


recall = by_form(
    {(False, False, False): _recall_plain, (False, False, True): _recall_jet},
    (0, 0, 0),
    "recall",
    "Read back what `keep` stored.",
)


@inline
def _put_plain(torque, i, value):
    torque[i] = value


@inline
def _put_jet(torque, i, value):
    torque[0, i] = value[0]
    torque[1, i] = value[1]
    torque[2, i] = 2.0 * value[2]


put = by_form(
    {(False, False, False): _put_plain, (False, False, True): _put_jet},
    (0, 0, 0),
    "put",
    "Write the torque of joint i; of a jet the torque and its two time derivatives.",
)


@inline
def placement(row, q):
    """Rotation (cos, sin, 1) and origin of a spindle frame in the one before."""
    if row[KIND] == PRISMATIC:
        fixed = (cos(row[OFFSET]), sin(row[OFFSET]), 1.0)
        slide = tilt(tilt_of(row), along_z(q))
        return constant(fixed, q), add(constant(triple(row, ORIGIN), q), slide)
    return rotation_of(shifted(q, row[OFFSET])), constant(triple(row, ORIGIN), q)


@inline
def into(row, rotation, v):
    """A vector of frame i-1 expressed in frame i."""
    return unspin(rotation, untilt(tilt_of(row), v))


@inline
def out_of(row, rotation, v):
    """A vector of frame i expressed in frame i-1."""
    return tilt(tilt_of(row), spin(rotation, v))


@inline
def advance(row, rotation, origin, dq, ddq, w, dw, a):
    """Angular velocity, angular acceleration and origin acceleration of the next frame."""
    a = into(row, rotation, add(a, add(cross(dw, origin), cross(w, cross(w, origin)))))
    w = into(row, rotation, w)
    dw = into(row, rotation, dw)
    speed = along_z(dq)
    if row[KIND] == PRISMATIC:
        a = add(a, add(along_z(ddq), scale(2.0, cross(w, speed))))
    else:
        dw = add(dw, add(cross(w, speed), along_z(ddq)))
        w = add(w, speed)
    return w, dw, a


@inline
def link_wrench(row, w, dw, a):
    """Force and moment that make a link move, about the frame origin."""
    s = triple(row, INERTIAL + 6)
    i = tensor_of(row)
    force = add(scale(row[INERTIAL + 9], a), add(cross(dw, s), cross(w, cross(w, s))))
    moment = add(add(tensor(i, dw), cross(w, tensor(i, w))), cross(s, a))
    return force, moment


@merged
def recursion(arm, q, dq, ddq, d3q, d4q, torque, work, form):
    """Both passes for one sample; `form` is PLAIN or JET, `work` one row of slots per joint.

    In plain form d3q and d4q are not read.
    """
    n = q.shape[0]
    g = triple(arm[0], GRAVITY)
    zero = constant((0.0, 0.0, 0.0), form)
    w = zero
    dw = zero
    a = constant((-g[0], -g[1], -g[2]), form)
    for i in range(n):
        row = arm[i + 1]
        position = taylor(q[i], dq[i], ddq[i], form)
        velocity = taylor(dq[i], ddq[i], d3q[i], form)
        acceleration = taylor(ddq[i], d3q[i], d4q[i], form)
        rotation, origin = placement(row, position)
        w, dw, a = advance(row, rotation, origin, velocity, acceleration, w, dw, a)
        force, moment = link_wrench(row, w, dw, a)
        slots = work[i]
        keep(slots, 0, force)
        keep(slots, 3, moment)
        keep(slots, 6, rotation)
        keep(slots, 9, origin)
    force = zero
    moment = zero
    for i in range(n - 1, -1, -1):
        row = arm[i + 1]
        slots = work[i]
        force = add(recall(slots, 0, form), force)
        moment = add(recall(slots, 3, form), moment)
        put(torque, i, z_of(force) if row[KIND] == PRISMATIC else z_of(moment))
        rotation = recall(slots, 6, form)
        force = out_of(row, rotation, force)
        moment = add(out_of(row, rotation, moment), cross(recall(slots, 9, form), force))


@kernel
def inverse_dynamics(arm, q, dq, ddq, tau):
    """Joint torque of one sample, written to `tau`."""
    work = np.empty((q.shape[0], SLOTS))
    recursion(arm, q, dq, ddq, ddq, ddq, tau, work, PLAIN)


@kernel
def inverse_dynamics_batch(arm, q, dq, ddq, tau):
    """Joint torque of many samples, (samples, n)."""
    work = np.empty((q.shape[1], SLOTS))
    for k in range(q.shape[0]):
        recursion(arm, q[k], dq[k], ddq[k], ddq[k], ddq[k], tau[k], work, PLAIN)


@kernel
def gravity_batch(arm, q, tau):
    """Gravity torque of many samples: the torque that holds the arm still. T(2.27)."""
    still = np.zeros(q.shape[1])
    work = np.empty((q.shape[1], SLOTS))
    for k in range(q.shape[0]):
        recursion(arm, q[k], still, still, still, still, tau[k], work, PLAIN)


@kernel
def elastic_torque(arm, motion, torque):
    """Joint torque and its first and second time derivative, (3, n), of one sample.

    `motion` is (5, n): q and its four time derivatives.
    """
    work = np.empty((motion.shape[1], 3 * SLOTS))
    recursion(arm, motion[0], motion[1], motion[2], motion[3], motion[4], torque, work, JET)


@kernel
def elastic_torque_batch(arm, motion, torque):
    """The same for many samples: motion (samples, 5, n), torque (samples, 3, n)."""
    work = np.empty((motion.shape[2], 3 * SLOTS))
    for k in range(motion.shape[0]):
        m = motion[k]
        recursion(arm, m[0], m[1], m[2], m[3], m[4], torque[k], work, JET)
