"""Where everything came from: settings, recordings with hashes, versions."""

from __future__ import annotations

import hashlib
import importlib.metadata
import math
import platform
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jointwise.recording.recording import Recording
from jointwise.report.page import fragment
from jointwise.report.subject import PART, Section, Subject
from jointwise.report.words import figure

PACKAGES = ("jointwise", "numpy", "scipy", "numba")


def provenance(subject: Subject) -> Section:
    """Settings of the fit, recordings, files, versions of this page."""
    fit = subject.fit
    versions = {"Python": platform.python_version()} | {
        p: importlib.metadata.version(p) for p in PACKAGES
    }
    html = fragment(
        "provenance.html",
        experiment=fit.experiment,
        robot=fit.robot.name,
        status=fit.status,
        notes=fit.notes,
        settings={name: _text(value) for name, value in fit.settings.items()},
        recordings=_recordings(subject),
        files=subject.files,
        versions=versions,
    )
    return Section(anchor="provenance", title="Settings and origin", html=html)


def _recordings(subject: Subject) -> list[dict[str, Any]]:
    rows = []
    for used in subject.fit.recordings:
        name = str(used["name"])
        rows.append(
            {
                "name": name,
                "use": "fit",
                "duration": figure(float(used.get("duration_s", math.nan))),
                "rate": figure(float(used.get("rate_hz", math.nan))),
                "origin": _origin(subject.recordings.get(name.split(PART)[0])),
            }
        )
    rows += [
        {
            "name": name,
            "use": "not seen by the fit",
            "duration": figure(recording.duration),
            "rate": figure(recording.rate_hz),
            "origin": _origin(recording),
        }
        for name, recording in subject.recordings.items()
        if not subject.used(name)
    ]
    return rows


def _origin(recording: Recording | None) -> list[str]:
    """Hash of the numbers, and of the files they were imported from."""
    if recording is None:
        return ["not given to this report"]
    notes = recording.notes
    lines = [f"numbers {content_hash(recording)[:16]}"]
    lines += [f"{f.get('name')} {str(f.get('sha256'))[:16]}" for f in notes.get("files", ())]
    if notes.get("source"):
        lines.append(f"{notes['source']}, seed {notes.get('seed', 'not stated')}")
    return lines


def content_hash(recording: Recording) -> str:
    """SHA-256 of names and numbers of all columns."""
    digest = hashlib.sha256()
    for name, values in {"time": recording.time, **recording.columns}.items():
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {_text(v)}" for k, v in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_text(v) for v in value)
    return "-" if value in (None, "") else str(value)
