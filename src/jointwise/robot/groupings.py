"""How base parameters are written: names with R where something is grouped in, and sums a person can read."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

DIGITS = 6


def grouped_name(name: str, alone: bool) -> str:
    """XX2 stays XX2 where it stands alone, and becomes XXR2 where others are grouped into it."""
    return name if alone else re.sub(r"(\d*)$", r"R\1", name, count=1)


def grouping(own: int, row: NDArray[np.float64], columns: Sequence[str]) -> str:
    """A row of coefficients as a sum, its own parameter first: `XX2 - YY2 - 0.180625 (m3 + m4)`."""
    members: dict[str, list[str]] = {}
    for k in (int(k) for k in np.flatnonzero(row) if k != own):
        members.setdefault(f"{row[k]:+.{DIGITS}g}", []).append(columns[k])
    text = columns[own]
    for coefficient, names in members.items():
        sign, size = coefficient[0], coefficient[1:]
        if size == "1":
            text += "".join(f" {sign} {name}" for name in names)
        elif len(names) == 1:
            text += f" {sign} {size} {names[0]}"
        else:
            text += f" {sign} {size} ({' + '.join(names)})"
    return text
