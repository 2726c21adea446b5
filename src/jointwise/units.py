"""Units: what every stored number means, its bounds, and the only conversions in the package.

Inside Jointwise everything is SI and on the output side of the gear. Parameter classes annotate each field with a
`Unit`; bounds are checked at construction, and files, tables and documentation read the same annotation.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from jointwise.errors import ParameterError


class Unknown:
    """The value of a quantity nobody has measured yet. It never acts as a number."""

    _instance: Unknown | None = None

    def __new__(cls) -> Unknown:
        """The one instance."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "unknown"

    def __reduce__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        raise TypeError("an unknown value is neither true nor false; compare with `is UNKNOWN`")


UNKNOWN: Final = Unknown()
Known = float | Unknown


@dataclass(frozen=True)
class Unit:
    """Unit and bounds of one field: `mass: Annotated[float, Unit("kg", lower=0.0)]`."""

    symbol: str
    lower: float = -math.inf
    upper: float = math.inf
    open_lower: bool = False
    """True where the lower bound itself is not allowed."""
    nonzero: bool = False
    infinite: bool = False
    """True where infinity means 'no limit'."""

    def allowed(self) -> str:
        """The range in words, for messages and tables."""
        unit = "" if self.symbol == "1" else f" {self.symbol}"
        if math.isfinite(self.lower) and math.isfinite(self.upper):
            start = (
                f"above {self.lower:g} and at most"
                if self.open_lower
                else f"from {self.lower:g} to"
            )
            text = f"{start} {self.upper:g}{unit}"
        elif math.isfinite(self.lower):
            text = f"{'above' if self.open_lower else 'at least'} {self.lower:g}{unit}"
        elif math.isfinite(self.upper):
            text = f"at most {self.upper:g}{unit}"
        else:
            text = f"a finite number{' in' + unit if unit else ''}"
        return text + (" and not zero" if self.nonzero else "")

    def check(self, name: str, value: object) -> None:
        """Raise ParameterError unless `value` is a real number inside the bounds."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ParameterError(name, value, f"a number: {self.allowed()}")
        try:
            number = float(value)
        except OverflowError:
            raise ParameterError(name, value, self.allowed()) from None
        inside = self.lower <= number <= self.upper
        if self.open_lower and number == self.lower:
            inside = False
        if self.nonzero and number == 0.0:
            inside = False
        if math.isnan(number) or (math.isinf(number) and not self.infinite) or not inside:
            raise ParameterError(name, value, self.allowed())


@functools.cache
def unit_fields(cls: Any) -> dict[str, tuple[Unit, bool, int]]:
    """Of each annotated field: its unit, whether it may be unknown, and its length (0 for a scalar)."""
    found: dict[str, tuple[Unit, bool, int]] = {}
    for name, hint in get_type_hints(cls, include_extras=True).items():
        if get_origin(hint) is not Annotated:
            continue
        base, *extras = get_args(hint)
        unit = next((e for e in extras if isinstance(e, Unit)), None)
        if unit is None:
            continue
        options = get_args(base) if get_origin(base) is not tuple else (base,)
        options = options or (base,)
        vector = next((o for o in options if get_origin(o) is tuple), None)
        found[name] = (unit, Unknown in options, len(get_args(vector)) if vector else 0)
    return found


def check_fields(obj: object, owner: str = "") -> None:
    """Check every annotated field of a parameter object and store it as float or tuple of floats.

    Call it in `__post_init__`; `owner` is put before the field name in messages.
    """
    cls: Any = type(obj)
    for name, (unit, may_be_unknown, length) in unit_fields(cls).items():
        value = getattr(obj, name)
        label = f"{owner}.{name}" if owner else name
        if value is UNKNOWN:
            if not may_be_unknown:
                raise ParameterError(label, value, unit.allowed())
            continue
        if length == 0:
            value = _plain(value)
            unit.check(label, value)
            object.__setattr__(obj, name, float(value))
            continue
        try:
            items = [_plain(v) for v in value]
        except TypeError:
            items = []
        if len(items) != length:
            raise ParameterError(label, value, f"{length} numbers in {unit.symbol}")
        for index, item in enumerate(items):
            unit.check(f"{label}[{index}]", item)
        object.__setattr__(obj, name, tuple(float(v) for v in items))


def _plain(value: Any) -> Any:
    """Numpy scalars as Python numbers, everything else unchanged."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value


def check_seed(seed: object) -> None:
    """Raise ParameterError unless `seed` is a whole number of at least 0."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ParameterError("seed", seed, "a whole number of at least 0")


def degrees_to_radians(angle_deg: float) -> float:
    """Angle in degrees to radians."""
    return math.radians(angle_deg)


def reflected_inertia(inertia_motor: float, gear_ratio: float) -> float:
    """Rotor inertia on the output side, B = r^2 J_m. Spec 01.3."""
    return gear_ratio * gear_ratio * inertia_motor


def reflected_torque_constant(torque_constant_motor: float, gear_ratio: float) -> float:
    """Torque constant on the output side, K_tau = r k. Spec 01.3."""
    return gear_ratio * torque_constant_motor
