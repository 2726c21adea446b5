"""The synchronous motor: transforms, power balance, current loop, limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from jointwise.errors import ParameterError
from jointwise.laws import pmsm
from jointwise.laws.pmsm import (
    CurrentLoop,
    ElectricDrive,
    Pmsm,
    phase_currents,
    quadrature_currents,
)

MOTOR = Pmsm.examples()[0]
LOOP = CurrentLoop.examples()[0]
DRIVE = ElectricDrive(motor=MOTOR, loop=LOOP)
amperes = st.floats(-50, 50)
angles = st.floats(-100, 100)


@settings(deadline=None)
@given(amperes, amperes, angles)
def test_phase_currents_and_back(i_d, i_q, angle):
    a, b, c = phase_currents(direct=i_d, quadrature=i_q, electrical_angle=angle)
    assert abs(a + b + c) < 1e-12
    back = quadrature_currents(phase_a=a, phase_b=b, electrical_angle=angle)
    assert np.allclose(back, (i_d, i_q), rtol=0, atol=1e-12)


@settings(deadline=None)
@given(amperes, amperes, angles)
def test_clarke_then_park_is_the_direct_transform(i_a, i_b, angle):
    i_c = -i_a - i_b
    alpha, beta = pmsm.phases_to_stator(i_a, i_b, i_c)
    d, q = pmsm.stator_to_rotor(alpha, beta, angle)
    assert np.allclose((d, q), pmsm.phases_to_currents(i_a, i_b, i_c, angle), rtol=0, atol=1e-12)
    assert np.allclose(pmsm.rotor_to_stator(d, q, angle), (alpha, beta), rtol=0, atol=1e-12)
    assert np.allclose(pmsm.stator_to_phases(alpha, beta), (i_a, i_b, i_c), rtol=0, atol=1e-12)


def test_amplitude_is_kept_and_the_d_axis_is_phase_a_at_zero():
    assert pmsm.phases_to_currents(2.0, -1.0, -1.0, 0.0) == pytest.approx((2.0, 0.0), abs=1e-15)
    angle = np.linspace(0, 2 * np.pi, 400)
    a, _, _ = phase_currents(direct=0.0, quadrature=3.0, electrical_angle=angle)
    assert abs(a).max() == pytest.approx(3.0, rel=1e-4)


@settings(deadline=None)
@given(amperes, amperes, angles)
def test_phases_follow_each_other_a_third_of_a_turn_apart(i_d, i_q, angle):
    """Spec 06.3: b and c are what a is with the angle a third of a turn less and more."""
    expected = [
        i_d * np.cos(angle - lag) - i_q * np.sin(angle - lag)
        for lag in (0.0, 2.0 * np.pi / 3.0, -2.0 * np.pi / 3.0)
    ]
    found = phase_currents(direct=i_d, quadrature=i_q, electrical_angle=angle)
    assert np.allclose(np.ravel(found), expected, rtol=0, atol=1e-11)
    alpha, beta = pmsm.phases_to_stator(*expected)
    turned = pmsm.rotor_to_stator(i_d, i_q, angle)
    assert np.allclose((alpha, beta), turned, rtol=0, atol=1e-11)


def test_torque_constant_of_the_table():
    """0.125 N m/A behind 101 is 12.625 N m/A on the output side."""
    assert MOTOR.torque_constant == pytest.approx(12.625, rel=1e-12)
    assert pmsm.motor_torque(DRIVE.packed(), 0.0, 2.0) == pytest.approx(25.25, rel=1e-12)
    reluctance = pmsm.motor_torque(DRIVE.packed(), -3.0, 2.0) - 25.25
    assert reluctance == pytest.approx(101 * 15 * (2.5e-4 - 3e-4) * -3.0 * 2.0, rel=1e-10)


@settings(max_examples=80, deadline=None)
@given(
    amperes,
    amperes,
    st.floats(-30, 30),
    st.floats(-30, 30),
    st.floats(-3, 3),
    st.floats(1e-6, 1e-3),
)
def test_power_balance_closes(i_d, i_q, v_d, v_q, omega, dt):
    """Electrical work = heat + mechanical work + magnetic energy, to rounding, in every step."""
    p = DRIVE.packed()
    speed = MOTOR.pole_pairs * MOTOR.gear_ratio * omega
    d, q = pmsm.advance_currents(p, i_d, i_q, v_d, v_q, speed, dt)
    mid_d, mid_q = 0.5 * (i_d + d), 0.5 * (i_q + q)
    electric = 1.5 * (v_d * mid_d + v_q * mid_q) * dt
    heat = 1.5 * MOTOR.resistance * (mid_d**2 + mid_q**2) * dt
    mechanic = pmsm.motor_torque(p, mid_d, mid_q) * omega * dt

    def magnetic(x, y):
        return 0.75 * (MOTOR.inductance_d * x**2 + MOTOR.inductance_q * y**2)

    stored = magnetic(d, q) - magnetic(i_d, i_q)
    size = abs(electric) + heat + abs(mechanic) + magnetic(d, q) + magnetic(i_d, i_q) + 1e-30
    assert abs(electric - heat - mechanic - stored) < 1e-12 * size


def test_erratum_7_printed_sign_breaks_the_power_balance():
    """With + the surplus power is -3 p omega L_d i_d i_q (electrical minus all others)."""
    i_d, i_q, speed = -4.0, 7.0, 500.0
    m = MOTOR

    def surplus(sign):
        d_rate = (-m.resistance * i_d + m.inductance_q * speed * i_q) / m.inductance_d
        q_rate = -m.resistance * i_q + sign * m.inductance_d * speed * i_d - m.flux_linkage * speed
        stored = 1.5 * (m.inductance_d * i_d * d_rate + i_q * q_rate)
        torque = 1.5 * (m.flux_linkage + (m.inductance_d - m.inductance_q) * i_d) * i_q
        return -(1.5 * m.resistance * (i_d**2 + i_q**2) + torque * speed + stored)

    assert surplus(-1.0) == pytest.approx(0.0, abs=1e-12)
    assert surplus(1.0) == pytest.approx(-3 * speed * m.inductance_d * i_d * i_q, rel=1e-12)


def test_currents_follow_the_differential_equation_with_order_two():
    p, speed, v = DRIVE.packed(), 700.0, (3.0, 9.0)

    def rate(_, i):
        d = v[0] - MOTOR.resistance * i[0] + MOTOR.inductance_q * speed * i[1]
        q = v[1] - MOTOR.resistance * i[1] - MOTOR.inductance_d * speed * i[0]
        return [d / MOTOR.inductance_d, (q - MOTOR.flux_linkage * speed) / MOTOR.inductance_q]

    exact = solve_ivp(rate, (0, 2e-3), [1.0, -2.0], rtol=1e-12, atol=1e-13).y[:, -1]
    errors = []
    for steps in (50, 100, 200):
        i = (1.0, -2.0)
        for _ in range(steps):
            i = pmsm.advance_currents(p, *i, *v, speed, 2e-3 / steps)
        errors.append(np.abs(np.array(i) - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.1)


def test_current_loop_settles_without_error_at_its_bandwidth():
    dt = 1e-5
    state, out = DRIVE.run(np.full(2000, 6.0), 0.4, dt=dt)
    assert out.i_q[-1] == pytest.approx(6.0, rel=1e-9)
    assert abs(out.i_d[-1]) < 1e-9
    assert out.torque[-1] == pytest.approx(6.0 * MOTOR.torque_constant, rel=1e-8)
    # First order of time constant 1/(2 pi 500 Hz): 63 % after 0.32 ms, one period of delay aside.
    reached = dt * np.argmax(out.i_q > 6.0 * (1 - np.exp(-1)))
    assert reached == pytest.approx(1 / (2 * np.pi * 500), rel=0.06)
    assert not out.limited.any()
    assert state.values[1] == out.i_q[-1]


def test_limits_hold_and_report_themselves():
    _, out = DRIVE.run(np.full(400, 100.0), 0.0, dt=5e-5)
    assert out.limited.all()
    assert out.i_q[-1] == pytest.approx(LOOP.current_limit, rel=1e-6)
    voltage = np.hypot(out.v_d, out.v_q)
    assert voltage.max() <= LOOP.voltage_limit * (1 + 1e-12)
    # Faster than the voltage allows: 0.0083 Wb * 10 * 101 * 4 rad/s = 33.7 V of 27.7 V.
    _, fast = DRIVE.run(np.full(4000, 10.0), 4.0, dt=5e-5)
    assert fast.limited[-1] == 1.0
    assert fast.i_q[-1] < 10.0
    # No wind-up: back at low speed the current is right within 2 ms.
    state, _ = DRIVE.run(np.full(4000, 10.0), 4.0, dt=5e-5)
    _, slow = DRIVE.run(np.full(40, 10.0), 0.5, dt=5e-5, state=state)
    assert slow.i_q[-1] == pytest.approx(10.0, rel=0.02)


def test_a_run_resumes_and_equals_its_steps():
    wanted, speed = 5 * np.sin(np.arange(80) / 9), np.cos(np.arange(80) / 7)
    end, whole = DRIVE.run(wanted, speed, dt=1e-4)
    half, first = DRIVE.run(wanted[:31], speed[:31], dt=1e-4)
    memory = half.values.copy()
    last, second = DRIVE.run(wanted[31:], speed[31:], dt=1e-4, state=half)
    assert np.array_equal(half.values, memory)
    assert np.array_equal(np.concatenate([first.torque, second.torque]), whole.torque)
    assert np.array_equal(last.values, end.values)
    state = DRIVE.init()
    for k in range(80):
        state, output = DRIVE.step(state, wanted[k], speed[k], 1e-4)
        assert output.torque == whole.torque[k]
    with pytest.raises(ParameterError, match="dt"):
        DRIVE.run(wanted, speed, dt=0.0)
    with pytest.raises(ParameterError, match="finite"):
        DRIVE.run([np.nan], 0.0, dt=1e-4)
    with pytest.raises(ParameterError, match="whole number"):
        Pmsm(
            resistance=1,
            inductance_d=1,
            inductance_q=1,
            flux_linkage=1,
            pole_pairs=2.5,
            gear_ratio=1,
        )
