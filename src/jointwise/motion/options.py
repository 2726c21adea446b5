"""Options of planners: each is declared once, in the planner's signature, with unit, bounds and one line of help.

From these annotations options are checked, documented, and offered on the command line.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.units import Unit, check_seed


@dataclass(frozen=True)
class Help:
    """One line about an option."""

    text: str


@dataclass(frozen=True)
class OneOf:
    """The names an option may have."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Option:
    """One option of a planner, as its signature declares it."""

    name: str
    kind: str
    """number, count, name, names, text, seed, numbers, poses"""
    default: Any
    help: str
    unit: Unit | None = None
    names: tuple[str, ...] = ()
    optional: bool = False
    one_for_all: bool = False
    """True where a list may be given as a single number"""

    def check(self, value: Any) -> None:
        """Raise ParameterError unless the option may have this value."""
        if value is None and self.optional:
            return
        if self.kind == "seed":
            check_seed(value)
        elif self.kind in ("name", "names"):
            listed = (
                value if self.kind == "names" and isinstance(value, (list, tuple)) else (value,)
            )
            for name in listed:
                if name not in self.names:
                    raise UnknownNameError(self.name, str(name), self.names)
        elif self.kind == "count":
            self._check_count(value)
        elif self.kind == "number" and self.unit is not None:
            self.unit.check(self.name, value)
        elif self.kind in ("numbers", "poses"):
            self._check_numbers(value)

    def _check_count(self, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            allowed = self.unit.allowed() if self.unit else ""
            raise ParameterError(self.name, value, f"a whole number {allowed}".strip())
        if self.unit is not None:
            self.unit.check(self.name, value)

    def _check_numbers(self, value: Any) -> None:
        unit = self.unit or Unit("1")
        single = isinstance(value, (int, float)) and self.one_for_all
        flat = [value] if single else getattr(value, "tolist", lambda: value)()
        try:
            items = list(flat)
        except TypeError:
            raise ParameterError(self.name, value, f"numbers: {unit.allowed()}") from None
        for item in items:
            if self.kind == "poses" and isinstance(item, (list, tuple)):
                self._check_numbers(item)
            else:
                unit.check(self.name, item.item() if hasattr(item, "item") else item)


@dataclass(frozen=True)
class Poses:
    """Marks a list of lists: one pose, n numbers, per row."""


class Seed:
    """Marks a seed of random numbers."""


def options_of(function: Callable[..., Any]) -> dict[str, Option]:
    """The keyword-only options of a planner, in the order of its signature."""
    hints = get_type_hints(function, include_extras=True)
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        base, *extras = get_args(hints[name])
        unit = next((e for e in extras if isinstance(e, Unit)), None)
        names = next((e.names for e in extras if isinstance(e, OneOf)), ())
        text = next(e.text for e in extras if isinstance(e, Help))
        choices = get_args(base) if get_origin(base) in (Union, types.UnionType) else (base,)
        found[name] = Option(
            name=name,
            kind=_kind(choices, extras),
            default=parameter.default,
            help=text,
            unit=unit,
            names=names,
            optional=type(None) in choices,
            one_for_all=float in choices,
        )
    return found


def _kind(choices: tuple[Any, ...], extras: list[Any]) -> str:
    if any(e is Seed for e in extras):
        return "seed"
    if any(isinstance(e, Poses) for e in extras):
        return "poses"
    named = any(isinstance(e, OneOf) for e in extras)
    if any(get_origin(c) is not None for c in choices):
        return "names" if named else "numbers"
    plain = next(c for c in choices if c is not type(None))
    if plain is str:
        return "name" if named else "text"
    return "count" if plain is int else "number"


def checked(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raise unless every option given is one of the function's and has a value it allows."""
    known = options_of(function)
    for name, value in given.items():
        if name not in known:
            raise UnknownNameError("option", name, known)
        known[name].check(value)
    missing = [o.name for o in known.values() if o.default is inspect.Parameter.empty]
    for name in missing:
        if name not in given:
            raise ParameterError(f"option {name}", "not given", "stated")
