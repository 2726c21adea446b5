"""The page of laws says what the laws say."""

from pathlib import Path

import pytest

from jointwise.laws import catalogue
from jointwise.laws.base import field_units
from jointwise.laws.registry import KINDS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "laws.md"
LAWS = [law for laws in KINDS.values() for law in laws.values()]


def test_the_page_is_the_one_the_laws_print():
    assert PAGE.read_text() == catalogue.page(), (
        "write it anew: python -m jointwise.laws.catalogue > docs/laws.md"
    )


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_every_law_states_formula_source_and_validity(law):
    for word in ("Formula", "Source", "Valid"):
        assert catalogue.statement(law, word), word
    row = next(row for row in PAGE.read_text().splitlines() if row.startswith(f"| `{law.name}` |"))
    for field, unit in field_units(law).items():
        assert f"`{field}` [{unit.symbol}]" in row
