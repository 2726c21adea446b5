"""The notation table names what exists: each of its public words stands in the sources."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "notation.md").read_text(encoding="utf-8")


def test_every_word_of_the_notation_table_is_used():
    sources = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "src" / "jointwise").glob("**/*.py")
    )
    used = set(re.findall(r"\w+", sources))
    rows = [line.split("|") for line in PAGE.splitlines() if re.match(r"\| [^-]", line)]
    words = {w for row in rows if len(row) == 7 for w in re.findall(r"`([a-z_0-9]+)`", row[3])}
    assert len(words) > 30
    assert words - used == set()
