"""The table of laws, printed from the laws themselves: `python -m jointwise.laws.catalogue > docs/laws.md`."""

from __future__ import annotations

import inspect
import re

from jointwise.laws.base import JointLaw, field_units
from jointwise.laws.pmsm import CurrentLoop, Pmsm
from jointwise.laws.registry import KINDS

HEAD = """# Joint laws

Every law the package knows, printed from its source. Torques and angles are on the output side of the gear, omega is
the rotor's velocity reflected there; friction torque is positive against positive motion. A joint's friction is a sum
of friction laws; a transmission is one stiffness law, with damping, kinematic error and backlash map as wanted. In a
robot file a sum is written by joining names with " + " and putting the law's name before each parameter, as in
`e_gms.coulomb`. Sources and errata are explained in [errata.md](errata.md), symbols in [notation.md](notation.md).
"""


def page() -> str:
    """The table of all laws as Markdown."""
    parts = [HEAD]
    for kind, laws in KINDS.items():
        parts.append(_section(kind.capitalize(), list(laws.values())))
    parts.append(_section("Actuator", [Pmsm, CurrentLoop]))
    return "\n".join(parts)


def statement(law: type[JointLaw], word: str) -> str:
    """The text after "Formula:", "Source:" or "Valid:" in the docstring of a law."""
    text = inspect.cleandoc(law.__doc__ or "")
    found = re.search(rf"^{word}: (.*(?:\n[ ]+.*)*)", text, re.MULTILINE)
    return " ".join(found.group(1).split()) if found else ""


def _section(title: str, laws: list[type[JointLaw]]) -> str:
    rows = [f"## {title}", "", "| name | formula | parameters | source | valid |"]
    rows.append("|---|---|---|---|---|")
    for law in laws:
        named = ", ".join(f"`{k}` [{u.symbol}]" for k, u in field_units(law).items())
        texts = [statement(law, word) for word in ("Formula", "Source", "Valid")]
        rows.append(f"| `{law.name}` | {texts[0]} | {named} | {texts[1]} | {texts[2]} |")
    return "\n".join([*rows, ""])


def main() -> None:
    """Print the page."""
    print(page(), end="")


if __name__ == "__main__":
    main()
