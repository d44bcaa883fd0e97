"""XML of other programs: elements with their lines, and nothing that could load other files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat

from fabric.exchange.values import malformed, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_MAX_DEPTH = 64


@dataclass(slots=True)
class Element:
    """An element, without namespaces.

    Parameters
    ----------
    line : int
        Where it begins.
    """

    tag: str
    line: int
    attributes: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, *path: str) -> Iterator[Element]:
        """Yield the elements on a path below this one."""
        if not path:
            yield self
            return
        for child in self.children:
            if child.tag == path[0]:
                yield from child.all(*path[1:])

    def value(self, *path: str) -> str:
        """Return the text of the first element on a path, or nothing."""
        return next((found.text.strip() for found in self.all(*path)), "")


def xml_of(path: Path) -> Element:
    """Return the root of an XML file.

    Raises
    ------
    InputError
        When it is no XML, nested too deeply, or has a document type: such can name other files,
        and entities that grow without end.
    """
    builder = _Builder(path)
    parser = builder.parser
    try:
        parser.Parse(text_of(path), True)  # noqa: FBT003 - expat knows no name for it
    except expat.ExpatError as error:
        message = f"not XML: {expat.ErrorString(error.code)}"
        fix = "provide the complete file"
        raise malformed(path, message, fix, error.lineno, error.offset + 1) from error
    return builder.root


class _Builder:
    def __init__(self, path: Path) -> None:
        self.root = Element("", 1)
        self._path = path
        self._open = [Element("", 1)]
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        plain = {_local(key): value for key, value in attributes.items()}
        element = Element(_local(name), self.parser.CurrentLineNumber, plain)
        if len(self._open) > _MAX_DEPTH:
            message = f"nested deeper than {_MAX_DEPTH} levels"
            raise malformed(self._path, message, "reduce the nesting", element.line)
        self._open[-1].children.append(element)
        self._open.append(element)

    def _end(self, name: str) -> None:
        del name
        self.root = self._open.pop()

    def _text(self, text: str) -> None:
        self._open[-1].text += text

    def _doctype(self, *_: object) -> None:
        message = "the file has a document type, which can load external content"
        raise malformed(self._path, message, "remove it", self.parser.CurrentLineNumber)


def _local(name: str) -> str:
    return name.rpartition(":")[2]
