"""Where a calibration keeps its stages: a recording and a fit per stage, each written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jointwise.errors import FileError, JointwiseError, ParameterError
from jointwise.experiments.fit import Fit, load_fit
from jointwise.files import write_atomically
from jointwise.recording.recording import Recording, load_recording

ABOUT = "calibration.json"
ROBOT, REPORT = "robot.toml", "calibration.html"


@dataclass(frozen=True, kw_only=True)
class Folder:
    """The folder of one calibration; `about` says of which arm, and another arm's results are never mixed with it."""

    path: Path
    about: Mapping[str, Any]

    def open(self) -> None:
        """Make the folder, or make sure that what is in it belongs to the same arm."""
        try:
            (self.path / "recordings").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(
                self.path, "", f"is no folder that can be written ({error.strerror})"
            ) from None
        target = self.path / ABOUT
        if target.exists():
            try:
                found = json.loads(target.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                raise FileError(target, "", "cannot be read as JSON") from None
            if found != dict(self.about):
                raise ParameterError(
                    f"calibration in {self.path}",
                    found,
                    f"one of {dict(self.about)}",
                    "name another folder",
                )
        else:
            write_atomically(target, (json.dumps(dict(self.about), indent=2) + "\n").encode())

    def recording(self, name: str, make: Callable[[], Recording]) -> Recording:
        """The recording of that name, made where there is none that can be read."""
        target = self.path / "recordings" / f"{name}.parquet"
        if target.exists():
            try:
                return load_recording(target)
            except JointwiseError:
                pass  # cut off while it was written: made again
        made = make()
        made.save(target)
        return made

    def kept(self, name: str, *, after: float = 0.0) -> Fit | None:
        """The fit of a stage finished before; None where there is none, or where what it stands on is newer."""
        target = self.fit_path(name)
        if not target.exists() or self.finished(name) < after:
            return None
        try:
            return load_fit(target)
        except JointwiseError:
            return None

    def finished(self, name: str) -> float:
        """When a stage was finished, s since the epoch."""
        return self.fit_path(name).stat().st_mtime_ns * 1e-9

    def fit_path(self, name: str) -> Path:
        """Where the fit of a stage is kept."""
        return self.path / f"{name}.fit.toml"
