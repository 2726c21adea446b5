"""What every benchmark states beside its numbers, and the file it writes them to."""

from __future__ import annotations

import json
import os
import platform
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"
PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "pin", "mujoco", "figaroh")


def machine() -> dict[str, object]:
    """Processor, cores, load and versions."""
    processor = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        rows = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(
            (r.split(":")[1].strip() for r in rows if r.startswith("model name")), processor
        )
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": platform.system(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "versions": versions,
    }


def idle_share(seconds: float) -> float | None:
    """Share of all cores that did nothing during the next seconds; None where the system does not tell."""
    counters = Path("/proc/stat")
    if not counters.exists():
        return None

    def read() -> list[int]:
        return [int(v) for v in counters.read_text().splitlines()[0].split()[1:]]

    before = read()
    time.sleep(seconds)
    passed = [b - a for a, b in zip(before, read(), strict=True)]
    return passed[3] / max(1, sum(passed))


def wait_until_quiet(limit: float = 120.0) -> bool | None:
    """Wait until nothing else runs, since two threads need two cores; False where that did not happen in time."""
    end = time.monotonic() + limit
    while (idle := idle_share(2.0)) is not None:
        if idle > 0.95:
            return True
        if time.monotonic() > end:
            return False
    return None


def stored(name: str) -> dict[str, object]:
    """Results written before, nothing where there are none: for benchmarks that are run part by part."""
    path = RESULTS / f"{name}.json"
    return dict(json.loads(path.read_text())["results"]) if path.exists() else {}


def write(name: str, results: object) -> Path:
    """Write `results` with the machine they were measured on to benchmarks/results/NAME.json."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"machine": machine(), "results": results}, indent=2) + "\n")
    return path
