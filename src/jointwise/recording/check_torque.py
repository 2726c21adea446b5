"""Checks of torques against the motion: sign, order of joints, unit, delay, steps, and which encoder is which."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from jointwise.recording.check_case import MEASURED_TORQUES, Case
from jointwise.recording.check_finding import Finding
from jointwise.recording.check_model import Features, Torques

Array = NDArray[np.float64]

BETTER, MUCH_BETTER = 1.0, 1.5
"""Fall of the sum of log unexplained shares (a factor e, e^1.5) that another reading of the columns must bring, with
link inertias known and unknown; no sound recording of the five arms we have comes closer than a rise of 0.4 and a
fall of 0.9."""
DOUBTFUL = 0.08
"""Unexplained share of at least one of the joints named; motions of one speed fit several readings well."""
UNEXPLAINED = 0.7
"""Share of a torque's variance that friction, load and inertia together must not leave."""
LAGS = np.arange(-0.25, 0.2501, 0.01)
LONGEST_LAG = 0.03
"""s; friction with memory and elastic gears look like lags up to 25 ms."""
REVERSALS = 4
"""Turns a joint must make: a single start does not tell a lag from friction that has not settled."""
SHARPER, ALONE = 1.3, 3.0
"""Fall of the unexplained share that a shift must bring: where half of the joints agree, and for a single joint."""
GAINS = (0.35, 2.8)
"""Measured torque beside the robot's own model where the model explains most of it."""
NEEDED = 3.0
"""Rise of the unexplained share without the robot's own masses; below, other columns can stand for them."""
STEP_WINDOW = 0.1
STEP_TIMES = 2.5
SMALLEST_STEP = 0.2
"""Share of a torque's range; sound logs hold steps of up to 15 % that last, where a drive changes its mode."""
STEP_EXPLAINS = 1.5
"""Fall of the unexplained share that a step must bring."""
LOADED = 0.5


def known(case: Case) -> list[Finding]:
    """Say which torque columns are checked with less evidence, since link inertias are unknown."""
    names = case.present(MEASURED_TORQUES)
    if not names or not case.moves.any():
        return []
    missing = sorted({p.split(".")[1] for p in case.robot.unknown() if ".link." in p})
    if not missing:
        return []
    text = (
        f"link inertias of {', '.join(missing)} are unknown: unit and order of {', '.join(names)} were compared with "
        "friction only"
    )
    return [case.finding("not_checked", "note", text, column=names[0])]


def readings(case: Case) -> list[Finding]:
    """Another sign or another order of columns that explains the torques far better is named, never applied."""
    for torques in _torques(case):
        found = _better_reading(case, torques)
        if found:
            return found
    return []


def lags(case: Case) -> list[Finding]:
    """Torque columns that fit the motion only when shifted."""
    found = []
    for torques in _torques(case):
        late = _late_joints(torques)
        agree = 2 * len(late) >= sum(_reversals(v) >= REVERSALS for v in torques.motion.dq.T)
        for j, (lag, gained) in late.items():
            if gained < (SHARPER if agree else ALONE):
                continue
            text = (
                f"{torques.column} of joint {case.names[j]} fits the motion {gained:.1f} times better when taken "
                f"{lag:.3g} s later; shift the column at import"
            )
            more = {"column": torques.column, "value": lag, "unit": "s"}
            outcome = "refused" if agree and abs(lag) > 1.5 * LONGEST_LAG else "note"
            found.append(case.finding("delayed_column", outcome, text, j, **more))
    return found


