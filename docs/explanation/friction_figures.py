"""Figures of the two pages on friction."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from figure_parts import MRAD, name, panels
from matplotlib.figure import Figure

from jointwise.laws.degressive import DegressiveViscous
from jointwise.laws.e_gms import EGMS
from jointwise.laws.friction import FrictionModel
from jointwise.laws.lugre import LuGre
from jointwise.laws.maxwell_slip import MaxwellSlip
from jointwise.laws.stribeck import Stribeck
from jointwise.laws.temperature import TemperatureChange
from jointwise.laws.viscous import Viscous
from jointwise.plant.measure import HOUSING, OIL, warm_up
from jointwise.plant.thermal import Thermal
from jointwise.report.figures import COLOURS

SHAPE = {"limit_exponent": 4.0, "stiffness_exponent": 2.0}
HALF_BACKLASH = (1e-3,)
COULOMB = 5.6
WORKING_DEGC = 45.0
FACTORY = ((0.01, 0.5, 1.5, 3.2), (5.8, 9.5, 13.9, 17.9))
"""rad/s and N m: friction of joint 1 in a UR5e's factory report, mean of both directions, times ratio 101."""
PEAK = {"stribeck_excess": 0.8, "stribeck_velocity": 0.02, "stribeck_exponent": 1.2}
"""The large joint of the population of arms; its middle values."""


def path(*turns: float, step: float = 1e-5) -> np.ndarray:
    """Positions that go from turn to turn in steps of nearly the same size."""
    legs = [np.array([turns[0]])]
    for start, stop in itertools.pairwise(turns):
        count = max(2, round(abs(stop - start) / step))
        legs.append(np.linspace(start, stop, count + 1)[1:])
    return np.concatenate(legs)


def along(law: FrictionModel, position: np.ndarray, load: float = 0.0) -> np.ndarray:
    """Friction torque along a slow path."""
    dt = 1e-3
    speed = np.gradient(position, dt)
    return law.run(position, speed, load, WORKING_DEGC, dt=dt)[0]


def friction(law: Any) -> FrictionModel:
    """One law as a model."""
    return FrictionModel(terms=(law,))


# ---- friction with memory -----------------------------------------------------------------------


def static_against_memory() -> Figure:
    """The same small swing as a static map sees it and as a joint with memory answers it."""
    t = np.linspace(0.0, 3.0, 1801)
    position = 3e-4 * np.sin(2.0 * np.pi * t)
    speed = 3e-4 * 2.0 * np.pi * np.cos(2.0 * np.pi * t)
    slip = friction(
        MaxwellSlip(coulomb=COULOMB, operators=16, half_backlash=HALF_BACKLASH, **SHAPE)
    )
    memory = slip.run(position, speed, 0.0, WORKING_DEGC, dt=t[1])[0]
    static = COULOMB * np.sign(speed)
    figure, axes = panels(2)
    late = t >= 2.0
    for axis, x in zip(axes, (position * MRAD, speed * MRAD), strict=True):
        axis.plot(x[late], static[late], color=COLOURS[1], label="static: Coulomb")
        axis.plot(x[late], memory[late], color=COLOURS[0], label="memory: Maxwell-slip")
        axis.set_ylim(-6.5, 6.5)
    name(axes[0], "against position", "rotor position (mrad)", "friction torque (N m)")
    name(axes[1], "against velocity", "rotor velocity (mrad/s)", "friction torque (N m)")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


