"""Distances of capsules that an arm carries along: everything within a radius of a straight segment.

The distance of two capsules is that of their segments minus both radii; negative where they overlap.
"""

from __future__ import annotations

import math

import numpy as np

from jointwise.kernels.arm import FRAME_ORIGIN, FRAME_ROTATION, triple, turn
from jointwise.kernels.jit import inline, kernel
from jointwise.kernels.kinematics import column, rotated, spindle_poses
from jointwise.kernels.scalar import maximum, minimum
from jointwise.kernels.vector import add3, dot3, scale3

PARALLEL = 1e-12
"""Squared sine between two directions below which the closest points lie at an end."""


@inline
def sub3(a, b):
    """Difference of two vectors."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inline
def squared_to_segment(point, along, length):
    """Squared distance of a point, given from the segment's start, to the segment."""
    share = 0.0
    if length > 0.0:
        share = minimum(maximum(dot3(point, along) / length, 0.0), 1.0)
    left = sub3(point, scale3(share, along))
    return dot3(left, left)


@inline
def segment_distance(a0, a1, b0, b1):
    """Distance of the segments a0-a1 and b0-b1.

    The closest points are either both inside, where the connection is perpendicular to both segments, or one of them
    is an end point; the smallest of these five distances is the distance.
    """
    d, e, r = sub3(a1, a0), sub3(b1, b0), sub3(a0, b0)
    dd, ee, de = dot3(d, d), dot3(e, e), dot3(d, e)
    found = minimum(
        minimum(squared_to_segment(r, e, ee), squared_to_segment(sub3(a1, b0), e, ee)),
        minimum(
            squared_to_segment(scale3(-1.0, r), d, dd), squared_to_segment(sub3(b1, a0), d, dd)
        ),
    )
    determinant = dd * ee - de * de
    if determinant > PARALLEL * dd * ee:
        dr, er = dot3(d, r), dot3(e, r)
        s, t = (de * er - ee * dr) / determinant, (dd * er - de * dr) / determinant
        if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0:
            between = add3(r, sub3(scale3(s, d), scale3(t, e)))
            found = minimum(found, dot3(between, between))
    return math.sqrt(found)


@kernel
def capsule_distances(chain, link, ends, radius, first, second, standing, floor, q, out):
    """Distances (samples, pairs) of the pairs of capsules, then of those `standing` from the floor.

    `ends` (capsules, 2, 3) in the frame of the user's `link`, 0 for the base.
    """
    n = q.shape[1]
    held = np.empty((len(link), 2, 3))  # from the spindle frames
    points = np.empty((len(link), 2, 3))  # from the base
    poses = np.empty((n + 1, 3, 4))
    for c in range(len(link)):
        row = chain[link[c]]
        for e in range(2):
            end = triple(ends[c, e], 0)
            if link[c] > 0:
                end = add3(turn(row, FRAME_ROTATION, end), triple(row, FRAME_ORIGIN))
            for k in range(3):
                held[c, e, k] = end[k]
                points[c, e, k] = end[k]
    for sample in range(q.shape[0]):
        spindle_poses(chain, q[sample], poses)
        for c in range(len(link)):
            if link[c] > 0:
                pose = poses[link[c]]
                for e in range(2):
                    end = add3(column(pose, 3), rotated(pose, triple(held[c, e], 0)))
                    for k in range(3):
                        points[c, e, k] = end[k]
        for pair in range(len(first)):
            i, j = first[pair], second[pair]
            apart = segment_distance(
                triple(points[i, 0], 0),
                triple(points[i, 1], 0),
                triple(points[j, 0], 0),
                triple(points[j, 1], 0),
            )
            out[sample, pair] = apart - radius[i] - radius[j]
        for k in range(len(standing)):
            c = standing[k]
            height = minimum(points[c, 0, 2], points[c, 1, 2])
            out[sample, len(first) + k] = height - radius[c] - floor
