"""What the README says is true: its example runs, its links lead somewhere."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jointwise.cli.main import app

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)


def test_the_example_is_short():
    assert len(EXAMPLES) == 1
    assert len(EXAMPLES[0].splitlines()) <= 12


def test_the_example_runs_after_the_demo_and_prints_what_its_comments_say(
    demo, capsys, monkeypatch
):
    monkeypatch.chdir(demo[1].parent)
    exec(compile(EXAMPLES[0], "README.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    promised = re.findall(r"print\(.*\)\s+# ([^:\n]*)", EXAMPLES[0])
    assert printed == promised
    assert {"again.html", "identified.toml"} <= {path.name for path in demo[1].iterdir()}


def test_the_commands_for_an_own_arm_have_only_options_that_exist():
    lines = re.findall(r"^    (jointwise .*?)(?: +#.*)?$", README.read_text(), re.M)
    assert len(lines) >= 4
    for line in lines:
        words = line.split()
        taken = CliRunner().invoke(app, [*words[1 : 3 if words[1] == "fit" else 2], "--help"])
        for option in (word for word in words if word.startswith("--")):
            assert option in taken.output, line


@pytest.mark.parametrize("command", ["make demo", "make test"])
def test_the_two_commands_are_named_and_exist(command):
    assert command in (ROOT / "README.md").read_text()
    target = command.removeprefix("make ")
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_inside_the_project_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text())
    inside = [link for link in links if "://" not in link]
    assert [link for link in inside if not (page.parent / link).exists()] == []
