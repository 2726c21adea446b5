"""The few XML elements of a URDF as a light tree, read without trusting the file.

Document types and entities are refused before parsing, sizes are capped, nothing else is ever opened, and only the
elements that say something about kinematics and dynamics are kept. Names of files that climb out of their folder are
refused although they are not opened: whoever opens the file next might.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from jointwise.errors import FileError, shown

MAX_DEPTH = 64
MAX_ATTRIBUTES = 256
MAX_ATTRIBUTE_LENGTH = 64 << 10
MAX_ELEMENTS = 100_000

FILE_ATTRIBUTE = "filename"
_CLIMBS = re.compile(r"(^|[/\\:])(\.|%2e){2}([/\\]|$)", re.IGNORECASE)
_FORBIDDEN = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


@dataclass
class Element:
    """One element with its attributes, the kept elements in it, and its line in the file."""

    path: Any
    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)

    def __str__(self) -> str:
        name = self.attributes.get("name")
        return f"<{self.tag[:80]}{'' if name is None else f' {shown(name)}'}> line {self.line}"

    def wrong(self, problem: str, advice: str = "") -> FileError:
        """The error for this element."""
        return FileError(self.path, str(self), problem, advice)

    def all(self, tag: str) -> list[Element]:
        """The elements of that tag directly in this one."""
        return [child for child in self.children if child.tag == tag]

    def one(self, tag: str) -> Element | None:
        """The only element of that tag in this one, None where there is none."""
        found = self.all(tag)
        if len(found) > 1:
            raise found[1].wrong(f"second <{tag}> of {self}")
        return found[0] if found else None

    def needed(self, tag: str) -> Element:
        """The only element of that tag in this one."""
        found = self.one(tag)
        if found is None:
            raise self.wrong(f"has no <{tag}>")
        return found

    def text(self, attribute: str) -> str:
        """An attribute that must be there."""
        if attribute not in self.attributes:
            raise self.wrong(f"has no attribute {attribute!r}")
        return self.attributes[attribute]


@dataclass(frozen=True)
class Kind:
    """What one kind of element may hold: the elements that are kept, and its attributes (None for any)."""

    children: tuple[str, ...] = ()
    attributes: tuple[str, ...] | None = None


def parse(path: Any, text: str, kinds: dict[str, Kind], root: str) -> Element:
    """Tree of the elements described by `kinds`, below the root element; all others are skipped."""
    found = _FORBIDDEN.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise FileError(
            path,
            f"line {line}",
            f"{found.group()!r} is refused: document types and entities are never read",
        )
    builder = _Builder(path, kinds, root)
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = lambda tag, attributes: builder.start(
        tag, attributes, parser.CurrentLineNumber
    )
    parser.EndElementHandler = lambda _: builder.end()
    parser.StartDoctypeDeclHandler = lambda *_: builder.refuse(parser.CurrentLineNumber)
    parser.EntityDeclHandler = lambda *_: builder.refuse(parser.CurrentLineNumber)
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise FileError(
            path, f"line {error.lineno}", f"not well-formed XML or cut short: {reason}"
        ) from None
    if builder.tree is None:
        raise FileError(path, "", f"has no <{root}> element")
    return builder.tree


class _Builder:
    def __init__(self, path: Any, kinds: dict[str, Kind], root: str) -> None:
        self.path, self.kinds, self.root = path, kinds, root
        self.tree: Element | None = None
        self.open: list[Element | None] = []
        self.count = 0

    def refuse(self, line: int) -> None:
        raise FileError(self.path, f"line {line}", "document types and entities are never read")

    def start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.count += 1
        parent = self.open[-1] if self.open else None
        element = Element(self.path, tag, attributes, line)
        self._check_size(element)
        if tag.startswith("xacro:"):
            raise element.wrong("is a macro, not URDF", "expand the file with xacro first")
        named = attributes.get(FILE_ATTRIBUTE, "")
        if _CLIMBS.search(named):
            raise element.wrong(
                f"{FILE_ATTRIBUTE} {shown(named)} climbs out of its folder by '..'",
                "name a file below the folder or package, or delete the element; nothing in it is used here",
            )
        if not self.open:
            if tag != self.root:
                raise element.wrong(f"is the outermost element, but must be <{self.root}>")
            self.tree = element
        elif parent is None or not self._keeps(element, parent):
            self.open.append(None)
            return
        else:
            parent.children.append(element)
        self.open.append(element)

    def end(self) -> None:
        self.open.pop()

    def _keeps(self, element: Element, parent: Element) -> bool:
        """True for a kept element; one that is misspelt or misplaced is refused, never skipped."""
        tag = element.tag
        if tag not in self.kinds[parent.tag].children:
            near = difflib.get_close_matches(tag[:64], self.kinds, n=1, cutoff=0.75)
            if tag in self.kinds:
                raise element.wrong(f"does not belong in {parent}")
            if near and ":" not in tag:
                raise element.wrong(f"in {parent} is unknown", f"did you mean <{near[0]}>?")
            return False
        allowed = self.kinds[tag].attributes
        for name in element.attributes:
            if allowed is not None and name not in allowed and ":" not in name:
                raise element.wrong(
                    f"unknown attribute {shown(name)}", f"allowed: {', '.join(allowed)}"
                )
        return True

    def _check_size(self, element: Element) -> None:
        if len(self.open) >= MAX_DEPTH:
            raise element.wrong(f"is nested more than {MAX_DEPTH} deep")
        if self.count > MAX_ELEMENTS:
            raise element.wrong(f"is one of more than {MAX_ELEMENTS} elements")
        if len(element.attributes) > MAX_ATTRIBUTES:
            raise element.wrong(
                f"has {len(element.attributes)} attributes, more than {MAX_ATTRIBUTES}"
            )
        for name, value in element.attributes.items():
            if len(name) + len(value) > MAX_ATTRIBUTE_LENGTH:
                raise element.wrong(
                    f"attribute {shown(name)} has {len(value)} characters, more than {MAX_ATTRIBUTE_LENGTH}"
                )
