"""URDF elements as values: numbers, poses, inertials, limits, dynamics. Every refusal names element, value and line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from jointwise.errors import ParameterError, shown
from jointwise.robot.frames import Pose, Vector
from jointwise.robot.inertia import Body, matrix_of
from jointwise.robot.lumping import Lump, moved
from jointwise.robot.parts import Law, Limits, check_name
from jointwise.robot.xml_tree import Element, Kind
from jointwise.units import UNKNOWN, Unknown

MOVING = ("revolute", "continuous", "prismatic")
TYPES = (*MOVING, "fixed")
TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
FRICTION = "coulomb + viscous"

KINDS = {
    "robot": Kind(("link", "joint")),
    "link": Kind(("inertial",)),
    "joint": Kind(("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")),
    "inertial": Kind(("origin", "mass", "inertia")),
    "origin": Kind((), ("xyz", "rpy")),
    "mass": Kind((), ("value",)),
    "inertia": Kind((), TENSOR),
    "parent": Kind((), ("link",)),
    "child": Kind((), ("link",)),
    "axis": Kind((), ("xyz",)),
    "limit": Kind(
        (), ("lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk")
    ),
    "dynamics": Kind(),
    "mimic": Kind(),
}
"""The elements that are read, what is looked for in them, and the attributes they may have."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def built(element: Element, make: Callable[..., Any], **values: Any) -> Any:
    """Call a parameter class; what it refuses becomes an error about the element."""
    try:
        return make(**values)
    except ParameterError as error:
        raise element.wrong(str(error)) from None


def name_of(element: Element) -> str:
    """The element's name, printable and of reasonable length."""
    name = element.text("name")
    built(element, lambda: check_name("attribute 'name'", name))
    return name


def number(element: Element, attribute: str, text: str | None = None) -> float:
    """A finite decimal number, the attribute itself or a part of it."""
    whole = element.text(attribute) if text is None else text
    word = whole.strip()
    value = float(word) if len(word) < 1000 and _NUMBER.fullmatch(word) else math.nan
    if not math.isfinite(value):
        raise element.wrong(f"{attribute} is {shown(whole)}, but must be a finite decimal number")
    return value


def vector(element: Element, attribute: str) -> Vector:
    """Three finite numbers."""
    words = element.text(attribute).split()
    if len(words) != 3:
        found = shown(element.text(attribute))
        raise element.wrong(f"{attribute} is {found}, but must be three numbers")
    x, y, z = (number(element, attribute, word) for word in words)
    return (x, y, z)


def pose(parent: Element) -> Pose:
    """The pose in an element's <origin>; the identity where there is none, as URDF says."""
    origin = parent.one("origin")
    if origin is None:
        return Pose()
    values = {
        field: vector(origin, attribute)
        for field, attribute in (("origin", "xyz"), ("rpy", "rpy"))
        if attribute in origin.attributes
    }
    result: Pose = built(origin, Pose, **values)
    return result


def axis(joint: Element) -> Vector:
    """The unit vector of a joint's axis; x where none is given, as URDF says."""
    element = joint.one("axis")
    if element is None:
        return (1.0, 0.0, 0.0)
    x, y, z = vector(element, "xyz")
    length = math.hypot(x, y, z)
    if not 1e-6 < length < 1e6:
        raise element.wrong(
            f"of {joint}: xyz is {shown(element.text('xyz'))}, but must be longer than 1e-6 and finite"
        )
    return (x / length, y / length, z / length)


def inertial(link: Element) -> Lump | None:
    """The body of a link in link axes, None where the link states none."""
    element = link.one("inertial")
    if element is None:
        return None
    mass_element, tensor_element = element.needed("mass"), element.needed("inertia")
    mass = number(mass_element, "value")
    tensor = tuple(number(tensor_element, name) for name in TENSOR)
    # Body checks sign, bounds and the triangle inequality.
    try:
        Body(mass=mass, center_of_mass=(0.0, 0.0, 0.0), inertia=tensor)  # type: ignore[arg-type]
    except ParameterError as error:
        at_fault = tensor_element if "inertia" in error.name else mass_element
        raise at_fault.wrong(f"of {link}: {error}") from None
    own = Lump(mass, np.zeros(3), matrix_of(tensor))
    return moved(own, pose(element).matrix())


def limits(joint: Element, kind: str) -> Limits:
    """Limits as stated; what is missing, and an effort or velocity of zero (a joint that can do nothing), is unknown.

    Lower and upper default to zero, as URDF says, when only one of them is given; a <limit> of nothing but zeros is a
    placeholder some exporters write, and reads as unknown.
    """
    element = joint.one("limit")
    given = element.attributes if element is not None else {}
    values: dict[str, float] = {}
    if element is not None:
        values = {a: number(element, a) for a in KINDS["limit"].attributes or () if a in given}
    found: dict[str, float | Unknown] = {
        field: values.get(attribute) or UNKNOWN
        for field, attribute in (
            ("velocity", "velocity"),
            ("acceleration", "acceleration"),
            ("torque", "effort"),
        )
    }
    if kind == "continuous":
        found |= {"position_lower": -math.inf, "position_upper": math.inf}
    elif any(values.values()) and ("lower" in given or "upper" in given):
        found |= {
            "position_lower": values.get("lower", 0.0),
            "position_upper": values.get("upper", 0.0),
        }
    result: Limits = built(element or joint, Limits, **found)
    return result


def friction(joint: Element) -> Law | Unknown:
    """Coulomb and viscous friction where the file states some; zero is the default of URDF and reads as unknown."""
    element = joint.one("dynamics")
    if element is None:
        return UNKNOWN
    named = {"coulomb.coulomb": "friction", "viscous.viscous": "damping"}
    values = {k: number(element, a) if a in element.attributes else 0.0 for k, a in named.items()}
    for key, value in values.items():
        if value < 0.0:
            raise element.wrong(f"of {joint}: {named[key]} is {value:g}, but must be at least 0")
    return Law(name=FRICTION, parameters=values) if any(values.values()) else UNKNOWN
