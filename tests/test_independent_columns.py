"""Independent columns of a given matrix, and its triangular factor."""

import numpy as np
import pytest

from jointwise.errors import NumericalError, ShapeError
from jointwise.robot.independent import independent_columns, triangular_factor


def test_triangular_factor_of_any_height():
    rng = np.random.default_rng(0)
    for rows in (0, 1, 7, 40, 30_000):
        w = rng.normal(size=(rows, 12))
        factor = triangular_factor(w)
        assert factor.shape == (12, 12)
        np.testing.assert_allclose(factor.T @ factor, w.T @ w, rtol=0.0, atol=1e-11 * max(rows, 1))


def test_first_independent_columns_are_kept():
    rng = np.random.default_rng(1)
    a, b, c = rng.normal(size=(3, 50))
    w = np.column_stack([a, 0 * a, 1e3 * b, 2 * a - 0.5e3 * b, 1e-3 * c, a + c])
    found = independent_columns(w, "abcdef")
    assert found.kept_names == ("a", "c", "e")
    assert list(found.zero) == [1]
    np.testing.assert_allclose(w[:, found.kept] @ found.matrix, w, atol=1e-11)
    assert found.matrix[:, 3] == pytest.approx([2.0, -0.5, 0.0])
    assert np.count_nonzero(found.matrix) == 7


def test_preferred_columns_come_first():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 50))
    w = np.column_stack([a, b, a + b, a - b])
    assert independent_columns(w, "abcd", prefer="dc").kept_names == ("c", "d")


def test_unclear_rank_is_an_error():
    rng = np.random.default_rng(2)
    a, b, c = rng.normal(size=(3, 50))
    w = np.column_stack([a, a + 3e-8 * b, a + 3e-9 * c])
    with pytest.raises(NumericalError, match="rank is not clear"):
        independent_columns(w, "abc")
    assert independent_columns(w, "abc", tolerance=1e-5).kept_names == ("a",)


def test_wrong_matrices_are_refused():
    with pytest.raises(ShapeError, match="one name a column"):
        independent_columns(np.ones((5, 3)), "ab")
    with pytest.raises(ShapeError, match="finite"):
        independent_columns(np.array([[np.nan, 1.0]]), "ab")
