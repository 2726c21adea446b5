"""Every error Jointwise raises on purpose.

    JointwiseError
        ParameterError (ValueError)      a value outside what physics or the limits allow
            UnitError                    a value given in another unit than stated
        ShapeError (ValueError)          an array of another shape, or with NaN or infinity in it
        UnknownValueError (LookupError)  a computation needs values this robot does not know
        UnknownNameError (LookupError)   a name that is not registered
        FileError (ValueError)           a robot file or URDF that cannot be trusted
        NumericalError (ArithmeticError) a computation that has no finite answer

Each one subclasses the built-in a caller would catch anyway, carries the data as attributes, and says in one
sentence what is wrong, its value, what is allowed and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class JointwiseError(Exception):
    """Base of the family: `except jw.JointwiseError` catches everything raised on purpose."""


class ParameterError(JointwiseError, ValueError):
    """A value outside its allowed range."""

    def __init__(self, name: str, value: object, allowed: str, advice: str = "") -> None:
        self.name, self.value, self.allowed = name, value, allowed
        super().__init__(f"{name} is {shown(value)}, but must be {allowed}{_tail(advice)}")


class UnitError(ParameterError):
    """A value given in another unit than the one the file format states."""


class ShapeError(JointwiseError, ValueError):
    """An array whose shape or content cannot be used."""

    def __init__(self, name: str, got: object, expected: str, advice: str = "") -> None:
        self.name, self.got, self.expected = name, got, expected
        super().__init__(f"{name} has {shown(got)}, expected {expected}{_tail(advice)}")


class UnknownValueError(JointwiseError, LookupError):
    """A computation that needs values marked unknown."""

    def __init__(self, needed_for: str, names: Iterable[str]) -> None:
        self.needed_for, self.names = needed_for, tuple(names)
        listed = ", ".join(self.names[:6]) + (
            f" and {len(self.names) - 6} more" if len(self.names) > 6 else ""
        )
        super().__init__(
            f"{needed_for} needs values this robot does not know: {listed}; "
            "set them in a robot file (jointwise show ROBOT -o arm.toml) or with Robot.replace, or fit them"
        )


class UnknownNameError(JointwiseError, LookupError):
    """A name that is not registered; lists what is, nearest first."""

    def __init__(self, kind: str, name: str, available: Iterable[str]) -> None:
        self.kind, self.name, self.available = kind, name, tuple(available)
        near = difflib.get_close_matches(name, self.available, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        super().__init__(
            f"no {kind} is named {shown(name)}{hint} (available: {', '.join(self.available)})"
        )


class FileError(JointwiseError, ValueError):
    """A file that is refused as a whole; nothing of it is kept."""

    def __init__(self, path: object, element: str, problem: str, advice: str = "") -> None:
        self.path, self.element, self.problem = str(path), element, problem
        where = f"{shown_path(path)}: {_line(element, 300)}" if element else shown_path(path)
        super().__init__(f"{where}: {_line(problem + _tail(advice), 300)}")


class NumericalError(JointwiseError, ArithmeticError):
    """A computation without a finite or unique answer."""


def shown(value: object) -> str:
    """A value as an error message shows it: printable, one line, at most 80 characters."""
    try:
        text = value if isinstance(value, str) and " " in value else repr(value)
    except (ValueError, RecursionError):  # integers of thousands of digits, bottomless lists
        text = f"a {type(value).__name__} too long to show"
    return _line(text, 80)


def shown_path(path: object) -> str:
    """A path for a message: printable, its last 80 characters."""
    text = str(path)
    return _line(text if len(text) <= 80 else "..." + text[-77:], 80)


def _line(text: str, most: int) -> str:
    """One printable line of at most `most` characters."""
    text = text if len(text) <= most else text[: most - 3] + "..."
    return "".join(c if c.isprintable() else "?" for c in text)


def _tail(advice: str) -> str:
    return f"; {advice}" if advice else ""
