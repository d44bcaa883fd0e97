"""XML of other programs as a plain tree: no document type, no entities, bounded size."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from fabric.observe.hostfacts.values import number, shown
from fabric.observe.parsers import UnreadableError

#: NCCL itself stops far below: MAX_SUBS of NVIDIA/nccl, src/graph/xml.h, is 640 for one element.
MAX_ELEMENTS = 100_000
MAX_DEPTH = 64


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
