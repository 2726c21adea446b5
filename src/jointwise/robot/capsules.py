"""Capsules: the shape of a link for collision checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from jointwise.robot.frames import Vector
from jointwise.units import Unit, check_fields


@dataclass(frozen=True, kw_only=True)
class Capsule:
    """All points within a radius of a segment, in the frame of its link."""

    start: Annotated[Vector, Unit("m", lower=-100.0, upper=100.0)]
    end: Annotated[Vector, Unit("m", lower=-100.0, upper=100.0)]
    radius: Annotated[float, Unit("m", lower=0.0, open_lower=True)]

    def __post_init__(self) -> None:
        check_fields(self, "capsule")
