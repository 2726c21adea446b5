"""How numbers and lists read in a report."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jointwise.robot.description import Robot


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names as a sentence has them: `a, b and c`, the rest counted."""
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1]


def share_text(share: float) -> str:
    """A share in percent, two digits; a share that is not known reads `an unknown share`."""
    return "an unknown share" if math.isnan(share) else f"{figure(100.0 * share, 2)} %"


def plural(count: int, word: str) -> str:
    """`1 parameter`, `2 parameters`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def torque_unit(robot: Robot, joint: str) -> str:
    """Unit of a joint's torque, or force."""
    return "N" if robot.joint(joint).kind == "prismatic" else "N m"


def position_unit(robot: Robot, joint: str) -> str:
    """Unit of a joint's position."""
    return "m" if robot.joint(joint).kind == "prismatic" else "rad"


def own_unit(robot: Robot, unit: str) -> str:
    """`N m [N]` as this arm has it: N m where all its joints turn, N where all slide, both where they differ."""
    kinds = {joint.kind for joint in robot.joints}
    turning, _, sliding = unit.rstrip("]").partition(" [")
    if not sliding or len(kinds) > 1:
        return unit
    return sliding if "prismatic" in kinds else turning


def figure(value: float, digits: int = 3) -> str:
    """A number for a table: `digits` significant, no exponent for ordinary sizes; what does not exist is a dash."""
    if math.isnan(value):
        return "-"
    size = abs(value)
    if value and not 1e-4 <= size < 1e6:
        return f"{value:.{digits - 1}e}"
    decimals = digits - 1 - (math.floor(math.log10(size)) if value else 0)
    return f"{value:.{max(0, decimals)}f}"
