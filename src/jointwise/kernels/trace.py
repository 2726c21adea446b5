"""The tracer: run kernel source on symbolic scalars and get straight-line code for one given arm.

Kernels are ordinary Python whose `if` and `for` depend only on the description of the arm. Executed on `Symbol`s,
with the decorators of `kernels.jit` replaced by nothing, they unroll themselves; every number of the arm folds into a
constant, terms with zero vanish, and equal expressions are computed once. What remains is a list of scalar
assignments, twice as fast as the generic kernel, and the same list prints as Python or as C.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.util
import math
import types
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jointwise.kernels import scalar

PYTHON_NAMES = {"absolute": "abs", "power": "math.pow", "floor": "math.floor"}
TRACED_ROOMS = ("jointwise.kernels", "jointwise.laws", "jointwise.plant")


class Graph:
    """Expressions of one trace, each kept once."""

    def __init__(self) -> None:
        self.nodes: list[tuple[Any, ...]] = []
        self._index: dict[tuple[Any, ...], int] = {}
        self.tables: dict[tuple[float, ...], str] = {}

    def symbol(self, *node: Any) -> Symbol:
        """The symbol of an expression, new or already there."""
        place = self._index.get(node)
        if place is None:
            place = self._index[node] = len(self.nodes)
            self.nodes.append(node)
        return Symbol(self, place)

    def inputs(self, name: str, shape: int | tuple[int, ...]) -> np.ndarray:
        """An array of symbols that stand for the entries of an array argument."""
        out = np.empty(shape, dtype=object)
        for index in np.ndindex(out.shape):
            out[index] = self.symbol("input", name, index)
        return out


class Symbol:
    """A scalar that records what is done to it."""

    __slots__ = ("graph", "place")

    def __init__(self, graph: Graph, place: int) -> None:
        self.graph, self.place = graph, place

    @property
    def node(self) -> tuple[Any, ...]:
        """The expression: an operation and its arguments."""
        return self.graph.nodes[self.place]

    def __add__(self, other: Any) -> Any:
        if _is(other, 0.0):
            return self
        return self._commutative("+", other)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        if _is(other, 0.0):
            return 0.0
        if _is(other, 1.0):
            return self
        if _is(other, -1.0):
            return -self
        return self._commutative("*", other)

    __rmul__ = __mul__

    def __sub__(self, other: Any) -> Any:
        if _is(other, 0.0):
            return self
        if isinstance(other, Symbol) and other.place == self.place:
            return 0.0
        return self.graph.symbol("-", self._arg(self), self._arg(other))

    def __rsub__(self, other: Any) -> Any:
        if _is(other, 0.0):
            return -self
        return self.graph.symbol("-", self._arg(other), self._arg(self))

    def __truediv__(self, other: Any) -> Any:
        if _is(other, 1.0):
            return self
        return self.graph.symbol("/", self._arg(self), self._arg(other))

    def __rtruediv__(self, other: Any) -> Any:
        if _is(other, 0.0):
            return 0.0
        return self.graph.symbol("/", self._arg(other), self._arg(self))

    def __neg__(self) -> Any:
        if self.node[0] == "neg":
            return Symbol(self.graph, self.node[1].place)
        return self.graph.symbol("neg", self._arg(self))

    def __lt__(self, other: Any) -> Any:
        return self.graph.symbol("<", self._arg(self), self._arg(other))

    def __gt__(self, other: Any) -> Any:
        return self.graph.symbol(">", self._arg(self), self._arg(other))

    def __le__(self, other: Any) -> Any:
        return self.graph.symbol("<=", self._arg(self), self._arg(other))

    def __ge__(self, other: Any) -> Any:
        return self.graph.symbol(">=", self._arg(self), self._arg(other))

    def __eq__(self, other: object) -> Any:
        return self.graph.symbol("==", self._arg(self), self._arg(other))

    def __ne__(self, other: object) -> Any:
        return self.graph.symbol("!=", self._arg(self), self._arg(other))

    __hash__ = None  # type: ignore[assignment]  # equality is an expression, so symbols cannot be keys

    def __and__(self, other: Any) -> Any:
        return self.graph.symbol("and", self._arg(self), self._arg(other))

    def __bool__(self) -> bool:
        raise TypeError(
            "a kernel branched on a value of the arm's state; use functions of kernels.scalar instead"
        )

    def __float__(self) -> float:
        raise TypeError(
            "a kernel stored a symbolic value in a float array; pass an object workspace"
        )

    def _commutative(self, operation: str, other: Any) -> Symbol:
        a, b = self._arg(self), self._arg(other)
        if isinstance(other, Symbol) and other.place < self.place:
            a, b = b, a
        return self.graph.symbol(operation, a, b)

    @staticmethod
    def _arg(value: Any) -> Any:
        return Ref(value.place) if isinstance(value, Symbol) else float(value)


class Ref:
    """Argument of an expression that is another expression."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ref) and other.place == self.place

    def __hash__(self) -> int:
        return hash(("ref", self.place))


def _is(value: Any, number: float) -> bool:
    return not isinstance(value, Symbol) and float(value) == number


