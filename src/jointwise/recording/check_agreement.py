"""Checks of columns against each other: positions with positions, velocities with the slope of positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointwise.recording.check_case import Case
from jointwise.recording.check_finding import Finding
from jointwise.robot.description import Robot
from jointwise.units import Unknown

Array = NDArray[np.float64]

SLOPE = 0.08
"""A slope this far from one is another unit or another clock; encoders and drives agree to a percent."""
SAME = 0.95
"""Correlation of two columns that tell the same motion."""
OPPOSITE = -0.8
LAG = 0.012
"""s; drives report speeds filtered by up to about 10 ms."""
DRIFT = 0.08
BLOCKS = 8
LARGEST_TORQUE, LARGEST_CURRENT = 3e4, 60.0
"""N m [N] and A at the joints of the largest arms."""
KNOWN = {"degrees": 57.29577951, "rpm": 9.549296586, "turns": 0.1591549431, "thousandths": 1000.0}


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A column and what it should equal: the values, or the slope, of another one."""

    column: str
    against: str
    kind: str
    told: Array
    wanted: Array
    moves: NDArray[np.bool_]


def columns(case: Case) -> list[Finding]:
    """Every redundant pair of columns; the first disagreement is the finding."""
    for pair in _pairs(case):
        for look in (_exchanged, _reversed, _lagging, _drifting, _scaled, _different):
            found = look(case, pair)
            if found:
                return found
    return []


def limits(case: Case) -> list[Finding]:
    """Positions, speeds and torques of a size the robot's limits allow, far exceeded only in another unit."""
    found = []
    for name in case.present(("q", "theta", "q_ref")):
        for j, joint in enumerate(case.robot.joints):
            if not case.filled(name, j):
                continue
            values = case.recording[name][:, j]
            usual = float(np.nanquantile(np.abs(values), 0.9))
            speed = float(np.nanquantile(np.abs(np.diff(values)), 0.9)) / case.step
            place = f"{name} of joint {joint.name}"
            reach = _reach(case.robot, j)
            fastest = joint.limits.velocity
            quick = 3.0 * fastest if not isinstance(fastest, Unknown) else 30.0
            if usual > 3.0 * reach or speed > quick:
                value = usual if usual > 3.0 * reach else speed
                what = (
                    f"{usual:.4g}" if usual > 3.0 * reach else f"moving at {speed:.4g} per second"
                )
                text = (
                    f"{place} is {what}, far beyond the joint's limits; state its unit at import "
                    "(degrees? motor side?)"
                )
                found.append(
                    case.finding("position_unit", "refused", text, j, column=name, value=value)
                )
            elif float(np.nanmax(np.abs(values))) > 1.05 * reach and name != "q_ref":
                largest = float(np.nanmax(np.abs(values)))
                text = f"{place} reaches {largest:.4g}, its limit is {reach:.4g}; check zero and limits"
                more = {"column": name, "value": largest}
                found.append(case.finding("beyond_limits", "note", text, j, **more))
    return [f for f in found if f.outcome == "refused"][:1] or found


def torque_sizes(case: Case) -> list[Finding]:
    """Torques and currents of the size of the joints' limits: three times in the middle of the joints, or thirty."""
    for name in case.present(("current", "motor_torque", "joint_torque", "command_torque")):
        shares = {}
        for j in range(case.recording.n):
            if case.filled(name, j):
                usual = float(np.nanquantile(np.abs(case.recording[name][:, j]), 0.9))
                shares[j] = usual / _largest_torque(case.robot, name, j)
        worst = max(shares, key=lambda j: shares[j], default=-1)
        if worst < 0 or (np.median(list(shares.values())) <= 3.0 and shares[worst] <= 30.0):
            continue
        limit = _largest_torque(case.robot, name, worst)
        text = (
            f"{name} of joint {case.names[worst]} is usually {shares[worst] * limit:.4g}, its limit is {limit:.4g}; "
            "state its unit at import (thousandths? motor side?)"
        )
        more = {"column": name, "value": shares[worst] * limit}
        return [case.finding("torque_unit", "refused", text, worst, **more)]
    return []


def _largest_torque(robot: Robot, name: str, joint: int) -> float:
    """The limit of a torque, or of a current, of a joint; where nobody knows, more than any arm has."""
    most, constant = robot.joints[joint].limits.torque, robot.joints[joint].drive.torque_constant
    if name != "current":
        return LARGEST_TORQUE if isinstance(most, Unknown) else float(most)
    if isinstance(most, Unknown) or isinstance(constant, Unknown):
        return LARGEST_CURRENT
    return float(most) / float(constant)


def _reach(robot: Robot, joint: int) -> float:
    """The largest angle a joint may have, a few turns where nobody knows."""
    limits = robot.joints[joint].limits
    low, high = limits.position_lower, limits.position_upper
    largest = 4.0 * np.pi
    if isinstance(low, Unknown) or isinstance(high, Unknown):
        return largest
    both = max(abs(float(low)), abs(float(high)))
    return both if np.isfinite(both) else largest


