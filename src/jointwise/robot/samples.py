"""Arrays at the border: shapes and finiteness checked, leading axes flattened, batches spread over the cores.

Kernels release the interpreter's lock, so plain threads use all cores; no threading layer of the compiler is
involved and calling from several threads of the user is safe.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy import empty, ndarray
from numpy.typing import ArrayLike, NDArray

from jointwise.errors import ShapeError

Array = NDArray[np.float64]
T = TypeVar("T")
R = TypeVar("R")

SMALLEST_SHARE = 1024
"""Samples below which starting a thread costs more than it saves."""


DOUBLE = np.dtype(np.float64)


def torque_of_one(arm: Array) -> Callable[[Any, Any, Any], Array | None]:
    """Inverse dynamics of a single sample of doubles, the way a control loop calls it; None where it is not one.

    Every check that can be left to compiled code is: from Python those below already cost a third of the recursion.
    """
    from jointwise.kernels.single import checked_inverse_dynamics

    n = len(arm) - 2

    def torque(q: Any, dq: Any, ddq: Any) -> Array | None:
        if not (
            type(q) is type(dq) is type(ddq) is ndarray
            and q.ndim == dq.ndim == ddq.ndim == 1
            and q.dtype is dq.dtype is ddq.dtype is DOUBLE
        ):
            return None
        tau = empty(n)
        return tau if checked_inverse_dynamics(arm, q, dq, ddq, tau) else None

    return torque


def cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(cores(), thread_name_prefix="jointwise")


def in_threads(work: Callable[[T], R], items: Iterable[T], worth: bool = True) -> list[R]:
    """Results of compiled work on each item, in order; on all cores where starting threads is worth it."""
    given = list(items)
    if not worth or len(given) < 2 or cores() < 2:
        return [work(item) for item in given]
    with ThreadPoolExecutor(cores()) as pool:
        return list(pool.map(work, given))


def samples(n: int, given: Mapping[str, ArrayLike]) -> tuple[tuple[int, ...], list[Array]]:
    """Leading shape, and each array as contiguous (samples, n); leading axes are broadcast against each other."""
    arrays = [checked(name, value, n) for name, value in given.items()]
    leading = arrays[0].shape[:-1]
    if any(a.shape[:-1] != leading for a in arrays):
        shapes = ", ".join(f"{name} {a.shape}" for name, a in zip(given, arrays, strict=True))
        try:
            leading = np.broadcast_shapes(*(a.shape[:-1] for a in arrays))
        except ValueError:
            raise ShapeError(
                "the group of arrays", shapes, f"leading axes that fit each other before ({n},)"
            ) from None
        arrays = [np.broadcast_to(a, (*leading, n)) for a in arrays]
    return leading, [_for_kernels(a).reshape(-1, n) for a in arrays]


def _for_kernels(array: Array) -> Array:
    """C-ordered and writable: for each protected argument the compiler would build one more version of a kernel."""
    ordered = np.ascontiguousarray(array)
    return ordered if ordered.flags.writeable else ordered.copy()


def checked(name: str, value: ArrayLike, *trailing: int) -> Array:
    """A float64 array whose last axes are `trailing` and whose entries are finite."""
    try:
        array = np.asarray(value)
        if array.dtype is not DOUBLE:
            if array.dtype.kind not in "fiu":
                raise TypeError
            array = array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        expected = f"real numbers of {_shape(trailing)}"
        raise ShapeError(name, _described(value), expected) from None
    if array.shape[-len(trailing) :] != trailing:
        raise ShapeError(name, f"shape {array.shape}", _shape(trailing))
    if (
        np.count_nonzero(np.isfinite(array)) != array.size
    ):  # `all` takes three times as long for one sample
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        expected = f"finite numbers of {_shape(trailing)}"
        raise ShapeError(name, f"{array[where]} at index {where}", expected)
    return array


def _shape(trailing: tuple[int, ...]) -> str:
    return f"shape (..., {', '.join(str(t) for t in trailing)})"


def spread(kernel: Callable[..., Any], shared: tuple[Any, ...], split: list[Array]) -> list[Any]:
    """Call `kernel(*shared, *parts)` on equal shares of the first axis, one share per core; results in order."""
    count = split[0].shape[0]
    shares = min(cores(), count // SMALLEST_SHARE) if count >= 2 * SMALLEST_SHARE else 1
    if shares == 1:
        return [kernel(*shared, *split)]
    edges = [count * k // shares for k in range(shares + 1)]
    jobs = [
        _pool().submit(kernel, *shared, *(a[start:stop] for a in split))
        for start, stop in itertools.pairwise(edges)
    ]
    return [job.result() for job in jobs]


def _described(value: object) -> str:
    array = np.asarray(value, dtype=object)
    return f"content of type {type(array.flat[0]).__name__}" if array.size else "nothing in it"
