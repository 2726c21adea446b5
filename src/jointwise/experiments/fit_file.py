"""The file form of a fit: TOML text, and Parquet for its arrays, tied together by a hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointwise.errors import FileError, JointwiseError
from jointwise.experiments.fit import Fit, Parameter
from jointwise.files import write_atomically
from jointwise.robot import toml_text
from jointwise.robot.file import from_dict, to_dict
from jointwise.robot.reading import read_text
from jointwise.tables import read_table, write_table

Array = NDArray[np.float64]

FORMAT = "jointwise-fit"
VERSION = 1
MAX_BYTES = 8 << 20
HEADER = """\
# What an experiment found, for Jointwise. SI units on the output side of the gears. [[parameters]] hold value,
# standard deviation, 95 % interval and verdict; [robot] is the robot with the new values in it.

"""


def arrays_path(path: Any) -> Path:
    """Where the arrays of a fit lie: beside the text, its suffix replaced."""
    return Path(path).with_suffix(".arrays.parquet")


def save(fit: Fit, path: Any) -> None:
    """Write arrays first, then the text that names their hash; each in one step."""
    arrays = {"covariance": fit.covariance, **fit.arrays}
    digest = _digest(arrays)
    shapes = {name: list(values.shape) for name, values in arrays.items()}
    longest = max((values.size for values in arrays.values()), default=0)
    columns = {}
    for name, values in arrays.items():
        columns[name] = np.full(longest, np.nan)
        columns[name][: values.size] = values.ravel()
    write_table(arrays_path(path), columns, {"kind": "fit arrays", "shapes": shapes})
    data = {
        "format": FORMAT,
        "version": VERSION,
        "experiment": fit.experiment,
        "status": fit.status,
        "arrays_sha256": digest,
        "notes": list(fit.notes),
        "settings": _plain(fit.settings),
        "recordings": [_plain(r) for r in fit.recordings],
        "joints": [_plain(j) for j in fit.joints],
        "parameters": [asdict(p) for p in fit.parameters],
        "robot": to_dict(fit.robot),
    }
    text = HEADER + toml_text.text_of(data)
    try:
        write_atomically(Path(path), text.encode())
    except OSError as error:
        raise FileError(path, "", f"cannot be written ({error.strerror or error})") from None


def load(path: Any) -> Fit:
    """Read both parts; refuses arrays of another fit."""
    text = read_text(path, MAX_BYTES)
    try:
        data = toml_text.parse(text)
    except ValueError as error:
        raise FileError(path, "", str(error)) from None
    if data.get("format") != FORMAT:
        raise FileError(path, "format", f"missing or not {FORMAT!r}; this is no fit")
    if data.get("version") != VERSION:
        raise FileError(path, "version", f"is not {VERSION}, the one this release reads")
    arrays = _arrays(arrays_path(path))
    if _digest(arrays) != data.get("arrays_sha256"):
        raise FileError(
            arrays_path(path), "", "does not belong to this fit", "copy both files together"
        )
    try:
        return Fit(
            experiment=str(data["experiment"]),
            robot=from_dict(data["robot"], path),
            status=str(data["status"]),
            parameters=tuple(Parameter(**p) for p in data["parameters"]),
            covariance=arrays.pop("covariance"),
            settings=data["settings"],
            recordings=tuple(data["recordings"]),
            joints=tuple(data["joints"]),
            notes=tuple(data["notes"]),
            arrays=arrays,
        )
    except JointwiseError as error:
        raise FileError(path, "", str(error)) from error
    except (KeyError, TypeError, AttributeError) as error:
        raise FileError(path, "", f"is incomplete: {error}") from error


def _arrays(path: Path) -> dict[str, Array]:
    columns, header = read_table(path, "fit arrays")
    try:
        return {
            name: columns[name][: int(np.prod(shape))].reshape(shape)
            for name, shape in header["shapes"].items()
        }
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise FileError(path, "header", f"is damaged: {error}") from error


def _digest(arrays: Mapping[str, Array]) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(json.dumps([name, list(arrays[name].shape)]).encode())
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()


def _plain(value: Any) -> Any:
    """Plain data for TOML: numpy numbers as Python's, tuples as lists; what is None is left out."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items() if v is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    return value.item() if isinstance(value, np.generic) else value