def _pairs(case: Case) -> list[Pair]:
    """Velocities with the slope of their position, then positions with each other."""
    smooth, inside, pairs = case.smooth, case.smooth.inside, []
    if inside.sum() < 50:
        return []
    coupling = case.robot.coupling_matrix()
    motor = (np.abs(coupling - np.eye(case.recording.n)) > 0).any()

    def reference(velocity: str) -> str:
        own = {"dq": "q", "dtheta": "theta", "dq_ref": "q_ref"}[velocity]
        complete = own in case.recording and not np.isnan(case.recording[own]).all(axis=0).any()
        return own if complete else "path"

    for name in case.present(("dq", "dtheta", "dq_ref")):
        against = reference(name)
        wanted = smooth.slope(against)[inside]
        if name == "dtheta" and against == "path":
            wanted = wanted @ coupling.T
        told = smooth.values(name)[inside]
        shape = _moving(case, name, np.abs(wanted).max(axis=0), wanted)
        pairs.append(
            Pair(
                column=name,
                against=against,
                kind="velocity_unit",
                told=told,
                wanted=wanted,
                moves=shape,
            )
        )
    if "theta" in case.recording and "q" in case.recording and not motor:
        pairs.append(_positions(case, "theta", "q"))
    if "q_ref" in case.recording:
        measured = "q" if "q" in case.recording else "theta"
        if measured == "q" or not motor:
            pairs.append(_positions(case, "q_ref", measured))
    return pairs


def _positions(case: Case, name: str, against: str) -> Pair:
    """Two positions without their means."""
    inside = case.smooth.inside
    told = case.smooth.values(name)[inside]
    wanted = case.smooth.values(against)[inside]
    told, wanted = told - told.mean(axis=0), wanted - wanted.mean(axis=0)
    moves = _moving(case, name, np.ptp(told, axis=0), told) & _moving(
        case, against, np.ptp(wanted, axis=0), wanted
    )
    return Pair(
        column=name, against=against, kind="position_unit", told=told, wanted=wanted, moves=moves
    )


def _moving(case: Case, name: str, size: Array, values: Array) -> NDArray[np.bool_]:
    """Joints whose column is filled and whose reference moves."""
    filled = np.array([case.filled(name, j) for j in range(case.recording.n)])
    return np.asarray(filled & (size > 2.0 * case.smallest_travel) & (values.std(axis=0) > 0.0))


def _correlations(pair: Pair) -> Array:
    """Correlation of every told column with every wanted one; 0 where a joint stands."""
    told, wanted = pair.told - pair.told.mean(axis=0), pair.wanted - pair.wanted.mean(axis=0)
    size = np.outer(np.linalg.norm(told, axis=0), np.linalg.norm(wanted, axis=0))
    out = told.T @ wanted / np.where(size > 0.0, size, np.inf)
    out[:, ~pair.moves] = 0.0
    return np.asarray(out)


def _exchanged(case: Case, pair: Pair) -> list[Finding]:
    match = _correlations(pair)
    n = len(match)
    for i in range(n):
        for j in range(i + 1, n):
            crossed = min(match[i, j], match[j, i])
            if pair.moves[i] and pair.moves[j] and crossed > SAME and crossed > match[i, i] + 0.02:
                a, b = case.names[i], case.names[j]
                text = (
                    f"{pair.column} of joint {a} follows {_name(pair)} of joint {b} and the other way round; "
                    "correct the order of columns at import"
                )
                more = {"column": pair.column, "value": float(crossed), "unit": "1"}
                return [case.finding("swapped_joints", "refused", text, k, **more) for k in (i, j)]
    return []


def _reversed(case: Case, pair: Pair) -> list[Finding]:
    match = _correlations(pair)
    found = []
    for j in np.flatnonzero(pair.moves & (np.diag(match) < OPPOSITE)):
        text = (
            f"{pair.column} of joint {case.names[j]} runs opposite to {_name(pair)} (correlation {match[j, j]:.2f}); "
            "correct its sign at import"
        )
        more = {"column": pair.column, "value": float(match[j, j]), "unit": "1"}
        found.append(case.finding("wrong_sign", "refused", text, int(j), **more))
    return found


