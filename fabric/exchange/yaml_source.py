"""A YAML file of another program: what is read of it, and where each piece stands."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from fabric.core.errors import InputError
from fabric.core.shown import found
from fabric.exchange.values import text_of
from fabric.intent.yaml.file import load_yaml, parse_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabric.core.findings import Finding
    from fabric.exchange.draft import Draft, Place
    from fabric.intent.yaml.file import Document

    Where = tuple[str | int, ...]


class YamlSource:
    """The data of a file as mappings and lists; what has another shape is an error of the draft.

    Parameters
    ----------
    fix : str
        What messages say to do.
    document, first_line : Document or None, int
        What was read of the file already, and where it begins there.

    Raises
    ------
    InputError
        When the file is no YAML.
    """

    def __init__(
        self,
        path: Path,
        draft: Draft,
        fix: str,
        *,
        document: Document | None = None,
        first_line: int = 1,
    ) -> None:
        self._document = document or load_yaml(path, str(path), foreign=True)
        self._draft, self._fix, self._above = draft, fix, first_line - 1
        self.data: dict[str | int, Any] = self._document.data

    @classmethod
    def documents(cls, path: Path, draft: Draft, fix: str) -> Iterator[YamlSource]:
        """Yield the documents of a file that has several, between lines of ``---``.

        Raises
        ------
        InputError
            When the file cannot be read; a document that is no YAML is an error of the draft.
        """
        for first, text in _documents(text_of(path)):
            try:
                document = parse_yaml(text.encode(), str(path), foreign=True)
            except InputError as error:
                draft.findings += [_below(item, first - 1) for item in error.findings]
                continue
            yield cls(path, draft, fix, document=document, first_line=first)

    def mapping(self, where: Where, value: object) -> dict[str, Any]:
        """Return a mapping by names; nothing is an empty one."""
        if not isinstance(value, dict):
            if value is not None:
                self.wrong(where, f"expected a mapping, found {found(value)}")
            return {}
        return {str(key): item for key, item in value.items()}

    def items(self, where: Where, value: object) -> list[Any]:
        """Return a list; nothing is an empty one."""
        if value is not None and not isinstance(value, list):
            self.wrong(where, f"expected a list, found {found(value)}")
        return value if isinstance(value, list) else []

    def rows(self, where: Where, value: object) -> Iterator[tuple[Where, dict[str, Any]]]:
        """Yield the mappings of a list, each with its place."""
        for number, item in enumerate(self.items(where, value)):
            yield (*where, number), self.mapping((*where, number), item)

    def text(self, where: Where, value: object) -> str:
        """Return a text or number as text; nothing is an empty one."""
        if isinstance(value, dict | list):
            self.wrong(where, f"expected text, found {found(value)}")
            return ""
        return "" if value is None else str(value)

    def place(self, where: Where) -> Place:
        """Return where a key stands, or its nearest parent."""
        position = self._document.position(where)
        return self._draft.place(position.line + self._above, position.column)

    def wrong(self, where: Where, message: str, rule: str = "EXC006") -> None:
        """Note what is wrong in a place."""
        self._draft.wrong(rule, message, self._fix, self.place(where))


def _documents(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number of the first line, and the text, of each document that says something."""
    lines = text.splitlines(keepends=True)
    starts = [at for at, line in enumerate(lines) if line.rstrip() == "---"]
    for start, end in pairwise((-1, *starts, len(lines))):
        own = lines[start + 1 : end]
        if any(line.strip() and not line.lstrip().startswith("#") for line in own):
            yield start + 2, "".join(own)


def _below(item: Finding, lines: int) -> Finding:
    if item.position is None:
        return item
    position = replace(item.position, line=item.position.line + lines)
    return replace(item, position=position)
