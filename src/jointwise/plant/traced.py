"""The closed loop of one given plant with its step as straight-line code.

The step of `plant.step` is traced on symbols with the plant's numbers as constants, written to a module beside the
machine-code cache together with the source of `plant.run`, and compiled there. The module's name is a hash of its
text, so the next process finds the compiled code again.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jointwise.files import write_atomically

if TYPE_CHECKING:
    from jointwise.plant.plant import PackedDrives

Array = NDArray[np.float64]

ARGUMENTS = (
    "arm", "drives", "table", "terms", "p", "x", "s", "inputs", "dt", "origin", "s_new", "forces", "work",
    "mass", "rate", "heat",
)  # fmt: skip


def traced_step_source(arm: Array, packed: PackedDrives, dt: float) -> str:
    """Source of `semi_implicit_step` for this plant and step size; it ignores the arguments it has folded in."""
    from jointwise.kernels.newton_euler import SLOTS
    from jointwise.kernels.trace import Graph, PlainModules, python_source
    from jointwise.plant.layout import FORCES

    n = len(packed.drives)
    states = packed.states
    graph = Graph()
    inputs = {
        "x": graph.inputs("x", (4, n)),
        "s": graph.inputs("s", states),
        "inputs": graph.inputs("inputs", (3, n)),
        "heat": graph.inputs("heat", n),
    }
    scratch = {
        "origin": np.empty((2, n), dtype=object),
        "s_new": np.empty(states, dtype=object),
        "forces": np.empty((FORCES, n), dtype=object),
        "work": np.empty((n, SLOTS), dtype=object),
        "mass": np.empty((n, n), dtype=object),
        "rate": np.empty((2, n), dtype=object),
    }
    step = PlainModules().load("jointwise.plant.step").semi_implicit_step
    step(
        arm=arm,
        drives=packed.drives,
        table=packed.table,
        terms=packed.terms,
        p=packed.parameters,
        dt=dt,
        **inputs,
        **scratch,
    )
    targets = []
    for name in ("x", "s", "heat"):
        targets += _assignments(name, inputs[name])
    targets += _assignments("forces", scratch["forces"])
    return python_source("semi_implicit_step", ARGUMENTS, graph, targets)


def traced_run(arm: Array, packed: PackedDrives, dt: float) -> Any:
    """`plant.run.run` with the traced step inside, for plants and step sizes equal to these."""
    from jointwise.kernels.jit import cache_folder

    step = traced_step_source(arm, packed, dt)
    loop = (Path(__file__).parent / "run.py").read_text(encoding="utf-8")
    imported = (
        "from jointwise.plant.step import coupled_step, drive_forces, rk4_step, semi_implicit_step"
    )
    if imported not in loop:
        raise ImportError("plant.run no longer imports the step the tracer replaces")
    loop = loop.replace(imported, imported.replace(", semi_implicit_step", ""))
    text = f"{loop}\n\nimport math\n\n\n{step}"
    name = "traced_" + hashlib.sha256(text.encode()).hexdigest()[:16]
    if name in sys.modules:
        return sys.modules[name].run
    path = cache_folder() / f"{name}.py"
    if not path.exists():
        write_atomically(path, text.encode())
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load the traced step {path.name}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module.run


def _assignments(name: str, values: Any) -> list[tuple[str, Any]]:
    return [
        (f"{name}[{', '.join(str(i) for i in index)}]", values[index])
        for index in np.ndindex(values.shape)
    ]
