"""Friction linear in its coefficients: the columns identification solves for, each a law with a coefficient of one.

A term is what a user names, such as `coulomb` or `stribeck`; it stands for one or several columns of every joint. The
columns come from the same kernels the simulation uses, and the coefficients found make the law the robot file stores.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jointwise.errors import UnknownNameError
from jointwise.kernels.jit import kernel
from jointwise.laws.base import Array, FrictionLaw
from jointwise.laws.coulomb import Coulomb
from jointwise.laws.counterbalance import Counterbalance
from jointwise.laws.degressive import DegressiveViscous
from jointwise.laws.directional import Directional
from jointwise.laws.dispatch import CODE, P_START, P_STOP, S_START, S_STOP, friction_step
from jointwise.laws.friction import FrictionModel
from jointwise.laws.liu import Liu
from jointwise.laws.load import LinearLoad, QuadraticLoad
from jointwise.laws.offset import Offset
from jointwise.laws.rested_grid import RestedGrid
from jointwise.laws.slip_bank import SlipBank, bent_shares
from jointwise.laws.stribeck_grid import StribeckGrid
from jointwise.laws.temperature import TemperatureChange
from jointwise.laws.velocity import VelocityLaw
from jointwise.laws.viscous import Viscous

STRIBECK_VELOCITIES = (0.01, 0.03, 0.1, 0.3, 1.0)
"""rad/s [m/s]: from the slowest speed industrial drives hold to where viscous friction takes over."""
REST_WAYS = (0.01, 0.03, 0.1, 0.3)
"""rad [m]: over which friction of a rest is rubbed off."""
REST_SECONDS = 1.0
"""Of rest after which that friction has grown; from 0.3 to 3 s a recording hardly tells the difference."""
SLIP_LIMITS = tuple(float(v) for v in np.round(np.geomspace(1e-5, 0.3, 14), 8))
"""rad [m]: from the wind-up of a stiff gear to slow creep; three to the decade."""
HARMONICS = 2
"""Of a counterbalance: lever arm of a cylinder, and its change with the cylinder's length."""
USUAL_OFFSET = 0.1
"""Of the joint's torque: what a sensor or an amplifier may be off at zero; a larger constant is something else."""
ZONE = 1e-9
"""Width of Liu's linear zone where only its polynomial is wanted."""
BLOCK = 1 << 15
"""Samples laid out for the kernel at one time."""


@dataclass(frozen=True, kw_only=True)
class Term:
    """A kind of friction: its columns, which coefficients must not be negative, and the law they make."""

    name: str
    columns: tuple[str, ...]
    units: tuple[str, ...]
    nonnegative: bool
    law: Callable[[Sequence[float]], FrictionLaw]
    reads_load: bool = False
    reads_temperature: bool = False
    fades: bool = True
    """A standing joint's sign of motion is noise: the column fades out below a small speed."""
    memory: bool = False
    """Depends on the way gone, not on the present speed alone."""
    meaning: str = ""
    carried: bool = False
    """Acts on the link, so that the gear carries it and load friction grows with it."""
    largest: float | None = None
    """Size above which a coefficient would be strange; None where it depends on the arm."""
    usual: float = 1.0
    """Share of the joint's whole torque, RMS, that the term may well be."""
    coefficients: Callable[[FrictionLaw], tuple[float, ...]] | None = None
    """The coefficients of a law a robot file states, where they say more than that there is such a law."""
    unit: Callable[[int], FrictionLaw] | None = None
    """The law of one column alone, where that is shorter than the law with all other coefficients zero."""

    @functools.cached_property
    def unit_laws(self) -> tuple[FrictionLaw, ...]:
        """One law for each column, with that coefficient one and the others zero."""
        if self.unit is not None:
            return tuple(self.unit(k) for k in range(len(self.columns)))
        return tuple(self.law(row.tolist()) for row in np.eye(len(self.columns)))


def _liu(cube: float) -> Liu:
    zero = {"coulomb_positive": 0.0, "coulomb_negative": 0.0, "width": ZONE, "viscous_1": 0.0}
    return Liu(**zero, viscous_3=cube)


def _square(value: float) -> VelocityLaw:
    flat = {"coulomb": 0.0, "breakaway": 0.0, "stribeck_velocity": 1.0, "stribeck_exponent": 1.0}
    return VelocityLaw(**flat, viscous_1=0.0, viscous_2=value, viscous_3=0.0)


def _directional(c: Sequence[float]) -> Directional:
    return Directional(
        coulomb_forward=c[0], coulomb_backward=c[1], viscous_forward=c[2], viscous_backward=c[3]
    )


def _bank(torques: Sequence[float], shares: Sequence[float]) -> SlipBank:
    return SlipBank(limits=SLIP_LIMITS, torques=tuple(torques), load_shares=tuple(shares))


