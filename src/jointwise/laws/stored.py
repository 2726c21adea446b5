"""Between laws as objects and laws as a robot file stores them.

One law is stored under its own name. Several are stored together: the name joins theirs with " + ", and every
parameter carries the name of its law in front, "e_gms.coulomb".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

from jointwise.errors import ParameterError, UnknownNameError
from jointwise.laws.base import JointLaw, Values, field_units
from jointwise.laws.registry import L, law_class
from jointwise.robot.parts import Law

JOINT = " + "


def stored(laws: Sequence[JointLaw]) -> Law:
    """The laws as one entry of a robot file."""
    names = [law.name for law in laws]
    if not names:
        raise ParameterError("laws", "empty", "at least one law")
    for name in names:
        if names.count(name) > 1:
            raise ParameterError("laws", JOINT.join(names), f"without {name!r} a second time")
    parameters: dict[str, float | Values] = {}
    for law in laws:
        prefix = f"{law.name}." if len(laws) > 1 else ""
        parameters |= {prefix + f.name: getattr(law, f.name) for f in fields(law)}  # type: ignore[arg-type]
    return Law(name=JOINT.join(names), parameters=parameters)


def law_names(law: Law) -> list[str]:
    """Names of the laws in a robot file's entry."""
    return [name.strip() for name in law.name.split(JOINT.strip())]


def restored(kind: str, law: Law, table: Mapping[str, type[L]]) -> tuple[L, ...]:
    """The laws of a robot file's entry; unknown names and parameters are refused."""
    names = law_names(law)
    if len(set(names)) < len(names):
        raise ParameterError(f"{kind} name", law.name, "without a law named twice")
    classes = [law_class(kind, name, table) for name in names]
    if len(names) == 1:
        return (_made(classes[0], law.parameters),)
    own: dict[str, dict[str, float | Values]] = {name: {} for name in names}
    for key, value in law.parameters.items():
        name, _, field = key.partition(".")
        if name not in own:
            raise UnknownNameError("law in this sum", name, names)
        own[name][field] = value
    return tuple(_made(cls, own[cls.name]) for cls in classes)


def _made(cls: type[L], parameters: Mapping[str, float | Values]) -> L:
    known = {f.name: f for f in fields(cls)}  # type: ignore[arg-type]
    for key in parameters:
        if key not in known:
            raise UnknownNameError(f"parameter of {cls.name}", key, known)
    for name in known:
        if name not in parameters and not hasattr(cls, name):
            raise ParameterError(
                f"{cls.name}.{name}", "not given", field_units(cls)[name].allowed()
            )
    return cls(**parameters)
