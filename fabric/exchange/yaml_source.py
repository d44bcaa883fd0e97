"""A YAML file of another program: what is read of it, and where each piece stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.intent.scalars import found
from fabric.intent.yaml.file import load_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabric.exchange.draft import Draft, Place

    Where = tuple[str | int, ...]


class YamlSource:
    """The data of a file as mappings and lists; what has another shape is an error of the draft.

    Parameters
    ----------
    fix : str
        What messages say to do.

    Raises
    ------
    InputError
        When the file is no YAML.
    """

    def __init__(self, path: Path, draft: Draft, fix: str) -> None:
        self._document = load_yaml(path, str(path), foreign=True)
        self._draft, self._fix = draft, fix
        self.data: dict[str | int, Any] = self._document.data

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
        return self._draft.place(position.line, position.column)

    def wrong(self, where: Where, message: str, rule: str = "EXC006") -> None:
        """Note what is wrong in a place."""
        self._draft.wrong(rule, message, self._fix, self.place(where))
