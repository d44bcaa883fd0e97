"""JSON as the tools print it, read field by field with its type.

XML of other programs as a plain tree: no document type, no entities, bounded size.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from xml.parsers import expat

from fabric.observe.hostfacts.values import U64_MAX, number, shown
from fabric.observe.parsers import UnreadableError

T = TypeVar("T")
Row = Mapping[str, Any]


#: NCCL itself stops far below: MAX_SUBS of NVIDIA/nccl, src/graph/xml.h, is 640 for one element.
MAX_ELEMENTS = 100_000
MAX_DEPTH = 64


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise UnreadableError("the JSON names a member twice")
    return members


def read_json(text: str) -> Any:
    """Return what JSON says; a member that stands twice is refused.

    Raises
    ------
    UnreadableError
        When it is no JSON, or nested too deeply.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except UnreadableError:
        raise
    except (ValueError, RecursionError):
        raise UnreadableError("the output is not JSON, or not all of it") from None


def rows(text: str, tool: str) -> list[Row]:
    """Return a list of objects; ``ip`` prints empty ones for what it left out.

    Raises
    ------
    UnreadableError
        When the output is something else.
    """
    parsed = read_json(text)
    if not isinstance(parsed, list) or not all(isinstance(row, dict) for row in parsed):
        raise UnreadableError(f"{tool} printed no list of objects")
    return [row for row in parsed if row]


def whole(row: Row, name: str, low: int = 0, high: int = U64_MAX) -> int:
    """Return a whole number within its bounds, or raise UnreadableError."""
    value = row.get(name)
    if type(value) is not int or not low <= value <= high:
        raise UnreadableError(f"{name} is {shown(value)}")
    return value


def flag(row: Row, name: str) -> bool:
    """Return true or false, or raise UnreadableError."""
    value = row.get(name)
    if type(value) is not bool:
        raise UnreadableError(f"{name} is {shown(value)}")
    return value


def items(row: Row, name: str) -> list[Any]:
    """Return a list, or raise UnreadableError."""
    value = row.get(name)
    if not isinstance(value, list):
        raise UnreadableError(f"{name} is {shown(value)}")
    return value


def optional(row: Row, name: str, read: Callable[[Any], T]) -> T | None:
    """Return what ``read`` makes of a member, None where there is no such member."""
    return read(row[name]) if name in row else None


@dataclass(slots=True)
class Element:
    """An element; text between elements is not kept."""

    name: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)

    def all(self, name: str) -> list[Element]:
        """Return the children of a name."""
        return [child for child in self.children if child.name == name]

    def text(self, name: str) -> str:
        """Return an attribute, or raise UnreadableError."""
        if name not in self.attributes:
            raise UnreadableError(f"an element {shown(self.name)} has no {name}")
        return self.attributes[name]

    def number(self, name: str) -> int:
        """Return an attribute as a number, decimal or ``0x``; -1 is allowed, as NCCL writes it."""
        text = self.text(name)
        if text == "-1":
            return -1
        if text.startswith("0x") and len(text) <= len("0x") + 16 and text[2:].isalnum():
            try:
                return int(text, 16)
            except ValueError:
                pass
        return number(text, f"number in {name}")

    def maybe(self, name: str) -> int | None:
        """Return an attribute as a number, None where it is not there."""
        return self.number(name) if name in self.attributes else None

    def flag(self, name: str) -> bool:
        """Return an attribute that is 0 or 1, or raise UnreadableError."""
        return bool(number(self.text(name), f"flag in {name}", high=1))


class _Builder:
    def __init__(self) -> None:
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MAX_ELEMENTS or len(self.open) >= MAX_DEPTH:
            message = f"the XML has more than {MAX_ELEMENTS} elements or {MAX_DEPTH} levels"
            raise UnreadableError(message)
        element = Element(name, attributes)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _name: str) -> None:
        self.open.pop()


def _refuse(*_told: object) -> None:
    raise UnreadableError("the XML declares a document type, which is not read")


def read_xml(text: str, root: str) -> Element:
    """Return the tree under a root of this name.

    A document type is refused where it begins, before any entity can be declared in it: expat alone
    expands entities, and so does ElementTree.

    Raises
    ------
    UnreadableError
        When the text is not whole or well-formed, or too large.
    """
    builder = _Builder()
    parser = expat.ParserCreate("UTF-8")  # whatever the text declares
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(text.encode(errors="surrogatepass"), True)  # noqa: FBT003  (is final)
    except expat.ExpatError as error:
        message = f"the XML is cut or wrong: {expat.errors.messages[error.code]}"
        raise UnreadableError(message) from None
    if builder.root is None or builder.root.name != root:
        raise UnreadableError(f"the XML has no root {root!r}")
    return builder.root
