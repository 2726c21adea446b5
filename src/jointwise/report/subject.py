"""What a report is about, and what a section of it is."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from jointwise.experiments.fit import Fit
from jointwise.experiments.prediction import joined
from jointwise.experiments.validate import Validated
from jointwise.recording.recording import Recording
from jointwise.report.judgement import Judgement, judge
from jointwise.report.words import position_unit, torque_unit

Array = NDArray[np.float64]

PART = " (part "
"""What follows the name of a recording that was cut at a gap."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a page: an anchor for links, a title, and HTML that is safe to put in."""

    anchor: str
    title: str
    html: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Subject:
    """A fit with its scores on the recordings at hand, and files to name in the provenance."""

    fit: Fit
    recordings: Mapping[str, Recording] = field(default_factory=dict)
    scores: tuple[Validated, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    """what a file is -> its SHA-256"""

    @functools.cached_property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints."""
        return tuple(joint.name for joint in self.fit.robot.joints)

    def torque_unit(self, j: int) -> str:
        """N m, or N."""
        return torque_unit(self.fit.robot, self.joints[j])

    def position_unit(self, j: int) -> str:
        """rad, or m."""
        return position_unit(self.fit.robot, self.joints[j])

    def used(self, name: str) -> bool:
        """True where the fit was made from a recording of this name, so that its score proves little."""
        return name in {str(r["name"]).split(PART)[0] for r in self.fit.recordings}

    @functools.cached_property
    def unseen(self) -> tuple[Validated, ...]:
        """Scores on recordings that the fit was not made from."""
        return tuple(one for one in self.scores if not self.used(one.name))

    @functools.cached_property
    def judgement(self) -> Judgement:
        """Level and sentence."""
        return judge(self.fit, self.unseen)

    @functools.cached_property
    def moving(self) -> Array:
        """Speed of each joint above which it counts as moving."""
        return np.array(self.fit.settings["moving"], dtype=np.float64)

    def samples(self, field: str) -> Array:
        """One field of the predictions of all recordings, one after the other."""
        return np.concatenate([joined(one.parts, field) for one in self.scores])


Maker = Callable[[Subject], Section | None]
"""A section is made from a subject, or left out where the subject has nothing for it."""