def _spring(k: int, torque: float) -> SlipBank:
    return SlipBank(limits=SLIP_LIMITS[k : k + 1], torques=(torque,), load_shares=(1.0 - torque,))


def _one_speed(k: int) -> StribeckGrid:
    return StribeckGrid(velocities=STRIBECK_VELOCITIES[k : k + 1], torques=(1.0,))


def _harmonics(law: FrictionLaw) -> tuple[float, ...]:
    """The first harmonics of a counterbalance; those it does not have are zero."""
    if not isinstance(law, Counterbalance):
        return (0.0,) * (2 * HARMONICS)
    short = (0.0,) * HARMONICS
    return ((*law.sines, *short)[:HARMONICS]) + ((*law.cosines, *short)[:HARMONICS])


def _one_way(k: int) -> RestedGrid:
    return RestedGrid(rest=REST_SECONDS, ways=REST_WAYS[k : k + 1], torques=(1.0,))


_NO_SLIP = (0.0,) * len(SLIP_LIMITS)
_TORQUE, _VISCOUS = "N m [N]", "N m s/rad [N s/m]"

_ALL = (
    Term(
        name="coulomb", columns=("coulomb",), units=(_TORQUE,), nonnegative=True,
        law=lambda c: Coulomb(coulomb=c[0]), meaning="constant against the motion",
    ),
    Term(
        name="viscous", columns=("viscous",), units=(_VISCOUS,), nonnegative=True,
        law=lambda c: Viscous(viscous=c[0]), meaning="proportional to speed",
    ),
    Term(
        name="offset", columns=("offset",), units=(_TORQUE,), nonnegative=False,
        law=lambda c: Offset(offset=c[0]), fades=False, usual=USUAL_OFFSET,
        meaning="constant: zero of the torque measurement",
    ),
    Term(
        name="asymmetric",
        columns=("coulomb_forward", "coulomb_backward", "viscous_forward", "viscous_backward"),
        units=(_TORQUE, _TORQUE, _VISCOUS, _VISCOUS), nonnegative=True, law=_directional,
        meaning="Coulomb and viscous, each direction its own; instead of coulomb, viscous, offset",
    ),
    Term(
        name="degressive", columns=("degressive",), units=("N m (s/rad)^0.5",), nonnegative=True,
        law=lambda c: DegressiveViscous(viscous_root=c[0]), meaning="square root of speed",
    ),
    Term(
        name="square", columns=("square",), units=("N m s^2/rad^2",), nonnegative=False,
        law=lambda c: _square(c[0]), meaning="abs(speed) times speed",
    ),
    Term(
        name="cubic", columns=("cubic",), units=("N m s^3/rad^3",), nonnegative=False,
        law=lambda c: _liu(c[0]), meaning="third power of speed",
    ),
    Term(
        name="load", columns=("load",), units=("1",), nonnegative=True, reads_load=True,
        law=lambda c: LinearLoad(load_linear=c[0]), largest=0.2,
        meaning="proportional to the joint's load",
    ),
    Term(
        name="load_square", columns=("load_square",), units=("1/(N m)",), nonnegative=True,
        reads_load=True, law=lambda c: QuadraticLoad(load_quadratic=c[0]),
        meaning="square of the joint's load",
    ),
    Term(
        name="stribeck", columns=tuple(f"stribeck_{v:g}" for v in STRIBECK_VELOCITIES),
        units=(_TORQUE,) * len(STRIBECK_VELOCITIES), nonnegative=True,
        law=lambda c: StribeckGrid(velocities=STRIBECK_VELOCITIES, torques=tuple(c)),
        unit=_one_speed, meaning="excess at low speed, on a grid of velocities",
    ),
    Term(
        name="rested", columns=tuple(f"rested_{v:g}" for v in REST_WAYS),
        units=(_TORQUE,) * len(REST_WAYS), nonnegative=True,
        law=lambda c: RestedGrid(rest=REST_SECONDS, ways=REST_WAYS, torques=tuple(c)),
        unit=_one_way, meaning="excess after a rest, rubbed off on the way, on a grid of ways",
    ),
    Term(
        name="temperature", columns=("temperature", "temperature_cube"),
        units=("N m (s/rad)^0.5 / degC", "N m (s/rad)^0.5 degC^3"), nonnegative=False,
        reads_temperature=True, law=lambda c: TemperatureChange(slope=c[0], cube=c[1]),
        meaning="change with temperature from 20 degC; beside degressive",
    ),
    Term(
        name="memory", columns=tuple(f"memory_{v:g}" for v in SLIP_LIMITS),
        units=(_TORQUE,) * len(SLIP_LIMITS), nonnegative=True, memory=True, fades=False,
        law=lambda c: _bank(c, _NO_SLIP), unit=lambda k: _spring(k, 1.0),
        meaning="slipping springs: friction that remembers reversals; instead of coulomb",
    ),
    Term(
        name="memory_load", columns=tuple(f"memory_load_{v:g}" for v in SLIP_LIMITS),
        units=("1",) * len(SLIP_LIMITS), nonnegative=True, memory=True, fades=False,
        reads_load=True,
        law=lambda c: _bank(_NO_SLIP, c), unit=lambda k: _spring(k, 0.0), largest=0.2,
        meaning="slipping springs whose torque grows with load; instead of load",
    ),
    Term(
        name="counterbalance",
        columns=tuple(f"{wave}_{k}" for wave in ("sine", "cosine") for k in range(1, HARMONICS + 1)),
        units=(_TORQUE,) * (2 * HARMONICS), nonnegative=False, fades=False, carried=True,
        law=lambda c: Counterbalance(sines=tuple(c[:HARMONICS]), cosines=tuple(c[HARMONICS:])),
        coefficients=_harmonics,
        meaning="function of the joint's angle: balancing cylinder or spring",
    ),
)  # fmt: skip
TERMS: Mapping[str, Term] = {term.name: term for term in _ALL}


