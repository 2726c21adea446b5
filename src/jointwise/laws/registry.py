"""The list of laws: one line for each; being in it is what the contract tests and the table of laws go by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from jointwise.errors import UnknownNameError
from jointwise.laws.backlash_map import BacklashMap
from jointwise.laws.base import FrictionLaw, JointLaw
from jointwise.laws.bittencourt import Bittencourt, WarmStribeck
from jointwise.laws.coulomb import Coulomb
from jointwise.laws.counterbalance import Counterbalance
from jointwise.laws.damping import Damping
from jointwise.laws.degressive import DegressiveViscous
from jointwise.laws.directional import Directional
from jointwise.laws.e_gms import EGMS
from jointwise.laws.gear_loss import GearLoss
from jointwise.laws.gms import GMS
from jointwise.laws.kinematic_error import ErrorTable, FourierError, KinematicErrorLaw
from jointwise.laws.linear import LinearSpring
from jointwise.laws.liu import Liu
from jointwise.laws.load import LinearLoad, QuadraticLoad
from jointwise.laws.lost_motion import LostMotion
from jointwise.laws.lugre import LuGre
from jointwise.laws.maxwell_slip import MaxwellSlip
from jointwise.laws.odd_polynomial import OddPolynomial
from jointwise.laws.offset import Offset
from jointwise.laws.rested_grid import RestedGrid
from jointwise.laws.rounded_segments import RoundedSegments
from jointwise.laws.slip_bank import SlipBank
from jointwise.laws.smooth_backlash import SmoothBacklash, SmoothDeformation
from jointwise.laws.smooth_sign import SigmoidCoulomb, TanhCoulomb, ZoneCoulomb
from jointwise.laws.stiction import Stiction
from jointwise.laws.stribeck import Stribeck
from jointwise.laws.stribeck_grid import StribeckGrid
from jointwise.laws.temperature import Temperature, TemperatureChange
from jointwise.laws.three_segments import ThreeSegments
from jointwise.laws.transmission import TransmissionLaw
from jointwise.laws.velocity import VelocityLaw
from jointwise.laws.viscous import Viscous

L = TypeVar("L", bound=JointLaw)


def _named(*laws: type[L]) -> dict[str, type[L]]:
    return {law.name: law for law in laws}


FRICTION: Mapping[str, type[FrictionLaw]] = _named(
    Viscous,
    Coulomb,
    Offset,
    Stiction,
    Stribeck,
    TanhCoulomb,
    SigmoidCoulomb,
    ZoneCoulomb,
    VelocityLaw,
    DegressiveViscous,
    LinearLoad,
    QuadraticLoad,
    Temperature,
    TemperatureChange,
    WarmStribeck,
    Bittencourt,
    Liu,
    LuGre,
    GearLoss,
    MaxwellSlip,
    EGMS,
    GMS,
    Directional,
    SlipBank,
    StribeckGrid,
    Counterbalance,
    RestedGrid,
)
STIFFNESS: Mapping[str, type[TransmissionLaw]] = _named(
    LinearSpring,
    OddPolynomial,
    ThreeSegments,
    RoundedSegments,
    LostMotion,
    SmoothBacklash,
    SmoothDeformation,
)
DAMPING: Mapping[str, type[Damping]] = _named(Damping)
KINEMATIC_ERROR: Mapping[str, type[KinematicErrorLaw]] = _named(FourierError, ErrorTable)
BACKLASH: Mapping[str, type[BacklashMap]] = _named(BacklashMap)

KINDS: Mapping[str, Mapping[str, type[JointLaw]]] = {
    "friction law": FRICTION,
    "stiffness law": STIFFNESS,
    "damping law": DAMPING,
    "kinematic error": KINEMATIC_ERROR,
    "backlash": BACKLASH,
}


def law_class(kind: str, name: str, table: Mapping[str, type[L]]) -> type[L]:
    """The law of this name, or an error that lists what there is."""
    if name not in table:
        raise UnknownNameError(kind, name, table)
    return table[name]
