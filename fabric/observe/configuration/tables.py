"""Readers of tables that are made from a book: what each table means, and which function takes it.

A row says what it means, as a line does (`fabric.observe.configuration.book`): ``nothing``, or the
name of a function, which takes a row with all its fields. A table that says nothing is not
understood. Where fields of a table have a meaning, ``nothing`` or ``with its row``, the others are
not understood.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from fabric.book.book import books
from fabric.book.file import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.book.book import Book, BookRule

_NOTHING = "nothing"

ActionT = TypeVar("ActionT")


class TableReader(Generic[ActionT]):
    """What the tables of a system mean to a reader.

    Parameters
    ----------
    system : str
        Its book.
    reader : str
        ``routing`` or ``lossless``.
    """

    def __init__(self, system: str, reader: str) -> None:
        self.system, self.kind = system, reader
        self._actions: dict[str, ActionT] = {}

    @cached_property
    def _book(self) -> Book:
        return books()[self.system]

    def means(self, name: str) -> Callable[[ActionT], ActionT]:
        """Return a decorator of what rows of a meaning do."""

        def decorate(action: ActionT) -> ActionT:
            self._actions[name] = action
            return action

        return decorate

    def _meanings(self) -> Iterator[tuple[BookRule, str]]:
        for rule in self._book.rules:
            if TABLES in rule.known.modes and self.kind in rule.known.means:
                yield rule, rule.known.means[self.kind]

    @cached_property
    def tables(self) -> dict[str, ActionT]:
        """Return what is done with the rows of each table, in the order of the book.

        Raises
        ------
        BookError
            When the book has a meaning that is not known here, or two for one table.
        ValueError
            When the book has no row for what is known here.
        """
        names: dict[str, str] = {}
        for rule, name in self._meanings():
            if name not in {_NOTHING, *self._actions}:
                raise self._book.mistake(rule, f"no reader of {self.kind} takes {name!r}")
            for table in sorted(rule.rule.first_words) if name != _NOTHING else ():
                if names.setdefault(table, name) != name:
                    raise self._book.mistake(rule, f"{table} means {names[table]!r} too")
        if unused := self._actions.keys() - {*names.values()}:
            raise ValueError(f"no row of {self.system} means {', '.join(sorted(unused))}")
        return {table: self._actions[name] for table, name in names.items()}

    @cached_property
    def _passed_over(self) -> re.Pattern[str]:
        tables = (
            variant.elements[0].pattern
            for rule, name in self._meanings()
            if name == _NOTHING
            for variant in rule.rule.variants
        )
        return re.compile("|".join(tables) or "(?!)")

    def passes_over(self, table: str) -> bool:
        """Tell whether a table says nothing."""
        return bool(self._passed_over.fullmatch(table))

    @cached_property
    def fields(self) -> dict[str, frozenset[str]]:
        """Return the fields that have a meaning, of the tables of which some have."""
        fields: dict[str, frozenset[str]] = {}
        modes = [(table, rule.rule.opens) for rule, _ in self._meanings() for table in _words(rule)]
        for table, mode in modes:
            for rule in self._book.rules:
                if mode in rule.known.modes and self.kind in rule.known.means:
                    fields[table] = fields.get(table, frozenset()) | _words(rule)
        return fields


def _words(rule: BookRule) -> frozenset[str]:
    return frozenset(rule.rule.first_words)
