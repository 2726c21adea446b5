"""Figures of the page on gear, sensors and integrators."""

from __future__ import annotations

from typing import Any

import numpy as np
from figure_parts import MRAD, name, panels
from matplotlib.figure import Figure

from jointwise.laws.damping import Damping
from jointwise.laws.kinematic_error import FourierError
from jointwise.laws.linear import LinearSpring
from jointwise.laws.lost_motion import LostMotion
from jointwise.laws.rounded_segments import RoundedSegments
from jointwise.laws.smooth_backlash import SmoothBacklash
from jointwise.laws.three_segments import ThreeSegments
from jointwise.laws.transmissions import Transmission
from jointwise.motion.motion import Motion
from jointwise.plant.plant import Plant, PlantJoint
from jointwise.plant.population import random_arm
from jointwise.plant.twin import Twin
from jointwise.report.figures import COLOURS
from jointwise.robot.library import load_robot


def gear_stiffness() -> Figure:
    """Torque and stiffness of four gears against their deformation."""
    sheet = {"stiffness_1": 3.1e4, "stiffness_2": 5.0e4, "stiffness_3": 5.7e4}
    sheet |= {"torque_1": 14.0, "torque_2": 48.0}
    wave = ThreeSegments(**sheet)
    rounded = RoundedSegments(**sheet, rounding=1e-4)
    lost = LostMotion(half_backlash=3e-4, lost_motion=3e-4, lost_stiffness=2e4, rigidity=5.7e4)
    smooth = SmoothBacklash(effective_backlash=5e-4, rigidity=5.7e4)
    phi = np.linspace(-2e-3, 2e-3, 401)
    figure, axes = panels(2)
    for label, law, colour in (
        ("three segments", wave, COLOURS[0]),
        ("rounded segments", rounded, COLOURS[3]),
        ("backlash and lost motion", lost, COLOURS[1]),
        ("smooth backlash", smooth, COLOURS[2]),
    ):
        axes[0].plot(phi * MRAD, law.torque(phi), color=colour, label=label)
        axes[1].plot(phi * MRAD, law.stiffness(phi) / 1e3, color=colour)
    name(axes[0], "elastic torque", "deformation (mrad)", "torque (N m)")
    name(axes[1], "stiffness", "deformation (mrad)", "stiffness (kN m/rad)")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def gear_error() -> FourierError:
    """A kinematic error of the size the population draws."""
    return FourierError(
        gear_ratio=101.0,
        rotor_cosine=(2e-5, -6e-6, 4e-6, 3e-6),
        rotor_sine=(-1e-5, 8e-6, -3e-6, 2e-6),
        output_cosine=(1.5e-4, 5e-5, 2e-5),
        output_sine=(-8e-5, 6e-5, -3e-5),
    )


def kinematic_error() -> Figure:
    """One turn of the joint, and a small part of it where the rotor's own ripple shows."""
    law = gear_error()
    slow = FourierError(
        gear_ratio=101.0, output_cosine=law.output_cosine, output_sine=law.output_sine
    )
    figure, axes = panels(2)
    turn = np.linspace(-np.pi, np.pi, 601)
    part = np.linspace(0.0, 2.0 * np.pi / 101.0 * 2.0, 201)
    axes[0].plot(turn, slow.error(turn) * MRAD, color=COLOURS[0])
    axes[1].plot(part * MRAD, law.error(part) * MRAD, color=COLOURS[1], label="both families")
    axes[1].plot(part * MRAD, slow.error(part) * MRAD, color=COLOURS[0], label="output family")
    name(axes[0], "one turn of the joint: output family", "rotor angle (rad)", "error (mrad)")
    name(axes[1], "two turns of the motor", "rotor angle (mrad)", "error (mrad)")
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


