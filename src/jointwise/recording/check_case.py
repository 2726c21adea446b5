"""What a check looks at: the recording as repaired so far, the robot, and what follows from both."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.recording.check_finding import Finding
from jointwise.recording.columns import KINDS
from jointwise.recording.filters import central_differences, zero_phase
from jointwise.recording.recording import Recording
from jointwise.robot.description import Robot

Array = NDArray[np.float64]

MEASURED_POSITIONS = ("q", "theta")
POSITIONS = ("q", "theta", "q_ref")
VELOCITIES = ("dq", "dtheta", "dq_ref")
MEASURED_TORQUES = ("current", "motor_torque", "joint_torque", "command_torque")
TORQUES = (*MEASURED_TORQUES, "motor_signal", "model_torque", "compensated_torque", "current_ref")

BAND_HZ = 5.0
"""Cut-off for comparing columns: the motion of an arm, without the noise of its sensors."""
GRID_RATE_HZ = 100.0
"""Samples kept for comparisons; 20 per period of the pass band."""
MOVING = 0.02
"""rad [0.002 m]; a joint that travels less has not moved, it is held by its servo."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A recording on its way through the checks; `rows` are the rows of the recording as given."""

    recording: Recording
    robot: Robot
    rows: NDArray[np.int64]

    @property
    def time(self) -> Array:
        """Stamps in s."""
        return self.recording.time

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self.recording.joint_names

    @functools.cached_property
    def step(self) -> float:
        """The usual time between two samples in s."""
        return float(np.median(np.diff(self.time)))

    def present(self, names: tuple[str, ...]) -> list[str]:
        """Those of the columns this recording has."""
        return [n for n in names if n in self.recording]

    def filled(self, name: str, joint: int) -> bool:
        """True where a column holds numbers for a joint."""
        return name in self.recording and not bool(np.isnan(self.recording[name][:, joint]).all())

    def each(self, names: tuple[str, ...]) -> Iterator[tuple[str, int, Array]]:
        """Every filled column among the names: its name, joint and values."""
        for name in self.present(names):
            for j in range(self.recording.n):
                if self.filled(name, j):
                    yield name, j, self.recording[name][:, j]

    def position_of(self, joint: int) -> str:
        """The measured position of a joint: of the link where there is one, else of the rotor."""
        return next((n for n in MEASURED_POSITIONS if self.filled(n, joint)), "")

    @functools.cached_property
    def path(self) -> Array:
        """Positions of the links (samples, joints) from the best column of each joint."""
        q = np.zeros((len(self.time), self.recording.n))
        theta = self.recording.columns.get("theta")
        from_rotors = None
        if theta is not None and not np.isnan(theta).all(axis=0).any():
            from_rotors = np.linalg.solve(self.robot.coupling_matrix(), theta.T).T
        for j in range(self.recording.n):
            if self.filled("q", j):
                q[:, j] = self.recording["q"][:, j]
            elif from_rotors is not None:
                q[:, j] = from_rotors[:, j]
            elif theta is not None:
                q[:, j] = theta[:, j]
        return q

    @functools.cached_property
    def smallest_travel(self) -> Array:
        """Travel below which each joint counts as standing."""
        turns = [j.kind == "revolute" for j in self.robot.joints]
        return np.where(turns, MOVING, 0.1 * MOVING)

    @functools.cached_property
    def moves(self) -> NDArray[np.bool_]:
        """Which joints move."""
        return np.asarray(np.ptp(self.path, axis=0) > self.smallest_travel)

    @functools.cached_property
    def smooth(self) -> Smooth:
        """Every column on an even clock, without noise."""
        return Smooth(self)

    def rows_of(self, first: int, last: int) -> dict[str, int]:
        """First and last row of a finding, as rows of the recording as given."""
        return {"first": int(self.rows[first]), "last": int(self.rows[last])}

    def finding(
        self, kind: str, outcome: Any, text: str, joint: int = -1, /, **more: Any
    ) -> Finding:
        """A finding with the joint's name and the column's unit filled in."""
        column = more.get("column", "")
        if column in KINDS and "value" in more and "unit" not in more:
            more["unit"] = unit_of(self.robot, column, joint)
        name = self.names[joint] if joint >= 0 else ""
        return Finding(kind=kind, outcome=outcome, text=text, joint=name, **more)


def unit_of(robot: Robot, column: str, joint: int) -> str:
    """The unit of a column for one joint: `rad`, or `m` where the joint slides."""
    unit, _, slides = KINDS[column].unit.partition(" [")
    if joint >= 0 and slides and robot.joints[joint].kind == "prismatic":
        return slides.rstrip("]")
    return unit


class Smooth:
    """Columns of a case on an even clock, low-passed without delay and thinned, with derivatives.

    Samples near a gap and near the ends are left out of comparisons (`inside`).
    """

    def __init__(self, case: Case) -> None:
        self._case = case
        span = float(case.time[-1] - case.time[0])
        self.rate = 1.0 / case.step
        self.count = max(2, round(span * self.rate) + 1)
        self.every = max(1, int(self.rate / GRID_RATE_HZ))
        self.band = min(max(BAND_HZ, 2e-3 * self.rate), 0.2 * self.rate)
        self.time = case.time[0] + np.arange(self.count) / self.rate
        self._kept: dict[str, tuple[Array, Array, Array]] = {}

    @property
    def rate_hz(self) -> float:
        """Rate of the thinned samples."""
        return self.rate / self.every

    @functools.cached_property
    def inside(self) -> NDArray[np.bool_]:
        """Which thinned samples are far from gaps and ends."""
        steps = np.diff(self._case.time)
        margin = 1.0 / self.band
        kept = self.time[:: self.every]
        inside = (kept > self.time[0] + margin) & (kept < self.time[-1] - margin)
        for k in np.flatnonzero(steps > max(5.0 * self._case.step, 0.05)):
            a, b = self._case.time[k] - margin, self._case.time[k + 1] + margin
            inside &= (kept < a) | (kept > b)
        return np.asarray(inside)

    def values(self, name: str) -> Array:
        """A column without noise, (thinned samples, joints)."""
        return self._derived(name)[0]

    def slope(self, name: str) -> Array:
        """Its first derivative."""
        return self._derived(name)[1]

    def curve(self, name: str) -> Array:
        """Its second derivative."""
        return self._derived(name)[2]

    def _derived(self, name: str) -> tuple[Array, Array, Array]:
        if name not in self._kept:
            case = self._case
            raw = case.path if name == "path" else case.recording[name]
            even = np.column_stack(
                [np.interp(self.time, case.time, np.nan_to_num(column)) for column in raw.T]
            )
            low = zero_phase(even, self.band, self.rate)
            first, second = central_differences(low, self.rate)
            k = self.every
            self._kept[name] = (low[::k], first[::k], second[::k])
        return self._kept[name]
