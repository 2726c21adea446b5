"""The same arm as a Pinocchio model, built from the description alone, and the errors of every quantity against it."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from jointwise.robot.description import Robot
from jointwise.robot.frames import ModifiedDH, StandardDH, Transform
from jointwise.robot.inertia import Body
from random_arms import random_arm, random_motion

QUANTITIES = (
    "pose",
    "jacobian",
    "jacobian derivative",
    "torque",
    "gravity",
    "coriolis",
    "mass matrix",
    "regressor",
    "forward dynamics",
    "energy",
)

CANCELLED = 1e-5
"""A sum of terms of size s is known to about 1e-15 s, so below 1e-5 s ten digits of it do not exist; errors are
taken relative to the result or to this fraction of its terms, whichever is larger."""

TO_PINOCCHIO = [9, 6, 7, 8, 0, 1, 3, 2, 4, 5]
"""Pinocchio orders m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz."""


def se3(origin=(0.0, 0.0, 0.0), rpy=(0.0, 0.0, 0.0)) -> pin.SE3:
    return pin.SE3(pin.rpy.rpyToMatrix(*map(float, rpy)), np.array(origin, dtype=float))


def around_joint(frame) -> tuple[pin.SE3, pin.SE3, np.ndarray]:
    """Transform to the joint, transform from the moved joint to the link frame, joint axis."""
    z = np.array([0.0, 0.0, 1.0])
    if isinstance(frame, Transform):
        axis = np.array(frame.axis)
        return se3(frame.origin, frame.rpy), pin.SE3.Identity(), axis / np.linalg.norm(axis)
    if isinstance(frame, ModifiedDH):
        before = se3((frame.a, 0, 0), (frame.alpha, 0, 0)) * se3(
            (0, 0, frame.d), (0, 0, frame.offset)
        )
        return before, pin.SE3.Identity(), z
    assert isinstance(frame, StandardDH)
    return (
        se3(rpy=(0, 0, frame.offset)),
        se3((0, 0, frame.d)) * se3((frame.a, 0, 0), (frame.alpha, 0, 0)),
        z,
    )


def pinocchio_inertia(body: Body) -> pin.Inertia:
    xx, xy, xz, yy, yz, zz = body.inertia
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return pin.Inertia(body.mass, np.array(body.center_of_mass), tensor)


def pinocchio_model(robot: Robot) -> tuple[pin.Model, list[pin.SE3]]:
    """The model, with a frame named "tool", and the link frames in the joint frames."""
    model = pin.Model()
    model.gravity.linear = np.array(robot.gravity)
    parent, link = 0, se3(robot.base.origin, robot.base.rpy)
    links = []
    for joint in robot.joints:
        before, after, axis = around_joint(joint.frame)
        kind = (
            pin.JointModelRevoluteUnaligned
            if joint.kind == "revolute"
            else pin.JointModelPrismaticUnaligned
        )
        parent = model.addJoint(parent, kind(axis), link * before, joint.name)
        model.appendBodyToJoint(parent, pinocchio_inertia(joint.link), after)
        link = after
        links.append(after)
    flange = link * se3(robot.flange.origin, robot.flange.rpy)
    if robot.payload.mass:
        model.appendBodyToJoint(parent, pinocchio_inertia(robot.payload), flange)
    tool = flange * se3(robot.tool.origin, robot.tool.rpy)
    model.addFrame(pin.Frame("tool", parent, tool, pin.FrameType.OP_FRAME))
    return model, links


def pseudo_inertia(gamma: np.ndarray) -> np.ndarray:
    xx, xy, xz, yy, yz, zz, *moment, mass = gamma
    out = np.empty((4, 4))
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    out[:3, :3] = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    out[:3, 3] = out[3, :3] = moment
    out[3, 3] = mass
    return out


def inertial_parameters(pseudo: np.ndarray) -> np.ndarray:
    tensor = np.trace(pseudo[:3, :3]) * np.eye(3) - pseudo[:3, :3]
    return np.concatenate(
        [tensor[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]], pseudo[:3, 3], [pseudo[3, 3]]]
    )


def link_parameters_to_pinocchio(link: pin.SE3) -> np.ndarray:
    """10 x 10 map from our parameters in a link frame to Pinocchio's in the joint frame."""
    t = link.homogeneous
    columns = [inertial_parameters(t @ pseudo_inertia(unit) @ t.T) for unit in np.eye(10)]
    return np.array(columns).T[TO_PINOCCHIO]