def hysteresis_loops() -> Figure:
    """E-GMS loops at three loads, and at three widths of the backlash."""
    position = path(0.0, 2.5e-3, -2.5e-3, 2.5e-3)
    figure, axes = panels(2)
    for load, colour in zip((0.0, 40.0, 80.0), COLOURS, strict=False):
        law = EGMS(
            coulomb=COULOMB, load_linear=0.05, operators=4, half_backlash=HALF_BACKLASH, **SHAPE
        )
        torque = along(friction(law), position, load)
        axes[0].plot(position * MRAD, torque, color=colour, label=f"{load:g} N m")
    for width, colour in zip((0.5e-3, 1e-3, 2e-3), COLOURS, strict=False):
        law = EGMS(coulomb=COULOMB, operators=4, half_backlash=(width,), **SHAPE)
        torque = along(friction(law), position)
        axes[1].plot(position * MRAD, torque, color=colour, label=f"{width * MRAD:g} mrad")
    name(axes[0], "load", "rotor position (mrad)", "friction torque (N m)")
    name(axes[1], "half backlash Bl", "rotor position (mrad)", "friction torque (N m)")
    for axis, title in zip(axes, ("joint torque", "Bl"), strict=True):
        axis.legend(title=title, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return figure


def return_point() -> Figure:
    """A small loop inside a large one: closed by Maxwell-slip, left open by LuGre."""
    inner = (4e-4, 2e-4, 4e-4, 2e-4, 4e-4, 2e-4, 4e-4)
    position = path(0.0, 1.5e-3, -1.5e-3, *inner, 1.5e-3)
    slip = friction(
        MaxwellSlip(coulomb=COULOMB, operators=16, half_backlash=HALF_BACKLASH, **SHAPE)
    )
    bristle = friction(
        LuGre(
            stiffness=3e4,
            damping=0.0,
            coulomb=COULOMB,
            excess=0.0,
            stribeck_velocity=0.02,
            viscous=0.0,
        )
    )
    figure, axes = panels(3)
    axes[0].plot(np.arange(len(position)) / 1e3, position * MRAD, color="#444444")
    name(axes[0], "the path", "time (s)", "rotor position (mrad)")
    first = np.argmax(position == 1.5e-3)
    for axis, law, colour, title in (
        (axes[1], slip, COLOURS[0], "Maxwell-slip: inner loops close"),
        (axes[2], bristle, COLOURS[4], "LuGre: inner loops drift"),
    ):
        axis.plot(position[first:] * MRAD, along(law, position)[first:], color=colour)
        name(axis, title, "rotor position (mrad)", "friction torque (N m)")
    return figure


def presliding_stiffness() -> Figure:
    """Torque from rest, and its slope, for few and many operators."""
    position = np.concatenate([[0.0], np.geomspace(1e-9, 1.2e-3, 280)])
    middle = np.sqrt(position[1:-1] * position[2:])
    figure, axes = panels(2)
    for count, colour in ((2, COLOURS[1]), (4, COLOURS[0]), (16, COLOURS[2])):
        law = MaxwellSlip(coulomb=COULOMB, operators=count, half_backlash=HALF_BACKLASH, **SHAPE)
        torque = along(friction(law), position)
        slope = (np.diff(torque) / np.diff(position))[1:]
        axes[0].plot(position * MRAD, torque, color=colour, label=f"M = {count}")
        shown = slope > 1e-3
        axes[1].plot(middle[shown] * MRAD, slope[shown], color=colour)
    axes[1].set_yscale("log")
    axes[1].set_xscale("log")
    name(axes[0], "torque from rest", "rotor position (mrad)", "friction torque (N m)")
    name(axes[1], "its slope", "rotor position (mrad)", "presliding stiffness (N m/rad)")
    axes[0].legend(loc="lower right")
    return figure


# ---- friction against speed, load and temperature -----------------------------------------------


def steady(law: FrictionModel, speed: np.ndarray, load: float, degc: float) -> np.ndarray:
    """Friction torque after a long way at each speed."""
    position = np.zeros((len(speed), 2))
    position[:, 1] = 0.1
    given = np.repeat(speed[:, None], 2, axis=1)
    return law.run(position, given, load, degc, dt=1.0)[0][:, 1]


def stribeck_curve() -> Figure:
    """The whole curve and its parts, on a straight and on a logarithmic axis of speed."""
    dry = friction(
        Stribeck(
            coulomb=COULOMB,
            breakaway=COULOMB + PEAK["stribeck_excess"],
            stribeck_velocity=PEAK["stribeck_velocity"],
            stribeck_exponent=PEAK["stribeck_exponent"],
        )
    )
    parts = {
        "Coulomb and Stribeck": dry,
        "degressive viscous": friction(DegressiveViscous(viscous_root=4.2)),
        "viscous": friction(Viscous(viscous=1.4)),
    }
    figure, axes = panels(2)
    for axis, speed in zip(
        axes, (np.linspace(1e-4, 3.2, 161), np.geomspace(1e-4, 3.2, 161)), strict=True
    ):
        torques = {k: steady(law, speed, 0.0, WORKING_DEGC) for k, law in parts.items()}
        axis.plot(speed, sum(torques.values()), color="#222222", linewidth=2.0, label="sum")
        for (label, torque), colour in zip(torques.items(), COLOURS, strict=False):
            axis.plot(speed, torque, color=colour, label=label)
        name(axis, "", "rotor velocity (rad/s)", "friction torque (N m)")
        axis.plot(*FACTORY, "o", color=COLOURS[4], markersize=5, label="factory report")
        axis.set_ylim(0.0, 19.0)
    axes[1].set_xscale("log")
    axes[0].set_title("straight axis", loc="left", fontweight="bold", fontsize=9)
    axes[1].set_title("logarithmic axis", loc="left", fontweight="bold", fontsize=9)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=5)
    return figure


