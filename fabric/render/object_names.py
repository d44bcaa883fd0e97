"""Names of objects that lossless policies of a switch share.

Where the policy of a port differs in one object, only that object gets another name. The port is
then bound to one other object, and what it shares stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable


class ObjectNames:
    """Objects by kind; those with the same content are one object."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, Hashable], str] = {}

    def name(self, kind: str, content: Hashable, own: str) -> str:
        """Return the name of an object; ``own`` where nothing of its kind has this content yet."""
        return self._names.setdefault((kind, content), own)

    def objects(self, kind: str) -> tuple[tuple[str, Any], ...]:
        """Return name and content of each object of a kind, in the order of their names' use."""
        return tuple((name, content) for (of, content), name in self._names.items() if of == kind)
