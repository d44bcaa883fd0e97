"""Readers that are made from books: each argument with a name is taken by somebody."""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

from fabric.book.book import books, read_book
from fabric.book.file import BookError
from fabric.core.plugins import import_plugins
from fabric.observe.configuration import book as module
from fabric.observe.configuration.book import BookReader
from fabric.observe.configuration.tables import TableReader
from tests.cases import each

if TYPE_CHECKING:
    from pathlib import Path


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
        assert not names, str(books()[system].mistake(rule, f"nobody takes {sorted(names)}"))


@each("system", books())
def test_every_meaning_is_one_of_a_reader(system: str) -> None:
    """What a rule says to a reader that does not exist would be lost."""
    kinds = {reader.kind for reader in _readers()[system]}
    for rule in books()[system].rules:
        mistake = books()[system].mistake(rule, f"readers are {sorted(kinds)}")
        assert rule.known.means.keys() <= kinds, str(mistake)


HEAD = "[config]\nmtu <bytes:1-9> [ <more:1-9> ]\n  routing "
WRONG = {
    "another": "no reader of routing takes 'another'",
    "mtu now": "'now' is none of the words behind a meaning: either way",
    ".mtu maybe": "'maybe' is none of the words behind a meaning: yes, no",
    "nothing yes": "'yes' is none of the words behind a meaning: none",
    "mtu": "mtu does not take more",
    "strict": "strict needs more, which a spelling does not have",
}


@each("words", WRONG)
def test_a_meaning_fits_its_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    """What does not would be left over, whatever a switch has."""
    (tmp_path / "lines.book").write_text(f"{HEAD}{words}\n")
    book = read_book(tmp_path / "lines.book", "acme")
    monkeypatch.setattr(module, "books", lambda: {"acme": book})
    reader = BookReader("acme", "routing", "no")
    reader.means("mtu")(lambda target, line, bytes: None)  # noqa: A006
    reader.means("strict")(lambda target, line, bytes, more: None)  # noqa: A006
    with pytest.raises(BookError, match=rf"lines\.book:2: {WRONG[words]}"):
        assert reader.top


def test_a_field_has_a_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lines.book").write_text("[config]\nmtu <1-9>\n  routing .mtu\n")
    book = read_book(tmp_path / "lines.book", "acme")
    monkeypatch.setattr(module, "books", lambda: {"acme": book})
    with pytest.raises(BookError, match=r"lines\.book:2: no argument of the line has a name"):
        assert BookReader("acme", "routing", "no").top
