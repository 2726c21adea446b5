"""What touches the arm from outside: wrenches at the tool and a stiff wall, as joint torques."""

from __future__ import annotations

from jointwise.kernels.arm import KIND, PRISMATIC
from jointwise.kernels.jit import inline
from jointwise.kernels.kinematics import column, spindle_poses, user_pose
from jointwise.kernels.vector import add3, cross3, dot3, scale3
from jointwise.plant.layout import DQ, LINK_TORQUE, Q

# Numbers of the wall: 1 where there is one, normal (3) pointing away from it, distance of its plane, stiffness,
# damping.


@inline
def wall_force(wall, point, velocity):
    """Force of the wall on a point: pushes along the normal while the point is behind the plane, never pulls."""
    normal = (wall[1], wall[2], wall[3])
    depth = wall[4] - dot3(normal, point)
    push = wall[5] * depth - wall[6] * dot3(normal, velocity)
    return scale3(push if depth > 0.0 and push > 0.0 else 0.0, normal)


@inline
def outside_torque(arm, x, wrench, wall, poses, tool, inputs):
    """Joint torque of the wall and of a wrench (force, moment in base axes) on the tool; T(2.25), f on the robot."""
    n = x.shape[1]
    spindle_poses(arm, x[Q], poses)
    user_pose(arm[n + 1], poses[n], tool)
    end = column(tool, 3)
    force = (wrench[0], wrench[1], wrench[2])
    moment = (wrench[3], wrench[4], wrench[5])
    if wall[0] > 0.0:
        velocity = (0.0, 0.0, 0.0)
        for j in range(n):
            z = column(poses[j + 1], 2)
            reach = add3(end, scale3(-1.0, column(poses[j + 1], 3)))
            slides = arm[j + 1, KIND] == PRISMATIC
            velocity = add3(velocity, scale3(x[DQ, j], z if slides else cross3(z, reach)))
        force = add3(force, wall_force(wall, end, velocity))
    for j in range(n):
        z = column(poses[j + 1], 2)
        if arm[j + 1, KIND] == PRISMATIC:
            inputs[LINK_TORQUE, j] = dot3(z, force)
        else:
            reach = add3(end, scale3(-1.0, column(poses[j + 1], 3)))
            inputs[LINK_TORQUE, j] = dot3(cross3(z, reach), force) + dot3(z, moment)
