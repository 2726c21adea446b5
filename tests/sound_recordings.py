"""Sound recordings to damage: twins of random arms at several rates and with several sensors, and real logs."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

import real_logs
from damage import Damage, torque
from damages import DAMAGES
from jointwise.errors import JointwiseError
from jointwise.plant.population import random_arm
from jointwise.plant.sensors import Sampling
from jointwise.plant.twin import Twin
from jointwise.recording.check import Checked, check_recording
from jointwise.robot.library import load_robot
from wandering import wandering

ARMS = ("ur5e", "ur10e", "ur5e", "ur16e", "ur3e")
STRIDES = (1, 2, 4, 8, 10)
TRUTH = ("command_torque", "q_ref", "dq_ref", "ddq_ref", "phase_a", "phase_b")
FIRST_OF_REPORT = 1000
"""Seeds below this one were looked at while thresholds were chosen; results are reported from here on."""


@functools.lru_cache(maxsize=16)
def twin(seed):
    """A recording of a random arm: 10 to 20 s, 100 to 1000 Hz, one or two encoders, with or without velocity."""
    rng = np.random.default_rng([seed, 77])
    kind = ARMS[rng.integers(len(ARMS))]
    stride = int(rng.choice(STRIDES))
    duration = float(rng.choice([10.0, 20.0]))
    arm = random_arm(kind, seed=seed)
    path = wandering(arm.robot, seed, duration=duration, share=float(rng.uniform(0.3, 0.6)))
    jitter = float(rng.choice([0.0, 3e-5, 1e-4]))
    run = Twin(plant=arm, seed=seed, sampling=Sampling(stride=stride, jitter=jitter)).run(
        path, truth=False
    )
    recording = run.recording
    columns = dict(recording.columns)
    sensors = rng.choice(["both", "link", "rotor"])
    if sensors == "link":
        del columns["theta"]
    if sensors == "rotor":
        del columns["q"]
    if rng.random() < 0.6:
        for name in TRUTH:
            del columns[name]
    if rng.random() < 0.6:
        columns["dq"] = _reported_speed(recording, columns, rng)
    return replace(recording, columns=columns)


def _reported_speed(recording, columns, rng):
    """Velocity as a controller reports it: filtered differences of the rotor, with noise."""
    from scipy.signal import butter, sosfiltfilt

    position = columns.get("theta", columns.get("q"))
    rate = (len(recording) - 1) / (recording.time[-1] - recording.time[0])
    slow = sosfiltfilt(butter(2, min(20.0, 0.2 * rate), fs=rate, output="sos"), position, axis=0)
    speed = np.gradient(slow, 1.0 / rate, axis=0)
    return speed + 2e-3 * rng.standard_normal(speed.shape)


def real(index):
    """A real log by number, or None where the data are absent."""
    if not real_logs.DATA.is_dir():
        return None
    choices = [functools.partial(real_logs.ur10e, p) for p in real_logs.ur10e_logs()[4:]]
    choices += [real_logs.panda, real_logs.tx40, real_logs.emps, real_logs.xmate7p]
    return choices[index % len(choices)]()


def base(seed):
    """A twin, or every third time a real log where there are any."""
    if seed % 3 == 2 and (found := real(seed // 3)) is not None:
        return found
    return twin(seed)


def has(recording, robot, damage: Damage):
    """True where a recording has what a damage needs in order to show."""
    links_known = not any(".link." in path for path in robot.unknown())
    constants = not any("torque_constant" in path for path in robot.unknown())
    step = float(np.median(np.diff(recording.time)))
    rests = bool(np.all(np.abs(recording.time) < 1e9)) and recording.robot.startswith("ur")
    facts = {
        "two": recording.n > 1,
        "dq": "dq" in recording,
        "q": "q" in recording,
        "theta": "theta" in recording,
        "current": "current" in recording,
        "temperature": "temperature" in recording,
        "revolute": all(j.kind == "revolute" for j in robot.joints),
        "constant": "current" in recording and constants and robot.name != "ur3e",
        "matched": True,
        "rest": rests,
        "slow": step < 0.05,
        "weighed": "weighed" not in damage.needs or _weighed(recording, robot),
    }
    return all(facts[need] for need in damage.needs) and (links_known or not damage.links)


def _weighed(recording, robot):
    """True where the check could compare the size of the torques with the masses of the robot."""
    return all(f.kind != "not_checked" for f in _checked(recording, robot).findings)


class Outcome:
    """What the check said of one damaged recording."""

    def __init__(self, damage: Damage, seed: int) -> None:
        rng = np.random.default_rng([seed, 3])
        self.damage = damage
        for k in range(60):
            recording = base(seed + k if k else seed)
            robot = load_robot(recording.robot)
            if has(recording, robot, damage):
                break
        self.robot = recording.robot
        before = _checked(recording, robot)
        damaged, joints = damage.apply(recording, rng)
        self.joints = joints
        try:
            after = check_recording(damaged, robot)
        except JointwiseError as error:
            self.kind, self.verdict, self.silent, self.named, self.text = (
                "error",
                "error",
                True,
                False,
                str(error),
            )
            return
        known = {(f.kind, f.joint, f.column, f.outcome) for f in before.findings}
        new = [f for f in after.findings if (f.kind, f.joint, f.column, f.outcome) not in known]
        decisive = (
            [f for f in new if f.outcome == "refused"]
            or [f for f in new if f.kind in damage.kinds]
            or new
        )
        self.verdict = after.verdict
        self.kind = decisive[0].kind if decisive else "nothing"
        self.text = decisive[0].text if decisive else ""
        self.silent = after.verdict != "refused" and not new
        told = {f.joint for f in decisive if f.kind in damage.kinds}
        right_joint = not joints or bool(told & set(joints))
        self.named = self.kind in damage.kinds and right_joint
        self.torque = torque(recording)
        self.columns = list(recording.columns)
        self.rate = round(1.0 / float(np.median(np.diff(recording.time))))


@functools.lru_cache(maxsize=64)
def _checked_by_identity(key):
    return check_recording(*_KEPT[key])


_KEPT: dict = {}


def _checked(recording, robot) -> Checked:
    key = (recording.robot, len(recording), float(recording.time[-1]), tuple(recording.columns))
    _KEPT[key] = (recording, robot)
    return _checked_by_identity(key)


def outcomes(first_seed, per_damage):
    """Every damage with that many seeds."""
    return [
        Outcome(damage, first_seed + 100 * k + number)
        for number, damage in enumerate(DAMAGES)
        for k in range(per_damage)
    ]


def clean_recordings(first_seed, twins):
    """Sound recordings: every real log, and twins with jitter and noise."""
    found = [twin(first_seed + k) for k in range(twins)]
    if real_logs.DATA.is_dir():
        found += [real_logs.ur10e(p) for p in real_logs.ur10e_logs()]
        found += [
            real_logs.ur3e(), real_logs.panda(), real_logs.kr300(), real_logs.tx40(),
            real_logs.emps(), real_logs.xmate7p(), real_logs.xmate_two_sensors(),
        ]  # fmt: skip
    return found
