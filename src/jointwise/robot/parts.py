"""The parts of one joint: limits, drive, laws, and the joint that holds them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Literal

from jointwise.errors import ParameterError
from jointwise.robot.capsules import Capsule
from jointwise.robot.frames import Frame, ModifiedDH, StandardDH, Transform
from jointwise.robot.inertia import Body
from jointwise.units import UNKNOWN, Unit, Unknown, check_fields

JointKind = Literal["revolute", "prismatic"]
MAX_NAME = 128
MAX_SUM = 1024
"""Characters of the name of a sum of laws, which joins theirs."""
MAX_TEXT = 4096
MAX_CAPSULES = 32


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a joint may do. Units in brackets are those of a prismatic joint."""

    position_lower: Annotated[float | Unknown, Unit("rad [m]", infinite=True)] = UNKNOWN
    position_upper: Annotated[float | Unknown, Unit("rad [m]", infinite=True)] = UNKNOWN
    velocity: Annotated[float | Unknown, Unit("rad/s [m/s]", lower=0.0, open_lower=True)] = UNKNOWN
    acceleration: Annotated[
        float | Unknown, Unit("rad/s^2 [m/s^2]", lower=0.0, open_lower=True)
    ] = UNKNOWN
    jerk: Annotated[
        float | Unknown, Unit("rad/s^3 [m/s^3]", lower=0.0, open_lower=True, infinite=True)
    ] = UNKNOWN
    torque: Annotated[float | Unknown, Unit("N m [N]", lower=0.0, open_lower=True)] = UNKNOWN

    def __post_init__(self) -> None:
        check_fields(self, "limits")
        low, high = self.position_lower, self.position_upper
        if isinstance(low, Unknown) or isinstance(high, Unknown):
            return
        if low >= high:
            raise ParameterError(
                "limits.position_lower", low, f"below limits.position_upper, which is {high:g}"
            )


@dataclass(frozen=True, kw_only=True)
class Drive:
    """Motor and gear, all on the output side: torque_constant = ratio times the motor's, rotor_inertia = B = r^2 J_m.

    gear_ratio is motor turns per joint turn [rad/m for a prismatic joint]; negative where they turn opposite ways.
    """

    gear_ratio: Annotated[
        float | Unknown, Unit("1 [rad/m]", lower=-1e6, upper=1e6, nonzero=True)
    ] = UNKNOWN
    torque_constant: Annotated[
        float | Unknown, Unit("N m/A [N/A]", lower=0.0, upper=1e6, open_lower=True)
    ] = UNKNOWN
    rotor_inertia: Annotated[float | Unknown, Unit("kg m^2 [kg]", lower=0.0, upper=1e9)] = UNKNOWN

    def __post_init__(self) -> None:
        check_fields(self, "drive")


@dataclass(frozen=True, kw_only=True)
class Law:
    """A named law with its parameters, as stored in the robot file; the laws room gives it meaning."""

    name: str
    parameters: Mapping[str, float | tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_name("law.name", self.name, MAX_SUM)
        check_part("law.parameters", self.parameters, Mapping)
        for key, value in self.parameters.items():
            check_name("law parameter", key)
            for number in value if isinstance(value, tuple) else (value,):
                Unit("1").check(f"{self.name}.{key}", number)
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def __hash__(self) -> int:
        return hash((self.name, tuple(sorted(self.parameters))))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Law, name=self.name, parameters=dict(self.parameters)), ()


@dataclass(frozen=True, kw_only=True)
class Joint:
    """One joint and the link it moves."""

    name: str
    kind: JointKind = "revolute"
    frame: Frame
    link: Body = Body()
    limits: Limits = Limits()
    drive: Drive = Drive()
    transmission: Law | Unknown = UNKNOWN
    friction: Law | Unknown = UNKNOWN
    capsules: tuple[Capsule, ...] = ()
    """shape of the link for collision checks, in the link frame; none where nobody stated it"""

    def __post_init__(self) -> None:
        check_name("joint name", self.name)
        if "." in self.name:
            raise ParameterError("joint name", self.name, "without dots, which separate path names")
        if self.kind not in ("revolute", "prismatic"):
            raise ParameterError(
                f"kind of joint {self.name}", self.kind, "'revolute' or 'prismatic'"
            )
        check_part("joint.frame", self.frame, ModifiedDH, StandardDH, Transform)
        check_part("joint.link", self.link, Body)
        check_part("joint.limits", self.limits, Limits)
        check_part("joint.drive", self.drive, Drive)
        check_part("joint.transmission", self.transmission, Law, Unknown)
        check_part("joint.friction", self.friction, Law, Unknown)
        object.__setattr__(self, "capsules", checked_capsules("joint.capsules", self.capsules))


def check_name(what: str, name: object, longest: int = MAX_NAME) -> None:
    """Raise ParameterError unless `name` is a printable string of reasonable length."""
    if not isinstance(name, str) or not name or len(name) > longest or not name.isprintable():
        raise ParameterError(what, name, f"printable text of 1 to {longest} characters")


def check_text(what: str, text: object) -> None:
    """Raise ParameterError unless `text` is a string of reasonable length; it may have several lines."""
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        raise ParameterError(what, text, f"text of at most {MAX_TEXT} characters")
    if not text.isprintable() and not all(c.isprintable() or c in "\n\t" for c in text):
        raise ParameterError(what, text, "printable text")


def check_part(what: str, part: object, *kinds: type) -> None:
    """Raise ParameterError unless `part` is an instance of one of the kinds."""
    if not isinstance(part, kinds):
        names = " or ".join("unknown" if k is Unknown else f"a {k.__name__}" for k in kinds)
        raise ParameterError(what, part, names)


def checked_capsules(what: str, capsules: object) -> tuple[Capsule, ...]:
    """The capsules as a tuple; ParameterError unless it is a list of at most MAX_CAPSULES of them."""
    check_part(what, capsules, tuple, list)
    found = tuple(capsules) if isinstance(capsules, (tuple, list)) else ()
    if len(found) > MAX_CAPSULES:
        raise ParameterError(f"number of {what}", len(found), f"at most {MAX_CAPSULES}")
    for capsule in found:
        check_part(what, capsule, Capsule)
    return found


def is_finite(value: float | Unknown) -> bool:
    """True for a known, finite number."""
    return not isinstance(value, Unknown) and math.isfinite(value)
