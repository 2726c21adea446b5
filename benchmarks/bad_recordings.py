"""Damaged recordings: how many the check names, how many slip through; sound ones: how many it refuses.

Thresholds were chosen on seeds below 1000; `report` uses seeds from 1000 on. Real logs take part where they are.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from pathlib import Path

from _report import write

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

TWINS = 40
"""Sound twins beside the sound real logs."""


def confusion(results) -> dict[str, dict[str, int]]:
    """How often each damage was told as what."""
    table: dict[str, Counter] = defaultdict(Counter)
    for o in results:
        table[o.damage.name][o.kind if o.named else f"({o.kind})"] += 1
    return {name: dict(counts) for name, counts in table.items()}


def measured(first_seed: int, per_damage: int) -> dict[str, object]:
    """All figures of one set of seeds."""
    from jointwise.recording.check import check_recording
    from jointwise.robot.library import load_robot
    from sound_recordings import clean_recordings, outcomes

    results = outcomes(first_seed, per_damage)
    refused = []
    sound = clean_recordings(first_seed, TWINS)
    for k, recording in enumerate(sound):
        checked = check_recording(recording, load_robot(recording.robot))
        if checked.verdict == "refused":
            refused.append(f"{k} {recording.robot}: {checked.reason}")
    return {
        "first_seed": first_seed,
        "kinds_of_damage": len({o.damage.name for o in results}),
        "damaged": len(results),
        "named": sum(o.named for o in results),
        "silent": sum(o.silent for o in results),
        "misses": [
            f"{o.damage.name} of {o.robot} joints {', '.join(o.joints) or '-'}: {o.verdict}, {o.kind}"
            for o in results
            if not o.named
        ],
        "sound": len(sound),
        "sound_refused": refused,
        "told_as": confusion(results),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-damage", type=int, default=6)
    number = parser.parse_args().per_damage
    sets = {"chosen_on": measured(1, number), "report": measured(1000, number)}
    for name, figures in sets.items():
        print(f"{name}: seeds from {figures['first_seed']}")
        print(
            f"  {figures['kinds_of_damage']} kinds of damage, {figures['damaged']} recordings: "
            f"{figures['named']} named, {figures['silent']} silent"
        )
        print(f"  {figures['sound']} sound recordings: {len(figures['sound_refused'])} refused")
        for miss in figures["misses"] + figures["sound_refused"]:
            print(f"    {miss}")
    print("\ndamage -> told as (in brackets: wrong kind or wrong joint), seeds from 1000")
    for damage, told in sets["report"]["told_as"].items():
        print(f"  {damage:28s} " + ", ".join(f"{k} {v}" for k, v in told.items()))
    write("bad_recordings", sets)


if __name__ == "__main__":
    main()
