"""What is around the arm, from a TOML file: a wall it may touch, and hands that push its tool.

[wall]
normal = [0.0, 0.0, 1.0]     # pointing away from the wall, in base axes
distance = 0.2               # m along it, from the base
stiffness = 1e4              # N/m

[[pushes]]
force = [0.0, 30.0, 0.0]     # N in base axes
start = 1.0                  # s
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jointwise.errors import FileError
from jointwise.plant.outcome import Wall
from jointwise.plant.push import HandPush
from jointwise.plant.toml_entry import made, read_toml


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """A wall, if there is one, and pushes."""

    wall: Wall | None = None
    pushes: tuple[HandPush, ...] = ()


def load_surroundings(path: Any) -> Surroundings:
    """Wall and pushes of a file."""
    data = read_toml(path)
    pushes = data.get("pushes", [])
    if not data or not set(data) <= {"wall", "pushes"} or not isinstance(pushes, list):
        raise FileError(path, "", "must hold a [wall], [[pushes]] tables, and nothing else")
    return Surroundings(
        wall=made(path, "wall", Wall, data["wall"]) if "wall" in data else None,
        pushes=tuple(
            made(path, f"push {k}", HandPush, entry) for k, entry in enumerate(pushes, start=1)
        ),
    )
