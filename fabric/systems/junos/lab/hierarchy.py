"""The hierarchical form of a configuration, as the system shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.junos.platforms.grammar import statements
from fabric.systems.junos.platforms.tree import nested, placed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.systems.junos.platforms.text import Words


def tree_text(lines: Iterable[Words]) -> str:
    """Return lines in hierarchical form, in the order in which they come.

    Raises
    ------
    StatementError
        When the grammar does not have one: how it nests is not known.
    """
    return nested(placed(statement) for words in lines for statement in statements(words))
