"""Jointwise tells the owner of a robot arm what every joint really does.

Importing the package does no work: each public name is loaded when it is first used.

    import jointwise as jw

    robot = jw.load_robot("ur5e")
    torque = robot.inverse_dynamics(q, dq, ddq)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jointwise.errors import (
        FileError,
        JointwiseError,
        NumericalError,
        ParameterError,
        ShapeError,
        UnitError,
        UnknownNameError,
        UnknownValueError,
    )
    from jointwise.motion.fourier import random_fourier
    from jointwise.motion.motion import Motion, load_motion
    from jointwise.plant.plant import Plant
    from jointwise.plant.population import random_arm
    from jointwise.plant.twin import Twin
    from jointwise.recording.recording import Recording, load_recording
    from jointwise.robot.description import Robot
    from jointwise.robot.library import list_robots, load_robot
    from jointwise.units import UNKNOWN

__version__ = "0.1.0.dev0"

__all__ = [
    "UNKNOWN",
    "FileError",
    "JointwiseError",
    "Motion",
    "NumericalError",
    "ParameterError",
    "Plant",
    "Recording",
    "Robot",
    "ShapeError",
    "Twin",
    "UnitError",
    "UnknownNameError",
    "UnknownValueError",
    "list_robots",
    "load_motion",
    "load_recording",
    "load_robot",
    "random_arm",
    "random_fourier",
]

_HOME = {
    "UNKNOWN": "jointwise.units",
    "Motion": "jointwise.motion.motion",
    "Plant": "jointwise.plant.plant",
    "Recording": "jointwise.recording.recording",
    "Robot": "jointwise.robot.description",
    "Twin": "jointwise.plant.twin",
    "list_robots": "jointwise.robot.library",
    "load_motion": "jointwise.motion.motion",
    "load_recording": "jointwise.recording.recording",
    "load_robot": "jointwise.robot.library",
    "random_arm": "jointwise.plant.population",
    "random_fourier": "jointwise.motion.fourier",
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use (PEP 562) and keep it."""
    if name not in __all__:
        raise AttributeError(f"module 'jointwise' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME.get(name, "jointwise.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
