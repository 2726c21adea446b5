"""What a planner is given and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from jointwise.errors import ParameterError
from jointwise.motion.bounds import Bounds, per_joint
from jointwise.motion.path import Array, Path
from jointwise.robot.clearance import clearance, has_capsules
from jointwise.units import Unit

if TYPE_CHECKING:
    from jointwise.robot.description import Robot

Report = Callable[[int, int], None]
POSES = 512
"""Random poses looked at where the middle of the range is not clear."""
POSE_SEED = 8


def silent(done: int, total: int) -> None:
    """Report progress to nobody."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Setting:
    """The robot, what the motion may use, and whom to tell how far planning is."""

    robot: Robot
    bounds: Bounds
    rate_hz: float
    report: Report = silent

    def start(self, given: Sequence[float] | None) -> Array:
        """The pose to begin at: as given, else a clear one.

        Without a wish it is the middle of the range of each joint, or, where links would meet there, the clearest of
        some random poses; the notes of the motion say which.
        """
        if given is not None:
            start = per_joint("start", list(given), self.robot.n, Unit("rad [m]"))
            for joint, value, low, high in zip(
                self.robot.joints, start, self.bounds.lower, self.bounds.upper, strict=True
            ):
                if not low <= value <= high:
                    allowed = f"from {low:g} to {high:g}"
                    raise ParameterError(f"start of {joint.name}", float(value), allowed)
            return start
        return self.clear_pose()

    def clear_pose(self) -> Array:
        """The middle of the range, or a clear pose near it; see `start`."""
        middle = self.bounds.middle()
        if not has_capsules(self.robot):
            return middle
        near = np.minimum(self.bounds.reach(np.pi / 2.0), np.pi / 2.0)
        draws = np.random.default_rng(POSE_SEED).uniform(-1.0, 1.0, (POSES, self.robot.n))
        poses = np.concatenate([middle[None], middle + draws * near])
        apart = clearance(self.robot, poses, floor=self.bounds.floor)
        return middle if apart[0] > 0.0 else poses[int(np.argmax(apart))]

    def centers(self, count: int) -> list[Array]:
        """Poses to swing about: the clear one, then those near the middle of the range that have the most room."""
        first = self.clear_pose()
        if not has_capsules(self.robot):
            return [first]
        near = np.minimum(self.bounds.reach(np.pi / 2.0), np.pi / 2.0)
        draws = np.random.default_rng(POSE_SEED).uniform(-1.0, 1.0, (POSES, self.robot.n))
        poses = self.bounds.middle() + draws * near
        apart = clearance(self.robot, poses, floor=self.bounds.floor)
        return [first, *poses[np.argsort(-apart)[:count]]]

    def joint_index(self, given: str | int | None, default: int = 0) -> int:
        """Place of a joint given by name or by number from 1."""
        names = [joint.name for joint in self.robot.joints]
        if given is None:
            return default
        if isinstance(given, str) and given in names:
            return names.index(given)
        text = str(given)
        if text.isdecimal() and 1 <= int(text) <= len(names):
            return int(text) - 1
        raise ParameterError("joint", given, f"one of {', '.join(names)}, or 1 to {len(names)}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Course:
    """A path, how many of its derivatives are continuous inside, how many are zero at its ends, and its story."""

    path: Path
    smoothness: int
    rest: int
    notes: Mapping[str, Any] = field(default_factory=dict)
