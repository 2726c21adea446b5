"""Units an importer understands, as factors to SI: the border where other units end."""

from __future__ import annotations

import math
from typing import NamedTuple

from jointwise.recording.columns import ACCELERATION, ANGLE, KINDS, SPEED, TORQUE

DEGREE = math.pi / 180.0
TURN = 2.0 * math.pi


class Scale(NamedTuple):
    """SI value = factor * value + shift."""

    factor: float
    shift: float = 0.0


TIME = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0}
REVOLUTE: dict[str, dict[str, float]] = {
    ANGLE: {"rad": 1.0, "mrad": 1e-3, "deg": DEGREE, "turn": TURN},
    SPEED: {
        "rad/s": 1.0,
        "mrad/s": 1e-3,
        "deg/s": DEGREE,
        "rpm": TURN / 60.0,
        "turn/s": TURN,
    },
    ACCELERATION: {"rad/s^2": 1.0, "deg/s^2": DEGREE},
    TORQUE: {"N m": 1.0, "mN m": 1e-3, "kN m": 1e3},
}
PRISMATIC: dict[str, dict[str, float]] = {
    ANGLE: {"m": 1.0, "mm": 1e-3, "um": 1e-6},
    SPEED: {"m/s": 1.0, "mm/s": 1e-3},
    ACCELERATION: {"m/s^2": 1.0, "mm/s^2": 1e-3},
    TORQUE: {"N": 1.0, "kN": 1e3},
}
EITHER: dict[str, dict[str, Scale]] = {
    "A": {"A": Scale(1.0), "mA": Scale(1e-3)},
    "degC": {"degC": Scale(1.0), "K": Scale(1.0, -273.15)},
    "1": {},
}
SI = "SI"
RAW = "raw"
"""The device's own unit: it needs a factor to SI, except for `motor_signal`, which stays as it is."""


def scales(kind: str, prismatic: bool) -> dict[str, Scale]:
    """Every unit of that kind of column for a joint that turns or slides, with its scale."""
    unit = KINDS[kind].unit
    if unit in EITHER:
        return {SI: Scale(1.0), RAW: Scale(1.0), **EITHER[unit]}
    table = (PRISMATIC if prismatic else REVOLUTE)[unit]
    return {SI: Scale(1.0), RAW: Scale(1.0)} | {name: Scale(f) for name, f in table.items()}


def known_units(kind: str) -> tuple[str, ...]:
    """Names of every unit of that kind of column, for joints that turn and joints that slide."""
    return tuple(dict.fromkeys([*scales(kind, False), *scales(kind, True)]))
