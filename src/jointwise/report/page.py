"""One HTML file per report: everything it shows is inside it, so it opens from disk without a network."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import jinja2

from jointwise.errors import ParameterError


def render(template: str, **content: Any) -> str:
    """Fill a template of `report/templates`; a name the template needs and does not get is an error."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**content)


def write_page(folder: Path, name: str, html: str) -> Path:
    """Write the page as a whole or not at all, and return where it is."""
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Written beside its place and moved there: an interruption leaves no half page.
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(html)
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise ParameterError(
            "output folder", str(folder), "a folder that can be written", reason
        ) from error
    return path.resolve()
