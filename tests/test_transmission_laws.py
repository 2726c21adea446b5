"""Transmission laws against closed forms, inverses, continuity, and the errata."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jointwise.errors import ParameterError, ShapeError, UnknownNameError
from jointwise.laws.backlash_map import BacklashMap
from jointwise.laws.base import field_units, list_fields
from jointwise.laws.damping import Damping
from jointwise.laws.kinematic_error import ErrorTable, FourierError
from jointwise.laws.linear import LinearSpring
from jointwise.laws.lost_motion import LostMotion
from jointwise.laws.odd_polynomial import OddPolynomial, smallest_stiffness
from jointwise.laws.registry import BACKLASH, DAMPING, KINDS, KINEMATIC_ERROR, STIFFNESS
from jointwise.laws.smooth_backlash import SmoothBacklash, SmoothDeformation
from jointwise.laws.three_segments import ThreeSegments
from jointwise.laws.transmissions import JointTransmissions, Transmission
from jointwise.robot.parts import Law

EXACT = 1e-13
PHI_B, C_TR = 3e-4, 8.4225e6
SPRINGS = [
    pytest.param(law, id=f"{name}-{k}")
    for name, cls in STIFFNESS.items()
    for k, law in enumerate(cls.examples())
]
every_spring = pytest.mark.parametrize("law", SPRINGS)
TORQUES = np.concatenate([-np.geomspace(2e3, 1e-4, 40), [0.0], np.geomspace(1e-4, 2e3, 40)])


# What every stiffness law promises.


@every_spring
def test_torque_is_odd_and_grows_with_deformation(law):
    phi = np.linspace(0.0, 4e-3, 500)
    assert law.torque(0.0) == 0.0
    assert np.array_equal(law.torque(-phi), -law.torque(phi))
    assert (np.diff(law.torque(phi)) >= 0.0).all()


@every_spring
def test_inverse_gives_the_torque_back(law):
    again = law.torque(law.deformation(TORQUES))
    # A deformation near a backlash is known to one rounding of the backlash, times the stiffness.
    atol = 1e-15 * float(law.stiffness(3e-4))
    assert np.allclose(again, TORQUES, rtol=1e-12, atol=atol)
    assert np.array_equal(law.deformation(-TORQUES), -law.deformation(TORQUES))


@every_spring
def test_stiffness_and_slope_are_derivatives(law):
    phi, h = np.linspace(-9e-4, 9e-4, 77) + 1.1e-6, 1e-9
    for value, slope in ((law.torque, law.stiffness), (law.stiffness, law.stiffness_slope)):
        difference = (value(phi + h) - value(phi - h)) / (2 * h)
        # Rounding of a difference over 2e-9 rad: 1e-16 / 2e-9 of the values' size.
        size = abs(value(phi)).max() / 1e-3 + abs(slope(phi)).max()
        assert np.allclose(difference, slope(phi), rtol=0, atol=1e-6 * size)


@every_spring
def test_finite_input_gives_finite_output(law):
    for value in (0.0, 1e-300, -1e-12, 1.0, -50.0):
        for function in (law.torque, law.stiffness, law.stiffness_slope, law.deformation):
            assert np.isfinite(function(value))
    assert np.isfinite(law.deformation([1e9, -1e9])).all()


@pytest.mark.parametrize(
    ("law", "simpler"), [pair for cls in STIFFNESS.values() for pair in cls.reductions()]
)
def test_a_special_case_is_the_simpler_law(law, simpler):
    phi = np.linspace(-1e-3, 1e-3, 31)
    assert np.allclose(law.torque(phi), simpler.torque(phi), rtol=EXACT)
    assert np.allclose(law.stiffness(phi[phi != 0]), simpler.stiffness(phi[phi != 0]), rtol=EXACT)
    assert np.allclose(law.deformation(TORQUES), simpler.deformation(TORQUES), rtol=EXACT)


@pytest.mark.parametrize(
    "law", [x for laws in KINDS.values() for cls in laws.values() for x in cls.examples()]
)
def test_values_out_of_bounds_are_refused(law):
    for name, unit in field_units(type(law)).items():
        wrong = [np.nan, "1"] + ([] if np.isinf(unit.lower) else [unit.lower - 1.0])
        for value in wrong:
            values = {n: getattr(law, n) for n in field_units(type(law))}
            values[name] = (value,) if name in list_fields(type(law)) else value
            with pytest.raises(ParameterError, match=f"{law.name}.*{name}"):
                type(law)(**values)


# Odd polynomial.


@settings(max_examples=80, deadline=None)
@given(
    powers=st.lists(st.floats(0, 3), min_size=1, max_size=7),
    size=st.floats(-6, 4),
)
@example(powers=[0.0, 5e-324], size=0.0)  # so small that the closed form overflows
def test_polynomial_of_any_order_is_inverted(powers, size):
    coefficients = tuple(1e4 * x * 1e6**k if k else 2e4 for k, x in enumerate(powers))
    law = OddPolynomial(coefficients=coefficients)
    torque = 10.0**size
    phi = float(law.deformation(torque))
    direct = sum(a * phi ** (2 * k + 1) for k, a in enumerate(coefficients))
    assert direct == pytest.approx(torque, rel=1e-12)


def test_cubic_inverse_is_the_closed_form():
    a1, a2, tau = 2.5e4, 4e9, np.linspace(-200, 200, 41)
    argument = 3 * tau / (2 * a1) * np.sqrt(3 * a2 / a1)
    expected = 2 * np.sqrt(a1 / (3 * a2)) * np.sinh(np.arcsinh(argument) / 3)
    law = OddPolynomial(coefficients=(a1, a2))
    assert np.allclose(law.deformation(tau), expected, rtol=EXACT)


def test_erratum_15_stiffness_exists_at_zero():
    law = OddPolynomial(coefficients=(2.5e4, 4e9))
    assert law.stiffness(0.0) == 2.5e4
    with np.errstate(invalid="ignore"):
        printed = np.float64(0.0) * 2.5e4 / np.float64(0.0)
    assert np.isnan(printed)


def test_a_softening_fit_is_accepted_only_while_it_stays_a_function():
    law = OddPolynomial(coefficients=(4e4, -1e9, 1e14))
    lowest = smallest_stiffness(law.coefficients)
    phi = np.linspace(0, 6e-3, 200001)
    assert lowest == pytest.approx(law.stiffness(phi).min(), rel=1e-6)
    for wrong in ((2.5e4, -4e9), (2e4, -1e11, 1e14), (0.0, 1e9), (-1.0,)):
        with pytest.raises(ParameterError, match="stays above 0"):
            OddPolynomial(coefficients=wrong)


# Piecewise laws.


def test_three_segments_at_their_switches():
    law = ThreeSegments.examples()[0]
    first = 14.0 / 3.1e4
    second = first + 34.0 / 5.0e4
    assert np.allclose(law.torque([first, second, second + 1e-4]), [14, 48, 48 + 5.7], rtol=EXACT)
    assert np.allclose(law.deformation([14.0, 48.0]), [first, second], rtol=EXACT)
    for edge in (first, second):
        low, high = law.torque([edge * (1 - 1e-12), edge * (1 + 1e-12)])
        assert high - low < 1e-9
    assert law.stiffness([0.0, 0.99 * second, 2 * second]).tolist() == [3.1e4, 5.0e4, 5.7e4]
    with pytest.raises(ParameterError, match="torque_2"):
        ThreeSegments(stiffness_1=1, stiffness_2=1, stiffness_3=1, torque_1=5, torque_2=5)


def test_errata_16_and_17_weigands_law_is_continuous():
    law = LostMotion(half_backlash=1.5e-4, lost_motion=1.5e-4, lost_stiffness=1e6, rigidity=C_TR)
    for edge in (1.5e-4, 3e-4):
        low, high = law.torque([edge * (1 - 1e-10), edge * (1 + 1e-10)])
        assert high - low < 1e-6
    for edge in (1e-9, 150.0):
        low, high = law.deformation([edge * (1 - 1e-10), edge * (1 + 1e-10)])
        assert high - low < 1e-13
    # As printed: 0 to 75 at phi_B*, 225 to 2677 at phi_B.
    printed = [1e6 * (1.5e-4 - 1.5e-4 / 2), 1e6 * (3e-4 - 1.5e-4 / 2), C_TR * 3e-4 + 150.0]
    assert np.allclose(printed, [75, 225, 2677], rtol=1e-3)
    assert np.allclose(law.torque([1e-4, 2e-4, 3e-4, 4e-4]), [0, 50, 150, 150 + C_TR * 1e-4])
    assert np.allclose(law.deformation([50.0, 150.0]), [2e-4, 3e-4], rtol=EXACT)


# Smooth laws.


def printed_w8(x):
    rise = C_TR * PHI_B + 2 * C_TR * x + 3 * C_TR / (2 * PHI_B) * x**2
    return C_TR * x - C_TR * PHI_B + rise * np.exp(-3 * x / PHI_B)


def test_smooth_torque_is_the_printed_one_and_starts_with_the_fourth_power():
    law = SmoothBacklash(effective_backlash=PHI_B, rigidity=C_TR)
    x = np.linspace(2e-5, 3e-3, 200)
    # The closed form loses digits near zero.
    assert np.allclose(law.torque(x), printed_w8(x), rtol=1e-11, atol=1e-12 * C_TR * PHI_B)
    small = np.array([1e-9, 1e-8, 1e-7])
    series = 9 / 8 * C_TR * small**4 / PHI_B**3
    # The next term is 9/5 x/phi_B of it: 6e-4 at the largest.
    assert np.allclose(law.torque(small), series, rtol=1e-3)
    y = 3 * x / PHI_B
    slope = C_TR * (1 - (1 + y + y**2 / 2) * np.exp(-y))
    assert np.allclose(law.stiffness(x), slope, rtol=1e-11, atol=1e-12 * C_TR)
    far = np.array([3e-3, 1e-2])
    assert np.allclose(law.torque(far), C_TR * (far - PHI_B), rtol=1e-8)


def test_smooth_torque_is_the_limit_of_the_form_with_tanh():
    law = SmoothBacklash(effective_backlash=PHI_B, rigidity=C_TR)
    x = np.linspace(-2e-3, 2e-3, 101)
    sign = np.tanh(1e6 * x)
    assert np.allclose(sign * printed_w8(x * sign), law.torque(x), rtol=1e-9, atol=1e-6)


def test_smooth_torque_is_a_chain_of_three_lags():
    """W(30), n = 3: sum of (phi_B/3)^k binom(3, k) d^k y/dx^k = c x, for the torque as function of x."""
    law = SmoothBacklash(effective_backlash=PHI_B, rigidity=C_TR)
    x, h = np.linspace(1e-4, 1e-3, 10), 1e-7
    third = (law.stiffness_slope(x + h) - law.stiffness_slope(x - h)) / (2 * h)
    lag = PHI_B / 3
    total = law.torque(x) + 3 * lag * law.stiffness(x)
    total += 3 * lag**2 * law.stiffness_slope(x) + lag**3 * third
    assert np.allclose(total, C_TR * x, rtol=1e-6)


def test_smooth_deformation_is_the_printed_one():
    law = SmoothDeformation(effective_backlash=PHI_B, rigidity=C_TR, steepness=0.02)
    tau = np.linspace(-3e3, 3e3, 61)
    expected = tau / C_TR + 2 * PHI_B / (1 + np.exp(-0.02 * tau)) - PHI_B
    assert np.allclose(law.deformation(tau), expected, rtol=1e-12, atol=1e-18)
    assert law.stiffness(0.0) == pytest.approx(1 / (1 / C_TR + PHI_B * 0.02 / 2), rel=EXACT)
    assert law.stiffness(0.0) == pytest.approx(3.2e5, rel=0.01)


def test_the_two_smooth_forms_are_not_inverses_of_each_other():
    one = SmoothBacklash(effective_backlash=PHI_B, rigidity=C_TR)
    other = SmoothDeformation(effective_backlash=PHI_B, rigidity=C_TR, steepness=0.02)
    assert one.stiffness(0.0) == 0.0 < other.stiffness(0.0)
    assert abs(one.torque(other.deformation(20.0)) - 20.0) > 1.0
    far = 2e4
    assert one.torque(other.deformation(far)) == pytest.approx(far, rel=1e-6)


# Damping, kinematic error, backlash map.


def test_damping_from_a_decaying_oscillation():
    b, d, k = 1.3, 40.0, 3e4
    decay, w = d / (2 * b), np.sqrt(k / b - (d / (2 * b)) ** 2)
    period = 2 * np.pi / w
    law = Damping.from_decay(
        rotor_inertia=b,
        first_peak=1.0,
        later_peak=np.exp(-decay * 3 * period),
        seconds_between=3 * period,
    )
    assert law.damping == pytest.approx(d, rel=1e-12)
    with pytest.raises(ParameterError, match="later_peak"):
        Damping.from_decay(rotor_inertia=1, first_peak=1, later_peak=2, seconds_between=1)


def test_fourier_error_and_its_derivative():
    law = FourierError.examples()[0]
    theta = np.linspace(-9.0, 9.0, 301)
    expected, slope = np.zeros(301), np.zeros(301)
    for rate, cosine, sine in (
        (2 * 101.0, law.rotor_cosine, law.rotor_sine),
        (1.0, law.output_cosine, law.output_sine),
    ):
        for n, (a, b) in enumerate(zip(cosine, sine, strict=True), 1):
            w = n * rate
            expected += a * np.cos(w * theta) + b * np.sin(w * theta)
            slope += w * (b * np.cos(w * theta) - a * np.sin(w * theta))
    assert np.allclose(law.error(theta), expected, rtol=0, atol=1e-15)
    assert np.allclose(law.slope(theta), slope, rtol=0, atol=1e-13)
    with pytest.raises(ParameterError, match="rotor_sine"):
        FourierError(gear_ratio=101.0, rotor_cosine=(1e-4,))


def test_erratum_18_fourier_integrals_give_the_coefficients_back():
    law = FourierError.examples()[0]
    theta = 2 * np.pi * np.arange(4096) / 4096
    error = law.error(theta)
    for n, (a, b) in enumerate(zip(law.output_cosine, law.output_sine, strict=True), 1):
        assert 2 * np.mean(error * np.cos(n * theta)) == pytest.approx(a, abs=1e-16)
        assert 2 * np.mean(error * np.sin(n * theta)) == pytest.approx(b, abs=1e-16)


@pytest.mark.parametrize("kind", [ErrorTable, BacklashMap])
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(1e-5, 1e-2), min_size=1, max_size=9),
    st.floats(-50.0, 50.0) | st.sampled_from([0.0, -1e-20, 2 * np.pi, -2 * np.pi]),
)
def test_tables_interpolate_and_wrap(kind, values, theta):
    law = kind(**{next(iter(list_fields(kind))): tuple(values)})
    at = law.error if kind is ErrorTable else law.at
    knots = 2 * np.pi * np.arange(len(values) + 1) / len(values)
    expected = np.interp(theta % (2 * np.pi), knots, [*values, values[0]])
    # The place in the turn is known to a few roundings of the angle.
    steepest = len(values) * 1e-2 / 6
    assert at(theta) == pytest.approx(expected, abs=1e-14 * steepest * (1 + abs(theta)) * 10)
    part = (theta / (2 * np.pi) * len(values)) % 1.0
    if 1e-3 < part < 1 - 1e-3:
        h = 1e-5
        difference = (at(theta + h) - at(theta - h)) / (2 * h)
        assert law.slope(theta) == pytest.approx(float(difference), abs=1e-8)


# Groups and files.


def test_a_group_of_joints_answers_for_each():
    laws = [cls.examples()[0] for cls in STIFFNESS.values()]
    group = JointTransmissions(laws)
    phi = np.random.default_rng(1).uniform(-1e-3, 1e-3, (3, 5, len(laws)))
    for name in ("torque", "stiffness", "stiffness_slope", "deformation"):
        together = getattr(group, name)(phi)
        assert together.shape == phi.shape
        for j, law in enumerate(laws):
            assert np.array_equal(together[..., j], getattr(law, name)(phi[..., j]))
    with pytest.raises(ShapeError, match="values"):
        group.torque(np.zeros(3))


def test_packed_transmissions_hold_every_law_where_they_say():
    error = FourierError.examples()[0]
    joints = [
        Transmission(stiffness=LinearSpring(spring_stiffness=3e4), kinematic_error=error),
        Transmission(stiffness=ThreeSegments.examples()[0], damping=Damping(damping=5.0)),
    ]
    codes, p, damping = JointTransmissions(joints).pack()
    for row, joint in zip(codes, joints, strict=True):
        assert row[0] == joint.stiffness.code
        assert np.array_equal(p[row[1] : row[2]], joint.stiffness.packed())
    assert codes[0, 3] == error.code
    assert np.array_equal(p[codes[0, 4] : codes[0, 5]], error.packed())
    assert codes[1, 3] == 0
    assert damping.tolist() == [0.0, 5.0]


def test_transmissions_survive_the_robot_file():
    for spring in (law.values[0] for law in SPRINGS):
        for error in [None, *(x for cls in KINEMATIC_ERROR.values() for x in cls.examples())]:
            whole = Transmission(
                stiffness=spring,
                damping=DAMPING["damping"].examples()[0],
                kinematic_error=error,
                backlash=BACKLASH["backlash_map"].examples()[-1],
            )
            assert Transmission.from_law(whole.to_law()) == whole
    with pytest.raises(ParameterError, match="one of linear"):
        Transmission.from_law(Law(name="damping", parameters={"damping": 1.0}))
    two = {"linear.spring_stiffness": 1.0, "odd_polynomial.coefficients": (1.0,)}
    with pytest.raises(ParameterError, match="one law for stiffness"):
        Transmission.from_law(Law(name="linear + odd_polynomial", parameters=two))
    with pytest.raises(UnknownNameError, match="lineal"):
        Transmission.from_law(Law(name="lineal"))
