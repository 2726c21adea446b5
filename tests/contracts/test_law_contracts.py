"""What every friction law promises. A law runs all of this by being registered."""

import json
import os
import subprocess
import sys
from dataclasses import MISSING, fields, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jointwise
from jointwise.errors import ParameterError, ShapeError, UnknownNameError
from jointwise.laws.base import field_units, list_fields
from jointwise.laws.friction import FrictionInput, FrictionModel, pack_friction
from jointwise.laws.registry import FRICTION
from jointwise.robot.parts import Law

DT = 1e-3
ROUNDING = 1e-12  # relative; sums of about ten terms
LIBRARY = 1e-12  # relative; exp and pow of two mathematics libraries differ in the last digits
CASES = [
    pytest.param(law, id=f"{name}-{k}")
    for name, cls in FRICTION.items()
    for k, law in enumerate(cls.examples())
]
every_law = pytest.mark.parametrize("law", CASES)


def those(condition):
    chosen = [c for c in CASES if condition(c.values[0])]
    return pytest.mark.parametrize("law", chosen)


def model_of(*laws):
    return FrictionModel(terms=laws)


def wandering(seed, count=400, reach=0.02):
    """A smooth random motion with reversals: position, velocity, load, temperature."""
    rng = np.random.default_rng(seed)
    t = DT * np.arange(count)
    theta, omega = np.zeros(count), np.zeros(count)
    for cycles in (1.3, 4.1, 9.7):
        w, phase, a = 2 * np.pi * cycles, rng.uniform(0, 6), reach * rng.uniform(0.3, 1) / cycles
        theta += a * np.sin(w * t + phase)
        omega += a * w * np.cos(w * t + phase)
    load = 30 * np.sin(2 * np.pi * 0.9 * t + rng.uniform(0, 6))
    temperature = 20 + 10 * np.sin(3 * t)
    return theta, omega, load, temperature


def along(law, path, load=20.0, temperature=25.0, dt=DT, state=None, speed=None):
    """Torque along positions, velocity from differences unless given."""
    path = np.asarray(path, float)
    omega = np.diff(path, prepend=path[0]) / dt if speed is None else speed
    return model_of(law).run(path, omega, load, temperature, dt=dt, state=state)


def test_there_is_an_example_of_every_law_and_no_code_twice():
    assert all(cls.examples() for cls in FRICTION.values())
    assert len({cls.code for cls in FRICTION.values()}) == len(FRICTION)


@every_law
def test_same_input_gives_same_output(law):
    one, state = model_of(law).run(*wandering(1), dt=DT)
    two, again = model_of(law).run(*wandering(1), dt=DT)
    assert np.array_equal(one, two)
    assert np.array_equal(state.memory, again.memory)


@every_law
def test_inputs_and_parameters_stay_as_they_were(law):
    model, series = model_of(law), wandering(2)
    copies = [a.copy() for a in series]
    packed = law.packed()
    state = model.init(series[0][0])
    memory = state.memory.copy()
    model.run(*series, dt=DT, state=state)
    assert all(np.array_equal(a, b) for a, b in zip(series, copies, strict=True))
    assert np.array_equal(state.memory, memory)
    assert np.array_equal(law.packed(), packed)
    with pytest.raises(ValueError, match="read-only"):
        model.pack().parameters[0] = 1.0


@every_law
@pytest.mark.parametrize("cut", [1, 57, 399])
def test_a_run_resumes_from_its_state(law, cut):
    series = wandering(3)
    whole, end = model_of(law).run(*series, dt=DT)
    first, state = model_of(law).run(*(a[:cut] for a in series), dt=DT)
    second, last = model_of(law).run(*(a[cut:] for a in series), dt=DT, state=state)
    assert np.array_equal(np.concatenate([first, second]), whole)
    assert np.array_equal(last.memory, end.memory)