def _function(name: str) -> Callable[..., Any]:
    numeric: Any = {
        "absolute": abs,
        "power": math.pow,
        "floor": lambda x: float(math.floor(x)),
    }.get(name, getattr(math, name, None))

    def call(*args: Any) -> Any:
        graph = next((a.graph for a in args if isinstance(a, Symbol)), None)
        if graph is None:
            return numeric(*args)
        return graph.symbol(name, *(Symbol._arg(a) for a in args))

    return call


def _select(condition: Any, yes: Any, no: Any) -> Any:
    if not isinstance(condition, Symbol):
        return yes if condition else no
    if not isinstance(yes, Symbol) and not isinstance(no, Symbol) and float(yes) == float(no):
        return yes
    args = (Symbol._arg(condition), Symbol._arg(yes), Symbol._arg(no))
    return condition.graph.symbol("select", *args)


def _pick(values: Any, start: int, place: Any) -> Any:
    if not isinstance(place, Symbol):
        return values[start + int(place)]
    graph = place.graph
    numbers = tuple(float(v) for v in values[start:])
    name = graph.tables.setdefault(numbers, f"TABLE_{len(graph.tables)}")
    return graph.symbol("pick", name, Ref(place.place))


def _symbolic_scalar_module() -> types.ModuleType:
    """What kernels import as `kernels.scalar` while they are traced: every function it has, on symbols."""
    module = types.ModuleType("jointwise.kernels.scalar")
    for name, value in vars(scalar).items():
        if callable(value) and getattr(value, "__module__", "") == scalar.__name__:
            setattr(module, name, _function(name))
    module.select = _select  # type: ignore[attr-defined]
    module.pick = _pick  # type: ignore[attr-defined]
    module.minimum = lambda a, b: _select(a < b, a, b)  # type: ignore[attr-defined]
    module.maximum = lambda a, b: _select(a > b, a, b)  # type: ignore[attr-defined]
    module.sgn = lambda x: _select(x > 0.0, 1.0, _select(x < 0.0, -1.0, 0.0))  # type: ignore[attr-defined]
    return module


class PlainModules:
    """Kernel modules loaded a second time, uncompiled and with symbolic scalar functions."""

    def __init__(self) -> None:
        jit = types.ModuleType("jointwise.kernels.jit")
        for name in ("kernel", "inline", "merged"):
            setattr(jit, name, lambda function: function)
        self._loaded: dict[str, types.ModuleType] = {
            "jointwise.kernels.jit": jit,
            "jointwise.kernels.scalar": _symbolic_scalar_module(),
        }

    def load(self, name: str) -> types.ModuleType:
        """The plain twin of a module."""
        if name in self._loaded:
            return self._loaded[name]
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise ImportError(f"no kernel module {name}")
        module = types.ModuleType(name)
        module.__file__ = spec.origin
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import}
        self._loaded[name] = module
        # A dataclass looks its module up by name while it is being made; the compiled twin answers for it.
        importlib.import_module(name)
        exec(compile(Path(spec.origin).read_text(), spec.origin, "exec"), module.__dict__)
        return module

    def _import(
        self,
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Iterable[str] = (),
        level: int = 0,
    ) -> Any:
        if fromlist and name.startswith(TRACED_ROOMS):
            module = self.load(name)
            for item in fromlist:
                if not hasattr(module, item):  # `from package import module`
                    setattr(module, item, self.load(f"{name}.{item}"))
            return module
        return builtins.__import__(name, globals, locals, tuple(fromlist or ()), level)


def reachable(graph: Graph, outputs: Sequence[Any]) -> list[int]:
    """Places of the expressions that the outputs need, in order of evaluation."""
    wanted: set[int] = set()
    stack = [o.place for o in outputs if isinstance(o, Symbol)]
    while stack:
        place = stack.pop()
        if place not in wanted:
            wanted.add(place)
            stack += [a.place for a in graph.nodes[place][1:] if isinstance(a, Ref)]
    return sorted(wanted)


def python_source(
    name: str, arguments: Sequence[str], graph: Graph, assignments: Sequence[tuple[str, Any]]
) -> str:
    """Source of a kernel that computes `target = value` for each assignment, all values before any target."""
    lines = [f"{table} = np.array({values!r})" for values, table in graph.tables.items()]
    lines += ["", "", "@leaf", f"def {name}({', '.join(arguments)}):"]
    for place in reachable(graph, [value for _, value in assignments]):
        lines.append(f"    v{place} = {_expression(graph.nodes[place])}")
    lines += [f"    {target} = {_operand(value)}" for target, value in assignments]
    return "\n".join(lines) + "\n"


def _operand(value: Any) -> str:
    if isinstance(value, (Symbol, Ref)):
        return f"v{value.place}"
    return f"({float(value)!r})" if float(value) < 0.0 else repr(float(value))


def _expression(node: tuple[Any, ...]) -> str:
    operation, *args = node
    if operation == "input":
        return f"{args[0]}[{', '.join(str(i) for i in args[1])}]"
    if operation == "pick":
        return f"{args[0]}[int({_operand(args[1])})]"
    a = [_operand(x) for x in args]
    if operation == "neg":
        return f"-{a[0]}"
    if operation == "select":
        return f"{a[1]} if {a[0]} else {a[2]}"
    if operation in ("+", "-", "*", "/", "<", ">", "<=", ">=", "==", "!=", "and"):
        return f"{a[0]} {operation} {a[1]}"
    function = PYTHON_NAMES.get(operation, f"math.{operation}")
    return f"{function}({', '.join(a)})"
