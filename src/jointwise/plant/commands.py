"""What a twin is told, checked before a kernel reads it: what is not finite is refused with joint and range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ParameterError
from jointwise.plant import measure as m
from jointwise.robot import samples

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

Array = NDArray[np.float64]
ROWS = ("position", "velocity", "torque")
"""What the rows of a reference (ticks, 3, n) are."""


def checked_joints(robot: Robot, what: str, value: ArrayLike) -> Array:
    """Positions, velocities or motor torques (..., n), all finite; `what` is "start position" and the like."""
    given = np.asarray(value)
    if given.dtype.kind == "f" and given.shape[-1:] == (robot.n,):
        wrong = np.argwhere(~np.isfinite(given))
        if len(wrong):
            place = tuple(int(i) for i in wrong[0])
            joint = robot.joints[place[-1]]
            when = f" in period {place[0]}" if len(place) > 1 else ""
            raise ParameterError(
                f"{what} of joint {joint.name}{when}",
                float(given[place]),
                f"a finite number{_range(what, joint.limits)}",
            )
    return samples.checked(what, value, robot.n)


def checked_reference(robot: Robot, reference: ArrayLike) -> Array:
    """Position, velocity and torque of every tick, (ticks, 3, n)."""
    given = np.asarray(reference)
    if given.dtype.kind == "f" and given.shape[1:] == (3, robot.n):
        for row, what in enumerate(ROWS):
            checked_joints(robot, f"reference {what}", given[:, row])
    return np.ascontiguousarray(samples.checked("reference", reference, 3, robot.n))


def checked_rows(name: str, value: ArrayLike, ticks: int, *trailing: int) -> Array:
    """One entry for each tick, or a single one for all."""
    given = samples.checked(name, value, *trailing).reshape(-1, *trailing)
    if len(given) not in (1, ticks):
        raise ParameterError(f"rows of {name}", len(given), f"1 or {ticks}, one per control period")
    return np.ascontiguousarray(given)


def checked_calls(
    robot: Robot, wrench: ArrayLike, event: ArrayLike, ticks: int
) -> tuple[Array, Array]:
    """Pushes at the tool and events of the sensors."""
    return (
        checked_rows("wrench", wrench, ticks, 6),
        checked_rows("event", event, ticks, m.EVENTS, robot.n),
    )


def _range(what: str, limits: Any) -> str:
    """The range of a joint in words, where its robot states one."""
    for word, low, high, unit in (
        ("position", limits.position_lower, limits.position_upper, "rad"),
        ("velocity", limits.velocity, limits.velocity, "rad/s"),
        ("torque", limits.torque, limits.torque, "N m"),
    ):
        if word in what and isinstance(low, float) and isinstance(high, float):
            low = low if word == "position" else -high
            return f"; the joint has {low:g} to {high:g} {unit}"
    return ""