@every_law
def test_a_run_equals_its_steps_and_a_batch_its_rows(law):
    model = model_of(law)
    rows = [wandering(seed, count=60) for seed in (4, 5, 6)]
    batch, _ = model.run(*(np.stack(column) for column in zip(*rows, strict=True)), dt=DT)
    for torque, row in zip(batch, rows, strict=True):
        state = model.init(row[0][0])
        for k in range(60):
            state, output = model.step(state, FrictionInput(*(a[k] for a in row)), DT)
            assert output.torque == torque[k]


@every_law
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(
            st.floats(-1e4, 1e4),
            st.floats(-1e6, 1e6),
            st.floats(-1e6, 1e6),
            st.floats(-60, 200),
            st.floats(1e-9, 10.0),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_finite_input_gives_finite_torque(law, rows):
    theta, omega, load, temperature, dt = np.array(rows).T
    torque, state = model_of(law).run(theta, omega, load, temperature, dt=dt)
    assert np.isfinite(torque).all()
    assert np.isfinite(state.memory).all()


@those(lambda law: law.odd)
def test_motion_and_load_turned_around_turn_the_torque_around(law):
    theta, omega, load, temperature = wandering(7)
    if law.state_size and len(getattr(law, "half_backlash", (0,))) > 1:
        # The map belongs to places, so only a uniform one is the same on both sides.
        law = replace(law, half_backlash=law.half_backlash[:1])
    one, _ = model_of(law).run(theta, omega, load, temperature, dt=DT)
    other, _ = model_of(law).run(-theta, -omega, -load, temperature, dt=DT)
    assert np.allclose(other, -one, rtol=ROUNDING, atol=ROUNDING * abs(one).max())


@those(lambda law: law.dissipative and not law.state_size)
def test_power_without_memory_is_never_negative(law):
    omega = np.concatenate([-np.geomspace(8, 1e-9, 80), [0.0], np.geomspace(1e-9, 8, 80)])
    for load in (-90.0, -3.0, 0.0, 55.0):
        torque, _ = model_of(law).run(np.zeros(omega.size), omega, load, 25.0, dt=DT)
        assert (torque * omega >= 0.0).all()


@those(lambda law: law.dissipative and law.state_size)
@pytest.mark.parametrize("reach", [2e-5, 3e-4, 4e-3, 0.3])
@pytest.mark.parametrize("load", [-40.0, 0.0, 40.0])
def test_work_over_a_closed_cycle_is_never_negative(law, reach, load):
    count = 2000
    phase = 2 * np.pi * np.arange(6 * count + 1) / count
    theta = reach * (np.sin(phase) + 0.4 * np.sin(3 * phase + 1))
    torque, _ = along(law, theta, load=load, dt=1.0 / count)
    last = slice(5 * count, None)
    moves = np.diff(theta)[last]
    # Midpoint of the torque over each move.
    work = np.sum(0.5 * (torque[last][1:] + torque[last][:-1]) * moves)
    assert work >= -1e-9 * np.sum(abs(torque[last][1:] * moves)) - 1e-15


def level_of(law, omega, load, temperature):
    """Torque of the laws that `law` settles to."""
    zeros = np.zeros(np.shape(omega))
    torque, _ = model_of(*law.steady()).run(zeros, omega, load, temperature, dt=DT)
    return torque


@those(lambda law: law.steady())
@pytest.mark.parametrize("omega", [-1.7, -0.02, 0.005, 0.06, 2.0])
@pytest.mark.parametrize("load", [0.0, -25.0])
def test_steady_sliding_gives_the_static_law(law, omega, load):
    theta = omega * DT * np.arange(4000)
    torque, _ = model_of(law).run(theta, np.full(theta.size, omega), load, 25.0, dt=DT)
    expected = level_of(law, np.full(1, omega), load, 25.0)[0]
    # Relaxing laws approach exponentially: at least 20 m rad at 1 mrad, or 0.02 N m of 1 N m/s at 4 s.
    assert torque[-1] == pytest.approx(expected, rel=1e-8, abs=1e-9)


@those(lambda law: law.rate_independent and law.steady())
def test_unit_hysteresis_stays_within_one(law):
    """|f| <= amplitude, everywhere and at any load, is |H| <= 1."""
    for seed in range(5):
        theta, omega, load, temperature = wandering(seed, reach=0.05)
        torque, _ = model_of(law).run(theta, omega, load, temperature, dt=DT)
        amplitude = level_of(law, np.ones(theta.size), load, temperature)
        assert (abs(torque) <= amplitude * (1 + ROUNDING)).all()


@those(lambda law: law.rate_independent)
def test_torque_follows_the_path_and_not_the_pace(law):
    theta = wandering(8)[0]
    slow, _ = along(law, theta, dt=1.0)
    fast, _ = along(law, theta, dt=1e-4)
    assert np.allclose(slow, fast, rtol=ROUNDING, atol=ROUNDING * abs(slow).max())


@those(lambda law: law.return_point)
@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0.05, 0.95), min_size=1, max_size=5))
def test_a_closed_inner_loop_leaves_no_trace(law, inside):
    """Turning back inside the last two turning points, however often, and returning: as if it had not happened."""
    low, high = -6e-4, 9e-4
    path = [0.0, high, low]
    for share in inside:
        # Each new turn lies between the last two.
        path.append(path[-1] + share * (path[-2] - path[-1]))
    back = [*path, low, high]
    direct = [0.0, high, low, high]
    detour, _ = along(law, back)
    straight, _ = along(law, direct)
    # Passing the older turning point wipes out everything inside.
    assert detour[-1] == pytest.approx(straight[-1], rel=1e-12, abs=1e-12)


