"""What several files of tests share."""

import pytest
from typer.testing import CliRunner

from jointwise.cli.main import app


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """Output and folder of one demo."""
    folder = tmp_path_factory.mktemp("demo") / "out"
    return CliRunner().invoke(app, ["demo", "--out", str(folder)]), folder
