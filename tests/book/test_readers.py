"""Readers that are made from books: each argument with a name is taken by somebody."""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import Any

from fabric.book.book import books
from fabric.core.plugins import import_plugins
from fabric.observe.configuration.book import BookReader
from fabric.observe.configuration.tables import TableReader
from tests.cases import each


def _readers() -> dict[str, list[BookReader | TableReader[Any]]]:
    """Return the readers of each system."""
    for room in ("reading", "reading_lossless"):
        import_plugins(room)
    values = [value for module in list(sys.modules.values()) for value in vars(module).values()]
    readers = {id(value): value for value in values if isinstance(value, BookReader | TableReader)}
    by_system = defaultdict(list)
    for reader in readers.values():
        by_system[reader.system].append(reader)
    return by_system


@each("system", books())
def test_every_named_argument_is_taken(system: str) -> None:
    """By a function of a reader, or by the owner that it narrows; else it needs no name."""
    readers = _readers()[system]
    rules = books()[system].rules
    for rule in rules:
        names = {one.name for variant in rule.rule.variants for one in variant.elements} - {""}
        inside = [one for one in rules if rule.rule.opens in one.known.modes]
        owners = [ours for one in (rule, *inside) for ours in one.known.ours]
        names -= {name for ours in owners for name, _ in ours.when}
        for reader in readers:
            names -= reader.takes(rule) if isinstance(reader, BookReader) else set()
        assert not names, (rule.known.line, rule.known.text, names)


@each("system", books())
def test_every_meaning_is_one_of_a_reader(system: str) -> None:
    """What a rule says to a reader that does not exist would be lost."""
    kinds = {reader.kind for reader in _readers()[system]}
    for rule in books()[system].rules:
        assert rule.known.means.keys() <= kinds, (rule.known.line, rule.known.text)