@those(lambda law: law.return_point)
def test_branches_after_a_reversal_double_the_virgin_curve(law):
    """Masing: f(x) = -(2 f0(|dx|/2) - f_max) after turning around in steady sliding."""
    x = np.linspace(0.0, 1.2e-3, 25)
    virgin = np.array([along(law, [0.0, half])[0][-1] for half in x])
    state = along(law, [0.0, 0.05])[1]
    top = along(law, [0.05], state=state)[0][-1]
    back = np.array([along(law, [0.05 - 2 * half], state=state)[0][-1] for half in x])
    assert np.allclose(back, top - 2 * virgin, rtol=0, atol=1e-11 * abs(top))


@pytest.mark.parametrize(
    ("law", "simpler"),
    [
        pytest.param(law, simpler, id=f"{name}-{k}")
        for name, cls in FRICTION.items()
        for k, (law, simpler) in enumerate(cls.reductions())
    ],
)
def test_without_its_extra_parameter_it_is_its_simpler_neighbour(law, simpler):
    series = wandering(9)
    one, _ = model_of(law).run(*series, dt=DT)
    other, _ = model_of(*simpler).run(*series, dt=DT)
    assert np.allclose(one, other, rtol=ROUNDING, atol=ROUNDING * abs(other).max())


@every_law
def test_values_out_of_bounds_are_refused(law):
    """Every bound of every field, and what is no number at all."""
    for name, unit in field_units(type(law)).items():
        is_list = name in list_fields(type(law))
        wrong = [np.nan, "1", None, True]
        wrong += [] if np.isinf(unit.lower) else [unit.lower - 1.0]
        wrong += [] if np.isinf(unit.upper) else [unit.upper + 1.0]
        wrong += [unit.lower] if unit.open_lower else []
        for value in wrong:
            given_value = (value,) if is_list else value
            with pytest.raises(ParameterError, match=f"{law.name}.*{name}"):
                replace(law, **{name: given_value})


