"""What an experiment on one joint measured, beside what its model makes of it: one figure per experiment."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.fit import Fit
from jointwise.report.chart import BLUE, GREY, INK, ORANGE, RED, Panel, chart
from jointwise.report.marks import Dots, Line, Mark
from jointwise.report.page import fragment
from jointwise.report.subject import Section, Subject
from jointwise.report.words import position_unit, torque_unit

Array = NDArray[np.float64]
Legend = tuple[tuple[str, str], ...]
MEASURED, FITTED, STATIC = ("measured", INK), ("model", BLUE), ("only the sign of motion", ORANGE)
BEHIND = ("measured", "#b8b8b8")
"""A wide line that others are drawn over."""
HEIGHT = 230.0
MOST_DOTS = 1000
"""Of a figure that has one for each instant."""


def curves(subject: Subject) -> Section | None:
    """The figure of a joint experiment."""
    svg = curve_chart(subject.fit)
    if svg is None:
        return None
    joint = str(subject.fit.settings.get("joint", ""))
    html = fragment("curves.html", svg=svg, about=ABOUT[subject.fit.experiment], joint=joint)
    return Section(anchor="curves", title="Measured and modelled", html=html)


def curve_chart(fit: Fit) -> str | None:
    """The figure as SVG; None for experiments that have none."""
    if fit.experiment not in FIGURES:
        return None
    unit = torque_unit(fit.robot, str(fit.settings["joint"]))
    panels, legend = FIGURES[fit.experiment](fit, unit)
    return chart(panels, panel_height=HEIGHT, legend=legend, label=ABOUT[fit.experiment])


def _way(fit: Fit) -> str:
    return position_unit(fit.robot, str(fit.settings["joint"]))


def _stiffness(fit: Fit, unit: str) -> tuple[list[Panel], Legend]:
    a = fit.arrays
    order = np.argsort(a["deformation"])
    x = 1e3 * a["deformation"]
    gauge, motor = a["source"] == 0.0, a["source"] == 1.0
    offset = fit["motor_offset"].value if gauge.any() else 0.0
    curve = a["fitted"] - offset * motor
    marks: tuple[Mark, ...] = (
        Dots(x=x[motor], y=a["torque"][motor], colour=GREY),
        Dots(x=x[gauge], y=a["torque"][gauge], colour=INK),
        Line(x=x[order], y=curve[order], colour=BLUE),
    )
    left: tuple[Mark, ...] = (
        Dots(x=a["torque"][motor], y=(a["torque"] - a["fitted"])[motor], colour=GREY),
        Dots(x=a["torque"][gauge], y=(a["torque"] - a["fitted"])[gauge], colour=INK),
    )
    panels = [
        Panel(
            title="Load and deformation",
            x_label="rotor - link (mrad)",
            y_label=f"load ({unit})",
            marks=marks,
        ),
        Panel(title="Left over", x_label=f"load ({unit})", y_label=f"load ({unit})", marks=left),
    ]
    return panels, (("gauge", INK), ("motor", GREY), FITTED)


def _velocity(fit: Fit, unit: str) -> tuple[list[Panel], Legend]:
    a = fit.arrays
    order = np.argsort(a["velocity"])
    speed = a["velocity"][order]
    # No line is drawn across zero speed, where friction jumps.
    line = np.insert(a["fitted"][order], np.searchsorted(speed, 0.0), np.nan)
    place = np.insert(speed, np.searchsorted(speed, 0.0), np.nan)
    marks = (Dots(x=speed, y=a["friction"][order], colour=INK), Line(x=place, y=line, colour=BLUE))
    size = np.abs(a["velocity"])
    slow = np.log10(np.maximum(size, 1e-9))
    sign = np.sign(a["velocity"])
    up = np.argsort(slow)
    close = (
        Dots(x=slow, y=sign * a["friction"], colour=INK),
        Line(x=slow[up], y=(sign * a["fitted"])[up], colour=BLUE),
    )
    way, friction = _way(fit), f"friction ({unit})"
    panels = [
        Panel(title="Both directions", x_label=f"speed ({way}/s)", y_label=friction, marks=marks),
        Panel(
            title="Against the motion",
            x_label=f"log10 of speed ({way}/s)",
            y_label=friction,
            marks=close,
        ),
    ]
    return panels, (MEASURED, FITTED)


def _temperature(fit: Fit, unit: str) -> tuple[list[Panel], Legend]:
    a = fit.arrays
    marks: list[Mark] = []
    speeds = np.abs(a["velocity"])
    for level in np.unique(np.round(np.log(np.maximum(speeds, 1e-9)), 1)):
        own = np.round(np.log(np.maximum(speeds, 1e-9)), 1) == level
        order = np.argsort(a["temperature"][own])
        x = a["temperature"][own][order]
        marks += [
            Dots(x=x, y=a["friction"][own][order], colour=INK),
            Line(x=x, y=a["fitted"][own][order], colour=BLUE),
        ]
    panel = Panel(
        title="Each line a speed",
        x_label="temperature (deg C)",
        y_label=f"friction ({unit})",
        marks=tuple(marks),
    )
    return [panel], (MEASURED, FITTED)


def _load(fit: Fit, unit: str) -> tuple[list[Panel], Legend]:
    a = fit.arrays
    order = np.argsort(a["load"])
    marks = (
        Dots(x=a["load"], y=a["friction"], colour=INK),
        Line(x=a["load"][order], y=a["fitted"][order], colour=BLUE),
    )
    panel = Panel(
        title="Friction and load",
        x_label=f"load ({unit})",
        y_label=f"friction ({unit})",
        marks=marks,
    )
    return [panel], (MEASURED, FITTED)


def _kinematic_error(fit: Fit, unit: str) -> tuple[list[Panel], Legend]:
    a = fit.arrays
    seen = np.where(np.isfinite(a["error_table"]), a["error_fitted"], np.nan)
    error: tuple[Mark, ...] = (
        Dots(x=a["angle"], y=1e3 * a["error_table"], colour=INK),
        Line(x=a["angle"], y=1e3 * seen, colour=BLUE),
    )
    width: tuple[Mark, ...] = (Dots(x=a["angle"], y=1e3 * a["half_backlash"], colour=INK),)
    panels = [
        Panel(title="Kinematic error", x_label="angle (rad)", y_label="error (mrad)", marks=error),
        Panel(
            title="Half backlash",
            x_label="angle (rad)",
            y_label="half backlash (mrad)",
            marks=width,
        ),
    ]
    return panels, (MEASURED, FITTED)


def _loops(fit: Fit, unit: str) -> Panel:
    a = fit.arrays
    place = a["place"] - a["place"].mean()
    marks = (
        Line(x=place, y=a["measured"], colour=BEHIND[1], width=2.4),
        Line(x=place, y=a["static"], colour=ORANGE),
        Line(x=place, y=a["fitted"], colour=BLUE),
    )
    return Panel(
        title="Strokes", x_label=f"position ({_way(fit)})", y_label=f"torque ({unit})", marks=marks
    )


def _hysteresis(fit: Fit, unit: str) -> tuple[list[Panel], Legend]:
    a = fit.arrays
    x = np.log10(a["limits"])
    stems = np.column_stack([x, x, np.full(len(x), np.nan)]).ravel()
    tops = np.column_stack([np.zeros(len(x)), a["torques"], np.full(len(x), np.nan)]).ravel()
    springs: tuple[Mark, ...] = (
        Line(x=stems, y=tops, colour=BLUE, width=2.0),
        Dots(x=x, y=a["torques"], colour=BLUE),
    )
    return [
        _loops(fit, unit),
        Panel(
            title="Slipping springs",
            x_label=f"log10 of limit ({_way(fit)})",
            y_label=f"torque ({unit})",
            marks=springs,
        ),
    ], (BEHIND, FITTED, STATIC)


def _e_gms(fit: Fit, unit: str) -> tuple[list[Panel], Legend]:
    width = fit.arrays["half_backlash"]
    table = np.append(width, width[0])
    angle = np.linspace(0.0, 2.0 * np.pi, len(table))
    panel = Panel(
        title="Half backlash",
        x_label="angle (rad)",
        y_label="half backlash (mrad)",
        marks=(Line(x=angle, y=1e3 * table, colour=BLUE),),
    )
    return [_loops(fit, unit), panel], (BEHIND, FITTED, STATIC)


def _damping(fit: Fit, unit: str) -> tuple[list[Panel], Legend]:
    a = fit.arrays
    swing: tuple[Mark, ...] = (
        Dots(x=1e3 * a["time"], y=a["log_amplitude"], colour=INK),
        Line(x=1e3 * a["time"], y=a["log_amplitude"], colour=GREY),
    )
    both = np.concatenate([a["target"], a["fitted"]])
    ends = np.array([both.min(), both.max()])
    loss: tuple[Mark, ...] = (
        Line(x=ends, y=ends, colour=BLUE),
        Dots(x=a["fitted"], y=a["target"], colour=INK),
    )
    return [
        Panel(title="Extremes", x_label="time (ms)", y_label="log of rad", marks=swing),
        Panel(title="Loss in pieces of the swing", x_label="model", y_label="measured", marks=loss),
    ], (MEASURED, FITTED)


def _link_friction(fit: Fit, unit: str) -> tuple[list[Panel], Legend]:
    a = fit.arrays
    order = np.argsort(a["velocity"])
    x = a["velocity"][order]
    marks = (
        Dots(x=x, y=a["link_friction"][order], colour=RED),
        Dots(x=x, y=a["rotor_friction"][order], colour=INK),
        Line(x=x, y=(fit["link_coulomb"].value + fit["link_viscous"].value * x), colour=BLUE),
    )
    panel = Panel(
        title="Where it rubs",
        x_label=f"speed ({_way(fit)}/s)",
        y_label=f"friction ({unit})",
        marks=marks,
    )
    return [panel], (("on the link", RED), ("on the rotor", INK), FITTED)


def _transmission(fit: Fit, unit: str) -> tuple[list[Panel], Legend]:
    a = fit.arrays
    kept = slice(None, None, max(1, len(a["torque"]) // MOST_DOTS))
    torque, bend = a["torque"][kept], 1e3 * a["deformation"][kept]
    model = 1e3 * a["fitted"][kept]
    loop: tuple[Mark, ...] = (
        Dots(x=torque, y=bend, colour=INK),
        Dots(x=torque, y=model, colour=BLUE),
    )
    left: tuple[Mark, ...] = (Dots(x=torque, y=bend - model, colour=INK),)
    label = f"motor torque ({unit})"
    return [
        Panel(title="Torque and bend", x_label=label, y_label="rotor - link (mrad)", marks=loop),
        Panel(title="Left over", x_label=label, y_label="rotor - link (mrad)", marks=left),
    ], (MEASURED, FITTED)


FIGURES: Mapping[str, Callable[[Fit, str], tuple[list[Panel], Legend]]] = {
    "stiffness": _stiffness,
    "velocity": _velocity,
    "temperature": _temperature,
    "load": _load,
    "kinematic-error": _kinematic_error,
    "hysteresis": _hysteresis,
    "e-gms": _e_gms,
    "damping": _damping,
    "link-friction": _link_friction,
    "transmission": _transmission,
}
ABOUT: Mapping[str, str] = {
    "stiffness": "Points are loads at rest; those of the motor hold static friction of the gear.",
    "velocity": "Each point is the mean over a piece of constant velocity.",
    "temperature": "Each point is the mean over a piece of constant velocity.",
    "load": "Half the difference of both directions at the same place, against half their sum.",
    "kinematic-error": "Rotor minus link, half sum and half difference of both directions.",
    "hysteresis": "A stretch of slow strokes, and the springs that make the model.",
    "e-gms": "A stretch of slow strokes; the backlash over the turn.",
    "damping": "The swing after the release, and the energy it loses.",
    "link-friction": "Friction from the deformation of the gear, and the rest of the motor's.",
    "transmission": "Rotor minus link along the whole motion: bend, lost motion, kinematic error and delay.",
}
