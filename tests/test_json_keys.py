"""The keys of `--json` are those docs/json.md names: from a plan to a report of a pendulum."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jointwise.cli.main import app

PAGE = (Path(__file__).parent.parent / "docs" / "json.md").read_text(encoding="utf-8")


def documented(title):
    section = PAGE.split(f"## `jointwise {title} --json`")[1].split("\n## ")[0]
    keys = set(re.findall(r"^\| `(\w+)` \|", section, re.M))
    assert keys
    return keys


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What each verb prints, by the title of its section."""
    folder = tmp_path_factory.mktemp("json")
    motion, rec, fit, page = (
        str(folder / n) for n in ("m.parquet", "r.parquet", "f.toml", "p.html")
    )
    arm = ("--robot", "pendulum")
    log, layout = folder / "log.csv", folder / "map.toml"
    log.write_text("t,q\n" + "".join(f"{0.01 * k:.2f},{1e-3 * k}\n" for k in range(100)))
    layout.write_text(
        'format = "jointwise-columns"\nversion = 1\nabout = "test"\n'
        '[time]\ncolumn = "t"\nunit = "s"\n[columns.q]\ncolumns = "q"\nunit = "rad"\n'
    )
    calls = {
        "plan KIND": ("plan", "random", *arm, "--duration", "10", "-o", motion),
        "run": ("run", motion, *arm, "-o", rec),
        "import": ("import", str(log), *arm, "--columns", str(layout), "-o", str(folder / "i.parquet")),
        "check": ("check", rec, *arm),
        "fit EXPERIMENT": (
            "fit", "robot", rec, *arm, "--torque", "current", "--filter-hz", "10",
            "--friction", "coulomb,viscous", "-o", fit,
        ),
        "validate": ("validate", fit, rec),
        "report": ("report", fit, rec, "-o", page),
    }  # fmt: skip
    out = {}
    for title, call in calls.items():
        result = CliRunner().invoke(app, [*call, "--json"])
        assert result.exit_code == 0, (title, result.output)
        out[title] = json.loads(result.stdout)
    return out


@pytest.mark.parametrize(
    "title", ["plan KIND", "run", "import", "fit EXPERIMENT", "validate", "report"]
)
def test_keys_are_those_of_the_page(printed, title):
    assert set(printed[title]) == documented(title)


def test_keys_of_a_check_are_those_of_the_page(printed):
    assert set(printed["check"]["recordings"][0]) == documented("check")


def test_scores_have_the_keys_the_page_names(printed):
    joint = printed["validate"]["recordings"][0]["joints"][0]
    section = PAGE.split("## `jointwise validate --json`")[1].split("\n## ")[0]
    assert set(joint) == {"joint", "filtered", "raw"}
    for score in (joint["filtered"], joint["raw"]):
        assert set(score) == {
            "rmse", "rmse_moving", "rmse_standing", "nrmse", "relative_residual", "samples",
            "samples_moving",
        }  # fmt: skip
        assert all(f"`{key}`" in section for key in score)
