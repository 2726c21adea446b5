"""An arm as one packed array, the form in which every kernel receives it.

Row 0 is the base, rows 1..n are the joints from base to flange, row n + 1 is the tool. All frames here are *spindle
frames*: frame i sits on joint axis i, its z axis along the axis, and

    frame i in frame i-1:  rotation Rot_x(tilt) Rot_z(q + offset),  origin p            revolute
                           rotation Rot_x(tilt) Rot_z(offset),      origin p + q z_i    prismatic

Any serial arm can be written so: a turn of frame i-1 about its own z axis is absorbed in the offset of joint i-1.
Modified DH frames already have this form. The pair (cos, sin) of the fixed tilt replaces a full 3x3 rotation, which
halves the cost of the recursions.
"""

from __future__ import annotations

from jointwise.kernels.jit import inline

KIND = 0  # 0 revolute, 1 prismatic
TILT = 1  # cos, sin of the tilt about x
ORIGIN = 3  # p, in frame i-1
OFFSET = 6  # constant angle about z
INERTIAL = 7  # XX XY XZ YY YZ ZZ mX mY mZ m about the frame origin, in the spindle frame
ROTOR = 17  # reflected rotor inertia B
RATIO = 18  # gear ratio r
FRAME_ROTATION = 19  # user's link frame in the spindle frame, row major
FRAME_ORIGIN = 28
WIDTH = 31

GRAVITY = 3  # row 0 only: gravity in the spindle frame of the base
# Row 0 uses FRAME_* for the pose of the spindle base in the user's base frame, row n + 1 for the pose of the tool
# in the spindle frame of the last joint.

REVOLUTE = 0.0
PRISMATIC = 1.0


@inline
def triple(row, k):
    """Three consecutive numbers of a row as a vector."""
    return (row[k], row[k + 1], row[k + 2])


@inline
def tilt_of(row):
    """(cos, sin, 0) of the fixed tilt about x."""
    return (row[TILT], row[TILT + 1], 0.0)


@inline
def tensor_of(row):
    """Inertia tensor about the frame origin (XX, XY, XZ, YY, YZ, ZZ)."""
    k = INERTIAL
    return (row[k], row[k + 1], row[k + 2], row[k + 3], row[k + 4], row[k + 5])


@inline
def turn(rotation, k, v):
    """Row-major 3x3 matrix starting at element k, times a vector."""
    r = rotation
    return (
        r[k] * v[0] + r[k + 1] * v[1] + r[k + 2] * v[2],
        r[k + 3] * v[0] + r[k + 4] * v[1] + r[k + 5] * v[2],
        r[k + 6] * v[0] + r[k + 7] * v[1] + r[k + 8] * v[2],
    )


@inline
def unturn(rotation, k, v):
    """Transpose of the row-major 3x3 matrix starting at element k, times a vector."""
    r = rotation
    return (
        r[k] * v[0] + r[k + 3] * v[1] + r[k + 6] * v[2],
        r[k + 1] * v[0] + r[k + 4] * v[1] + r[k + 7] * v[2],
        r[k + 2] * v[0] + r[k + 5] * v[1] + r[k + 8] * v[2],
    )