def swing() -> Motion:
    """Every joint of a six-joint arm swings slowly once from rest to rest."""
    robot = load_robot("ur5e")
    time = np.arange(2001) * 1e-3
    w = np.pi
    shape = np.array([0.15, 0.10, 0.12, 0.2, 0.2, 0.3])
    start = np.array([0.0, -1.2, 1.0, -1.0, -1.5, 0.0])
    q = start + np.outer(0.5 * (1.0 - np.cos(w * time)), shape)
    dq = np.outer(0.5 * w * np.sin(w * time), shape)
    ddq = np.outer(0.5 * w**2 * np.cos(w * time), shape)
    names = tuple(j.name for j in robot.joints)
    return Motion(joint_names=names, time=time, q=q, dq=dq, ddq=ddq)


def two_encoders() -> Figure:
    """What two encoders and a current sensor say of one joint, beside the truth."""
    run = Twin(plant=random_arm("ur5e", seed=3), seed=3).run(swing()).raise_for_status()
    rec = run.recording
    joint = 1
    part = slice(20, None, 8)
    time = rec.time[part]
    seen = (rec["theta"] - rec["q"])[part, joint]
    true = (rec["true_theta"] - rec["true_q"])[part, joint]
    constant = random_arm("ur5e", seed=3).robot.joints[joint].drive.torque_constant
    figure, axes = panels(2)
    axes[0].plot(time, seen * MRAD, color=COLOURS[5], linewidth=0.7, label="two encoders")
    axes[0].plot(time, true * MRAD, color=COLOURS[0], label="true")
    name(axes[0], "rotor minus link", "time (s)", "angle (mrad)")
    axes[0].legend(loc="best")
    seen = rec["current"][part, joint] * constant
    axes[1].plot(time, seen, color=COLOURS[5], linewidth=0.7, label="measured current x constant")
    true = rec["true_joint_torque"][part, joint]
    axes[1].plot(time, true, color=COLOURS[0], label="true joint torque")
    name(axes[1], "torque of the shoulder lift", "time (s)", "torque (N m)")
    axes[1].legend(loc="best")
    return figure


def stepped(method: str, substeps: int) -> np.ndarray:
    """Final state of a small arm with springs that falls for a tenth of a second."""
    robot = load_robot("two_link")
    changes: dict[str, Any] = {}
    for joint in robot.joints:
        start = f"joints.{joint.name}"
        changes |= {
            f"{start}.drive.rotor_inertia": 0.5,
            f"{start}.drive.gear_ratio": 100.0,
            f"{start}.drive.torque_constant": 10.0,
            f"{start}.limits.torque": 1e5,
        }
    gear = Transmission(stiffness=LinearSpring(spring_stiffness=2e3), damping=Damping(damping=0.5))
    arm = Plant(
        robot=robot.replace(changes, source="figure"),
        joints=(PlantJoint(transmission=gear),) * robot.n,
    )
    twin = Twin(plant=arm, period=1e-2, method=method, substeps=substeps)
    return twin.run_torque(np.zeros((10, robot.n)), q=[0.3, -0.4]).raise_for_status().state.x


def integrators() -> Figure:
    """Error of both methods against their step."""
    exact = stepped("rk4", 2048)
    figure, axes = panels(1)
    for method, label, order, colour in (
        ("semi_implicit", "drift-kick", 1, COLOURS[1]),
        ("rk4", "RK4", 4, COLOURS[0]),
    ):
        counts = np.array([8, 16, 32, 64, 128, 256])
        steps = 1e-2 / counts
        error = np.array([np.abs(stepped(method, int(c)) - exact)[[0, 2]].max() for c in counts])
        axes[0].loglog(steps * 1e6, error, "o-", color=colour, markersize=4, label=label)
        guide = error[2] * (steps / steps[2]) ** order
        axes[0].loglog(
            steps * 1e6, 0.4 * guide, ":", color="#777777", label=f"order {order} (slope)"
        )
    name(axes[0], "error after 0.1 s", "step (us)", "position error (rad)")
    axes[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    figure.set_size_inches(6.2, 3.2)
    return figure
