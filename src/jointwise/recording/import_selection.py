"""Which columns of a foreign table a quantity is in: numbers, names, or one name with the joint's number in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jointwise.errors import ParameterError

MOST_COLUMNS = 100_000
NUMBERS = re.compile(r"\s*\d+\s*(-\s*\d+\s*)?(,\s*\d+\s*(-\s*\d+\s*)?)*\Z")
COUNTED = re.compile(r"\{([01])\.\.\}")
FORMS = (
    "a column number from 1, numbers such as '2-7' or '2,4,6', a list of numbers or of names, a name, or a name "
    "with the joint's number such as 'q_{0..}' or 'q_{1..}'"
)


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Columns by number (from 1) or by name, one per joint; `pattern` holds {0..} or {1..} for the joint's number.

    One name may stand for a variable that holds every joint, in file types that have such variables.
    """

    numbers: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    pattern: str = ""

    def named(self, joints: Sequence[int]) -> tuple[str, ...]:
        """The names for these joints, counted from 0; none where columns are given by number."""
        found = COUNTED.search(self.pattern)
        if found is None:
            return self.names
        first = int(found[1])
        return tuple(COUNTED.sub(str(first + j), self.pattern) for j in joints)

    def __str__(self) -> str:
        if self.numbers:
            return "column " + ", ".join(str(n) for n in self.numbers)
        return self.pattern or ", ".join(self.names)


def parse_selection(what: str, given: Any) -> Selection:
    """Columns as a column map writes them; anything else is a ParameterError about `what`."""
    if isinstance(given, int) and not isinstance(given, bool):
        return Selection(numbers=_checked(what, given, (given,)))
    if isinstance(given, str) and NUMBERS.match(given) and len(given) < 1000:
        return Selection(numbers=_checked(what, given, tuple(_ranges(what, given))))
    if isinstance(given, str) and given.strip():
        return Selection(pattern=given) if COUNTED.search(given) else Selection(names=(given,))
    if isinstance(given, (list, tuple)) and given:
        if all(isinstance(item, int) and not isinstance(item, bool) for item in given):
            return Selection(numbers=_checked(what, given, tuple(given)))
        if all(isinstance(item, str) and item.strip() for item in given):
            return Selection(names=tuple(given))
    raise ParameterError(what, given, FORMS)


def _ranges(what: str, text: str) -> list[int]:
    found: list[int] = []
    for part in text.split(","):
        ends = [int(end) for end in part.split("-")]
        if ends[-1] - ends[0] >= MOST_COLUMNS or ends[-1] < ends[0]:
            raise ParameterError(what, text, "ranges that rise, such as '2-7'")
        found.extend(range(ends[0], ends[-1] + 1))
    return found


def _checked(what: str, given: Any, numbers: tuple[int, ...]) -> tuple[int, ...]:
    if any(not 1 <= number <= MOST_COLUMNS for number in numbers):
        raise ParameterError(
            what, given, f"columns from 1 to {MOST_COLUMNS}", "the first column is number 1"
        )
    if len(set(numbers)) != len(numbers):
        raise ParameterError(what, given, "columns named once each")
    return numbers
