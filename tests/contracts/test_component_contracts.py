"""What every component promises: its state goes in and comes out, and nothing else is remembered or changed."""

import pickle

import numpy as np
import pytest
from components import CASES, SAMPLES

every = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))


def bytes_of(state):
    return pickle.dumps(state)


@every
def test_the_same_input_gives_the_same_output(case):
    one, two = (case.advance(case.start(), case.given) for _ in range(2))
    assert np.array_equal(one[1], two[1])
    assert bytes_of(one[0]) == bytes_of(two[0])


@every
def test_neither_input_nor_state_is_changed(case):
    state, given = case.start(), case.given.copy()
    before = bytes_of(state)
    case.advance(state, given)
    assert np.array_equal(given, case.given)
    assert bytes_of(state) == before


@every
@pytest.mark.parametrize("cut", [1, 17, SAMPLES - 1])
def test_a_run_resumes_from_its_saved_state(case, cut):
    end, whole = case.advance(case.start(), case.given)
    saved, first = case.advance(case.start(), case.given[:cut])
    last, second = case.advance(pickle.loads(bytes_of(saved)), case.given[cut:])
    assert np.array_equal(np.concatenate([first, second]), whole)
    assert bytes_of(last) == bytes_of(end)


@every
def test_a_run_is_its_single_steps(case):
    _, whole = case.advance(case.start(), case.given)
    state, steps = case.start(), []
    for k in range(SAMPLES):
        state, out = case.advance(state, case.given[k : k + 1])
        steps.append(out)
    assert np.array_equal(np.concatenate(steps), whole)


@every
def test_finite_input_gives_finite_output(case):
    for size in (0.0, 1.0, 3.0):
        _, out = case.advance(case.start(), size * case.given)
        assert np.isfinite(out).all()
