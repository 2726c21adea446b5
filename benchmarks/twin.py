"""Speed of the twin, 6 joints with 4-operator E-GMS, kinematic error and both encoders; MuJoCo beside it.

All candidates run in one process, interleaved, one thread unless said. `step` is the time of a closed loop at 10 kHz
inside and 1 kHz outside (sensors, servo, record), divided by the number of inner steps.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from _report import write
from jointwise.laws.damping import Damping
from jointwise.laws.e_gms import EGMS
from jointwise.laws.friction import FrictionModel
from jointwise.laws.kinematic_error import FourierError
from jointwise.laws.linear import LinearSpring
from jointwise.laws.maxwell_slip import slip_limits, slip_stiffness
from jointwise.laws.transmissions import Transmission
from jointwise.motion.fourier import random_fourier
from jointwise.plant.plant import PlantJoint
from jointwise.plant.population import random_arm
from jointwise.plant.twin import Twin

SECONDS = 5.0
COULOMB = 6.0
"""N m of the rotors' friction in MuJoCo."""


def measured_plant(seed: int):
    """Random links and drives, each joint with the friction and the gear the question names."""
    arm = random_arm("ur5e", seed=seed)
    joints = []
    for joint in arm.joints:
        drawn = joint.friction.terms[0]
        hysteresis = replace(drawn, stribeck_excess=0.0, half_backlash=(1e-3,))
        assert isinstance(hysteresis, EGMS)
        k = joint.transmission.stiffness.stiffness_1
        gear = Transmission(
            stiffness=LinearSpring(spring_stiffness=k),
            damping=Damping(damping=joint.transmission.damping.damping),
            kinematic_error=FourierError(
                gear_ratio=101.0, output_cosine=(2e-4,), output_sine=(1e-4,)
            ),
        )
        joints.append(
            PlantJoint(
                transmission=gear,
                friction=FrictionModel(terms=(hysteresis,)),
                sensors=joint.sensors,
            )
        )
    return replace(arm, joints=tuple(joints))


def mujoco_stepper(plant, tendons: bool):
    """The two-mass arm of the tests at 10 kHz, each rotor on four slipping tendons, or with dry friction."""
    import sys
    from pathlib import Path

    import mujoco

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
    from test_twin_mechanics import mujoco_twin

    springs = zip(
        slip_stiffness(4, 4.0, 2.0) * COULOMB / 1e-3, 1e-3 * slip_limits(4, 4.0), strict=True
    )
    _, model, data = mujoco_twin(plant.robot, 2e4, 3.0, 0.5, slip=tuple(springs) if tendons else ())
    model.opt.timestep = 1e-4
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    if not tendons:
        model.dof_frictionloss[0::2] = COULOMB
    data.qfrc_applied[0::2] = 20.0 * np.sin(np.arange(6))

    def step(count: int) -> None:
        mujoco.mj_step(model, data, count)

    return step


def main() -> None:
    """Measure, print and store."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    plant = measured_plant(1)
    path = random_fourier(plant.robot, seed=1, duration=SECONDS)
    semi = {"substeps": 10, "method": "semi_implicit"}
    twins = {
        "generic semi-implicit 10 kHz": Twin(plant=plant, **semi),
        "traced semi-implicit 10 kHz": Twin(plant=plant, traced=True, **semi),
        "generic RK4 4 kHz": Twin(plant=plant, substeps=4, method="rk4"),
        "random arm, generic, own step": Twin(plant=random_arm("ur5e", seed=1)),
        "random arm, traced, own step": Twin(plant=random_arm("ur5e", seed=1), traced=True),
    }
    steps = {name: t.step.substeps * SECONDS * 1e3 for name, t in twins.items()}
    peers = {
        "MuJoCo 10 kHz, slipping tendons": mujoco_stepper(plant, True),
        "MuJoCo 10 kHz, dry friction": mujoco_stepper(plant, False),
    }
    for twin in twins.values():
        twin.run(path, truth=False)
    for step in peers.values():
        step(100)
    times: dict[str, list[float]] = {name: [] for name in [*twins, *peers, "1 thread", "2 threads"]}
    batch = [Twin(plant=measured_plant(k), **semi) for k in range(8)]
    for _ in range(rounds):
        for name, twin in twins.items():
            times[name].append(timed(lambda t=twin: t.run(path, truth=False)))
        for name, step in peers.items():
            times[name].append(timed(lambda s=step: s(10_000)))
        for workers in (1, 2):
            with ThreadPoolExecutor(workers) as pool:
                label = f"{workers} thread{'s' * (workers > 1)}"
                times[label].append(
                    timed(lambda p=pool: list(p.map(lambda t: t.run(path, truth=False), batch)))
                )
    minute = random_fourier(plant.robot, seed=2, duration=60.0)
    full = Twin(plant=random_arm("ur5e", seed=1))
    recording_s = min(timed(lambda: full.run(minute)) for _ in range(3))
    rows = {}
    print(f"{'':34s} us/step min   median   real time")
    for name in twins:
        low, middle = minimum_and_median(times[name])
        rows[name] = {
            "us_per_step_min": low / steps[name] * 1e6,
            "us_per_step_median": middle / steps[name] * 1e6,
            "times_real_time": SECONDS / low,
        }
        row = rows[name]
        print(
            f"{name:34s} {row['us_per_step_min']:11.3f} {row['us_per_step_median']:8.3f} "
            f"{row['times_real_time']:9.0f}x"
        )
    generic = rows["generic semi-implicit 10 kHz"]["us_per_step_min"]
    ratios = {}
    for name in peers:
        low, middle = minimum_and_median(times[name])
        rows[name] = {
            "us_per_step_min": low / 1e4 * 1e6,
            "us_per_step_median": middle / 1e4 * 1e6,
        }
        ratios[name] = rows[name]["us_per_step_min"] / generic
        print(f"{name:34s} {low / 1e4 * 1e6:11.3f}   {ratios[name]:.1f}x the generic step")
    threads = min(times["1 thread"]) / min(times["2 threads"])
    print(f"two threads over a batch of arms: {threads:.2f}x one")
    print(f"60 s at 1 kHz with all sensors of a random arm: {recording_s:.2f} s")
    write(
        "twin",
        {
            "rows": rows,
            "mujoco_over_generic": ratios,
            "threads": threads,
            "recording_60_s": recording_s,
        },
    )


def minimum_and_median(values: list[float]) -> tuple[float, float]:
    """The least disturbed round and the middle one."""
    return min(values), float(np.median(values))


def timed(action) -> float:
    """Seconds an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