def pinocchio_regressor(model, data, links, q, dq, ddq) -> np.ndarray:
    # A single row comes back as a vector.
    y = pin.computeJointTorqueRegressor(model, data, q, dq, ddq).reshape(len(links), -1)
    blocks = [
        y[:, 10 * i : 10 * i + 10] @ link_parameters_to_pinocchio(t) for i, t in enumerate(links)
    ]
    return np.hstack(blocks)


def relative(ours, theirs, size=0.0) -> float:
    """Normwise error, relative to the reference or to what is left of terms of that size; zero when both are zero."""
    error = np.linalg.norm(np.ravel(ours) - np.ravel(theirs))
    scale = max(float(np.linalg.norm(np.ravel(theirs))), CANCELLED * size)
    return float(error / scale) if error else 0.0


def errors(robot: Robot, q, dq, ddq) -> dict[str, float]:
    """Error of each quantity at one state."""
    model, links = pinocchio_model(robot)
    data = model.createData()
    local = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    tool = model.getFrameId("tool")
    still = np.zeros(robot.n)

    tau = pin.rnea(model, data, q, dq, ddq).copy()
    gravity = pin.rnea(model, data, q, still, still).copy()
    model.gravity.linear, weight = np.zeros(3), model.gravity.linear.copy()
    coriolis = pin.rnea(model, data, q, dq, still).copy()
    model.gravity.linear = weight
    upper = np.triu(pin.crba(model, data, q).reshape(robot.n, robot.n))
    mass = upper + np.triu(upper, 1).T
    ddq_theirs = pin.aba(model, data, q, dq, tau).copy()
    regressor = pinocchio_regressor(model, data, links, q, dq, ddq)
    energy = [
        pin.computeKineticEnergy(model, data, q, dq),
        pin.computePotentialEnergy(model, data, q),
    ]
    pin.computeJointJacobiansTimeVariation(model, data, q, dq)
    jacobian = pin.computeFrameJacobian(model, data, q, tool, local).copy()
    pin.computeJointJacobiansTimeVariation(model, data, q, dq)
    pin.updateFramePlacements(model, data)
    rate = pin.getFrameJacobianTimeVariation(model, data, tool, local).copy()
    pose = data.oMf[tool].homogeneous

    total = sum(inertia.mass for inertia in model.inertias)
    reach = sum(np.linalg.norm(p.translation) for p in model.jointPlacements) + 1.0
    load = total * 9.81 * reach
    motion = np.linalg.norm(mass) * (dq @ dq)
    return {
        "pose": relative(robot.pose(q), pose),
        "jacobian": relative(robot.jacobian(q), jacobian),
        "jacobian derivative": relative(
            robot.jacobian_derivative(q, dq), rate, np.linalg.norm(jacobian) * np.linalg.norm(dq)
        ),
        "torque": relative(robot.inverse_dynamics(q, dq, ddq), tau),
        "gravity": relative(robot.gravity_torque(q), gravity, load),
        "coriolis": relative(robot.coriolis_matrix(q, dq) @ dq, coriolis, motion),
        "mass matrix": relative(robot.mass_matrix(q), mass),
        "regressor": relative(robot.regressor(q, dq, ddq), regressor),
        "forward dynamics": relative(robot.forward_dynamics(q, dq, tau), ddq_theirs),
        "energy": relative(robot.energy(q, dq), energy, load),
    }


def worst_errors(seed: int, count: int) -> dict[str, tuple[float, int]]:
    """Largest error of each quantity over `count` random arms, and which arm it was."""
    rng = np.random.default_rng(seed)
    worst = dict.fromkeys(QUANTITIES, (0.0, -1))
    for index in range(count):
        robot = random_arm(rng)
        q, dq, ddq, *_ = random_motion(rng, robot)
        for name, error in errors(robot, q, dq, ddq).items():
            if not error <= worst[name][0]:
                worst[name] = (error, index)
    return worst
