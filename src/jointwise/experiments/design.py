"""`Design`: which parameters a torque model has, and the equations a recording gives for them. Spec 07.1, 07.2.

    tau = Y_b(q, dq, ddq) beta + C^T diag(B) ddtheta + C^T sum of friction columns (theta, dtheta, load, temperature)

Base parameters of links and rotors first, then the friction columns, one coefficient for each motor. Every column
and the torque pass the same zero-phase low-pass and are thinned together.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.laws.columns import TERMS, Term, columns_along, terms_named
from jointwise.laws.stored import law_names
from jointwise.recording.signals import Signals
from jointwise.recording.way import slow_part
from jointwise.robot.base_parameters import BaseParameters
from jointwise.robot.description import Robot
from jointwise.robot.samples import in_threads
from jointwise.units import Unit, Unknown

Array = NDArray[np.float64]
Seen = Callable[[Array], Array]

LONG = 50_000
"""Samples from which the motors of one piece are worked on in threads; of shorter ones several pieces are."""
ROOM_TEMPERATURE = 20.0
FLAT = 1e-9
"""Relative change of the speed over half a period below which a difference quotient is only rounding."""
ZONE = Unit("rad/s [m/s]", lower=0.0, upper=10.0)
COMPLIANCE = Unit("rad/(N m) [m/N]", lower=0.0, upper=1.0)


@dataclass(frozen=True, kw_only=True)
class TermUse:
    """A friction term and the motors (from 0) that have it."""

    term: Term
    motors: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Design:
    """The parameters of a torque model of one robot.

    `friction` lists terms by name; `load@2` or `load@2+3` uses a term for some motors only, counted from 1 or by the
    joint's name. Where the robot file says that something balances a joint, its term is used without being listed.
    `rotors` adds a rotor inertia for each motor where it can be told apart from the link's.
    """

    robot: Robot
    friction: tuple[str, ...] = ("coulomb", "viscous", "offset")
    rotors: bool = True
    correcting: bool = False
    """friction corrects a law that is taken off beforehand, and may have either sign"""
    zone: float | tuple[float, ...] = 0.0
    """speed below which friction that follows the sign of motion fades out, for all motors or for each"""
    compliance: float | tuple[float, ...] = 0.0
    """of the gears, rad/(N m): how far a rotor that was not measured turns for its load while the link stands"""
    tilt: tuple[tuple[float, ...], ...] = ()
    """row for each motor: how far its rotor turns for the loads of other gears, which bend its bearings; () not"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", (*self.friction, *self._balancing()))
        object.__setattr__(self, "zone", _each("zone", self.zone, self.robot.n, ZONE))
        windup = _each("compliance", self.compliance, self.robot.n, COMPLIANCE)
        object.__setattr__(self, "compliance", windup)
        _ = self.uses

    @property
    def zones(self) -> tuple[float, ...]:
        """Fading speed of each motor."""
        return _each("zone", self.zone, self.robot.n, ZONE)

    @property
    def compliances(self) -> tuple[float, ...]:
        """Compliance of the gear of each motor."""
        return _each("compliance", self.compliance, self.robot.n, COMPLIANCE)

    def windup(self, motor: int) -> Array:
        """(n,): how far the rotor of a motor turns for the load of each gear, rad/(N m)."""
        row = np.array(self.tilt[motor]) if self.tilt else np.zeros(self.robot.n)
        row[motor] = self.compliances[motor]
        return row

    @property
    def has_memory(self) -> bool:
        """Whether a friction term remembers the way gone."""
        return any(use.term.memory for use in self.uses)

    @functools.cached_property
    def uses(self) -> tuple[TermUse, ...]:
        """The friction terms with the motors they are for."""
        return tuple(self._use(text) for text in self.friction)

    def _balancing(self) -> tuple[str, ...]:
        """Terms the gears of this robot carry, beside those listed: a balancing cylinder is no choice of friction."""
        listed = [self._use(text) for text in self.friction]
        found = []
        for k, joint in enumerate(self.robot.joints):
            names = () if isinstance(joint.friction, Unknown) else law_names(joint.friction)
            for name in names:
                given = any(use.term.name == name and k in use.motors for use in listed)
                if name in TERMS and TERMS[name].carried and not given and not self.correcting:
                    found.append(f"{name}@{k + 1}")
        return tuple(found)

    def _use(self, text: str) -> TermUse:
        name, _, where = text.strip().partition("@")
        term = terms_named([name])[0]
        names = [joint.name for joint in self.robot.joints]
        if not where:
            return TermUse(term=term, motors=tuple(range(self.robot.n)))
        motors = []
        for part in where.split("+"):
            if part in names:
                motors.append(names.index(part))
            elif part.isdigit() and 1 <= int(part) <= self.robot.n:
                motors.append(int(part) - 1)
            else:
                raise ParameterError(
                    f"joint of friction term {name}", part, f"1 to {self.robot.n}, or a name"
                )
        return TermUse(term=term, motors=tuple(dict.fromkeys(motors)))

    @functools.cached_property
    def base(self) -> BaseParameters:
        """Base parameters of the links, with rotors where asked for."""
        return self.robot.base_parameters(rotors=self.rotors)

    @functools.cached_property
    def friction_places(self) -> tuple[tuple[int, int, int], ...]:
        """Of each friction parameter: its use, its column in the term, its motor."""
        return tuple(
            (u, c, motor)
            for u, use in enumerate(self.uses)
            for c in range(len(use.term.columns))
            for motor in use.motors
        )

    @functools.cached_property
    def friction_at_joints(self) -> Array:
        """(friction parameters, n): how the torque at a parameter's motor acts on the joints."""
        motors = [motor for _, _, motor in self.friction_places]
        return np.asarray(self.robot.coupling_matrix()[motors])

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """Parameter names: base parameters, then friction columns with the number of their motor."""
        friction = (
            _numbered(self.uses[u].term.columns[c], motor + 1)
            for u, c, motor in self.friction_places
        )
        return (*self.base.names, *friction)

    @functools.cached_property
    def nonnegative(self) -> tuple[str, ...]:
        """Names of parameters that physics keeps from being negative: friction that brakes, lone rotors."""
        rotors = [name for name in self.base.names if name[0] == "J"]
        friction = [
            name
            for name, (u, _, _) in zip(
                self.names[self.base.count :], self.friction_places, strict=True
            )
            if self.uses[u].term.nonnegative and not self.correcting
        ]
        return (*rotors, *friction)

    @property
    def reads_load(self) -> bool:
        """Friction that depends on the load makes the problem nonlinear in the link parameters."""
        wound = self.has_memory and any(self.windup(m).any() for m in range(self.robot.n))
        return wound or any(use.term.reads_load for use in self.uses)

    # ---- equations --------------------------------------------------------------------------

    def friction_columns(
        self, piece: Signals, load: Array, start: float = 0.0, seen: Seen = np.asarray
    ) -> Array:
        """Friction columns (samples, friction parameters) at their motors, along a whole piece.

        Springs of friction with memory begin at `start` of their limits. `seen` is what becomes of the columns of one
        motor, and of a long recording only that is kept.
        """
        self._check_temperature(piece)
        of = [m for _, _, m in self.friction_places]
        places = [[k for k, m in enumerate(of) if m == motor] for motor in dict.fromkeys(of)]

        def found(mine: list[int]) -> Array:
            return seen(self.motor_columns(piece, load, of[mine[0]], mine, start))

        parts = in_threads(found, places, worth=len(piece) >= LONG)
        if not parts:
            return seen(np.empty((len(piece), 0)))
        out = np.empty((len(parts[0]), len(of)))
        for mine, part in zip(places, parts, strict=True):
            out[:, mine] = part
        return out

    def motor_columns(
        self, piece: Signals, load: Array, motor: int, chosen: Sequence[int], start: float
    ) -> Array:
        """Some friction columns of one motor, (samples, chosen)."""
        terms = [self.uses[self.friction_places[k][0]].term for k in chosen]
        laws = [
            term.unit_laws[self.friction_places[k][1]]
            for term, k in zip(terms, chosen, strict=True)
        ]
        speed = piece.dtheta[:, motor]
        warm = np.full(len(piece), ROOM_TEMPERATURE)
        if piece.temperature is not None:
            warm = piece.temperature[:, motor]
        found = columns_along(
            laws, self.rotor(piece, load, motor), speed, load[:, motor], warm,
            1.0 / piece.rate_hz, start,
        )  # fmt: skip
        fading = direction_share(speed, self.zones[motor])
        found[:, [term.fades for term in terms]] *= fading[:, None]
        return found

    def rotor(self, piece: Signals, load: Array, motor: int) -> Array:
        """Position of a motor's rotor, reflected to the output side: theta = q + load / K where it was not measured.

        Friction acts at the rotor. While a servo holds the link, the gear winds up with the load, and the rotor
        moves: that is how friction of a standing joint follows the motion of the others. Spec 03.1. Loads of the
        neighbours bend its bearings and turn it a little too. A recorded speed
        is that of the motor, so where it is part of the way fast wind-up is already in it.
        """
        if piece.rotor_measured:
            return np.asarray(piece.theta[:, motor])
        windup = load @ self.windup(motor)
        if piece.way is None:
            return np.asarray(piece.theta[:, motor] + windup)
        if windup.any():
            windup = slow_part(windup, piece.rate_hz)
        return np.asarray(piece.way[:, motor] + windup)

    def _check_temperature(self, piece: Signals) -> None:
        if piece.temperature is None and any(u.term.reads_temperature for u in self.uses):
            raise ParameterError(
                f"temperature of {piece.name}",
                "not recorded",
                "a column, because a friction term depends on it",
                "leave the term out",
            )

    def load(self, piece: Signals, gamma: Array, values: Array) -> Array:
        """What the gears carry at the motors (samples, n): torque of the links and of what else acts on them.

        `gamma` are standard parameters of the links, `values` those of the design.
        """
        from jointwise.robot.rigid_torque import link_torque

        torque = link_torque(self.robot, gamma[: 10 * self.robot.n], piece.q, piece.dq, piece.ddq)
        out = np.asarray(np.linalg.solve(self.robot.coupling_matrix().T, torque.T).T)
        nothing = np.zeros_like(out)
        for k, (u, _, motor) in enumerate(self.friction_places):
            if self.uses[u].term.carried:
                column = self.motor_columns(piece, nothing, motor, [k], 0.0)[:, 0]
                out[:, motor] += column * values[self.base.count + k]
        return out

    def torque(
        self, piece: Signals, values: Array, gamma: Array
    ) -> tuple[Array, Array, Array | None]:
        """Torque of links and rotors, and of friction, (samples, n) each, and spans, not filtered.

        `gamma` are standard parameters with the base parameters in `values`. Spans, None without memory, are what
        each friction parameter adds at its motor where its spring began slipping forward.
        """
        from jointwise.robot.rigid_torque import link_torque

        n = self.robot.n
        rigid = link_torque(self.robot, gamma[: 10 * n], piece.q, piece.dq, piece.ddq)
        coupling = self.robot.coupling_matrix()
        if self.rotors:
            rigid = rigid + (piece.ddtheta * gamma[10 * n :]) @ coupling
        load = self.load(piece, gamma, values) if self.reads_load else np.zeros_like(rigid)
        columns, spans = self.expected_columns(piece, load)
        coefficients = values[self.base.count :]
        friction = (columns * coefficients) @ self.friction_at_joints
        return rigid, friction, None if spans is None else spans * coefficients

    def expected_columns(
        self, piece: Signals, load: Array, seen: Seen = np.asarray
    ) -> tuple[Array, Array | None]:
        """Friction columns where nothing is known of the time before, and half the span they may differ by.

        Every state of a spring lies between those of springs that began slipping backward and forward, and their
        distance shrinks to nothing as the joint moves. None without memory.
        """
        if not self.has_memory:
            return self.friction_columns(piece, load, seen=seen), None
        low, high = (self.friction_columns(piece, load, start, seen) for start in (-1.0, 1.0))
        return 0.5 * (low + high), 0.5 * (high - low)


