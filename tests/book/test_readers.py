"""Readers that are made from books: each argument with a name is taken by somebody."""

from __future__ import annotations

import sys
from collections import defaultdict

from fabric.book.book import books
from fabric.core.plugins import import_plugins
from fabric.observe.configuration.book import BookReader
from tests.cases import each


def _readers() -> dict[str, list[BookReader]]:
    """Return the readers of each system."""
    for room in ("reading", "reading_lossless"):
        import_plugins(room)
    values = [value for module in list(sys.modules.values()) for value in vars(module).values()]
    readers = {id(value): value for value in values if isinstance(value, BookReader)}
    by_system = defaultdict(list)
    for reader in readers.values():
        by_system[reader.system].append(reader)
    return by_system


@each("system", books())
def test_every_named_argument_is_taken(system: str) -> None:
    """By a function of a reader, or by the owner that it narrows; else it needs no name."""
    readers = _readers()[system]
    for rule in books()[system].rules:
        names = {one.name for variant in rule.rule.variants for one in variant.elements} - {""}
        names -= {name for ours in rule.known.ours for name, _ in ours.when}
        for reader in readers:
            names -= reader.takes(rule)
        assert not names, (rule.known.line, rule.known.text, names)


@each("system", books())
def test_every_meaning_is_one_of_a_reader(system: str) -> None:
    """What a rule says to a reader that does not exist would be lost."""
    kinds = {reader.kind for reader in _readers()[system]}
    for rule in books()[system].rules:
        assert rule.known.means.keys() <= kinds, (rule.known.line, rule.known.text)