def terms_named(names: Sequence[str]) -> tuple[Term, ...]:
    """Terms by name; unknown and repeated names are refused."""
    for name in names:
        if name not in TERMS:
            raise UnknownNameError("friction term", name, TERMS)
    return tuple(TERMS[name] for name in dict.fromkeys(names))


@kernel
def unit_columns(terms, p, memory, motion, out):
    """Torque of every term on its own, out (samples, terms); `motion` as in `friction_run`, `memory` (2, S)."""
    for i in range(terms.shape[0]):
        row = terms[i]
        parameters = p[row[P_START] : row[P_STOP]]
        before = memory[0, row[S_START] : row[S_STOP]]
        after = memory[1, row[S_START] : row[S_STOP]]
        for k in range(motion.shape[0]):
            x = (
                motion[k, 0],
                motion[k, 1],
                motion[k, 2],
                motion[k, 3],
                motion[k, 4],
                motion[k, 5],
            )
            out[k, i] = friction_step(row[CODE], parameters, before, after, x)
            for s in range(len(before)):
                before[s] = after[s]


def columns_along(
    laws: Sequence[FrictionLaw],
    position: Array,
    velocity: Array,
    load: Array,
    temperature: Array,
    dt: float,
    start: float = 0.0,
) -> Array:
    """Torque (samples, laws) of each law alone along the motion of one joint.

    Springs begin at this share of their limits: 0 relaxed, 1 or -1 slipping in that direction.
    """
    out = np.empty((len(position), len(laws)))
    alone = np.array([isinstance(law, SlipBank) and len(law.limits) == 1 for law in laws], bool)
    springs = [law for law in laws if isinstance(law, SlipBank) and len(law.limits) == 1]
    others = [law for law, spring in zip(laws, alone, strict=True) if not spring]
    if springs:
        out[:, alone] = _spring_columns(springs, position, load, start)
    if others:
        series = (velocity, load, temperature, position)
        out[:, ~alone] = _law_columns(others, position, series, dt, start)
    return out


def _spring_columns(
    springs: Sequence[SlipBank], position: Array, load: Array, start: float
) -> Array:
    """Torque of springs one by one; those of one limit are bent alike, whatever their torque."""
    limits, places = np.unique([law.limits[0] for law in springs], return_inverse=True)
    bent = np.empty((len(position), len(limits)))
    bent_shares(limits, np.ascontiguousarray(position), start, bent)
    torques, shares = (
        np.array([getattr(law, name)[0] for law in springs]) for name in ("torques", "load_shares")
    )
    out = bent[:, places]
    if shares.any():
        return np.asarray(out * (torques + shares * np.abs(load)[:, None]))
    return np.asarray(out * torques)


def _law_columns(
    laws: Sequence[FrictionLaw], position: Array, series: Sequence[Array], dt: float, start: float
) -> Array:
    """Torque of any laws one by one; `series` are speed, load, temperature and position."""
    packed = FrictionModel(terms=laws).pack()
    out = np.empty((len(position), len(laws)))
    memory = np.zeros((2, packed.state_size))
    memory[0] = start * np.concatenate([np.zeros(0), *(_limits_of(law) for law in laws)])
    for first in range(0, len(position), BLOCK):
        part = slice(first, first + BLOCK)
        motion = np.empty((len(position[part]), 6))
        motion[:, 0] = np.diff(position[part], prepend=position[max(0, first - 1)])
        for column, values in zip((1, 2, 3, 4), series, strict=True):
            motion[:, column] = values[part]
        motion[:, 5] = dt
        unit_columns(packed.terms, packed.parameters, memory, motion, out[part])
    return out


def _limits_of(law: FrictionLaw) -> Array:
    return np.array(law.limits) if isinstance(law, SlipBank) else np.zeros(law.state_size)