def _each(name: str, given: float | tuple[float, ...], n: int, unit: Unit) -> tuple[float, ...]:
    """One checked value for each motor."""
    values = given if isinstance(given, tuple) else (given,) * n
    if len(values) != n:
        raise ParameterError(name, f"{len(values)} values", f"one for each of {n} motors")
    for value in values:
        unit.check(name, value)
    return tuple(float(value) for value in values)


def direction_share(speed: Array, zone: float) -> Array:
    """Mean direction of motion over each sampling period, beside the direction at the sample itself.

    The sign of motion turns within a period, and to place that turn at a sample would put a jump of twice the friction
    off by half a period. Between samples the speed is taken as straight; d|v|/dv is the sign, so the mean over a
    stretch is a difference quotient of |v|, below `zone` of v^2 / (2 zone).
    """
    edges = np.concatenate([speed[:1], 0.5 * (speed[1:] + speed[:-1]), speed[-1:]])

    def potential(v: Array) -> Array:
        size = np.abs(v)
        if zone == 0.0:
            return size
        return np.where(size < zone, 0.5 * v * v / zone, size - 0.5 * zone)

    def direction(v: Array) -> Array:
        return np.sign(v) if zone == 0.0 else np.clip(v / zone, -1.0, 1.0)

    def mean(a: Array, b: Array) -> Array:
        step = b - a
        still = np.abs(step) <= FLAT * (np.abs(a) + np.abs(b))
        quotient = (potential(b) - potential(a)) / np.where(still, 1.0, step)
        return np.where(still, direction(0.5 * (a + b)), quotient)

    turned = 0.5 * (mean(edges[:-1], speed) + mean(speed, edges[1:]))
    return np.asarray(np.where(speed < 0.0, -turned, turned))


def _numbered(column: str, motor: int) -> str:
    """`coulomb2`, and `memory_0.001_2`: no number runs into another."""
    return f"{column}{'_' if column[-1].isdigit() else ''}{motor}"
