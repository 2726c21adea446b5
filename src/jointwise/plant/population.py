"""A population of plausible arms: truths to develop and to test against, drawn from a seed.

None of these values is printed in the sources (spec 12.8), so every range is an assumption; `docs/population.md` lists
each with its reason. A truth is always richer than what anyone fits to it: friction on the link side, an oil that lags
behind the temperature sensor, a backlash that depends on the position, stiffness without corners, more harmonics of the
kinematic error than a fit has, encoder ripple, current offsets.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jointwise.errors import UnknownNameError
from jointwise.laws.damping import Damping
from jointwise.laws.degressive import DegressiveViscous
from jointwise.laws.e_gms import EGMS
from jointwise.laws.friction import FrictionModel
from jointwise.laws.kinematic_error import FourierError
from jointwise.laws.rounded_segments import RoundedSegments
from jointwise.laws.smooth_sign import TanhCoulomb
from jointwise.laws.temperature import TemperatureChange
from jointwise.laws.transmissions import Transmission
from jointwise.laws.viscous import Viscous
from jointwise.plant.plant import Plant, PlantJoint
from jointwise.plant.sensors import CurrentSensor, Encoder, JointSensors, TemperatureSensor
from jointwise.plant.thermal import Thermal
from jointwise.robot.inertia import Body, body_from_parameters
from jointwise.robot.library import load_robot
from jointwise.units import check_seed

WARM_DEGC = 45.0
"""Temperature at which the factory report measured its friction."""
BACKLASH_KNOTS = 48
LARGE, SMALL = 0, 1


class Size(NamedTuple):
    """Middle values of one joint size, output side; the spread around them is drawn."""

    coulomb: float
    """N m at creeping speed and working temperature"""
    viscous_root: float
    """N m (s/rad)^0.5"""
    viscous: float
    """N m s/rad"""
    stiffness: tuple[float, float, float]
    """N m/rad in the three torque ranges"""
    torque: tuple[float, float]
    """N m where the ranges end"""
    rotor: float
    """kg m^2, reflected"""
    torque_constant: float
    """N m/A, reflected"""


# Friction: factory report of a UR5e, motor torque times gear ratio 101, at 0.01, 0.5, 1.5 and 3.2 rad/s.
# Stiffness: order of magnitude of catalogue values for strain-wave gears of size 25 and 14, ratio 80 and more.
SIZES = {
    LARGE: Size(5.6, 4.2, 1.4, (3.1e4, 5.0e4, 5.7e4), (14.0, 48.0), 0.9, 10.1),
    SMALL: Size(1.3, 1.2, 0.35, (0.47e4, 0.61e4, 0.71e4), (2.0, 6.9), 0.15, 8.1),
}
ARMS = {
    "ur3e": (LARGE, LARGE, SMALL, SMALL, SMALL, SMALL),
    "ur5e": (LARGE, LARGE, LARGE, SMALL, SMALL, SMALL),
    "ur10e": (LARGE, LARGE, LARGE, SMALL, SMALL, SMALL),
    "ur16e": (LARGE, LARGE, LARGE, SMALL, SMALL, SMALL),
}
GEAR_RATIO = 101.0


def random_arm(name: str, *, seed: int) -> Plant:
    """One plausible arm of a kind: link inertias a few percent off the data sheet, drives, gears, friction, sensors."""
    if name not in ARMS:
        raise UnknownNameError("kind of random arm", name, ARMS)
    check_seed(seed)
    rng, fine = (np.random.default_rng([seed, stream]) for stream in (20, 21))
    robot = load_robot(name)
    sizes = [SIZES[k] for k in ARMS[name]]
    changes: dict[str, Any] = {}
    for joint, size in zip(robot.joints, sizes, strict=True):
        path = f"joints.{joint.name}"
        changes[f"{path}.drive.gear_ratio"] = GEAR_RATIO
        changes[f"{path}.drive.torque_constant"] = size.torque_constant * _around(rng, 0.03)
        changes[f"{path}.drive.rotor_inertia"] = size.rotor * _around(rng, 0.25)
        share = _around(rng, 0.06)
        moved = 0.008 * rng.uniform(-1.0, 1.0, 3)
        link = joint.link.parameters()
        body = body_from_parameters(link * share)
        changes[f"{path}.link.mass"] = body.mass
        changes[f"{path}.link.inertia"] = body.inertia
        changes[f"{path}.link.center_of_mass"] = tuple(np.asarray(body.center_of_mass) + moved)
    changes["payload"] = _tool(rng)
    truth = robot.replace(changes, source=f"drawn at random, seed {seed}")
    joints = tuple(_joint(rng, fine, size) for size in sizes)
    return Plant(robot=truth, joints=joints)


def _tool(rng: np.random.Generator) -> Body:
    """A gripper; without one the last link of these arms is so light that its gear would ring at kilohertz."""
    width = float(rng.uniform(0.05, 0.08))
    mass = float(rng.uniform(0.8, 2.5))
    side = 0.5 * mass * width**2
    return Body(
        mass=mass,
        center_of_mass=(0.01 * float(rng.uniform(-1, 1)), 0.01 * float(rng.uniform(-1, 1)), width),
        inertia=(1.3 * side, 0.0, 0.0, 1.2 * side, 0.0, side),
    )


def _joint(rng: np.random.Generator, fine: np.random.Generator, size: Size) -> PlantJoint:
    """`fine` draws what makes the gear richer than the models fitted to it."""
    rotor = size.rotor
    scale = _around(rng, 0.2)
    k1, k2, k3 = (scale * k for k in size.stiffness)
    damping = 2.0 * float(rng.uniform(0.02, 0.08)) * np.sqrt(k1 * rotor)
    gear = RoundedSegments(
        stiffness_1=k1,
        stiffness_2=k2,
        stiffness_3=k3,
        torque_1=size.torque[0],
        torque_2=size.torque[1],
        rounding=float(fine.uniform(0.05, 0.25)) * size.torque[0] / k1,
    )
    friction = _friction(rng, size)
    seals = TanhCoulomb(coulomb=size.coulomb * float(rng.uniform(0.02, 0.08)), width=0.01)
    return PlantJoint(
        transmission=Transmission(
            stiffness=gear,
            damping=Damping(damping=float(damping)),
            kinematic_error=_kinematic_error(rng, fine),
        ),
        friction=friction,
        link_friction=FrictionModel(
            terms=(seals, Viscous(viscous=size.viscous * float(rng.uniform(0.02, 0.08))))
        ),
        sensors=_sensors(rng),
        thermal=_thermal(rng, size),
    )


def _friction(rng: np.random.Generator, size: Size) -> FrictionModel:
    coulomb = size.coulomb * _around(rng, 0.25)
    angle = 2.0 * np.pi * np.arange(BACKLASH_KNOTS) / BACKLASH_KNOTS
    wave = sum(
        rng.uniform(0.0, 0.15) * np.cos(n * angle + rng.uniform(0.0, 2.0 * np.pi))
        for n in (1, 2, 3)
    )
    width = np.asarray(1e-3 * _around(rng, 0.4) * (1.0 + wave))
    load = float(rng.uniform(0.0, 0.08))
    hysteresis = EGMS(
        coulomb=coulomb,
        load_linear=load,
        stribeck_excess=coulomb * float(rng.uniform(0.0, 0.15)),
        stribeck_velocity=float(rng.uniform(0.01, 0.06)),
        stribeck_exponent=float(rng.uniform(0.8, 1.6)),
        operators=4,
        limit_exponent=float(rng.uniform(3.0, 5.0)),
        stiffness_exponent=float(rng.uniform(1.5, 2.5)),
        half_backlash=tuple(float(w) for w in width),
    )
    root = size.viscous_root * _around(rng, 0.25)
    # Cold friction at high speed is 25 to 60 % above warm friction; the root term carries the change.
    cold = float(rng.uniform(0.25, 0.6)) * (coulomb + 1.8 * root + 3.2 * size.viscous) / 1.8
    warm = DegressiveViscous(viscous_root=root)
    viscous = Viscous(viscous=size.viscous * _around(rng, 0.25))
    # Hot oil must not turn the root term around: at 60 degC a fifth of it is left.
    slope = -min(cold / (WARM_DEGC - 20.0), 0.8 * root / (60.0 - WARM_DEGC))
    temperature = TemperatureChange(slope=slope, cube=0.0, reference=WARM_DEGC)
    return FrictionModel(terms=(hysteresis, warm, viscous, temperature))


def _kinematic_error(rng: np.random.Generator, fine: np.random.Generator) -> FourierError:
    def draw(source: np.random.Generator, size: float, *orders: int) -> tuple[float, ...]:
        return tuple(float(v) for v in size * source.standard_normal(len(orders)) / orders)

    def rotor() -> tuple[float, ...]:
        return draw(rng, 2e-5, 1) + draw(fine, 2e-5, 2, 3, 4)

    return FourierError(
        gear_ratio=GEAR_RATIO,
        rotor_cosine=rotor(),
        rotor_sine=rotor(),
        output_cosine=draw(rng, 1.5e-4, 1, 2, 3),
        output_sine=draw(rng, 1.5e-4, 1, 2, 3),
    )


def _sensors(rng: np.random.Generator) -> JointSensors:
    turn = 2.0 * np.pi
    return JointSensors(
        motor_encoder=Encoder(resolution=turn / 2**17 / GEAR_RATIO, noise=1e-6),
        link_encoder=Encoder(
            resolution=turn / 2**19,
            noise=1e-5,
            ripple=float(rng.uniform(1e-5, 5e-5)),
            ripple_cycles=float(rng.integers(1, 64)),
        ),
        current=CurrentSensor(
            noise=0.02,
            offset_a=float(rng.normal(0.0, 0.01)),
            offset_b=float(rng.normal(0.0, 0.01)),
            gain_error_a=float(rng.normal(0.0, 0.005)),
            gain_error_b=float(rng.normal(0.0, 0.005)),
        ),
        temperature=TemperatureSensor(
            resolution=0.25, noise=0.1, offset=float(rng.normal(0.0, 1.0))
        ),
    )


def _thermal(rng: np.random.Generator, size: Size) -> Thermal:
    start = float(rng.uniform(22.0, 42.0))
    share = size.stiffness[0] / SIZES[LARGE].stiffness[0]
    return Thermal(
        ambient_degc=22.0,
        start_degc=start,
        housing_capacity=900.0 * max(share, 0.3) * _around(rng, 0.2),
        oil_capacity=150.0 * max(share, 0.3) * _around(rng, 0.2),
        to_ambient=1.0 * max(share, 0.3) * _around(rng, 0.2),
        to_oil=0.8 * max(share, 0.3) * _around(rng, 0.2),
        copper_loss=0.01 / max(share, 0.1),
    )


def _around(rng: np.random.Generator, spread: float) -> float:
    """A factor around one."""
    return float(1.0 + spread * rng.uniform(-1.0, 1.0))
