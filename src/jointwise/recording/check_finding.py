"""`Finding`: one thing the check of a recording found, and the kinds there are."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from jointwise.errors import UnknownNameError

Outcome = Literal["note", "repaired", "refused"]


class Described(NamedTuple):
    """One kind of finding for the documentation."""

    meaning: str
    outcomes: tuple[Outcome, ...]


NOTE: tuple[Outcome, ...] = ("note",)
REFUSED: tuple[Outcome, ...] = ("refused",)
EITHER: tuple[Outcome, ...] = ("note", "refused")
MENDED: tuple[Outcome, ...] = ("repaired", "refused")

KINDS: dict[str, Described] = {
    # structure
    "joint_count": Described("the recording has another number of joints than the robot", REFUSED),
    "joint_names": Described("joints are named or ordered otherwise than the robot's", MENDED),
    "other_robot": Described("the recording says it comes from another robot", NOTE),
    "missing_column": Described("no position or no torque is recorded", REFUSED),
    "empty_column": Described("a column holds no number at all", EITHER),
    "zero_column": Described("a column is exactly 0 throughout", EITHER),
    "constant_column": Described("a sensor repeats one value throughout", REFUSED),
    "repeated_column": Described("two joints hold the same numbers", REFUSED),
    # clock
    "bad_stamps": Described("time stamps that are not numbers", MENDED),
    "time_unit": Described("time is not in seconds", REFUSED),
    "clock_restart": Described("the clock starts anew: two recordings in one", REFUSED),
    "unsorted_time": Described("rows out of order", MENDED),
    "late_samples": Described("stamps later than the samples they belong to", EITHER),
    "duplicate_rows": Described("rows written twice", MENDED),
    "duplicate_time": Described("different rows with the same stamp", REFUSED),
    "coarse_stamps": Described("stamps rounded so far that many are equal", REFUSED),
    "lost_samples": Described("single samples are missing", EITHER),
    "gap": Described("a longer stretch is missing", EITHER),
    "clock_jump": Described("the clock jumps while the arm moves on", REFUSED),
    "time_step_change": Described("the sampling rate changes on the way", EITHER),
    "too_short": Described("too few samples or too little time", REFUSED),
    # values
    "uninitialised_rows": Described("rows of values no sensor can report", MENDED),
    "not_finite": Described("values that are not numbers", MENDED),
    "truncated": Described("the last rows are incomplete, or the recording ends in motion", MENDED),
    "ends_in_motion": Described("the recording begins at rest and ends in motion", NOTE),
    "wrapped_encoder": Described("an encoder starts again after a full turn", MENDED),
    "encoder_spike": Described("single readings of an encoder far off the path", MENDED),
    "torque_spike": Described("single readings of a torque or current far off", NOTE),
    "position_jump": Described("an encoder jumps and stays there", REFUSED),
    "frozen_encoder": Described("an encoder stands while the joint moves", REFUSED),
    "frozen_torque": Described("a torque or current stands while the joint moves", REFUSED),
    "held_samples": Described("values held over several rows, or sampled up", EITHER),
    "coarse_resolution": Described(
        "the steps of a sensor are large beside what it measures", EITHER
    ),
    "slow_sampling": Described("too few samples for so fast a motion", EITHER),
    "saturation": Described("a torque or current with flat tops", EITHER),
    # agreement of columns, and with the robot
    "position_unit": Described("positions are not in rad [m] at the output", REFUSED),
    "velocity_unit": Described("velocities are not in rad/s [m/s] at the output", REFUSED),
    "torque_unit": Described("torques or currents are not in their unit", REFUSED),
    "temperature_unit": Described("temperatures are not in degrees Celsius", REFUSED),
    "beyond_limits": Described("a joint is recorded outside its limits", NOTE),
    "wrong_sign": Described("a column has the opposite sign", REFUSED),
    "swapped_joints": Described("columns of two joints are exchanged", REFUSED),
    "swapped_encoders": Described("link and rotor position are exchanged", REFUSED),
    "delayed_column": Described("a column lags behind the motion", EITHER),
    "clock_drift": Described("stamps and velocities disagree more and more", REFUSED),
    "disagreeing_columns": Described("two columns do not tell the same motion", REFUSED),
    "torque_jump": Described("a torque or current steps without a reason in the motion", REFUSED),
    "unexplained_torque": Described("the torque follows from no motion of this arm", EITHER),
    # excitation
    "no_motion": Described("a joint does not move: nothing of it can be learned", NOTE),
    "little_motion": Described("a joint moves little: its parameters will be weak", NOTE),
    "one_direction": Described("a joint moves one way only: friction and offset merge", NOTE),
    "one_speed": Described("a joint moves at one speed only: no viscous friction", NOTE),
    # what could not be checked
    "not_checked": Described("the robot lacks a value that a check needs", NOTE),
}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One finding: kind, outcome, where, how large, and in words what was done or what to do.

    `joint` and `column` are empty where the whole recording is meant. `first` and `last` are rows of the recording
    as it was given, counted from 0; -1 where no rows are meant.
    """

    kind: str
    outcome: Outcome
    text: str
    joint: str = ""
    column: str = ""
    first: int = -1
    last: int = -1
    value: float = 0.0
    unit: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownNameError("kind of finding", self.kind, KINDS)

    def to_dict(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return asdict(self)


def table_of_kinds() -> str:
    """The kinds of finding as a table in Markdown, for the documentation."""
    rows = ["| kind | what it means | outcome |", "|---|---|---|"]
    rows += [
        f"| `{kind}` | {about.meaning} | {' or '.join(about.outcomes)} |"
        for kind, about in KINDS.items()
    ]
    return "\n".join(rows) + "\n"
