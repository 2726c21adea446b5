"""The UR5 of Kovincic et al.: frames, and both base vectors as printed; spec 02.8.

Symbols as printed there: A B C diagonal and D E F off-diagonal inertia with signs of his own, mx my mz first moments,
J rotor inertia, v and c viscous and Coulomb friction.
"""

from __future__ import annotations

import re

import numpy as np

from jointwise.robot.description import Robot
from jointwise.robot.frames import Transform
from jointwise.robot.parts import Joint

QUARTER = 0.5 * np.pi
AXES = ("z", "y", "y", "y", "z", "y")
ORIGINS = (
    (0.0, 0.0, 0.089159),
    (0.0, 0.11336, 0.0),
    (0.0, -0.11336, 0.425),
    (0.0, 0.0, 0.39225),
    (0.0, 0.10915, 0.0),
    (0.0, 0.0, 0.09465),
)
TURNED = (2, 4)  # joints whose angle counts from a quarter turn about y

OURS = {"A": "XX", "B": "YY", "C": "ZZ", "D": "YZ", "E": "XZ", "F": "XY"}
OURS |= {"mx": "mX", "my": "mY", "mz": "mZ", "m": "m", "J": "J", "v": "viscous", "c": "coulomb"}
NEGATIVE = ("D", "E", "F")

FULL = """
J1 + C1 + C2 + C3 + C4 + 0.01285 m2 + 0.01191 (m5 + m6) + 0.2267 my2
mx2
mz2 + 0.425 (m3 + m4 + m5 + m6)
A2 - C2 + 0.1806 (m3 + m4 + m5 + m6)
J2 + B2 + 0.1806 (m3 + m4 + m5 + m6)
D2 - 0.04818 (m3 + m4) - 0.001789 (m5 + m6) + 0.425 (my3 + my4)
E2
F2
mx3
mz3 + 0.3922 (m4 + m5 + m6)
A3 - C3 + 0.1539 (m4 + m5 + m6)
B3 + 0.1539 (m4 + m5 + m6)
D3 + 0.04281 (m5 + m6) + 0.3922 my4
E3
F3
mx4
mz4 + mz5 + 0.09465 m6
A4 + B5 - C4 + 0.008959 m6
B4 + B5 + 0.008959 m6
D4 + 0.01033 m6 + 0.1092 mz5
E4
F4
mx5
my5 + my6
A5 - B5 + C6
C5 + C6
D5 + 0.09465 my6
E5
F5
mx6
mz6
A6 - C6
B6
D6
E6
F6
""" + "\n".join([f"J{i}" for i in range(3, 7)] + [f"{f}{i}" for f in "vc" for i in range(1, 7)])

REDUCED = """
J1 + C1 + C2 + C3 + C4 + 0.01285 m2 + 0.01191 (m5 + m6)
mz2
A2 - C2
J2 + B2
m3 + m4 + m5 + m6
mz3 + 0.3922 (m4 + m5 + m6)
A3 - C3 + 0.1539 (m4 + m5 + m6)
B3 + 0.1539 (m4 + m5 + m6)
my4 + 0.1092 (m5 + m6)
A4 + B5 - C4 + 0.008959 m6
B4 + B5 + 0.008959 m6
mz5 + 0.09465 m6
A5 - B5 + C6
C5 + C6
my6
A6 - C6
B6
""" + "\n".join([f"J{i}" for i in range(3, 7)] + [f"{f}{i}" for f in "vc" for i in range(1, 7)])

CONSIDERED = (
    ["C1"]
    + [f"{p}{i}" for i, s in enumerate(("mz", "mz", "my", "mz", "my"), 2) for p in (s, *"ABC", "m")]
    + [f"{p}{i}" for p in "Jvc" for i in range(1, 7)]
)


def robot() -> Robot:
    joints = [
        Joint(
            name=f"K{i}",
            frame=Transform(
                origin=origin,
                rpy=(0.0, QUARTER if i in TURNED else 0.0, 0.0),
                axis=tuple(float(axis == a) for a in "xyz"),
            ),
        )
        for i, (axis, origin) in enumerate(zip(AXES, ORIGINS, strict=True), 1)
    ]
    return Robot(name="UR5 Kovincic", joints=tuple(joints))


def split(symbol: str) -> tuple[str, str]:
    letters, index = re.fullmatch(r"([A-Za-z]+)(\d)", symbol).groups()
    return letters, index


def our_name(symbol: str) -> str:
    letters, index = split(symbol)
    return OURS[letters] + index


def terms(row: str) -> list[tuple[str, float, str]]:
    """(our name, coefficient in our signs, coefficient as printed) of every parameter in a printed row."""
    found = []
    for sign, size, group in re.findall(r"([+-]?)\s*(\d\.\d+)?\s*(\([^)]*\)|[A-Za-z]+\d)", row):
        for symbol in re.findall(r"[A-Za-z]+\d", group):
            flipped = (sign == "-") != (split(symbol)[0] in NEGATIVE)
            value = float(size or 1.0)
            found.append((our_name(symbol), -value if flipped else value, size))
    return found


def rows(printed: str) -> list[list[tuple[str, float, str]]]:
    """Each printed row; scaled so that its kept parameter, the first one of ours, has coefficient one."""
    return [terms(row) for row in printed.strip().splitlines()]
