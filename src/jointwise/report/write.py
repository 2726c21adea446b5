"""`write_report`: one HTML file about a fit, that opens from disk without a network.

A report is a list of sections. An experiment with sections of its own is one line in SECTIONS; others get GENERAL.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jointwise.errors import FileError
from jointwise.experiments.fit import Fit
from jointwise.experiments.joint.registry import EXPERIMENTS
from jointwise.experiments.recordings import named
from jointwise.experiments.validate import validate
from jointwise.recording.recording import Recording
from jointwise.report.page import render, write_page
from jointwise.report.sections.curves import curves
from jointwise.report.sections.excitation import excitation
from jointwise.report.sections.ladder import ladder
from jointwise.report.sections.noise import noise
from jointwise.report.sections.parameters import parameters
from jointwise.report.sections.provenance import provenance
from jointwise.report.sections.remarks import remarks
from jointwise.report.sections.residual import memory, residual
from jointwise.report.sections.scores import scores
from jointwise.report.sections.torque import torque
from jointwise.report.sections.verdict import next_steps, verdict
from jointwise.report.subject import Maker, Subject

ROBOT: tuple[Maker, ...] = (
    verdict,
    next_steps,
    torque,
    scores,
    ladder,
    residual,
    memory,
    noise,
    excitation,
    parameters,
    provenance,
)
GENERAL: tuple[Maker, ...] = (verdict, next_steps, parameters, provenance)
JOINT: tuple[Maker, ...] = (verdict, next_steps, curves, remarks, parameters, provenance)
SECTIONS: Mapping[str, tuple[Maker, ...]] = {"robot": ROBOT} | dict.fromkeys(EXPERIMENTS, JOINT)


def write_report(
    path: Any,
    fit: Fit,
    recordings: Mapping[str, Recording] | Sequence[Recording] | None = None,
    *,
    files: Mapping[str, Any] | None = None,
) -> Path:
    """Write the report of a fit, and return where it is.

    Args:
        path: the HTML file to write.
        fit: what an experiment found.
        recordings: to compare measured with predicted torque on, by name or numbered; those of the fit, others, or
            both. Recordings that the fit was not made from count for the verdict.
        files: files to name with their SHA-256, by what they are.
    """
    return write_page(path, page_of(subject_of(fit, recordings, files)))


def subject_of(
    fit: Fit,
    recordings: Mapping[str, Recording] | Sequence[Recording] | None = None,
    files: Mapping[str, Any] | None = None,
) -> Subject:
    """What a report is about: the fit, and its scores on the recordings given."""
    given = {} if not recordings else named(recordings)
    return Subject(
        fit=fit,
        recordings=given,
        scores=tuple(validate(fit, given)) if fit.experiment == "robot" and given else (),
        files={what: _file_hash(file) for what, file in (files or {}).items()},
    )


def page_of(subject: Subject) -> str:
    """The page as HTML text."""
    from jointwise import __version__

    made = [make(subject) for make in SECTIONS.get(subject.fit.experiment, GENERAL)]
    fit = subject.fit
    return render(
        "report.html",
        title=_title(fit),
        version=__version__,
        sections=[section for section in made if section is not None],
        recordings=len(fit.recordings),
        seconds=sum(float(r.get("duration_s", 0.0)) for r in fit.recordings),
        pictures=bool(subject.scores) or fit.experiment != "robot",
    )


def _title(fit: Fit) -> str:
    joint = fit.settings.get("joint")
    what = fit.experiment.replace("-", " ")
    return f"{fit.robot.name}, {joint}: {what}" if joint else f"{fit.robot.name}: fit of the {what}"


def _file_hash(path: Any) -> str:
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FileError(path, "", f"cannot be read ({error.strerror or error})") from None