def _scaled(case: Case, pair: Pair) -> list[Finding]:
    slopes, match = _slopes(pair), np.diag(_correlations(pair))
    off = pair.moves & (match > SAME) & (np.abs(slopes - 1.0) > SLOPE)
    if not off.any():
        return []
    middle = float(np.median(slopes[off]))
    everywhere = bool(np.all(off[pair.moves])) and bool(np.ptp(slopes[off]) < 0.02 * middle)
    kind = pair.kind
    guess = _guess(middle, case.robot)
    if pair.kind == "velocity_unit":
        if everywhere and off.sum() > 1 and not guess:
            kind, guess = "time_unit", "the clock runs at another speed"
        elif middle < 1.0 and _guess(1.0 / middle, case.robot) and not _guess(middle, case.robot):
            kind = "position_unit"
            guess = f"the position may be in other units: {_guess(1.0 / middle, case.robot)}"
        elif everywhere and case.smooth.count and _all_positions_large(case):
            kind = "position_unit"
    found = []
    for j in np.flatnonzero(off):
        text = (
            f"{pair.column} of joint {case.names[j]} is {slopes[j]:.4g} times {_name(pair)}"
            + (f" ({guess})" if guess else "")
            + "; state the unit at import"
        )
        column = (
            pair.against
            if kind == "position_unit" and pair.kind == "velocity_unit"
            else pair.column
        )
        more = {
            "column": "" if column == "path" else column,
            "value": float(slopes[j]),
            "unit": "1",
        }
        found.append(case.finding(kind, "refused", text, int(j), **more))
    return found


def _drifting(case: Case, pair: Pair) -> list[Finding]:
    """Slopes of blocks that move steadily away from each other: a clock that runs off."""
    if pair.kind != "velocity_unit" or pair.column == "dq_ref":
        return []
    slopes = []
    usual = float(np.sum(pair.wanted[:, pair.moves] ** 2)) / BLOCKS
    for told, wanted in zip(
        np.array_split(pair.told, BLOCKS), np.array_split(pair.wanted, BLOCKS), strict=True
    ):
        told, wanted = told[:, pair.moves], wanted[:, pair.moves]
        power = float(np.sum(wanted**2))
        if power > 0.1 * usual:
            slopes.append(float(np.sum(told * wanted)) / power)
    spread = float(np.ptp(slopes) / np.median(np.abs(slopes))) if slopes else 0.0
    if spread <= DRIFT:
        return []
    text = (
        f"{pair.column} is {min(slopes):.3g} to {max(slopes):.3g} times {_name(pair)} in different parts: the stamps "
        "drift; record the controller's own clock"
    )
    return [case.finding("clock_drift", "refused", text, column="", value=spread, unit="1")]


def _lagging(case: Case, pair: Pair) -> list[Finding]:
    """told(t) = a wanted(t) - a s wanted'(t): the lag s of a column, joint by joint."""
    if pair.column.endswith("_ref"):
        return []
    found = []
    allowed = max(LAG, 1.5 * case.step)
    for j in np.flatnonzero(pair.moves):
        lag = _lag(pair.told[:, j], pair.wanted[:, j], case.smooth.rate_hz)
        if abs(lag) <= allowed:
            continue
        text = (
            f"{pair.column} of joint {case.names[j]} comes {lag:.3g} s after {_name(pair)}; "
            "shift the column at import"
        )
        more = {"column": pair.column, "value": lag, "unit": "s"}
        outcome = "refused" if abs(lag) > 5.0 * allowed else "note"
        found.append(case.finding("delayed_column", outcome, text, int(j), **more))
    return found


def _different(case: Case, pair: Pair) -> list[Finding]:
    match = np.diag(_correlations(pair))
    found = []
    for j in np.flatnonzero(
        pair.moves & (match < (SAME if not pair.column.endswith("_ref") else 0.7))
    ):
        text = (
            f"{pair.column} of joint {case.names[j]} does not follow {_name(pair)} (correlation {match[j]:.2f}); "
            "import the right columns"
        )
        more = {"column": pair.column, "value": float(match[j]), "unit": "1"}
        found.append(case.finding("disagreeing_columns", "refused", text, int(j), **more))
    return found


def _slopes(pair: Pair) -> Array:
    power = np.sum(pair.wanted**2, axis=0)
    return np.asarray(
        np.sum(pair.told * pair.wanted, axis=0) / np.where(power > 0.0, power, np.inf)
    )


def _lag(told: Array, wanted: Array, rate_hz: float) -> float:
    size = float(np.sum(told * wanted) / np.sum(wanted**2))
    slope = size * np.gradient(wanted, 1.0 / rate_hz)
    power = float(np.sum(slope**2))
    return -float(np.sum((told - size * wanted) * slope)) / power if power > 0.0 else 0.0


def _guess(factor: float, robot: Robot) -> str:
    """What a factor between two columns may be."""
    for name, known in KNOWN.items():
        if abs(factor / known - 1.0) < 0.1:
            return f"{name}?"
    ratios = [j.drive.gear_ratio for j in robot.joints]
    if any(not isinstance(r, Unknown) and abs(factor / r - 1.0) < 0.1 for r in ratios):
        return "the gear ratio: motor side?"
    return ""


def _all_positions_large(case: Case) -> bool:
    """True where the positions themselves are larger than any joint's reach."""
    reach = np.array([_reach(case.robot, j) for j in range(case.recording.n)])
    return bool(np.any(np.abs(case.path).max(axis=0) > 3.0 * reach))


def _name(pair: Pair) -> str:
    """How a reference is called in a sentence."""
    name = "the position" if pair.against == "path" else pair.against
    return f"the slope of {name}" if pair.kind == "velocity_unit" else name
