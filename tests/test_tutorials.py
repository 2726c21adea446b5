"""The blocks of the tutorials run, one after the other, as a reader would run them."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from jointwise.cli.main import app

TUTORIALS = sorted((Path(__file__).resolve().parent.parent / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"```(sh|python|toml)\n(.*?)```", re.S)


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.name)
def test_the_blocks_of_a_tutorial_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "toml":
            target = re.match(r"# (\S+\.toml)\n", text)
            assert target, "the first line of a TOML block names its file"
            (tmp_path / target[1]).write_text(text, encoding="utf-8")
        elif kind == "sh":
            for line in text.strip().splitlines():
                program, *arguments = shlex.split(line)
                assert program == "jointwise"
                result = CliRunner().invoke(app, arguments)
                assert result.exit_code == 0, result.output
        else:
            exec(compile(text, page.name, "exec"), names)
    printed = capsys.readouterr().out
    assert "False" not in printed
    if "port" in names:
        assert np.all(names["port"].read().link_position != names["start"])
