"""The synchronous motor of a joint: dq model, current loop, phase currents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from jointwise.errors import ParameterError
from jointwise.kernels.jit import kernel
from jointwise.kernels.scalar import cos, maximum, minimum, select, sin, sqrt
from jointwise.laws.base import Array, JointLaw, whole
from jointwise.laws.compiled import leaf
from jointwise.units import Unit

HALF_ROOT = 0.5 * math.sqrt(3.0)
RESISTANCE, L_D, L_Q, FLUX, PAIRS, RATIO, I_MAX, V_MAX, K_D, K_Q, K_I = range(11)
I_D, I_QUAD, SUM_D, SUM_Q = range(4)


@leaf
def phases_to_currents(i_a, i_b, i_c, angle):
    """(i_d, i_q) of three phase currents; `angle` is electrical, p theta_m. Give i_c = -i_a - i_b if not measured."""
    c, s = cos(angle), sin(angle)
    a = i_a - 0.5 * (i_b + i_c)
    b = HALF_ROOT * (i_b - i_c)
    return 2.0 / 3.0 * (a * c + b * s), 2.0 / 3.0 * (b * c - a * s)


@leaf
def currents_to_phases(i_d, i_q, angle):
    """(i_a, i_b, i_c) of direct and quadrature current: i_d cos(x) - i_q sin(x), x a third of a turn apart."""
    c, s = cos(angle), sin(angle)
    a = i_d * c - i_q * s
    across = HALF_ROOT * (i_d * s + i_q * c)
    return a, across - 0.5 * a, -across - 0.5 * a


@leaf
def phases_to_stator(i_a, i_b, i_c):
    """Clarke: (alpha, beta) in axes fixed to the stator, alpha along phase a; amplitudes kept."""
    return (2.0 * i_a - i_b - i_c) / 3.0, (i_b - i_c) / sqrt(3.0)


@leaf
def stator_to_phases(alpha, beta):
    """Clarke backwards."""
    half = 0.5 * sqrt(3.0) * beta
    return alpha, half - 0.5 * alpha, -half - 0.5 * alpha


@leaf
def stator_to_rotor(alpha, beta, angle):
    """Park: (d, q) in axes fixed to the rotor."""
    c, s = cos(angle), sin(angle)
    return c * alpha + s * beta, c * beta - s * alpha


@leaf
def rotor_to_stator(d, q, angle):
    """Park backwards."""
    c, s = cos(angle), sin(angle)
    return c * d - s * q, s * d + c * q


@leaf
def motor_torque(p, i_d, i_q):
    """Torque on the output side: r (3p/2) (flux i_q + (L_d - L_q) i_d i_q)."""
    return p[RATIO] * 1.5 * p[PAIRS] * (p[FLUX] + (p[L_D] - p[L_Q]) * i_d) * i_q


@leaf
def advance_currents(p, i_d, i_q, v_d, v_q, speed, dt):
    """Dq currents after dt at constant voltage and electrical speed p omega_m: implicit midpoint.

    The midpoint rule keeps the power balance exactly: electrical work = heat + mechanical work + magnetic energy.
    """
    h = 0.5 * dt
    a = p[L_D] + h * p[RESISTANCE]
    b = p[L_Q] + h * p[RESISTANCE]
    cross_d = h * speed * p[L_Q]
    cross_q = h * speed * p[L_D]
    right_d = p[L_D] * i_d + h * v_d
    right_q = p[L_Q] * i_q + h * (v_q - p[FLUX] * speed)
    det = a * b + cross_d * cross_q
    mid_d = (right_d * b + cross_d * right_q) / det
    mid_q = (a * right_q - cross_q * right_d) / det
    return 2.0 * mid_d - i_d, 2.0 * mid_q - i_q


@leaf
def shortened(x, y, length):
    """A pair scaled down to at most `length`, and whether it was longer (1 or 0)."""
    size = sqrt(x * x + y * y)
    scale = length / maximum(size, length)
    return x * scale, y * scale, select(size > length, 1.0, 0.0)


@leaf
def drive_step(p, s, s_new, x):
    """One period of the current loop, then of the motor; x = (wanted i_q, output velocity, dt).

    PI control with feedforward of the rotational voltages; while the voltage is at its limit the integrators follow
    what was applied. s holds i_d, i_q and both integrators. Returns v_d, v_q and 1 where a limit was met.
    """
    wanted = minimum(maximum(x[0], -p[I_MAX]), p[I_MAX])
    speed = p[PAIRS] * p[RATIO] * x[1]
    i_d, i_q, dt = s[I_D], s[I_QUAD], x[2]
    u_d = -p[K_D] * i_d + s[SUM_D]
    u_q = p[K_Q] * (wanted - i_q) + s[SUM_Q]
    back_d = -speed * p[L_Q] * i_q
    back_q = speed * (p[L_D] * i_d + p[FLUX])
    v_d, v_q, cut = shortened(u_d + back_d, u_q + back_q, p[V_MAX])
    s_new[SUM_D] = s[SUM_D] + dt * p[K_I] * (-i_d + (v_d - back_d - u_d) / p[K_D])
    s_new[SUM_Q] = s[SUM_Q] + dt * p[K_I] * (wanted - i_q + (v_q - back_q - u_q) / p[K_Q])
    d, q = advance_currents(p, i_d, i_q, v_d, v_q, speed, dt)
    s_new[I_D] = d
    s_new[I_QUAD] = q
    return v_d, v_q, select(x[0] * x[0] > wanted * wanted, 1.0, cut)


@kernel
def drive_run(p, s, given, out):
    """Rows (wanted i_q, output velocity, dt) in, rows (torque, i_d, i_q, v_d, v_q, limited) out; `s` is moved on."""
    after = np.empty(4)
    for k in range(given.shape[0]):
        v_d, v_q, limited = drive_step(p, s, after, (given[k, 0], given[k, 1], given[k, 2]))
        for c in range(4):
            s[c] = after[c]
        out[k, 0] = motor_torque(p, s[I_D], s[I_QUAD])
        out[k, 1], out[k, 2], out[k, 3], out[k, 4], out[k, 5] = s[I_D], s[I_QUAD], v_d, v_q, limited


@kernel
def _park_batch(forward, values, angle, out):
    for k in range(angle.shape[0]):
        a, b, c = values[k, 0], values[k, 1], values[k, 2]
        if forward:
            out[k, 0], out[k, 1] = phases_to_currents(a, b, c, angle[k])
        else:
            out[k, 0], out[k, 1], out[k, 2] = currents_to_phases(a, b, angle[k])


def quadrature_currents(
    *, phase_a: ArrayLike, phase_b: ArrayLike, electrical_angle: ArrayLike
) -> tuple[Array, Array]:
    """(i_d, i_q) from two measured phase currents; the third follows, since they add up to zero."""
    a, b, angle = np.broadcast_arrays(
        *(np.asarray(v, float) for v in (phase_a, phase_b, electrical_angle))
    )
    values = np.stack([a, b, -a - b], axis=-1).reshape(-1, 3)
    out = np.empty((values.shape[0], 3))
    _park_batch(True, values, np.ascontiguousarray(angle).reshape(-1), out)
    return out[:, 0].reshape(a.shape), out[:, 1].reshape(a.shape)


def phase_currents(
    *, direct: ArrayLike, quadrature: ArrayLike, electrical_angle: ArrayLike
) -> tuple[Array, Array, Array]:
    """The three phase currents of direct and quadrature current."""
    d, q, angle = np.broadcast_arrays(
        *(np.asarray(v, float) for v in (direct, quadrature, electrical_angle))
    )
    values = np.stack([d, q, np.zeros(d.shape)], axis=-1).reshape(-1, 3)
    out = np.empty((values.shape[0], 3))
    _park_batch(False, values, np.ascontiguousarray(angle).reshape(-1), out)
    return out[:, 0].reshape(d.shape), out[:, 1].reshape(d.shape), out[:, 2].reshape(d.shape)


@dataclass(frozen=True, kw_only=True)
class Pmsm(JointLaw):
    """Permanent-magnet synchronous motor behind a gear; values of one phase, motor side, amplitude-keeping transform.

    Formula: L_d di_d/dt = v_d - R i_d + L_q p omega_m i_q, L_q di_q/dt = v_q - R i_q - L_d p omega_m i_d
        - flux p omega_m, tau = r (3p/2) (flux i_q + (L_d - L_q) i_d i_q)
    Source: T(2.39) with the sign that keeps the power balance (erratum 7), T(2.40)
    Valid: below magnetic saturation; iron losses and inverter not included
    """

    name: ClassVar[str] = "pmsm"
    code: ClassVar[int] = 1
    resistance: Annotated[float, Unit("ohm", lower=0.0)]
    inductance_d: Annotated[float, Unit("H", lower=0.0, open_lower=True)]
    inductance_q: Annotated[float, Unit("H", lower=0.0, open_lower=True)]
    flux_linkage: Annotated[float, Unit("Wb", lower=0.0, open_lower=True)]
    pole_pairs: Annotated[float, Unit("1", lower=1.0, upper=100.0)]
    gear_ratio: Annotated[float, Unit("1", lower=-1e6, upper=1e6, nonzero=True)]

    def check(self) -> None:
        """A whole number of pole pairs."""
        whole(self.name, "pole_pairs", self.pole_pairs)

    @property
    def torque_constant(self) -> float:
        """K_tau on the output side [N m/A], T(2.41): torque for each ampere of i_q while i_d = 0."""
        return self.gear_ratio * 1.5 * self.pole_pairs * self.flux_linkage

    @classmethod
    def examples(cls) -> tuple[Pmsm, ...]:
        """A motor of 0.125 N m/A behind a gear of 101, with some saliency."""
        return (
            cls(
                resistance=0.3,
                inductance_d=2.5e-4,
                inductance_q=3.0e-4,
                flux_linkage=0.125 / 15.0,
                pole_pairs=10,
                gear_ratio=101.0,
            ),
        )


@dataclass(frozen=True, kw_only=True)
class CurrentLoop(JointLaw):
    """PI control of both currents; its zero cancels the electrical pole. Limits of current and voltage amplitude.

    Formula: v = L w (i_ref - i) + R w integral(i_ref - i) + rotational voltages, w = 2 pi bandwidth
    Source: textbook; saturation named in T 2.1.6
    Valid: bandwidth well below the rate of the loop: 2 pi bandwidth dt below 1
    """

    name: ClassVar[str] = "current_loop"
    code: ClassVar[int] = 2
    bandwidth: Annotated[float, Unit("Hz", lower=0.0, open_lower=True)]
    current_limit: Annotated[float, Unit("A", lower=0.0, open_lower=True)]
    voltage_limit: Annotated[float, Unit("V", lower=0.0, open_lower=True)]

    @classmethod
    def examples(cls) -> tuple[CurrentLoop, ...]:
        """A drive on 48 V."""
        return (cls(bandwidth=500.0, current_limit=25.0, voltage_limit=27.7),)


class DriveState(NamedTuple):
    """Currents [A] and integrators [V] of both axes."""

    values: Array


class DriveOutput(NamedTuple):
    """What the drive did in each period; `limited` where the current or voltage limit was met."""

    torque: Array
    i_d: Array
    i_q: Array
    v_d: Array
    v_q: Array
    limited: Array


@dataclass(frozen=True, kw_only=True)
class ElectricDrive:
    """A motor with its current loop: a component with the state outside."""

    motor: Pmsm
    loop: CurrentLoop

    def packed(self) -> Array:
        """Resistance, inductances, flux, pole pairs, ratio, limits, gains as `drive_step` reads them."""
        w = 2.0 * math.pi * self.loop.bandwidth
        gains = [
            w * self.motor.inductance_d,
            w * self.motor.inductance_q,
            w * self.motor.resistance,
        ]
        limits = [self.loop.current_limit, self.loop.voltage_limit]
        return np.array([*self.motor.packed(), *limits, *gains])

    def init(self) -> DriveState:
        """No current."""
        return DriveState(np.zeros(4))

    def step(
        self, state: DriveState, wanted: float, velocity: float, dt: float
    ) -> tuple[DriveState, DriveOutput]:
        """One period of the loop: wanted quadrature current [A], output velocity [rad/s]."""
        after, out = self.run(np.array([wanted]), np.array([velocity]), dt=dt, state=state)
        return after, DriveOutput(*(column[0] for column in out))

    def run(
        self, wanted: ArrayLike, velocity: ArrayLike, *, dt: float, state: DriveState | None = None
    ) -> tuple[DriveState, DriveOutput]:
        """The drive along series (N,) of wanted current and output velocity."""
        if not dt > 0.0:
            raise ParameterError("dt", dt, "above 0 s")
        current, speed = np.broadcast_arrays(np.asarray(wanted, float), np.asarray(velocity, float))
        given = np.stack([current, speed, np.full(current.shape, dt)], axis=-1)
        if not np.isfinite(given).all():
            raise ParameterError("wanted current or velocity", "not finite", "finite numbers")
        values = self.init().values if state is None else state.values.copy()
        out = np.empty((given.shape[0], 6))
        drive_run(self.packed(), values, given, out)
        return DriveState(values), DriveOutput(*(out[:, k].copy() for k in range(6)))
