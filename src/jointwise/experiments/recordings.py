"""Recordings as callers hand them over: one, several, or several by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jointwise.errors import ParameterError
from jointwise.recording.recording import Recording

Recordings = Mapping[str, Recording] | Sequence[Recording] | Recording


def named(recordings: Recordings) -> dict[str, Recording]:
    """Recordings by name; numbered where they have none."""
    if isinstance(recordings, Recording):
        recordings = [recordings]
    if not isinstance(recordings, Mapping):
        recordings = {f"recording {k + 1}": rec for k, rec in enumerate(recordings)}
    if not recordings:
        raise ParameterError("recordings", "none", "at least one")
    return dict(recordings)
