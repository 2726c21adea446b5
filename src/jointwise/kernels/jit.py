"""How kernels are compiled, and where the machine code is kept.

Numba's cache on disk does not notice when a kernel calls another from a different file and that file changed: after
an upgrade it silently returns old results. So the cache folder is keyed on a hash of all kernel sources together
with the versions that shape machine code; any change starts a fresh folder.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])

ROOMS_WITH_KERNELS = ("kernels", "laws", "plant", "control", "online")
KEPT_CACHES = 4


def source_key(package: Path) -> str:
    """Hash of every source file that may hold a kernel, and of the compiler's versions."""
    digest = hashlib.sha256()
    digest.update(f"{sys.version_info[:2]} numba {numba.__version__}".encode())
    for room in ROOMS_WITH_KERNELS:
        for path in sorted((package / room).glob("**/*.py")):
            digest.update(str(path.relative_to(package)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _base_folder() -> Path:
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return root / "jointwise"


@functools.cache
def cache_folder() -> Path:
    """The folder for this version's machine code; made on first use, the oldest ones removed."""
    package = Path(__file__).resolve().parent.parent
    base = _base_folder()
    try:
        folder = base / source_key(package)
        folder.mkdir(parents=True, exist_ok=True)
        folder.touch()
    except OSError:
        # A read-only home must not stop anyone: compile into a folder that lives as long as the process.
        return Path(tempfile.mkdtemp(prefix="jointwise-"))
    others = [p for p in base.iterdir() if p.is_dir() and len(p.name) == 16]
    for old in sorted(others, key=lambda p: p.stat().st_mtime, reverse=True)[KEPT_CACHES:]:
        shutil.rmtree(old, ignore_errors=True)
    return folder


def kernel(function: F) -> F:
    """Compile a kernel on first call and keep the machine code on disk.

    fastmath is off, so a result does not depend on how the compiler chose to reorder sums; the lock of the
    interpreter is released, so batches run on all cores from plain threads.
    """
    return _cached(function)


def entry(signature: Any) -> Callable[[F], F]:
    """A kernel for single calls from Python, where the way in takes as long as the work; compiled at once.

    What callers get is the machine code of one signature. Numba does not compare types before each call, and the lock
    of the interpreter is kept: a quarter of a RNEA less. So nothing checks the arguments: the caller must pass
    exactly the types and numbers of axes of the signature.
    """

    def compiled(function: F) -> F:
        chosen = _cached(function, signature, nogil=False)
        signatures = getattr(chosen, "signatures", None)  # none where compiling is switched off
        return chosen.get_overload(signatures[0]) if signatures else chosen  # type: ignore[attr-defined, no-any-return]

    return compiled


def _cached(function: F, signature: Any = None, *, nogil: bool = True) -> F:
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        compiled: F = numba.njit(signature, cache=True, nogil=nogil, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = before
    return compiled


def inline(function: F) -> F:
    """A function meant to be called from kernels only; its code is copied into its callers.

    Left to itself the compiler calls some of them, which hands every vector over in memory: twice the time of a step.
    """
    compiled: F = numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)
    return compiled


def merged(function: F) -> F:
    """A long function with many arguments, copied into its callers: passing nine arrays costs a fifth of a RNEA."""
    compiled: F = numba.njit(nogil=True, error_model="numpy", inline="always")(function)
    return compiled