def load_dependence() -> Figure:
    """Sliding friction against the joint torque."""
    load = np.linspace(-120.0, 120.0, 121)
    speed = np.full(1, 0.5)
    figure, axes = panels(1)
    for label, extra, colour in (
        ("no load part", {}, "#444444"),
        ("load_linear = 0.04", {"load_linear": 0.04}, COLOURS[0]),
        ("load_linear = 0.08", {"load_linear": 0.08}, COLOURS[5]),
        ("load_quadratic = 4e-4 / (N m)", {"load_quadratic": 4e-4}, COLOURS[1]),
    ):
        law = friction(
            EGMS(coulomb=COULOMB, operators=4, half_backlash=HALF_BACKLASH, **SHAPE, **extra)
        )
        torque = [steady(law, speed, x, WORKING_DEGC)[0] for x in load]
        axes[0].plot(load, torque, color=colour, label=label)
    axes[0].set_ylim(0.0, 17.0)
    name(axes[0], "sliding, dry part only", "joint torque (N m)", "friction torque (N m)")
    axes[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    figure.set_size_inches(6.6, 3.1)
    return figure


def joint_friction() -> FrictionModel:
    """The friction of a large joint with its temperature part."""
    hysteresis = EGMS(coulomb=COULOMB, operators=4, half_backlash=HALF_BACKLASH, **SHAPE, **PEAK)
    warm = DegressiveViscous(viscous_root=4.2)
    change = TemperatureChange(slope=-0.17, cube=0.0, reference=WORKING_DEGC)
    return FrictionModel(terms=(hysteresis, warm, Viscous(viscous=1.4), change))


def temperature_curves() -> Figure:
    """Friction against speed for four oil temperatures, and against temperature for three speeds."""
    law = joint_friction()
    speed = np.linspace(1e-3, 3.2, 120)
    figure, axes = panels(2)
    for degc, colour in zip((20.0, 30.0, 45.0, 60.0), (0, 5, 1, 4), strict=True):
        axes[0].plot(
            speed, steady(law, speed, 0.0, degc), color=COLOURS[colour], label=f"{degc:g} degC"
        )
    degc = np.linspace(10.0, 60.0, 101)
    for fixed, colour in zip((0.05, 0.5, 2.0), (2, 3, 0), strict=True):
        torque = [steady(law, np.array([fixed]), 0.0, t)[0] for t in degc]
        axes[1].plot(degc, torque, color=COLOURS[colour], label=f"{fixed:g} rad/s")
    name(axes[0], "oil temperature", "rotor velocity (rad/s)", "friction torque (N m)")
    name(axes[1], "rotor velocity", "oil temperature (degC)", "friction torque (N m)")
    for axis in axes:
        axis.set_ylim(0.0, 28.0)
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return figure


def oil_and_sensor() -> Figure:
    """A joint holds a load, then moves, then rests: what the sensor shows and what the oil has."""
    thermal = Thermal(housing_capacity=900.0, oil_capacity=150.0)
    rows = np.array([thermal.pack()])
    law = joint_friction()
    period, speed = 5.0, np.array([1.0])
    minutes = np.arange(0.0, 150.0, period / 60.0)
    moves = (minutes >= 60.0) & (minutes < 110.0)
    holds = minutes < 60.0
    temperature = np.full((2, 1), thermal.start_degc)
    seen = np.empty((2, len(minutes)))
    for k in range(len(minutes)):
        seen[:, k] = temperature[:, 0]
        rubbed = steady(law, speed, 0.0, temperature[OIL, 0]) * speed if moves[k] else np.zeros(1)
        torque = np.array([50.0 if holds[k] else 15.0 if moves[k] else 0.0])
        warm_up(rows, torque, rubbed * period, period, temperature)
    figure, axes = panels(2)
    every = slice(None, None, 6)
    axes[0].plot(
        minutes[every],
        seen[HOUSING, every],
        color=COLOURS[4],
        label="housing, which the sensor sees",
    )
    axes[0].plot(
        minutes[every], seen[OIL, every], color=COLOURS[0], label="oil, which friction feels"
    )
    for start, word in ((30.0, "holds"), (85.0, "moves"), (130.0, "rests")):
        axes[0].text(start, 20.5, word, ha="center", color="#555555")
    for edge in (60.0, 110.0):
        axes[0].axvline(edge, color="#999999", linewidth=0.8)
    axes[0].set_ylim(19.0, None)
    name(axes[0], "temperatures", "time (min)", "temperature (degC)")
    by_oil, by_sensor = (
        [steady(law, speed, 0.0, t)[0] for t in row[every]] for row in (seen[OIL], seen[HOUSING])
    )
    axes[1].plot(minutes[every], by_sensor, color=COLOURS[4])
    axes[1].plot(minutes[every], by_oil, color=COLOURS[0])
    for edge in (60.0, 110.0):
        axes[1].axvline(edge, color="#999999", linewidth=0.8)
    name(axes[1], "friction at 1 rad/s by either", "time (min)", "friction torque (N m)")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure
