"""The components of the package as cases of their contract: a state that goes in and comes out, nothing hidden.

A component joins by one entry in `CASES`: how it starts, how it takes a stretch of input, and an input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jointwise.laws.e_gms import EGMS
from jointwise.laws.friction import FrictionModel
from jointwise.laws.pmsm import CurrentLoop, ElectricDrive, Pmsm
from jointwise.laws.viscous import Viscous
from jointwise.plant.faults import events
from jointwise.plant.outcome import Wall
from jointwise.plant.plant import Plant, Wear
from jointwise.plant.population import random_arm
from jointwise.plant.twin import Twin

SAMPLES = 40
DT = 1e-3


@dataclass(frozen=True)
class Case:
    """`advance` takes a state and a stretch of input (samples, ...) to the state after it, with outputs."""

    name: str
    start: Callable[[], Any]
    advance: Callable[[Any, np.ndarray], tuple[Any, np.ndarray]]
    given: np.ndarray


def wave(*shape: int, seed: int = 0) -> np.ndarray:
    """A smooth input: sines of different phase in every entry, along the first axis."""
    phase = np.random.default_rng(seed).uniform(0.0, 6.0, shape)
    t = np.arange(SAMPLES).reshape(-1, *(1,) * len(shape)) * DT
    return np.sin(2.0 * np.pi * 20.0 * t + phase) - np.sin(phase)


def friction() -> Case:
    model = FrictionModel(terms=(EGMS.examples()[0], Viscous(viscous=1.0)))

    def advance(state, given):
        rows = (given[:, 0], given[:, 1], 20.0 * given[:, 2], 25.0)
        torque, after = model.run(*rows, dt=DT, state=state)
        return after, torque

    return Case("friction", lambda: model.init(0.0), advance, 0.01 * wave(3))


def electric_drive() -> Case:
    drive = ElectricDrive(motor=Pmsm.examples()[0], loop=CurrentLoop.examples()[0])

    def advance(state, given):
        after, out = drive.run(10.0 * given[:, 0], given[:, 1], dt=1e-4, state=state)
        return after, np.column_stack(out)

    return Case("electric drive", drive.init, advance, wave(2))


def twin(name: str, *, servoed: bool, **options: Any) -> Case:
    """A twin in closed loop, or under motor torques, pushed at the tool."""
    arm = Twin(seed=5, **options)
    robot = arm.plant.robot
    start = np.zeros(robot.n)
    event = events((), 1, robot.n, arm.period, np.random.default_rng(0))

    def advance(state, given):
        reference = np.zeros((len(given), 3, robot.n))
        reference[:, 0 if servoed else 2] = given[:, : robot.n] * (0.002 if servoed else 20.0)
        push = np.ascontiguousarray(given[:, robot.n :])
        after, out, time, done = arm.advance(
            state, reference, servoed=servoed, wrench=push, event=event
        )
        assert done == len(given)
        return after, np.column_stack([out.reshape(len(out), -1), time])

    return Case(name, lambda: arm.init(start), advance, wave(robot.n + 6))


def worn(plant: Plant) -> Plant:
    """The same arm with friction that grows as it turns."""
    drift = (Wear(term=0, parameter="coulomb", per_radian=0.5),)
    return replace(plant, joints=tuple(replace(j, wear=drift) for j in plant.joints))


ARM = random_arm("ur5e", seed=5)
WALL = Wall(normal=(0.0, 0.0, 1.0), distance=0.0)
CASES = (
    friction(),
    electric_drive(),
    twin("twin under its servo", servoed=True, plant=ARM),
    twin("twin under torques", servoed=False, plant=ARM, wall=WALL),
    twin("twin that wears, RK4", servoed=True, plant=worn(ARM), method="rk4"),
    twin("twin with coupled inertia", servoed=True, plant=replace(ARM, inertial_coupling=True)),
)