def _late_joints(torques: Torques) -> dict[int, tuple[float, float]]:
    """Joints whose torque fits best when shifted: lag in s, and how much better it fits."""
    if not torques.prior:
        return {}
    joints = [j for j in torques.judged if _reversals(torques.motion.dq[:, j]) >= REVERSALS]
    shares: dict[int, list[float]] = {j: [] for j in joints}
    for lag in LAGS:
        shifted = torques.shifted(float(lag))
        for j in joints:
            shares[j].append(torques.features.unexplained(shifted[:, j], j)[0])
    late = {}
    for j, share in shares.items():
        best = int(np.argmin(share))
        lag, gained = float(LAGS[best]), share[len(LAGS) // 2] / share[best]
        inside = 0 < best < len(LAGS) - 1
        if abs(lag) >= LONGEST_LAG and share[best] < 0.3 and inside and gained > SHARPER:
            late[j] = (lag, gained)
    return late


def gains(case: Case) -> list[Finding]:
    """Torques of the size the robot's own masses ask for."""
    unweighed = []
    for torques in _torques(case):
        if not (torques.prior and torques.scaled):
            continue
        ratios = []
        for j in torques.judged:
            share, coefficients = torques.fits[j]
            without = torques.features.unexplained(torques.torque[:, j], j, prior=False)[0]
            if share < 0.3 and without > NEEDED * share:
                ratios.append(float(coefficients[0]))
        gain = float(np.median(ratios)) if ratios else _least_gain(torques)
        if not GAINS[0] <= gain <= GAINS[1]:
            text = (
                f"{torques.column} is {gain:.3g} times what the masses of {case.robot.name} ask for; state its kind "
                "and unit at import (current? thousandths? motor side?)"
            )
            more = {"column": torques.column, "value": gain, "unit": "1"}
            return [case.finding("torque_unit", "refused", text, **more)]
        if not ratios:
            unweighed.append(torques.column)
    if not unweighed:
        return []
    text = (
        f"the size of {', '.join(unweighed)} was not compared with the masses of {case.robot.name}: no joint that "
        "moves carries enough of them; make sure of the unit"
    )
    return [case.finding("not_checked", "note", text, column=unweighed[0])]


def _least_gain(torques: Torques) -> float:
    """Measured beside own torque at the joint that carries most, if it is too little for any payload and friction."""
    if not torques.judged:
        return 1.0
    own = {j: float(np.std(torques.features.signed[j][:, 0])) for j in torques.judged}
    joint = max(own, key=lambda j: own[j])
    if own[joint] <= 0.0:
        return 1.0
    return min(1.0, float(np.std(torques.torque[:, joint])) / own[joint])


def explained(case: Case) -> list[Finding]:
    """Torques that the motion explains at least roughly."""
    found = []
    for torques in _torques(case):
        for j in torques.judged:
            share = torques.fits[j][0]
            travel = float(np.ptp(case.path[:, j]))
            if share < UNEXPLAINED or travel < 10.0 * case.smallest_travel[j]:
                continue
            text = (
                f"{share:.0%} of {torques.column} of joint {case.names[j]} follows from no motion, friction or load; "
                "make sure that torque and motion belong together"
            )
            more = {"column": torques.column, "value": share, "unit": "1"}
            found.append(case.finding("unexplained_torque", "note", text, j, **more))
    return found


def steps(case: Case) -> list[Finding]:
    """A torque that steps within one sample and stays, while its joint does not turn back."""
    found = []
    width = max(5, round(STEP_WINDOW / case.step))
    for name, j, values in case.each(MEASURED_TORQUES):
        if len(values) < 6 * width:
            continue
        least = SMALLEST_STEP * float(np.ptp(values))
        k, size = next(
            (
                (k, size)
                for k, size, usual in _largest_steps(values, width)
                if size > max(STEP_TIMES * usual, least)
                and not _turns_back(case, j, k, width)
                and _stays(case, name, j, k, size)
            ),
            (-1, 0.0),
        )
        if k < 0:
            continue
        rows = case.rows_of(k, k + 1)
        text = (
            f"{name} of joint {case.names[j]} steps by {size:.3g} at row {rows['first']} without a reason in the "
            "motion; use the part before or after"
        )
        more = {"column": name, "value": size, **rows}
        found.append(case.finding("torque_jump", "refused", text, j, **more))
    return found


def encoders(case: Case) -> list[Finding]:
    """Rotor ahead of link by the torque over the stiffness; the other way round they are exchanged."""
    if "q" not in case.recording or "theta" not in case.recording:
        return []
    motor = [n for n in MEASURED_TORQUES if n in case.recording]
    if not motor or (case.robot.coupling_matrix() != np.eye(case.robot.n)).any():
        return []
    smooth, inside = case.smooth, case.smooth.inside
    ahead = (smooth.values("theta") - smooth.values("q"))[inside]
    torque = smooth.values(motor[0])[inside]
    best, joint = 0.0, -1
    for j in range(case.robot.n):
        if not (case.filled("q", j) and case.filled("theta", j)):
            continue
        a, t = ahead[:, j] - ahead[:, j].mean(), torque[:, j] - torque[:, j].mean()
        size = float(np.linalg.norm(a) * np.linalg.norm(t))
        match = float(a @ t) / size if size > 0.0 else 0.0
        if abs(match) > abs(best):
            best, joint = match, j
    if joint < 0 or best > -LOADED:
        return []
    text = (
        f"theta lags behind q under load (correlation with torque {best:.2f} at joint {case.names[joint]}): link and "
        "rotor position are exchanged; correct the columns at import"
    )
    more = {"column": "theta", "value": best, "unit": "1"}
    return [case.finding("swapped_encoders", "refused", text, **more)]


def _torques(case: Case) -> Iterator[Torques]:
    if case.smooth.inside.sum() < 100:
        return
    for name in case.present(MEASURED_TORQUES):
        if not np.isnan(case.recording[name]).all():
            yield Torques(case, name)


def _better_reading(case: Case, torques: Torques) -> list[Finding]:
    """The reading of the columns that explains most, if that is not the one given."""
    joints, features = torques.judged, torques.features
    if max((torques.fits[j][0] for j in joints), default=0.0) < DOUBTFUL:
        return []
    given = {j: np.log(torques.fits[j][0]) for j in joints}
    least = BETTER if torques.prior else MUCH_BETTER
    best, names, kind, column = -least, (), "", ""  # type: float, tuple[int, ...], str, str

    def share(of: Features, torque: int, joint: int, sign: float = 1.0) -> float:
        return float(np.log(of.unexplained(sign * torques.torque[:, torque], joint)[0]))

    for j in joints:
        gain = share(features, j, j, -1.0) - given[j]
        if gain < best:
            best, names, kind, column = gain, (j,), "wrong_sign", torques.column
    for i, j in _pairs(joints):
        gain = share(features, i, j) + share(features, j, i) - given[i] - given[j]
        if gain < best:
            best, names, kind, column = gain, (i, j), "swapped_joints", torques.column
    if torques.prior:
        for changed, names_, kind_ in _other_motions(torques):
            gain = sum(share(changed, j, j) - given[j] for j in joints)
            if gain < best:
                best, names, kind, column = gain, names_, kind_, "position"
    if not names or max(torques.fits[j][0] for j in names) < DOUBTFUL:
        return []
    listed = " and ".join(case.names[j] for j in names)
    what = "runs the other way" if kind == "wrong_sign" else "are exchanged"
    place = column if column != "position" else case.position_of(names[0])
    text = (
        f"torques follow from the motion {np.exp(-best):.0f} times better if {place} of {listed} {what}; "
        f"correct {'the sign' if kind == 'wrong_sign' else 'the order of columns'} at import"
    )
    more = {"column": place, "value": float(np.exp(-best)), "unit": "1"}
    return [case.finding(kind, "refused", text, j, **more) for j in names]


def _other_motions(torques: Torques) -> Iterator[tuple[Features, tuple[int, ...], str]]:
    robot, motion = torques.case.robot, torques.motion
    for j in torques.judged:
        yield Features(robot, motion.flipped(j), True), (j,), "wrong_sign"
    for i, j in _pairs(torques.judged):
        yield Features(robot, motion.exchanged(i, j), True), (i, j), "swapped_joints"


def _reversals(speed: Array) -> int:
    """How often a joint turns back."""
    fast = speed[np.abs(speed) > 0.1 * float(np.abs(speed).max())]
    return int(np.sum(fast[1:] * fast[:-1] < 0.0))


def _pairs(joints: list[int]) -> Iterator[tuple[int, int]]:
    return ((i, j) for k, i in enumerate(joints) for j in joints[k + 1 :])


def _largest_steps(values: Array, width: int) -> Iterator[tuple[int, float, float]]:
    """Row, size and usual size of the five sharpest lasting steps, away from each other."""
    windows = np.lib.stride_tricks.sliding_window_view(values, width)
    middle = np.median(windows, axis=1)
    lasting = middle[width:] - middle[:-width]  # after a row less before it
    at = np.arange(len(lasting)) + width - 1
    one = values[at + 1] - values[at]
    usual = float(np.quantile(np.abs(one), 0.9)) + float(np.quantile(np.abs(lasting), 0.5))
    sharp = np.where(one * lasting > 0.0, np.minimum(np.abs(one), np.abs(lasting)), 0.0)
    for _ in range(5):
        k = int(np.argmax(sharp))
        yield int(at[k]), float(sharp[k]), usual
        sharp[max(0, k - width) : k + width] = 0.0


def _stays(case: Case, name: str, joint: int, row: int, size: float) -> bool:
    """True where the torques follow from the motion far better once they may step at that row, by about the step.

    Drives that start to brake step as well, but then the motion explains it.
    """
    torques = Torques(case, name)
    if len(torques.at) < 100:
        return True
    share, found = torques.with_step(joint, float(case.time[row]))
    return abs(found) > 0.5 * size and torques.fits[joint][0] > STEP_EXPLAINS * share


def _turns_back(case: Case, joint: int, row: int, width: int) -> bool:
    """True where the joint starts, stops or reverses near a row, which changes its friction."""
    smooth = case.smooth
    kept = smooth.time[:: smooth.every]
    speed = smooth.slope("path")[:, joint]
    near = np.abs(kept - case.time[row]) < max(0.15, 1.5 * width * case.step)
    part = speed[near]
    if len(part) == 0:
        return True
    slow = 0.02 * float(np.abs(speed).max()) + 1e-6
    return bool(np.min(part) <= slow and np.max(part) >= -slow)