@every_law
def test_a_law_survives_the_robot_file(law):
    model = model_of(law)
    assert FrictionModel.from_law(model.to_law()) == model
    needed = next(f.name for f in fields(law) if f.default is MISSING)
    values = dict(model.to_law().parameters)
    with pytest.raises(UnknownNameError, match="colour"):
        FrictionModel.from_law(Law(name=law.name, parameters={**values, "colour": 1.0}))
    del values[needed]
    with pytest.raises(ParameterError, match=f"{needed} is not given"):
        FrictionModel.from_law(Law(name=law.name, parameters=values))


PLAIN = """
import json, sys
import numpy as np
from jointwise.laws.friction import FrictionModel
from jointwise.laws.registry import FRICTION
series = [np.array(a) for a in json.load(sys.stdin)]
out = {f"{n}-{k}": FrictionModel(terms=[law]).run(*series, dt=1e-3)[0].tolist()
       for n, cls in FRICTION.items() for k, law in enumerate(cls.examples())}
print(json.dumps(out))
"""


def test_compiled_laws_compute_what_plain_python_does():
    """The same source without the compiler, in a process of its own; also that nothing divides by zero there."""
    series = [np.concatenate([a[:200], a[:1] * 0.0]) for a in wandering(10)]
    source = os.path.dirname(os.path.dirname(jointwise.__file__))
    done = subprocess.run(
        [sys.executable, "-c", PLAIN],
        input=json.dumps([a.tolist() for a in series]),
        capture_output=True,
        text=True,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": source},
    )
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    for case in CASES:
        torque, _ = model_of(case.values[0]).run(*series, dt=DT)
        expected = np.array(plain[case.id])
        assert np.allclose(torque, expected, rtol=LIBRARY, atol=LIBRARY * abs(torque).max()), (
            case.id
        )


def test_a_sum_of_laws_is_the_sum_of_their_torques():
    laws = [cls.examples()[-1] for cls in FRICTION.values()]
    series = wandering(11)
    together, _ = model_of(*laws).run(*series, dt=DT)
    alone = sum(model_of(law).run(*series, dt=DT)[0] for law in laws)
    assert np.allclose(together, alone, rtol=0, atol=1e-11 * abs(alone).max())
    few = model_of(*laws[4:9])
    assert FrictionModel.from_law(few.to_law()) == few


def test_the_pack_of_several_joints_keeps_them_apart():
    models = [model_of(*(cls.examples()[0] for cls in FRICTION.values())), model_of(), model_of()]
    packed = pack_friction([*models, models[0]])
    half = len(FRICTION)
    assert packed.first.tolist() == [0, half, half, half, 2 * half]
    assert packed.state_size == 2 * models[0].pack().state_size
    one, other = packed.terms[:half], packed.terms[half:]
    assert np.array_equal(
        other[:, 1:3] - one[:, 1:3], np.full((half, 2), models[0].pack().parameters.size)
    )


def test_bad_names_and_series_are_refused_in_words():
    with pytest.raises(UnknownNameError, match="did you mean 'coulomb'"):
        FrictionModel.from_law(Law(name="coulom"))
    with pytest.raises(ParameterError, match="twice"):
        FrictionModel.from_law(Law(name="viscous + viscous"))
    with pytest.raises(ParameterError, match="second time"):
        model_of(*(FRICTION["viscous"].examples() * 2)).to_law()
    model = model_of(*FRICTION["viscous"].examples())
    with pytest.raises(ShapeError, match="velocity"):
        model.run(np.zeros(5), np.zeros(4), 0.0, 20.0, dt=DT)
    with pytest.raises(ShapeError, match="finite"):
        model.run([0.0, np.nan], 0.0, 0.0, 20.0, dt=DT)
    with pytest.raises(ParameterError, match="dt"):
        model.run(np.zeros(5), 0.0, 0.0, 20.0, dt=0.0)
    with pytest.raises(ParameterError, match="friction law"):
        FrictionModel(terms=["viscous"])
    with pytest.raises(AttributeError, match="frozen"):
        model.terms = ()
