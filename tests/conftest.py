"""What several files of tests share."""

import pytest
from hypothesis import settings
from typer.testing import CliRunner

from jointwise.cli.main import app

# The same examples on every run of `make test`; `make soak` looks for others.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", max_examples=1000, deadline=None)
settings.load_profile("same")


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """Output and folder of one demo."""
    folder = tmp_path_factory.mktemp("demo") / "out"
    return CliRunner().invoke(app, ["demo", "--out", str(folder)]), folder
