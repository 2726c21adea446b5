"""Small foreign logs and column maps for the tests of the importer."""

import numpy as np

from jointwise.recording.import_map import Clock, ColumnMap, Quantity
from jointwise.recording.import_recording import import_recording
from jointwise.recording.import_selection import parse_selection
from jointwise.robot.description import Robot
from jointwise.robot.frames import ModifiedDH, Transform
from jointwise.robot.parts import Drive, Joint

RATIOS = (100.0, -50.0)
COUPLED = Robot(
    name="coupled",
    joints=tuple(
        Joint(name=f"j{k}", frame=ModifiedDH(a=0.1 * k), drive=Drive(gear_ratio=ratio))
        for k, ratio in enumerate(RATIOS)
    ),
    coupling=((1.0, 0.0), (0.5, 1.0)),
)
PLAIN = Robot(name="plain", joints=COUPLED.joints)
SLIDE = Robot(
    name="slide", joints=(Joint(name="slide", kind="prismatic", frame=Transform(axis=(1, 0, 0))),)
)


def quantity(columns, unit, **more):
    return Quantity(columns=parse_selection("columns", columns), unit=unit, **more)


def column_map(*, time=1, time_unit="s", layout=None, **quantities):
    clock = Clock(column=parse_selection("time", time), unit=time_unit)
    return ColumnMap(name="test", time=clock, quantities=quantities, **(layout or {}))


def two_joints(**layout):
    """Time, two angles in rad, two torques in N m of the output side, all by number."""
    return column_map(
        layout=layout,
        q=quantity("2-3", "rad"),
        motor_torque=quantity("4-5", "N m", side="output"),
    )


def numbers(rows=6, columns=5, seed=1):
    values = np.random.default_rng(seed).normal(size=(rows, columns))
    values[:, 0] = 0.01 * np.arange(rows)
    return values


def text(values, delimiter=",", header="", end="\n", decimal="."):
    rows = [delimiter.join(repr(float(v)).replace(".", decimal) for v in row) for row in values]
    return end.join([header, *rows] if header else rows) + end


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def imported(path, columns, robot=PLAIN):
    return import_recording(path, robot=robot, columns=columns)
