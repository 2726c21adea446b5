"""One HTML file per report: everything it shows is inside it, so it opens from disk without a network."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import jinja2

from jointwise.errors import FileError
from jointwise.files import write_atomically


@functools.cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, **content: Any) -> str:
    """Fill a template of `report/templates`; a name the template needs and does not get is an error."""
    return _environment().get_template(template).render(**content)


def fragment(template: str, **content: Any) -> str:
    """Fill a template of `report/templates/sections`."""
    return render(f"sections/{template}", **content)


def write_page(path: Any, html: str) -> Path:
    """Write the page as a whole or not at all, and return where it is."""
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, html.encode())
    except OSError as error:
        raise FileError(path, "", f"cannot be written ({error.strerror or error})") from None
    return target.resolve()
