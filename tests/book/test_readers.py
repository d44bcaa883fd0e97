"""Readers that are made from books: each argument with a name is taken by somebody."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from functools import cache
from inspect import Parameter, isclass, isfunction, signature
from types import FunctionType, GenericAlias, UnionType
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
    from collections.abc import Iterator
    from pathlib import Path

    from fabric.observe.configuration.blocks import Context


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


@each("system", books())
def test_every_function_takes_the_target_of_its_section(system: str) -> None:
    """What the line that opens a section returns is what the functions inside ask for."""
    readers = [reader for reader in _readers()[system] if isinstance(reader, BookReader)]
    assert [text for reader in readers for text in _misfits(reader.top, set(), set())] == []


def _misfits(context: Context, target: set[str], seen: set[object]) -> Iterator[str]:
    """Yield lines whose function does not take a target; of the whole text it is not known."""
    if (id(context), *sorted(target)) in seen:
        return
    seen.add((id(context), *sorted(target)))
    for row in context._rows:
        action, taken, inside = row.action, set[str](), set[str]()
        if isfunction(action):
            taken = _types(action, next(iter(signature(action).parameters.values())).annotation)
            inside = _types(action, signature(action).return_annotation)
        if taken and not all(_related(name, taken) for name in target):
            yield f"{row.pattern.pattern}: takes {sorted(taken)} and gets {sorted(target)}"
        if row.inside is not None:
            yield from _misfits(row.inside, target if inside <= {"None"} else inside, seen)


def _types(action: FunctionType, annotation: object) -> set[str]:
    """Return the names of the types of an annotation; a name for others stands for these."""
    if annotation is Parameter.empty:  # a method of what it takes
        return {action.__qualname__.partition(".")[0]}
    parts: set[str] = set()
    for name in str(annotation).split(" | "):
        value = action.__globals__.get(name)
        is_alias = isinstance(value, GenericAlias | UnionType)
        parts |= {
            re.sub(r"\w+\.", "", part) for part in str(value if is_alias else name).split(" | ")
        }
    return parts


def _related(name: str, others: set[str]) -> bool:
    """Tell whether one of two classes is the other, or made of it: the reader knows which."""
    return any(other in {name} | _bases()[name] or name in _bases()[other] for other in others)


@cache
def _bases() -> defaultdict[str, set[str]]:
    """Return the names of the classes that a class is one of, for the classes of all readers."""
    bases = defaultdict(lambda: {"object"})
    ours = [one for name, one in [*sys.modules.items()] if name.startswith("fabric.")]
    for values in map(vars, ours):
        for one in values.values():
            if isclass(one) and hasattr(one, "__mro__"):
                bases[one.__name__] |= {base.__name__ for base in one.__mro__}
    return bases


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
