"""The traced step is the generic one, whatever laws a plant is made of."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from jointwise.kernels.trace import Graph, PlainModules, python_source
from jointwise.laws import dispatch
from jointwise.laws.damping import Damping
from jointwise.laws.friction import FrictionModel
from jointwise.laws.registry import FRICTION, KINEMATIC_ERROR, STIFFNESS
from jointwise.laws.transmissions import Transmission
from jointwise.plant.faults import events
from jointwise.plant.plant import PlantJoint
from jointwise.plant.twin import Twin
from twins import plain_plant

EQUAL = 1e-12
MODULES = PlainModules()
PLAIN = MODULES.load("jointwise.laws.dispatch")
PLAIN_SCALAR = MODULES.load("jointwise.kernels.scalar")


def examples(kind):
    return [
        pytest.param(law, id=f"{name}-{k}")
        for name, cls in kind.items()
        for k, law in enumerate(cls.examples())
    ]


def traced_function(trace, **shapes):
    """Straight-line Python of a kernel: `trace` gets arrays of symbols and returns the values wanted."""
    graph = Graph()
    values = trace(*(graph.inputs(name, shape) for name, shape in shapes.items()))
    targets = [(f"out[{k}]", value) for k, value in enumerate(values)]
    names = {"math": math, "np": np, "leaf": lambda function: function}
    exec(python_source("traced", (*shapes, "out"), graph, targets), names)

    def call(*arrays):
        out = np.zeros(len(values))
        names["traced"](*arrays, out)
        return out

    return call


@pytest.mark.parametrize("law", examples(FRICTION))
def test_traced_friction_is_the_compiled_one(law):
    count, p = law.state_size, law.packed()

    def trace(x, s):
        memory = np.empty(count, dtype=object)
        return [PLAIN.friction_step(law.code, p, s, memory, tuple(x)), *memory]

    traced = traced_function(trace, x=6, s=count)
    rng = np.random.default_rng(law.code)
    for _ in range(200):
        omega, dt = rng.normal(), 1e-5
        x = np.array(
            [omega * dt, omega, 20 * rng.normal(), rng.uniform(0, 70), 3 * rng.normal(), dt]
        )
        s, memory = 1e-4 * rng.normal(size=count), np.empty(count)
        torque = dispatch.friction_step(law.code, p, s, memory, tuple(x))
        np.testing.assert_allclose(traced(x, s), [torque, *memory], rtol=EQUAL, atol=EQUAL)


@pytest.mark.parametrize("law", examples(STIFFNESS))
def test_traced_stiffness_is_the_compiled_one(law):
    p = law.packed()
    traced = traced_function(lambda x: [PLAIN.transmission_torque(law.code, p, x[0])], x=1)
    for phi in np.linspace(-5e-3, 5e-3, 101):
        expected = dispatch.transmission_torque(law.code, p, phi)
        np.testing.assert_allclose(traced(np.array([phi])), [expected], rtol=EQUAL, atol=EQUAL)


@pytest.mark.parametrize("law", examples(KINEMATIC_ERROR))
def test_traced_kinematic_error_is_the_compiled_one(law):
    p = law.packed()
    both = "kinematic_error", "kinematic_error_slope"
    traced = traced_function(lambda x: [getattr(PLAIN, f)(law.code, p, x[0]) for f in both], x=1)
    for theta in np.linspace(-7.0, 7.0, 101):
        expected = [getattr(dispatch, f)(law.code, p, theta) for f in both]
        np.testing.assert_allclose(traced(np.array([theta])), expected, rtol=EQUAL, atol=EQUAL)


def test_equality_of_values_is_recorded_and_a_branch_on_one_refused():
    traced = traced_function(lambda x: [PLAIN_SCALAR.select(x[0] == x[1], 3.0, 4.0)], x=2)
    assert traced(np.array([1.0, 1.0])) == 3.0
    assert traced(np.array([1.0, 2.0])) == 4.0
    with pytest.raises(TypeError, match="branched on a value"):
        traced_function(lambda x: [1.0 if x[0] != x[1] else 2.0], x=2)


def plant_of_all_laws():
    """Seven joints that share out every registered law: friction on rotors and links, gears, kinematic errors."""
    friction = [cls.examples()[-1] for cls in FRICTION.values()]
    gears = [cls.examples()[0] for cls in STIFFNESS.values()]
    errors = [cls.examples()[0] for cls in KINEMATIC_ERROR.values()]
    plant = plain_plant("xmate7", rotor=0.8)
    joints = []
    for j in range(7):
        gear = Transmission(
            stiffness=gears[j % len(gears)],
            damping=Damping(damping=20.0),
            kinematic_error=errors[j % len(errors)],
        )
        here = tuple(friction[(j + 6) % 7 :: 7])
        joints.append(
            PlantJoint(
                transmission=gear,
                friction=FrictionModel(terms=here),
                link_friction=FrictionModel(terms=here[:1]),
            )
        )
    assert len(gears) <= 7
    return replace(plant, joints=tuple(joints))


def test_every_law_can_be_traced_and_stays_the_same():
    """From many states in motion; near standstill laws with a jump would turn rounding into another branch."""
    plant = plant_of_all_laws()
    last = f"joints.{plant.robot.joints[-1].name}.link"
    tool = {f"{last}.mass": 2.0, f"{last}.inertia": (0.03, 0.0, 0.0, 0.03, 0.0, 0.03)}
    plant = replace(plant, robot=plant.robot.replace(tool, source="test"))
    twins = [Twin(plant=plant, period=1e-4, traced=traced) for traced in (False, True)]
    rng = np.random.default_rng(5)
    calm = {"servoed": False, "wrench": np.zeros((1, 6))}
    calm["event"] = events((), 1, 7, 1e-4, rng)
    moved = np.zeros_like(twins[0].init(np.zeros(7)).friction)
    for _ in range(25):
        start = twins[0].init(rng.uniform(-1.5, 1.5, 7))
        start.x[1] = rng.choice([-1.0, 1.0], 7) * rng.uniform(0.2, 1.0, 7)
        start.x[3] = start.x[1] * rng.uniform(0.7, 1.3, 7)
        torque = np.zeros((3, 3, 7))
        torque[:, 2] = rng.uniform(-20.0, 20.0, 7)
        (generic, *_, done), (traced, *_) = (twin.advance(start, torque, **calm) for twin in twins)
        assert done == 3
        moved = np.maximum(moved, np.abs(generic.friction))
        for ours, theirs in zip(traced[:3], generic[:3], strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=EQUAL, atol=EQUAL)
    assert np.count_nonzero(moved) > len(moved) // 2
