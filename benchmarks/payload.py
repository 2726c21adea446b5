"""Mass of the payload of a real UR10e, from one log with it; about 2.5 kg, inferred by those who recorded it.

    python benchmarks/payload.py

The arm's model comes from the unloaded logs of the following month, low-pass 5 Hz. Three ways: all ten parameters, mass
and centre only, and with unloaded one-joint logs of nine days later beside the loaded one. Needs ../shared/data.
"""

from __future__ import annotations

import sys
from pathlib import Path

from _report import write
from jointwise.experiments.payload import fit_payload
from jointwise.experiments.robot_fit import fit_robot
from jointwise.robot.library import load_robot

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from real_logs import ur10e, ur10e_logs

LOWEST, HIGHEST = 2.4, 2.65
FILTER_HZ = 5.0


def main() -> None:
    """Measure, print and store."""
    logs = {path.stem: ur10e(path) for path in ur10e_logs()}
    bare = {name: log for name, log in logs.items() if "20_02_" in name}
    loaded = {name: log for name, log in logs.items() if "load_2600" in name}
    single = {name: log for name, log in logs.items() if "joint_" in name}
    arm = fit_robot(load_robot("ur10e"), bare, filter_hz=FILTER_HZ)
    rows = []
    for way, options in {
        "ten parameters": {},
        "mass and centre": {"body": "point"},
        "with unloaded logs beside it": {"without": single},
    }.items():
        mass = fit_payload(arm, loaded, **options)["mass"]
        inside = LOWEST <= mass.value <= HIGHEST
        rows.append(
            {
                "way": way,
                "mass": mass.value,
                "lower": mass.lower,
                "upper": mass.upper,
                "inside": inside,
            }
        )
        print(f"{way}: {mass.value:.3f} kg, {mass.lower:.3f} to {mass.upper:.3f}", flush=True)
    write("payload", {"wanted_kg": [LOWEST, HIGHEST], "rows": rows})


if __name__ == "__main__":
    main()
