"""The explanation pages show what the laws compute, and the page on the population leaves nothing out."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import jointwise
from jointwise.plant import population

DOCS = Path(__file__).resolve().parent.parent / "docs"
IMAGES = DOCS / "images"
PAGES = [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]
LARGEST = 100_000  # bytes

STRUCTURE = {"robot", "joints", "transmission", "kinematic_error", "friction", "link_friction"} | {
    "sensors", "thermal", "terms", "motor_encoder", "link_encoder", "current", "temperature",
}  # fmt: skip
"""Fields that hold other parts and no number."""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Folder with the figures, drawn anew."""
    folder = tmp_path_factory.mktemp("figures")
    script = DOCS / "explanation" / "make_figures.py"
    source = str(Path(jointwise.__file__).resolve().parent.parent)
    subprocess.run(
        [sys.executable, "-W", "error", str(script), str(folder)],
        check=True,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    return folder


def referenced():
    """Names of all images the pages show."""
    return {
        (page, link)
        for page in PAGES
        for link in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text())
    }


def test_every_image_on_a_page_exists_and_every_image_is_on_a_page():
    shown = {(page.parent / link).resolve() for page, link in referenced()}
    assert shown == set(IMAGES.iterdir())


def test_the_script_draws_the_images_that_are_there(drawn):
    assert {p.name for p in drawn.iterdir()} == {p.name for p in IMAGES.iterdir()}


def test_images_are_small_and_say_nothing_of_when_and_where_they_were_made(drawn):
    for image in [*drawn.iterdir(), *IMAGES.iterdir()]:
        text = image.read_text(encoding="utf-8")
        assert len(text) < LARGEST, image.name
        assert "dc:date" not in text
        assert not re.search(r"/(home|root|tmp|work|Users)/", text)


def numbers_of_the_population():
    """Fields that population.py sets, its paths in a robot, its table of sizes and its constants."""
    tree = ast.parse(Path(population.__file__).read_text(encoding="utf-8"))
    names = set(population.Size._fields) | {"SIZES", "ARMS"}
    names |= {name for name in ("GEAR_RATIO", "WARM_DEGC", "BACKLASH_KNOTS")}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id[0].isupper()
        ):
            names |= {k.arg for k in node.keywords if k.arg}
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "changes":
            last = node.slice.values[-1] if isinstance(node.slice, ast.JoinedStr) else node.slice
            names.add(last.value.split(".")[-1])
    return sorted(names - STRUCTURE)


def test_the_test_below_sees_the_fields():
    assert {"half_backlash", "copper_loss", "rotor_inertia", "payload"} <= set(
        numbers_of_the_population()
    )


@pytest.mark.parametrize("name", numbers_of_the_population())
def test_every_number_of_the_population_is_on_its_page(name):
    assert f"`{name}`" in (DOCS / "population.md").read_text(encoding="utf-8")
