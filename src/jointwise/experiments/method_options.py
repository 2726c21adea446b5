"""Options of a method, written behind its name: `wls:power=1,passes=3`, `huber:c=2`, `ridge:strength=gcv`."""

from __future__ import annotations

import inspect

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.estimators.registry import estimator

Value = int | float | str
OWN: dict[str, tuple[str, ...]] = {"ridge": ("strength",), "physical": ("spread",)}
"""Methods whose other options follow from the robot."""


def parsed(method: str) -> tuple[str, dict[str, Value]]:
    """Name and options of a method; an option it does not have, or a value that is no number, is refused."""
    name, _, text = str(method).partition(":")
    given: dict[str, Value] = {}
    known = options_of(name) if text else ()
    for part in text.split(",") if text else ():
        option, equals, value = (piece.strip() for piece in part.partition("="))
        if option not in known:
            if not known:
                raise ParameterError(f"options of method {name}", text, "none, it has none")
            raise UnknownNameError(f"option of method {name}", option, known)
        if not equals or not value:
            raise ParameterError(f"option {option} of method {name}", value, "stated behind a =")
        given[option] = _value(value)
    return name, given


def options_of(method: str) -> tuple[str, ...]:
    """Names of the options of a method."""
    if method in OWN:
        return OWN[method]
    try:
        parameters = inspect.signature(estimator(method)).parameters
    except UnknownNameError:
        return ()
    return tuple(
        name
        for name, p in parameters.items()
        if p.kind is inspect.Parameter.KEYWORD_ONLY and method != "bounded"
    )


def _value(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
