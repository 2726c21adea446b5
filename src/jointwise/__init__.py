"""Jointwise tells the owner of a robot arm what every joint really does.

Importing the package does no work: each public name is loaded when it is first used.

    import jointwise as jw

    robot = jw.load_robot("ur5e")
    fit = jw.fit("robot", robot, jw.load_recording("log.parquet"), filter_hz=5.0)
    jw.write_report("report.html", fit)

Errors are in `jointwise.errors`; those a script may want to catch are here too.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jointwise.errors import (
        FileError,
        JointwiseError,
        ParameterError,
        UnknownNameError,
        UnknownValueError,
    )
    from jointwise.experiments.by_name import fit
    from jointwise.experiments.calibrate.chain import calibrate
    from jointwise.experiments.fit import Fit, load_fit
    from jointwise.experiments.validate import validate
    from jointwise.motion.motion import Motion, load_motion
    from jointwise.motion.plan import plan
    from jointwise.plant.population import random_arm
    from jointwise.plant.twin import Twin
    from jointwise.recording.check import check_recording
    from jointwise.recording.import_recording import import_recording
    from jointwise.recording.recording import Recording, load_recording
    from jointwise.report.write import write_report
    from jointwise.robot.description import Robot
    from jointwise.robot.library import list_robots, load_robot
    from jointwise.units import UNKNOWN

__version__ = "0.1.0.dev0"

__all__ = [
    "UNKNOWN",
    "FileError",
    "Fit",
    "JointwiseError",
    "Motion",
    "ParameterError",
    "Recording",
    "Robot",
    "Twin",
    "UnknownNameError",
    "UnknownValueError",
    "calibrate",
    "check_recording",
    "fit",
    "import_recording",
    "list_robots",
    "load_fit",
    "load_motion",
    "load_recording",
    "load_robot",
    "plan",
    "random_arm",
    "validate",
    "write_report",
]

_HOME = {
    "UNKNOWN": "jointwise.units",
    "Fit": "jointwise.experiments.fit",
    "Motion": "jointwise.motion.motion",
    "Recording": "jointwise.recording.recording",
    "Robot": "jointwise.robot.description",
    "Twin": "jointwise.plant.twin",
    "calibrate": "jointwise.experiments.calibrate.chain",
    "check_recording": "jointwise.recording.check",
    "fit": "jointwise.experiments.by_name",
    "import_recording": "jointwise.recording.import_recording",
    "list_robots": "jointwise.robot.library",
    "load_fit": "jointwise.experiments.fit",
    "load_motion": "jointwise.motion.motion",
    "load_recording": "jointwise.recording.recording",
    "load_robot": "jointwise.robot.library",
    "plan": "jointwise.motion.plan",
    "random_arm": "jointwise.plant.population",
    "validate": "jointwise.experiments.validate",
    "write_report": "jointwise.report.write",
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
