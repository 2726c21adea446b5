"""Friction laws against closed forms, the numbers of the papers, and integration at tight tolerance."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.laws.bittencourt import Bittencourt, WarmStribeck
from jointwise.laws.coulomb import Coulomb
from jointwise.laws.degressive import DegressiveViscous
from jointwise.laws.e_gms import EGMS
from jointwise.laws.friction import FrictionModel
from jointwise.laws.gear_loss import GearLoss
from jointwise.laws.gms import GMS
from jointwise.laws.liu import Liu
from jointwise.laws.load import LinearLoad, QuadraticLoad
from jointwise.laws.lugre import LuGre
from jointwise.laws.maxwell_slip import MaxwellSlip, slip_limits, slip_stiffness
from jointwise.laws.offset import Offset
from jointwise.laws.registry import FRICTION
from jointwise.laws.smooth_sign import SigmoidCoulomb, TanhCoulomb, ZoneCoulomb
from jointwise.laws.stiction import Stiction
from jointwise.laws.stribeck import Stribeck
from jointwise.laws.temperature import Temperature, TemperatureChange
from jointwise.laws.velocity import VelocityLaw
from jointwise.laws.viscous import Viscous

EXACT = 1e-13  # relative: a handful of roundings
SHAPE = {"operators": 4, "limit_exponent": 4.0, "stiffness_exponent": 2.0}
UNIT = MaxwellSlip(coulomb=1.0, half_backlash=(1e-3,), **SHAPE)


def torque(law, omega, *, load=0.0, temperature=20.0):
    """A law without memory at one velocity."""
    return FrictionModel(terms=[law]).run([0.0], omega, load, temperature, dt=1e-3)[0][0]


def along(law, path, *, omega=None, load=0.0, dt=1e-3, start=0.0):
    path = np.asarray(path, float)
    speed = np.diff(path, prepend=start) / dt if omega is None else omega
    model = FrictionModel(terms=[law])
    return model.run(path, speed, load, 20.0, dt=dt, state=model.init(position=start))[0]


def close(value, expected):
    return value == pytest.approx(expected, rel=EXACT)


# Laws without memory: each against its formula written with numpy.


def test_textbook_laws():
    assert close(torque(Viscous(viscous=3.0), -2.0), -6.0)
    assert close(torque(Offset(offset=0.7), -2.0), 0.7)
    law = Coulomb(coulomb=4.0)
    assert [torque(law, w) for w in (-1e-9, 0.0, 1e-9)] == [-4.0, 0.0, 4.0]
    law = Stribeck(coulomb=2.0, breakaway=5.0, stribeck_velocity=0.1, stribeck_exponent=0.5)
    assert close(torque(law, -0.4), -(2.0 + 3.0 * np.exp(-2.0)))
    assert close(torque(DegressiveViscous(viscous_root=3.0), -0.25), -1.5)


def test_stiction_holds_the_applied_torque_and_breaks_away():
    law = Stiction(coulomb=2.0, breakaway=3.0)
    held = [torque(law, 0.0, load=tau) for tau in (-9.0, -2.5, 0.0, 1.0, 3.5)]
    assert held == [-3.0, -2.5, 0.0, 1.0, 3.0]
    assert torque(law, 0.1, load=9.0) == 2.0
    assert torque(replace(law, standstill=0.2), 0.1, load=1.0) == 1.0


def test_smooth_signs():
    assert close(torque(TanhCoulomb(coulomb=4.0, width=0.1), 0.05), 4.0 * np.tanh(0.5))
    # W(4) as printed.
    expected = 2 * 200 / (1 + np.exp(-500 * 0.003)) - 200
    assert close(torque(SigmoidCoulomb(coulomb=200.0, steepness=500.0), 0.003), expected)
    law = ZoneCoulomb(coulomb=8.0, width=0.02)
    assert [torque(law, w) for w in (-1.0, -0.01, 0.0, 0.02)] == [-8.0, -4.0, 0.0, 8.0]


SEVEN = {
    "coulomb": 6.0,
    "breakaway": 7.0,
    "stribeck_velocity": 0.05,
    "stribeck_exponent": 1.2,
    "viscous_1": 14.0,
    "viscous_3": 0.5,
}


@pytest.mark.parametrize(("source", "sign"), [("C1(14)", 1.0), ("J3(11)", 1.0), ("J1(25)", -1.0)])
def test_velocity_law_in_the_convention_of_each_source(source, sign):
    law = VelocityLaw.as_printed(source=source, viscous_2=4.0, **SEVEN)
    for w in (-1.3, -0.02, 0.4):
        dry = 6.0 + np.exp(-((abs(w) / 0.05) ** 1.2))
        expected = np.sign(w) * dry + 14 * w + sign * 4 * abs(w) * w + 0.5 * w**3
        assert close(torque(law, w), expected)


def test_positive_quadratic_term_of_j1_saturates_the_viscous_curve():
    saturating = VelocityLaw.as_printed(source="J1(25)", viscous_2=4.0, **SEVEN)
    growing = VelocityLaw.as_printed(source="C1(14)", viscous_2=4.0, **SEVEN)
    assert torque(saturating, 1.5) < 14 * 1.5 + 6.0 + 0.5 * 1.5**3 < torque(growing, 1.5)
    with pytest.raises(UnknownNameError, match="C1"):
        VelocityLaw.as_printed(source="C1", viscous_2=4.0, **SEVEN)


def test_load_laws():
    assert close(torque(LinearLoad(load_linear=0.05), -1.0, load=-40.0), -2.0)
    assert close(torque(QuadraticLoad(load_quadratic=4e-4), -1.0, load=-40.0), -0.64)


def test_temperature_law_and_its_clamp():
    law = Temperature(constant=14.0, slope=-0.15, cube=3000.0)
    assert close(torque(law, -0.25, temperature=30.0), -0.5 * (14 - 4.5 + 3000 / 27000))
    assert torque(law, 1.0, temperature=-40.0) == torque(law, 1.0, temperature=9.0)
    assert torque(law, 1.0, temperature=0.0) == torque(law, 1.0, temperature=9.0)
    assert torque(law, 1.0, temperature=99.0) == torque(law, 1.0, temperature=60.0)


def test_erratum_22_change_of_temperature_vanishes_at_the_reference():
    law = TemperatureChange(slope=-0.15, cube=3000.0)
    assert torque(law, 1.0, temperature=20.0) == 0.0
    assert abs(torque(law, 1.0, temperature=20.0 + 1e-6)) < 1e-5
    printed = -0.15 * 1e-6 + 3000.0 * (1e-6) ** -3.0  # (T - T0)^-3: no limit at all
    assert abs(printed) > 1e20


def test_bittencourt_terms():
    peak = WarmStribeck(
        peak=1.0, peak_slope=0.05, stribeck_velocity=0.02, stribeck_velocity_slope=0.002
    )
    expected = 2.5 * np.exp(-((0.03 / 0.08) ** 1.3))
    assert close(torque(peak, -0.03, temperature=30.0), -expected)
    # Temperatures that would turn the Stribeck velocity negative leave a peak of no width.
    assert torque(peak, 0.03, temperature=-50.0) == 0.0
    law = Bittencourt.examples()[0]
    dry = 4.0 + 0.03 * 20 + 0.02 * 20 * np.exp(-((0.03 / 0.1) ** 1.3)) + expected
    viscous = (5.0 + 20.0 * np.exp(-30.0 / 20.0)) * 0.03
    assert close(torque(law, 0.03, load=-20.0, temperature=30.0), dry + viscous)


def test_liu_with_its_table_and_without_the_jump_of_erratum_24():
    law = Liu.examples()[0]
    v = 0.5
    assert close(torque(law, v), 8.0499 + 33.6469 * v + 1.6392 * v**2 - 4.5485 * v**3)
    # Even square, and a level for negative motion that carries its own sign.
    assert close(torque(law, -v), -10.9926 - 33.6469 * v + 1.6392 * v**2 + 4.5485 * v**3)
    odd = replace(law, viscous_2=0.0, viscous_2_odd=1.6392)
    assert close(torque(odd, -v) + 10.9926, -(torque(odd, v) - 8.0499))
    edge = law.width
    step = torque(law, edge * (1 + 1e-12)) - torque(law, edge * (1 - 1e-12))
    printed_step = 33.6469 * edge  # the cubic appears at epsilon
    assert abs(step) < 1e-9 < 0.3 < printed_step


# Maxwell-slip.


def test_polynomial_laws_give_the_printed_numbers():
    limits, stiffness = slip_limits(4, 4.0), slip_stiffness(4, 4.0, 2.0)
    assert np.allclose(limits, (0.00390625, 0.0625, 0.31640625, 1.0), rtol=EXACT)
    assert np.allclose(limits * stiffness, np.array([16, 9, 4, 1]) / 30, rtol=EXACT)
    # The last printed digit.
    assert np.allclose(stiffness, (136.533, 4.8, 0.421399, 0.0333333), rtol=3e-6)
    assert stiffness.sum() == pytest.approx(141.788, rel=1e-6)


@settings(deadline=None)
@given(st.integers(1, 64), st.floats(0, 20), st.floats(0, 20))
def test_slip_torques_add_up_to_one(m, r_limit, r_stiffness):
    limits = slip_limits(m, r_limit)
    assert np.sum(limits * slip_stiffness(m, r_limit, r_stiffness)) == pytest.approx(1.0, rel=1e-12)
    assert limits[-1] == 1.0


def test_virgin_curve_has_the_printed_values():
    # The printed 0.316 stands for the third limit, 0.31640625.
    ways = (0.001, 0.01, 0.0625, 0.31640625, 1.0)
    values = [along(UNIT, [1e-3 * x])[0] for x in ways]
    assert np.allclose(values, (0.1418, 0.5859, 0.8618, 0.9772, 1.0), rtol=0, atol=5e-5)


def test_full_reversal_takes_twice_the_backlash():
    torques = along(UNIT, [0.05, 0.05 - 1.999e-3, 0.05 - 2e-3])
    assert torques[0] == pytest.approx(1.0, rel=EXACT)
    assert torques[1] > -1.0 + 1e-6
    assert torques[2] == pytest.approx(-1.0, rel=1e-10)


@pytest.mark.parametrize("reach", [5e-5, 4e-4, 5e-3])
def test_area_of_a_loop_equals_theory(reach):
    """A slipping element (k, Delta) loses 4 k Delta (reach - Delta) in a cycle between +-reach; to 0.1 %."""
    law = replace(UNIT, coulomb=7.0)
    phase = np.linspace(0.0, 6 * np.pi, 3 * 20000 + 1)
    path = reach * np.sin(phase)
    f = along(law, path)
    last = slice(2 * 20000, None)
    area = np.sum(0.5 * (f[last][1:] + f[last][:-1]) * np.diff(path[last]))
    limits, k = 1e-3 * slip_limits(4, 4.0), 7.0 * slip_stiffness(4, 4.0, 2.0) / 1e-3
    slipping = limits < reach
    expected = np.sum(4 * k * limits * (reach - limits), where=slipping)
    assert area == pytest.approx(expected, rel=1e-3)


def test_erratum_26_the_new_width_in_limit_and_output_keeps_h_within_one():
    width = 1e-3 * (1 + 0.3 * np.sin(2 * np.pi * np.arange(48) / 48))
    law = replace(UNIT, half_backlash=tuple(width))
    path = np.linspace(0, 2 * np.pi, 4000)
    h = along(law, path)
    # Steady sliding is exactly 1 whatever the width, J3 Proposition 1.
    assert np.allclose(h[200:], 1.0, rtol=1e-12)
    at = np.interp(path, 2 * np.pi * np.arange(49) / 48, np.append(width, width[0]))
    printed = at[:-1] / at[1:]  # limit with the old width, output with the new one
    assert printed.max() > 1 + 1e-5


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-3e-3, 3e-3), min_size=1, max_size=30), st.floats(-100, 100))
def test_e_gms_is_load_amplitude_times_unit_hysteresis(moves, load):
    law = EGMS(coulomb=6.0, load_linear=0.02, load_quadratic=4e-4, half_backlash=(1e-3,), **SHAPE)
    path = np.cumsum(moves)
    h = along(UNIT, path)
    amplitude = 6.0 + 0.02 * abs(load) + 4e-4 * load**2
    assert np.allclose(along(law, path, load=load), amplitude * h, rtol=1e-12, atol=1e-12)
    assert abs(h).max() <= 1.0 + 1e-14


def test_erratum_23_stribeck_factor_on_h_keeps_the_torque_continuous():
    law = EGMS(
        coulomb=6.0,
        stribeck_excess=2.0,
        stribeck_velocity=0.05,
        stribeck_exponent=1.0,
        half_backlash=(1e-3,),
        **SHAPE,
    )
    # Around a reversal in the middle of a stroke the torque moves on without a jump ...
    t = np.linspace(-1e-3, 1e-3, 2001)
    path = 0.05 - 0.5 * t**2
    start = FrictionModel(terms=[law]).init(position=0.0)
    model = FrictionModel(terms=[law])
    f, _ = model.run(path, -t, 0.0, 20.0, dt=1e-6, state=start)
    # Initial stiffness 8 * 141788 N m/rad times the longest move, 1e-9 rad.
    assert abs(np.diff(f)).max() < 1.2e-3
    # ... and what it settles to when sliding at V_S lies the excess over e above the Coulomb level ...
    sliding = along(law, 0.01 * np.arange(1, 5), omega=0.05)
    assert sliding[-1] == pytest.approx(6.0 + 2.0 / np.e, rel=1e-12)
    # ... while the printed sgn(omega) (F_S - F(0)) jumps by twice the excess.
    printed = Stribeck(coulomb=0.0, breakaway=2.0, stribeck_velocity=0.05, stribeck_exponent=1.0)
    jump = torque(printed, 1e-9) - torque(printed, -1e-9)
    assert jump == pytest.approx(4.0, rel=1e-6)


def test_operators_come_whole():
    with pytest.raises(ParameterError, match="whole number"):
        replace(UNIT, operators=3.5)


# Laws with relaxation, against integration at tight tolerance.


def motion(t):
    """A speed that turns around, and its position from zero."""
    w = 9.0
    omega = 0.3 * np.cos(w * t) + 0.05
    return 0.3 / w * np.sin(w * t) + 0.05 * t, omega


def test_lugre_against_integration():
    law = LuGre.examples()[0]
    dt = 2e-5
    t = np.arange(0, 0.6, dt)
    theta, omega = motion(t)
    f = along(law, theta, omega=omega, dt=dt)

    def rate(time, z):
        v = motion(time)[1]
        g = 6.0 + 2.0 * np.exp(-((v / 0.03) ** 2))
        return v - 8000.0 * abs(v) * z / g

    solution = solve_ivp(rate, (0, t[-1]), [0.0], t_eval=t, rtol=1e-10, atol=1e-14, max_step=1e-3)
    z = solution.y[0]
    expected = 8000.0 * z + 12.0 * rate(t, z) + 10.0 * omega
    # First order in the step: velocity changes by 5e-5 rad/s of 0.3 within one.
    assert abs(f - expected).max() < 2e-3 * abs(expected).max()


def test_lugre_step_is_exact_at_constant_velocity():
    law = replace(LuGre.examples()[0], damping=0.0, viscous=0.0)
    v = 0.04
    g = 6.0 + 2.0 * np.exp(-((v / 0.03) ** 2))
    for steps in (1, 7, 1000):
        path = v * 0.01 * np.arange(1, steps + 1) / steps
        f = along(law, path, omega=v, dt=0.01 / steps)
        assert f[-1] == pytest.approx(g * (1 - np.exp(-8000 * v * 0.01 / g)), rel=1e-11)


def test_erratum_25_printed_stribeck_exponent_grows_without_bound():
    v, v0 = 0.3, 0.03
    assert np.exp((-v / v0) ** 2) > 1e40
    law = LuGre.examples()[0]
    assert torque(law.steady()[0], v) == pytest.approx(6.0, rel=1e-12)


def test_lugre_without_its_extras_is_dahl_and_so_is_gear_loss_at_constant_load():
    h = 2e-3
    dahl = LuGre(
        stiffness=6.0 / h, damping=0.0, coulomb=6.0, excess=0.0, stribeck_velocity=1.0, viscous=0.0
    )
    gear = GearLoss(loss=0.12, loss_difference=0.0, reversal_length=h, viscous=0.0)
    path = motion(np.arange(0, 0.6, 1e-3))[0]
    assert np.allclose(along(dahl, path), along(gear, path, load=-50.0), rtol=0, atol=1e-12)


def test_gear_loss_differs_between_driving_and_driven():
    law = GearLoss(loss=0.12, loss_difference=0.03, reversal_length=2e-3, viscous=8.0)
    settled = [along(law, [sign * 1.0], omega=0.0, load=50.0)[0] for sign in (1, -1)]
    assert np.allclose(settled, [(0.12 + 0.03) * 50, (-0.12 + 0.03) * 50], rtol=1e-12)
    path = 3e-3 * np.sin(np.linspace(0, 9, 4001))
    f = along(law, path, omega=0.0, load=50.0)

    def rate(x, z):
        return np.array([(np.cos(x) - abs(np.cos(x)) * z[0]) * 3e-3 / 2e-3])

    x = np.linspace(0, 9, 4001)
    z = solve_ivp(rate, (0, 9), [0.0], t_eval=x, rtol=1e-11, atol=1e-13, max_step=0.01).y[0]
    # Exact between samples but for the sample in which the motion turns.
    assert np.allclose(f, 50 * (0.12 * z + 0.03 * z**2), rtol=0, atol=1e-4)
    with pytest.raises(ParameterError, match="loss_difference"):
        replace(law, loss_difference=-0.2)


def gms_by_integration(law, end):
    """The GMS of one stroke from rest: each element sticks until its limit, then follows the slip law."""
    curve = law.curve()

    def speed(t):
        return 0.2 * np.sin(np.pi * t / end) + 1e-6

    def level(t):
        w = speed(t)
        dry = curve.coulomb + (curve.breakaway - curve.coulomb) * np.exp(
            -((w / curve.stribeck_velocity) ** curve.stribeck_exponent)
        )
        return dry + curve.viscous_1 * w + curve.viscous_2 * w**2 + curve.viscous_3 * w**3

    total = 0.0
    for share, k in zip(law.shares, law.stiffness, strict=True):

        def limit(t, force, share=share):
            return force[0] - share * level(t)

        limit.terminal = True
        tight = {"rtol": 1e-11, "atol": 1e-13}
        stick = solve_ivp(lambda t, f, k=k: [k * speed(t)], (0, end), [0.0], events=limit, **tight)
        force = stick.y[0, -1]
        if stick.status == 1:
            slip = solve_ivp(
                lambda t, f, share=share: law.attraction * (share - f / level(t)),
                (stick.t[-1], end),
                [force],
                **tight,
            )
            force = slip.y[0, -1]
        total += force
    return total, speed


def test_gms_against_integration_converges():
    law = GMS.examples()[0]
    end = 0.04
    expected, speed = gms_by_integration(law, end)
    errors = []
    for steps in (500, 1000, 2000):
        dt = end / steps
        t = dt * np.arange(1, steps + 1)
        path = 0.2 * end / np.pi * (1 - np.cos(np.pi * t / end)) + 1e-6 * t
        errors.append(abs(along(law, path, omega=speed(t), dt=dt)[-1] - expected))
    assert errors[-1] < 2e-3 * expected
    assert errors[0] / errors[-1] == pytest.approx(4.0, rel=0.4)  # first order


def test_gms_slip_step_is_exact_and_erratum_5_runs_away():
    law = replace(GMS.examples()[0], shares=(1.0,), stiffness=(1e9,))
    model = FrictionModel(terms=[law])
    fast, slow = torque(law.curve(), 0.5), torque(law.curve(), 0.1)
    _, state = model.run([1e-3], 0.5, 0.0, 20.0, dt=1e-3, state=model.init(position=0.0))
    f, after = model.run([2e-3], 0.1, 0.0, 20.0, dt=3e-3, state=state)
    expected = slow + (fast - slow) * np.exp(-400.0 * 3e-3 / slow)
    assert f[0] == pytest.approx(expected, rel=1e-12)
    assert after.memory.tolist() == [f[0], 1.0]
    force = fast
    for _ in range(40000):
        force += 1e-3 * 400.0 * (1.0 + force / slow)  # as printed
        if force > 1e6:
            break
    assert force > 1e6


def test_gms_elements_stick_again_when_the_motion_turns_or_stops():
    law = GMS.examples()[0]
    model = FrictionModel(terms=[law])
    _, state = model.run([0.05], 0.5, 0.0, 20.0, dt=0.1, state=model.init(position=0.0))
    assert state.memory[4:].tolist() == [1.0] * 4
    _, stopped = model.run([0.05], 0.0, 0.0, 20.0, dt=1e-3, state=state)
    _, turned = model.run([0.05 - 1e-7], -1e-4, 0.0, 20.0, dt=1e-3, state=state)
    assert stopped.memory[4:].tolist() == [0.0] * 4
    assert turned.memory[4:].tolist() == [0.0] * 4
    assert np.array_equal(stopped.memory[:4], state.memory[:4])
    with pytest.raises(ParameterError, match=r"sum of gms\.shares"):
        replace(law, shares=(0.5, 0.2, 0.1, 0.1))
    with pytest.raises(ParameterError, match="as long as shares"):
        replace(law, stiffness=(1.0, 2.0))


def test_fast_attraction_turns_gms_into_maxwell_slip():
    """Without speed dependence and with C large, elements slip at once: the limit of Al-Bender et al."""
    shares, k = np.array([16, 9, 4, 1]) / 30, 6.0 * slip_stiffness(4, 4.0, 2.0) / 1e-3
    law = GMS(
        attraction=1e9,
        coulomb=6.0,
        breakaway=6.0,
        stribeck_velocity=1.0,
        stribeck_exponent=1.0,
        viscous_1=0.0,
        viscous_2=0.0,
        viscous_3=0.0,
        shares=tuple(shares),
        stiffness=tuple(k),
    )
    path = motion(np.arange(0, 0.6, 1e-4))[0]
    slip = replace(UNIT, coulomb=6.0)
    assert np.allclose(along(law, path), along(slip, path), rtol=0, atol=1e-9)


def test_torque_from_rest_is_what_the_memory_alone_holds():
    model = FrictionModel(terms=[UNIT, Viscous(viscous=10.0), Coulomb(coulomb=3.0)])
    assert model.torque_from_rest(shift=1e-5, load=0.0) == pytest.approx(0.5859, abs=5e-5)


def test_a_sum_of_all_terms_of_a_fit_can_be_stored():
    models = FrictionModel(terms=[law.examples()[0] for law in FRICTION.values()])
    kept = FrictionModel.from_law(models.to_law())
    assert [law.name for law in kept.terms] == list(FRICTION)
