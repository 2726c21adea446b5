"""Sensors, servo, heat, wear and walls of a twin as the rows of numbers its kernels read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.laws.base import field_units
from jointwise.laws.dispatch import P_START
from jointwise.plant import measure as m
from jointwise.plant.layout import ROTOR_TERMS
from jointwise.plant.outcome import Wall
from jointwise.plant.plant import PackedDrives, Plant
from jointwise.plant.servo import Servo

Array = NDArray[np.float64]
NEAREST = 1e-3
"""A parameter that must stay above its bound comes no nearer to it than by this share of its first distance."""


class Rows(NamedTuple):
    """Everything of this file for one twin."""

    sensors: Array
    thermal: Array
    wear: Array
    gains: Array
    wall: Array


def pack_rows(plant: Plant, packed: PackedDrives, period: float, wall: Wall | None) -> Rows:
    """The rows of a twin."""
    return Rows(
        sensor_rows(plant),
        thermal_rows(plant),
        wear_rows(plant, packed),
        servo_gains(plant.servo, period),
        wall_numbers(wall),
    )


def thermal_rows(plant: Plant) -> Array:
    """One row per joint, columns of `plant.thermal`."""
    return np.array([j.thermal.pack() for j in plant.joints])


def servo_gains(servo: Servo, period: float) -> Array:
    """Position, velocity and integral gain, and the share of a new speed in the filtered one."""
    share = 1.0 - np.exp(-2.0 * np.pi * servo.velocity_filter_hz * period)
    return np.array([servo.position_gain, servo.velocity_gain, servo.integral_gain, share])


def wall_numbers(wall: Wall | None) -> Array:
    """Numbers of `plant.environment`; zeros where there is no wall."""
    if wall is None:
        return np.zeros(7)
    return np.array([1.0, *wall.normal, wall.distance, wall.stiffness, wall.damping])


def wear_rows(plant: Plant, packed: PackedDrives) -> Array:
    """Place of the parameter, joint, change per radian, lower and upper bound; one row per drifting number."""
    rows = []
    for j, joint in enumerate(plant.joints):
        for drift in joint.wear:
            law = joint.friction.terms[drift.term]
            first = packed.terms[packed.table[j, ROTOR_TERMS] + drift.term][P_START]
            places = places_of(law, drift.parameter)
            unit = field_units(type(law))[drift.parameter]
            for place, start in places:
                low = unit.lower + NEAREST * (start - unit.lower) if unit.open_lower else unit.lower
                rows.append((first + place, j, drift.per_radian, low, unit.upper))
    return np.array(rows, dtype=np.float64).reshape(-1, 5)


def sensor_rows(plant: Plant) -> Array:
    """One row per joint, columns of `plant.measure`."""
    robot = plant.robot
    rows = np.zeros((robot.n, m.SENSOR_WIDTH))
    inertia = np.diag(robot.mass_matrix(np.zeros(robot.n), rotors=True))
    for j, (joint, described) in enumerate(zip(plant.joints, robot.joints, strict=True)):
        packed = joint.sensors.pack()
        drive: Any = described.drive
        rows[j, : len(packed)] = packed
        rows[j, m.TORQUE_CONSTANT] = drive.torque_constant
        rows[j, m.GEAR_RATIO] = drive.gear_ratio
        rows[j, m.HAS_LINK_ENCODER] = joint.sensors.link_encoder is not None
        rows[j, m.NOMINAL_INERTIA] = inertia[j]
        limit: Any = described.limits.torque
        rows[j, m.TORQUE_LIMIT] = limit
    return rows


def places_of(law: Any, name: str) -> list[tuple[int, float]]:
    """Where the numbers of a parameter stand among those of its law, with their values."""
    names = list(field_units(type(law)))
    if name not in names:
        raise ParameterError("wear.parameter", name, f"one of {', '.join(names)}")
    value = getattr(law, name)
    values = value if isinstance(value, tuple) else (value,)
    moved = tuple(v * 1.0009765625 + 1e-6 for v in values)
    changed: Any = {name: moved if isinstance(value, tuple) else moved[0]}
    try:
        after = replace(law, **changed).packed()
    except ParameterError:
        after = np.zeros(0)
    before = law.packed()
    places = np.flatnonzero(before != after) if len(after) == len(before) else np.zeros(0, int)
    if len(places) != len(values) or not np.array_equal(before[places], values):
        raise ParameterError("wear.parameter", name, "a parameter that the law uses as it is")
    return list(zip(places.tolist(), values, strict=True))
