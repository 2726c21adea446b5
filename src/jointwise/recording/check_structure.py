"""Checks of what is there: joints, columns, and columns that hold nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from jointwise.recording.check_case import (
    MEASURED_POSITIONS,
    MEASURED_TORQUES,
    POSITIONS,
    TORQUES,
    VELOCITIES,
    Case,
)
from jointwise.recording.check_finding import Finding
from jointwise.recording.columns import KINDS
from jointwise.recording.recording import Recording

FEWEST = 50
"""Rows; fewer do not fill a filter."""
DISTINCT = 50
"""Distinct values two columns must share before equality cannot be chance."""


def joints(case: Case) -> tuple[Case, list[Finding]]:
    """As many joints as the robot, in its order; another order of the same names is put right."""
    given, wanted = case.names, tuple(j.name for j in case.robot.joints)
    if len(given) != len(wanted):
        text = (
            f"the recording has {len(given)} joints and {case.robot.name} has {len(wanted)}; "
            "import every joint, or name the right robot"
        )
        return case, [case.finding("joint_count", "refused", text, value=float(len(given)))]
    if given == wanted:
        return case, []
    if set(given) != set(wanted):
        first = next(a for a, b in zip(given, wanted, strict=True) if a != b)
        text = (
            f"joint {first!r} of the recording is not the joint {case.robot.name} has in its place; "
            f"name the joints {', '.join(wanted)} at import"
        )
        return case, [case.finding("joint_names", "refused", text)]
    order = [given.index(name) for name in wanted]
    old = case.recording
    columns = {name: values[:, order] for name, values in old.columns.items()}
    text = f"joints put into the order of {case.robot.name}: columns went by their names"
    mended = replace(old, joint_names=wanted, columns=columns)
    return replace(case, recording=mended), [case.finding("joint_names", "repaired", text)]


def origin(case: Case) -> list[Finding]:
    """The recording is of the robot it is checked against."""
    if case.recording.robot == case.robot.name:
        return []
    text = (
        f"the recording says it is of {case.recording.robot!r}, the robot is {case.robot.name!r}; "
        "make sure that they are the same arm"
    )
    return [case.finding("other_robot", "note", text)]


def length(case: Case) -> list[Finding]:
    """Enough rows to filter and to compare."""
    if len(case.recording) >= FEWEST:
        return []
    text = f"{len(case.recording)} samples, at least {FEWEST} are needed; record longer"
    return [case.finding("too_short", "refused", text, value=float(len(case.recording)))]


def needed_columns(case: Case) -> list[Finding]:
    """A position and a torque are measured, for every joint."""
    found = []
    for what, choice in (("position", MEASURED_POSITIONS), ("torque or current", TORQUES)):
        if not case.present(choice):
            text = f"no {what} is recorded; import one of {', '.join(choice)}"
            found.append(case.finding("missing_column", "refused", text))
            continue
        for j in range(case.recording.n):
            if not any(case.filled(name, j) for name in choice):
                text = f"no {what} of joint {case.names[j]} is recorded; import its column"
                column = case.present(choice)[0]
                found.append(case.finding("empty_column", "refused", text, j, column=column))
    if found:
        return found
    for name in case.recording.columns:
        for j in range(case.recording.n):
            if not case.filled(name, j):
                text = f"{name} of joint {case.names[j]} holds no number; it is not used"
                found.append(case.finding("empty_column", "note", text, j, column=name))
    return found


def dead_columns(case: Case) -> list[Finding]:
    """Sensors that say 0, or one other value, throughout."""
    found = []
    for name, j, values in case.each((*POSITIONS, *VELOCITIES, *TORQUES)):
        finite = values[np.isfinite(values)]
        if len(finite) == 0 or np.any(finite != finite[0]):
            continue
        if name in ("current_ref", "model_torque", "compensated_torque", "q_ref", "dq_ref"):
            continue  # a command or a model may well be constant
        where = f"{name} of joint {case.names[j]}"
        zero = finite[0] == 0.0
        kind = "zero_column" if zero else "constant_column"
        moved = name in MEASURED_TORQUES or name == "motor_signal" or _others_move(case, name, j)
        if moved:
            text = f"{where} is {finite[0]:.6g} throughout; import its true column, or leave it out"
            outcome = "refused"
        elif zero:
            text = f"{where} is exactly 0 throughout; taken as a joint that stands at 0"
            outcome = "note"
        else:
            continue
        found.append(case.finding(kind, outcome, text, j, column=name, value=float(finite[0])))
    return found


def repeated_columns(case: Case) -> list[Finding]:
    """No two joints report the same numbers, and no two kinds that are measured apart."""
    found = []
    measured = (*MEASURED_POSITIONS, "dq", "dtheta", *MEASURED_TORQUES)
    for name in case.present(measured):
        columns = case.recording[name]
        for j in range(case.recording.n):
            if len(np.unique(columns[:, j])) < DISTINCT:
                continue
            for i in range(j):
                same = columns[:, i] == columns[:, j]
                if np.mean(same) > 0.99:
                    text = (
                        f"{name} of joints {case.names[i]} and {case.names[j]} are the same numbers; "
                        "import the column of each joint"
                    )
                    found.append(case.finding("repeated_column", "refused", text, j, column=name))
    return found


def temperatures(case: Case) -> list[Finding]:
    """Temperatures a motor can have: from -40 to 150 degrees Celsius."""
    found = []
    for name, j, values in case.each(("temperature",)):
        usual = float(np.nanmedian(values))
        if not -40.0 <= usual <= 150.0:
            text = (
                f"temperature of joint {case.names[j]} is usually {usual:.4g}, which is no temperature of a motor in "
                "degC; state its unit at import (kelvin?)"
            )
            more = {"column": name, "value": usual}
            found.append(case.finding("temperature_unit", "refused", text, j, **more))
    return found


def _others_move(case: Case, name: str, joint: int) -> bool:
    """True where another column of the joint shows motion that this one does not."""
    recording: Recording = case.recording
    others = [n for n in (*POSITIONS, *VELOCITIES) if n != name and case.filled(n, joint)]
    smallest = case.smallest_travel[joint]
    for other in others:
        values = recording[other][:, joint]
        of_speed = "rad/s" in KINDS[other].unit
        low, high = np.nanquantile(values, (0.002, 0.998))
        if high - low > (2.0 * smallest if of_speed else smallest):
            return True
    return False
