"""Functions with one implementation for plain values and one for jets (`kernels.vector`).

Compiled code chooses from the types of the arguments, interpreted code from their values, so both run the same
formula and neither pays for the choice.
"""

from __future__ import annotations

from numba import types
from numba.extending import overload


def _nesting(value):
    return 1 + _nesting(value[0]) if isinstance(value, tuple) else 0


def _type_nesting(kind):
    return 1 + _type_nesting(kind[0]) if isinstance(kind, types.BaseTuple) else 0


def by_form(forms, depth, name, doc):
    """A function that calls `forms[(is argument 0 a jet, is argument 1 a jet, ...)]`.

    `depth[k]` is the tuple nesting of argument k when it is plain: 0 for a scalar or an array, 1 for a vector. One
    level more makes it a jet. Numba wants the argument names of both sides to agree, hence one branch per count.
    """

    def key(nesting, args):
        return tuple(nesting(a) > d for a, d in zip(args, depth, strict=True))

    if len(depth) == 1:

        def function(a):
            return forms[key(_nesting, (a,))](a)

        @overload(function)
        def _choose(a):
            chosen = forms[key(_type_nesting, (a,))]
            return lambda a: chosen(a)
    elif len(depth) == 2:

        def function(a, b):  # type: ignore[misc]
            return forms[key(_nesting, (a, b))](a, b)

        @overload(function)
        def _choose(a, b):
            chosen = forms[key(_type_nesting, (a, b))]
            return lambda a, b: chosen(a, b)
    elif len(depth) == 3:

        def function(a, b, c):  # type: ignore[misc]
            return forms[key(_nesting, (a, b, c))](a, b, c)

        @overload(function)
        def _choose(a, b, c):
            chosen = forms[key(_type_nesting, (a, b, c))]
            return lambda a, b, c: chosen(a, b, c)
    else:

        def function(a, b, c, d):  # type: ignore[misc]
            return forms[key(_nesting, (a, b, c, d))](a, b, c, d)

        @overload(function)
        def _choose(a, b, c, d):
            chosen = forms[key(_type_nesting, (a, b, c, d))]
            return lambda a, b, c, d: chosen(a, b, c, d)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function
