"""Random arms without what a torque model leaves out, their true base parameters, and recordings of them.

A plain arm keeps the links, rotors and sensor noise of a random arm and loses the rest: its gears are stiff and linear,
its friction is Coulomb, viscous and an offset, its sensors have noise and steps but no errors of their own.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from jointwise.laws.damping import Damping
from jointwise.laws.friction import FrictionModel
from jointwise.laws.linear import LinearSpring
from jointwise.laws.offset import Offset
from jointwise.laws.smooth_sign import TanhCoulomb
from jointwise.laws.transmissions import Transmission
from jointwise.laws.viscous import Viscous
from jointwise.motion.fourier import random_fourier
from jointwise.plant.plant import Plant
from jointwise.plant.population import ARMS, SIZES, random_arm
from jointwise.plant.sensors import CurrentSensor, Encoder, JointSensors
from jointwise.plant.twin import Twin
from jointwise.robot.inertia import NOTHING
from jointwise.robot.library import load_robot

STIFF = 4.0
"""Times the stiffness of the random arm: deflections below a ten-thousandth of a rad, steps still affordable."""
WIDTH = 1e-3
"""rad/s in which the sign of motion turns: sharp beside every speed the fits use."""


def plain_arm(seed, *, kind="ur5e", stiff=STIFF, link_encoder=True, plant=None):
    """The random arm of this seed with linear gears and linear friction."""
    plant = random_arm(kind, seed=seed) if plant is None else plant
    rng = np.random.default_rng([seed, 77])
    joints = []
    for joint, which in zip(plant.joints, ARMS[kind], strict=True):
        size = SIZES[which]
        law = joint.transmission.stiffness
        spring = stiff * law.stiffness_3
        rotor = size.rotor
        friction = FrictionModel(
            terms=(
                TanhCoulomb(coulomb=size.coulomb * rng.uniform(0.7, 1.3), width=WIDTH),
                Viscous(viscous=(size.viscous + size.viscous_root) * rng.uniform(0.7, 1.3)),
                Offset(offset=size.coulomb * rng.uniform(-0.05, 0.05)),
            )
        )
        sensors = joint.sensors
        joints.append(
            replace(
                joint,
                transmission=Transmission(
                    stiffness=LinearSpring(spring_stiffness=float(spring)),
                    damping=Damping(damping=float(0.1 * np.sqrt(spring * rotor))),
                ),
                friction=friction,
                link_friction=FrictionModel(terms=()),
                sensors=JointSensors(
                    motor_encoder=sensors.motor_encoder,
                    link_encoder=Encoder(
                        resolution=sensors.link_encoder.resolution, noise=sensors.link_encoder.noise
                    )
                    if link_encoder
                    else None,
                    current=CurrentSensor(noise=sensors.current.noise),
                    temperature=sensors.temperature,
                ),
            )
        )
    return Plant(robot=plant.robot, joints=tuple(joints), servo=plant.servo)


def known_drives(plant, kind="ur5e"):
    """What the owner of the arm has: the data sheet's links, and the true torque constants and gear ratios."""
    changes = {}
    for joint in plant.robot.joints:
        changes[f"joints.{joint.name}.drive.torque_constant"] = joint.drive.torque_constant
        changes[f"joints.{joint.name}.drive.gear_ratio"] = joint.drive.gear_ratio
    return load_robot(kind).replace({**changes, "payload": NOTHING}, source="data sheet")


def true_base(plant, design):
    """The base parameters of a design that the plant really has."""
    rotors = [j.drive.rotor_inertia for j in plant.robot.joints] if design.rotors else []
    return design.base.values(np.concatenate([plant.robot.parameters(), rotors]))


def excitations(robot, seeds, *, duration=20.0, period=10.0, share=0.6, harmonics=5):
    """Random Fourier motions through much of the workspace."""
    return [
        random_fourier(
            robot, seed=seed, duration=duration, period=period, share=share, harmonics=harmonics
        )
        for seed in seeds
    ]


def record(plant, motions, *, seed=0, **options):
    """Recordings of a plant along motions, without the columns of truth."""
    out = {}
    for k, motion in enumerate(motions):
        twin = Twin(plant=plant, seed=100 * seed + k, **options)
        run = twin.run(motion, truth=False).raise_for_status()
        out[f"motion {k + 1}"] = run.recording
    return out
