"""Books of systems whose configuration is tables: their rows, and the fields of these.

The rules of the mode ``tables`` are rows, written without the bars between their words:
``VLAN_MEMBER <@VLAN> <@PORT> > VLAN_MEMBER``. The mode that a row opens has its fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabric.book.file import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.book.book import Book, BookRule
    from fabric.book.file import Ours
    from fabric.book.grammar import Element

#: Between the words of a row, and before a field.
BAR = r"\|"
#: Patterns that would take a bar too.
_OPEN = (r"\S+", ".+")


@dataclass(frozen=True, eq=False)
class RowRule:
    """A kind of row.

    Parameters
    ----------
    table : str
        Its table.
    key : tuple of Element
        What its key is made of.
    rule : BookRule
        What is known of it.
    fields : tuple of FieldRule
        What it may hold.
    """

    table: str
    key: tuple[Element, ...]
    rule: BookRule
    fields: tuple[FieldRule, ...]

    @cached_property
    def _by_name(self) -> dict[str, FieldRule]:
        return {name: field for field in self.fields for name in field.names}

    @cached_property
    def _any(self) -> FieldRule | None:
        return next((field for field in self.fields if not field.names), None)

    def field(self, name: str) -> FieldRule | None:
        """Return what is known of a field; None where the row has none of this name."""
        return self._by_name.get(name, self._any)


@dataclass(frozen=True, slots=True, eq=False)
class FieldRule:
    """A kind of field: its name, and what its value may be, in one of several forms."""

    name: Element
    values: tuple[Element, ...]
    rule: BookRule

    @property
    def names(self) -> frozenset[str]:
        """Its names; none where it may have many."""
        return self.name.literals


def rows(book: Book) -> tuple[RowRule, ...]:
    """Return the rows of a book in their order; ``A|B <key>`` is a row of two tables."""
    return tuple(
        RowRule(table, variant.elements[1:], rule, tuple(_fields(book, rule.rule.opens)))
        for rule in book.rules
        if TABLES in rule.known.modes and rule.known.is_shown
        for variant in rule.rule.variants
        for table in sorted(variant.elements[0].literals)
    )


def _fields(book: Book, mode: str) -> Iterator[FieldRule]:
    for rule in book.rules:
        if mode in rule.known.modes and rule.known.is_shown:
            name, *_ = rule.rule.variants[0].elements
            values = tuple(variant.elements[-1] for variant in rule.rule.variants)
            yield FieldRule(name, values, rule)


def printed(book: Book) -> Iterator[tuple[BookRule, Ours, str]]:
    """Yield what templates print, with a pattern of its path: ``TABLE``, with row, with field.

    A mode that no row opens has lines of another file.
    """
    for row in rows(book):
        for ours in row.rule.known.ours:
            alone = "" if ours.when else "|$"
            yield row.rule, ours, rf"{row.table}(?:{_path(row.key, ours)}(?={BAR}|$){alone})"
        for field in row.fields:
            for ours in field.rule.known.ours:
                key = (*row.key, field.name)
                if dict(ours.when).keys() <= {element.name for element in key}:
                    yield field.rule, ours, rf"{row.table}{_path(key, ours)}$"
    opened = {TABLES, *(rule.rule.opens for rule in book.rules)}
    for rule in book.rules:
        for ours in () if opened.intersection(rule.known.modes) else rule.known.ours:
            yield from ((rule, ours, f"{key}(?= |$)") for key in rule.keys(ours))


def _path(key: tuple[Element, ...], ours: Ours) -> str:
    """Return the pattern of a path behind its table."""
    when = dict(ours.when)
    return "".join(f"{BAR}{_word(element, when.get(element.name))}" for element in key)


def _word(element: Element, when: str | None) -> str:
    pattern = when or element.pattern
    closed = "[^|]+" if pattern in _OPEN else pattern.replace(r"\S", "[^|]")
    return f"(?:{closed})"
