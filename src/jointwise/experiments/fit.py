"""`Fit`: what an experiment found, with its uncertainty, as one frozen object and one file.

The text part is TOML that a person can read; the covariance lies beside it as Parquet. The text names the hash of
the arrays that belong to it, so parts of two fits are never mixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError, ShapeError, UnknownNameError
from jointwise.estimators.verdict import AT_BOUND, IDENTIFIED, NOT_PHYSICAL, VERDICTS, WEAK
from jointwise.estimators.verdict import NOT_IDENTIFIABLE as HIDDEN
from jointwise.robot.description import Robot

Array = NDArray[np.float64]
__all__ = [
    "AT_BOUND", "HIDDEN", "IDENTIFIED", "NOT_PHYSICAL", "VERDICTS", "WEAK", "Fit", "Parameter", "load_fit",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One fitted number: value, 95 % interval, and what may be said of it."""

    name: str
    value: float
    std: float
    lower: float
    upper: float
    unit: str
    verdict: str
    meaning: str = ""
    advice: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise UnknownNameError("verdict", self.verdict, VERDICTS)


class Settings(dict[str, Any]):
    """Settings of a fit; one that is asked for and missing, as in a file of another version, is an error of ours."""

    def __missing__(self, name: str) -> Any:
        raise UnknownNameError("setting of this fit", name, self)


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """Result of an experiment: the updated robot, the parameters, and everything needed to judge them.

    `settings` are the options of the experiment, enough to predict and to repeat it. `recordings` lists what was
    used; `joints` holds residuals per joint; `arrays` are curves and matrices of the experiment.
    """

    experiment: str
    robot: Robot
    status: str
    parameters: tuple[Parameter, ...]
    covariance: Array
    settings: Mapping[str, Any] = field(default_factory=dict)
    recordings: tuple[Mapping[str, Any], ...] = ()
    joints: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    arrays: Mapping[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        covariance = np.array(self.covariance, dtype=np.float64)
        count = len(self.parameters)
        if covariance.shape != (count, count):
            raise ShapeError("covariance", f"shape {covariance.shape}", f"shape {(count, count)}")
        covariance.setflags(write=False)
        object.__setattr__(self, "covariance", covariance)
        object.__setattr__(self, "settings", MappingProxyType(Settings(self.settings)))
        object.__setattr__(
            self, "recordings", tuple(MappingProxyType(dict(r)) for r in self.recordings)
        )
        object.__setattr__(self, "joints", tuple(MappingProxyType(dict(j)) for j in self.joints))
        kept = {}
        for name, values in self.arrays.items():
            kept[name] = np.array(values, dtype=np.float64)
            kept[name].setflags(write=False)
        object.__setattr__(self, "arrays", MappingProxyType(kept))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(p.name for p in self.parameters)

    @property
    def values(self) -> Array:
        """Values of the parameters."""
        return np.array([p.value for p in self.parameters])

    @property
    def std(self) -> Array:
        """Standard deviations, corrected for correlated residuals."""
        return np.array([p.std for p in self.parameters])

    def __getitem__(self, name: str) -> Parameter:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise UnknownNameError("parameter of this fit", name, self.names)

    def require(self, experiment: str) -> None:
        """Raise unless this is the fit of that experiment."""
        if self.experiment != experiment:
            raise ParameterError("fit", f"of {self.experiment}", f"a fit of {experiment}")

    def save(self, path: Any) -> None:
        """Write the text to `path` and the arrays beside it; both whole or not at all."""
        from jointwise.experiments.fit_file import save

        save(self, path)


def load_fit(path: Any) -> Fit:
    """Read a fit written by `Fit.save`."""
    from jointwise.experiments.fit_file import load

    return load(path)
