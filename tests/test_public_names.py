"""What `import jointwise` offers and what it costs."""

import json
import subprocess
import sys

import pytest

import jointwise as jw
from jointwise import errors

MOST_NAMES = 25

IMPORT = """
import json, sys
import jointwise
print(json.dumps(sorted(sys.modules)))
"""


def fresh_import() -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", jw.__all__)
def test_public_name_exists_and_is_documented(name):
    value = getattr(jw, name)
    assert value.__doc__


def test_public_names_are_few_and_sorted_once():
    assert len(jw.__all__) <= MOST_NAMES
    assert len(set(jw.__all__)) == len(jw.__all__)
    assert set(jw.__all__) <= set(dir(jw))


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'load_robots'"):
        _ = jw.load_robots


def test_errors_can_be_caught_as_one_family_and_as_built_ins():
    built_in = {
        "ParameterError": ValueError,
        "UnitError": ValueError,
        "ShapeError": ValueError,
        "FileError": ValueError,
        "UnknownValueError": LookupError,
        "UnknownNameError": LookupError,
        "NumericalError": ArithmeticError,
    }
    for name, ancestor in built_in.items():
        assert issubclass(getattr(errors, name), jw.JointwiseError)
        assert issubclass(getattr(errors, name), ancestor)


def test_every_verb_is_one_call():
    """Verb of the command line -> the public name that does the same; bench and demo are scripts made of them."""
    calls = {
        "robots": "list_robots", "show": "load_robot", "plan": "plan", "run": "Twin", "import": "import_recording",
        "check": "check_recording", "fit": "fit", "validate": "validate", "report": "write_report",
        "calibrate": "calibrate",
    }  # fmt: skip
    assert set(calls.values()) <= set(jw.__all__)


def test_experiments_are_fitted_by_their_name():
    with pytest.raises(jw.UnknownNameError, match="drive-gain"):
        jw.fit("drive-gains", jw.load_robot("two_link"), [])
    with pytest.raises(jw.ParameterError, match="at least one"):
        jw.fit("drive-gain", jw.load_robot("two_link"), [])


def test_import_loads_no_heavy_package():
    modules = set(fresh_import())
    heavy = {"numpy", "numba", "scipy", "pyarrow", "matplotlib", "typer", "rich", "jinja2"}
    assert not modules & heavy
