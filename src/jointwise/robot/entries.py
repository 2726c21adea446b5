"""One entry of a robot file with its place, so that every message names the entry and the file."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from jointwise.errors import FileError, JointwiseError, ParameterError, shown
from jointwise.robot.parts import MAX_NAME
from jointwise.robot.paths import located


@dataclass(frozen=True)
class Entry:
    """A value found at `place` in the file at `path`."""

    path: Any
    place: str
    data: Any

    def wrong(self, problem: str, advice: str = "") -> FileError:
        """The error for this entry."""
        return FileError(self.path, self.place, problem, advice)

    def below(self, key: str) -> Entry:
        """The entry of that key."""
        place = f"{self.place}.{key}" if self.place else key
        return Entry(self.path, place, self.table().get(key))

    def named(self, name: object) -> Entry:
        """The same entry, called by the name it gives itself where that can be a name."""
        usable = isinstance(name, str) and len(name) <= MAX_NAME
        return Entry(self.path, f"joints.{name}", self.data) if usable else self

    def table(self) -> dict[str, Any]:
        """The entry as a table."""
        if not isinstance(self.data, dict):
            raise self.wrong(f"is {shown(self.data)}, but must be a table")
        return self.data

    def tables(self) -> list[Entry]:
        """The entry as a list of tables, each called by its number."""
        if not isinstance(self.data, list):
            raise self.wrong(f"is {shown(self.data)}, but must be a list of tables")
        return [Entry(self.path, f"joint {k}", item) for k, item in enumerate(self.data, 1)]

    def vector(self) -> Any:
        """The entry, lists as tuples."""
        if isinstance(self.data, list):
            return tuple(tuple(v) if isinstance(v, list) else v for v in self.data)
        return self.data

    def keys(self, required: Iterable[str], allowed: Iterable[str]) -> None:
        """Raise unless the table has every required key and no key that is not allowed."""
        required = tuple(required)
        known = [*required, *(key for key in allowed if key not in required)]
        for key in self.table():
            if key not in known:
                near = difflib.get_close_matches(key[:100], known, n=1, cutoff=0.5)
                advice = f"did you mean {near[0]!r}?" if near else f"allowed: {', '.join(known)}"
                raise self.wrong(f"unknown key {shown(key)}", advice)
        missing = [key for key in required if key not in self.data]
        if missing:
            raise self.wrong(f"required key {', '.join(missing)} is missing")

    def build(self, make: Callable[..., Any], **values: Any) -> Any:
        """Call a parameter class; what it refuses becomes an error about this entry."""
        try:
            return make(**values)
        except ParameterError as error:
            place, allowed = located(error, self.place)
            raise FileError(
                self.path, place, f"is {shown(error.value)}, but must be {allowed}"
            ) from None
        except JointwiseError as error:
            raise self.wrong(str(error)) from None
