"""What a motion may use: the robot's limits, a share of them, or what the user states instead.

A limit that neither the robot nor the user knows does not bound the motion, except speed and acceleration, without
which nothing can be planned: for these a cautious value is assumed. Both are said in the notes of the motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from jointwise.errors import ParameterError
from jointwise.motion.path import Array
from jointwise.units import Unit, Unknown

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

Numbers = float | Sequence[float]
"""One number for all joints, or one per joint."""
ASSUMED = {"velocity": (1.0, 0.25), "acceleration": (3.0, 0.75)}
"""Of a revolute joint in rad/s and rad/s^2, and of a prismatic one in m/s and m/s^2."""
RATES = ("velocity", "acceleration", "jerk", "torque")
POSITIVE = Unit("1", lower=0.0, upper=1e6, open_lower=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Bounds:
    """Limits of each joint, arrays (n,); infinite where nobody knows one."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    jerk: Array
    torque: Array
    floor: float
    """height in m of the plane across the base frame's z axis that no link may reach; -inf for none"""
    assumed: tuple[str, ...]
    """limits that neither robot nor user states, with the value assumed"""
    unbounded: tuple[str, ...]
    """limits nobody knows, which the motion was not planned for"""

    def notes(self) -> dict[str, Any]:
        """Plain data for the notes of a motion; a missing limit is None."""
        found: dict[str, Any] = {
            name: [float(v) if np.isfinite(v) else None for v in getattr(self, name)]
            for name in ("lower", "upper", *RATES)
        }
        found["floor"] = self.floor if np.isfinite(self.floor) else None
        return found | {"assumed": list(self.assumed), "unbounded": list(self.unbounded)}

    def middle(self) -> Array:
        """Middle of the range of each joint, 0 where a side is open."""
        both = np.isfinite(self.lower) & np.isfinite(self.upper)
        low, high = np.where(both, self.lower, 0.0), np.where(both, self.upper, 0.0)
        return np.asarray(0.5 * (low + high))

    def reach(self, most: float = np.inf) -> Array:
        """Half the range of each joint, at most `most`."""
        return np.minimum(0.5 * (self.upper - self.lower), most)


def bounds_of(
    robot: Robot,
    *,
    share: float = 1.0,
    lower: Numbers | None = None,
    upper: Numbers | None = None,
    max_velocity: Numbers | None = None,
    max_acceleration: Numbers | None = None,
    max_jerk: Numbers | None = None,
    max_torque: Numbers | None = None,
    floor: float = -np.inf,
    assume: bool = True,
) -> Bounds:
    """A share of the robot's limits; what is stated here replaces them, a range of positions only narrows theirs.

    Without `assume`, a speed or an acceleration nobody knows is infinite.
    """
    Unit("1", lower=0.0, upper=1.0, open_lower=True).check("share", share)
    Unit("m", infinite=True).check("floor", floor)
    assumed: list[str] = []
    unbounded: list[str] = []
    low, high = _positions(robot, share, lower, upper, unbounded)
    given = zip(RATES, (max_velocity, max_acceleration, max_jerk, max_torque), strict=True)
    rates = {
        name: _rates(robot, name, share, value, assumed if assume else None, unbounded)
        for name, value in given
    }
    return Bounds(
        lower=low,
        upper=high,
        floor=float(floor),
        assumed=tuple(assumed),
        unbounded=tuple(unbounded),
        **rates,
    )


def per_joint(name: str, value: Any, n: int, unit: Unit) -> Array:
    """One number per joint, from one for all or a list."""
    items = [value] * n if isinstance(value, (int, float)) else list(np.asarray(value).tolist())
    if len(items) != n:
        raise ParameterError(name, value, f"one number for all joints, or {n}")
    for item in items:
        unit.check(name, item)
    return np.array(items, dtype=np.float64)


def _positions(
    robot: Robot, share: float, lower: Any, upper: Any, unbounded: list[str]
) -> tuple[Array, Array]:
    low, high = np.full(robot.n, -np.inf), np.full(robot.n, np.inf)
    for k, joint in enumerate(robot.joints):
        a, b = joint.limits.position_lower, joint.limits.position_upper
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            if lower is None or upper is None:
                unbounded.append(f"position of {joint.name}")
            continue
        cut = 0.5 * (1.0 - share) * (b - a) if np.isfinite(b - a) else 0.0
        low[k], high[k] = a + cut, b - cut
    everything = Unit("rad [m]", infinite=True)
    if lower is not None:
        low = np.maximum(low, per_joint("lower", lower, robot.n, everything))
    if upper is not None:
        high = np.minimum(high, per_joint("upper", upper, robot.n, everything))
    for joint, a, b in zip(robot.joints, low, high, strict=True):
        if not a < b:
            raise ParameterError(f"range of {joint.name}", f"{a:g} to {b:g}", "not empty")
    return low, high


def _rates(
    robot: Robot,
    name: str,
    share: float,
    given: Any,
    assumed: list[str] | None,
    unbounded: list[str],
) -> Array:
    if given is not None:
        return per_joint(f"max_{name}", given, robot.n, POSITIVE)
    found = np.full(robot.n, np.inf)
    for k, joint in enumerate(robot.joints):
        value = getattr(joint.limits, name)
        if not isinstance(value, Unknown):
            found[k] = share * value
        elif assumed is not None and name in ASSUMED:
            found[k] = ASSUMED[name][joint.kind == "prismatic"]
            unit = "m" if joint.kind == "prismatic" else "rad"
            unit += "/s" if name == "velocity" else "/s^2"
            assumed.append(f"{name} of {joint.name}: {found[k]:g} {unit}")
        else:
            unbounded.append(f"{name} of {joint.name}")
    return found
