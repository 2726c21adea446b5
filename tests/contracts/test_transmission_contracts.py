"""What every stiffness law, kinematic error and backlash map promises. A law runs all of this by being registered."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import jointwise
from jointwise.laws.registry import BACKLASH, KINEMATIC_ERROR, STIFFNESS

LIBRARY = (
    1e-12  # relative; sinh, exp and tanh of two mathematics libraries differ in the last digits
)
OF_STIFFNESS = ("torque", "stiffness", "stiffness_slope", "deformation")
OF_ANGLE = ("error", "slope", "at")


def functions(law):
    return [getattr(law, name) for name in (*OF_STIFFNESS, *OF_ANGLE) if hasattr(law, name)]


LAWS = {
    f"{name}-{k}": law
    for kind in (STIFFNESS, KINEMATIC_ERROR, BACKLASH)
    for name, cls in kind.items()
    for k, law in enumerate(cls.examples())
}
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


def values_for(law, seed=0):
    """Deformations, torques and angles of the size a joint sees."""
    size = 3e-3 if type(law).name in STIFFNESS else 7.0
    return size * np.random.default_rng(seed).standard_normal((3, 5))


def test_there_is_an_example_of_every_law_and_no_code_twice():
    for kind in (STIFFNESS, KINEMATIC_ERROR, BACKLASH):
        assert all(cls.examples() for cls in kind.values())
        assert len({cls.code for cls in kind.values()}) == len(kind)


@every_law
def test_same_input_gives_same_output_and_stays_as_it_was(law):
    given = values_for(law)
    copy, packed = given.copy(), law.packed()
    for function in functions(law):
        assert np.array_equal(function(given), function(given))
    assert np.array_equal(given, copy)
    assert np.array_equal(law.packed(), packed)


@every_law
def test_a_batch_equals_its_entries(law):
    given = values_for(law, seed=1)
    for function in functions(law):
        together = function(given)
        assert together.shape == given.shape
        for place in np.ndindex(given.shape):
            assert function(given[place]) == together[place]


@every_law
def test_finite_input_gives_finite_output(law):
    for value in (0.0, -0.0, 1e-300, 1e-9, 1.0, -40.0, 1e6, -1e6):
        for function in functions(law):
            assert np.isfinite(function(value)), (function, value)


PLAIN = """
import json, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from test_transmission_contracts import LAWS, functions, values_for
print(json.dumps({n: [f(values_for(w, 2)).tolist() for f in functions(w)] for n, w in LAWS.items()}))
"""


def test_compiled_laws_compute_what_plain_python_does():
    source = os.path.dirname(os.path.dirname(jointwise.__file__))
    done = subprocess.run(
        [sys.executable, "-c", PLAIN, os.path.dirname(__file__)],
        capture_output=True,
        text=True,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": source},
    )
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    for name, law in LAWS.items():
        for function, expected in zip(functions(law), plain[name], strict=True):
            ours = function(values_for(law, 2))
            assert np.allclose(ours, expected, rtol=LIBRARY, atol=LIBRARY * abs(ours).max()), name
