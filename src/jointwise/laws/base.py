"""What every joint law shares: checked parameters, a name, a code for compiled code, and what it claims.

A law is a frozen set of parameters plus kernel functions that take plain numbers. The claims (odd, dissipative, ...)
are promises the contract tests check for every registered law. The class docstring holds the lines "Formula:",
"Source:" and "Valid:", from which the table of laws is printed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import ParameterError
from jointwise.units import Unit, check_fields, unit_fields

Array = NDArray[np.float64]
Values = tuple[float, ...]

LONGEST_LIST = 4096


@dataclass(frozen=True)
class Each:
    """Marks a field that is a tuple of any length within bounds; the unit holds for every entry."""

    unit: Unit
    shortest: int = 1
    longest: int = LONGEST_LIST


def list_fields(cls: type) -> Mapping[str, Each]:
    """The fields of a law that are lists."""
    return _list_fields(cls)


def field_units(cls: type) -> Mapping[str, Unit]:
    """Unit of every parameter of a law, in the order of declaration."""
    return _field_units(cls)


def _read_lists(cls: type) -> dict[str, Each]:
    found: dict[str, Each] = {}
    for name, hint in get_type_hints(cls, include_extras=True).items():
        marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
        for mark in marks:
            if isinstance(mark, Each):
                found[name] = mark
    return found


def _read_units(cls: Any) -> dict[str, Unit]:
    single = {name: unit for name, (unit, _, _) in unit_fields(cls).items()}
    lists = {name: each.unit for name, each in list_fields(cls).items()}
    return {f.name: (single | lists)[f.name] for f in fields(cls)}


_list_fields: Callable[[Any], Mapping[str, Each]] = functools.cache(_read_lists)
_field_units: Callable[[Any], Mapping[str, Unit]] = functools.cache(_read_units)


class JointLaw:
    """A law of one joint: a frozen dataclass of parameters, checked when it is made."""

    name: ClassVar[str]
    code: ClassVar[int]
    """What compiled code chooses by; unique within the kind of law."""

    def __post_init__(self) -> None:
        check_fields(self, self.name)
        for name, each in list_fields(type(self)).items():
            object.__setattr__(self, name, _checked_list(f"{self.name}.{name}", self, name, each))
        self.check()

    def check(self) -> None:
        """Raise ParameterError where fields do not fit each other."""

    def packed(self) -> Array:
        """The parameters as the kernels read them; unless stated otherwise, the fields in order."""
        return np.array([getattr(self, name) for name in field_units(type(self))], dtype=np.float64)

    @classmethod
    def examples(cls) -> tuple[JointLaw, ...]:
        """Plausible instances, on which the claims are tested."""
        return ()


class FrictionLaw(JointLaw):
    """A friction torque: positive against positive motion. Kernel: `step(p, s, s_new, x) -> torque`.

    p are the packed parameters, s the states before, s_new receives the states after and must be other memory, and
    x = (shift, velocity, load, temperature, position, dt): the way gone since s [rad], velocity [rad/s], joint
    torque [N m], temperature [deg C], position after the shift [rad], time step [s]. The step changes nothing else,
    so a stage of an integrator may be computed from the states at the beginning of the step.
    """

    odd: ClassVar[bool] = True
    """Turning motion and load around turns the torque around."""
    dissipative: ClassVar[bool] = True
    """Never gives energy back over a closed cycle, whatever the parameters; without memory, at no instant."""

    @property
    def state_size(self) -> int:
        """How many numbers the law remembers; all start at zero."""
        return 0

    @property
    def rate_independent(self) -> bool:
        """The torque depends on the path, not on how fast it was run through."""
        return False

    @property
    def return_point(self) -> bool:
        """A closed inner loop leaves no trace, and reversals double the virgin curve (Masing)."""
        return False

    def steady(self) -> tuple[FrictionLaw, ...]:
        """Memoryless laws whose sum this one settles to at constant velocity; empty where nothing is claimed."""
        return ()

    @classmethod
    def reductions(cls) -> tuple[tuple[FrictionLaw, tuple[FrictionLaw, ...]], ...]:
        """Instances with an extra parameter at zero, each with the simpler laws it must then equal."""
        return ()


def increasing(owner: str, low: tuple[str, float], high: tuple[str, float], equal: bool) -> None:
    """Raise unless the second named value is above (or equal to, if allowed) the first."""
    if high[1] > low[1] or (equal and high[1] == low[1]):
        return
    words = "at least" if equal else "above"
    raise ParameterError(f"{owner}.{high[0]}", high[1], f"{words} {low[0]}, which is {low[1]:g}")


def whole(owner: str, name: str, value: float) -> int:
    """The value as an int; raise unless it is a whole number."""
    if value != int(value):
        raise ParameterError(f"{owner}.{name}", value, "a whole number")
    return int(value)


def _checked_list(label: str, law: Any, name: str, each: Each) -> Values:
    value = getattr(law, name)
    try:
        items = [value] if isinstance(value, (int, float)) else list(value)
    except TypeError:
        items = []
    if not each.shortest <= len(items) <= each.longest:
        raise ParameterError(
            label, value, f"{each.shortest} to {each.longest} numbers in {each.unit.symbol}"
        )
    plain = [v.item() if isinstance(v, np.generic) else v for v in items]
    for index, item in enumerate(plain):
        each.unit.check(f"{label}[{index}]", item)
    return tuple(float(v) for v in plain)
