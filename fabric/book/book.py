"""What a book says of lines, wherever they come from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from fabric.book.check import mistakes
from fabric.book.file import TABLES, TOP, BookError, read_texts
from fabric.book.grammar import parse_rule, without_trait
from fabric.book.kinds import NUMBER
from fabric.core.plugins import file_of_each

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from fabric.book.file import Ours, RuleText, Texts
    from fabric.book.grammar import Element, Rule, Variant

FILE = "lines.book"
Chain = tuple[str, ...]
#: How a level is indented where lines are explained, whatever the switch does.
INDENT = "  "
#: The letters that an argument begins with, such as ``Ethernet``, if it has one form alone.
_NAME = re.compile(r"[A-Z][A-Za-z-]+(?=[^|]*$)")


@dataclass(frozen=True, eq=False)
class BookRule:
    """A kind of line: how it is written, and what is known of it.

    Parameters
    ----------
    known : RuleText
        What stands in the book.
    rule : Rule
        How it is written.
    """

    known: RuleText
    rule: Rule

    @property
    def is_keyed(self) -> bool:
        """Whether a line of this kind takes the place of another one."""
        return any(one.sign for one in self.rule.variants)

    @property
    def is_flag(self) -> bool:
        """Whether a line of this kind ends with its last word, and nothing stands in it."""
        ends = (one.elements[-1].literals for one in self.rule.variants)
        is_open = bool(self.rule.opens) or not self.known.is_shown
        return not is_open and not self.is_keyed and all(ends)

    @property
    def numbers(self) -> frozenset[str]:
        """Names of the arguments that are numbers."""
        elements = [element for variant in self.rule.variants for element in variant.elements]
        return frozenset(one.name for one in elements if one.pattern == NUMBER)

    def keys(self, ours: Ours | None = None) -> Iterator[str]:
        """Yield patterns of what lines are about: the words before the value."""
        when = dict(ours.when) if ours else {}
        for variant in self._spellings(when):
            yield _words(variant, when)

    def _spellings(self, when: dict[str, str]) -> list[Variant]:
        """Return the spellings that have what the owner narrows; all where none has it."""
        variants = [*self.rule.variants]
        narrow = [one for one in variants if when.keys() <= {part.name for part in one.elements}]
        return narrow or variants

    def beginnings(self) -> Iterator[str]:
        """Yield what stands before the first argument or value; ``a|b`` are two beginnings."""
        for variant in self.rule.variants:
            starts = [""]
            for at, element in enumerate(variant.elements):
                if not element.literals or at == variant.key_length:
                    name = None if element.literals else _NAME.match(element.pattern)
                    starts = [f"{start} {name[0] if name else ''}" for start in starts]
                    break
                starts = [f"{one} {word}".strip() for one in starts for word in element.literals]
            yield from sorted(starts)

    def lines(self) -> Iterator[str]:
        """Yield patterns of whole lines, with a group for each argument that has a name."""
        for variant in self.rule.variants:
            yield " ".join(map(_grouped, variant.elements))

    def whole(self, ours: Ours | None = None) -> str:
        """Return a pattern of whole lines; any value is one, unless the owner narrows it."""
        when = dict(ours.when) if ours else {}
        ends = (_end(variant, when) == len(variant.elements) for variant in self._spellings(when))
        tails = ("" if is_whole else " .*" for is_whole in ends)
        return "|".join(dict.fromkeys(map("".join, zip(self.keys(ours), tails, strict=True))))


def _grouped(element: Element) -> str:
    if element.name:
        return f"(?P<{element.name}>{element.pattern})"
    return f"(?:{element.pattern})"


def _end(variant: Variant, when: dict[str, str]) -> int:
    narrow = (at for at, one in enumerate(variant.elements, 1) if one.name in when)
    return max([variant.key_length, *narrow])


def _words(variant: Variant, when: dict[str, str]) -> str:
    """Return the words of the key, and those behind it up to what the owner narrows."""
    words = []
    for element in variant.elements[: _end(variant, when)]:
        pattern = when.get(element.name, element.pattern)
        words.append(f"(?:{pattern})" if "|" in pattern else pattern)
    return " ".join(words)


@dataclass(frozen=True, eq=False)
class Book:
    """The rules of a system.

    Parameters
    ----------
    system : str
        Its name, that of the folder of its templates.
    file : Path or Traversable
        Where it stands.
    rules : tuple of BookRule
        All rules in their order.
    """

    system: str
    file: Path | Traversable
    texts: Texts
    rules: tuple[BookRule, ...]

    def tables(self) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
        """Return the rules of each mode as a grammar takes them, and the lines that are hidden."""
        hidden = {mode: frozenset(lines) for mode, lines in self.texts.hidden.items()}
        return self.texts.tables(), hidden

    @cached_property
    def depths(self) -> dict[str, int]:
        """How deep the lines of a mode stand."""
        depths, todo = {TOP: 0}, [TOP]
        while todo:
            mode = todo.pop()
            for rule in self.rules:
                opens = rule.rule.opens
                if mode in rule.known.modes and opens and opens not in depths:
                    depths[opens] = depths[mode] + 1
                    todo.append(opens)
        return depths

    @cached_property
    def holders(self) -> dict[str, tuple[Chain, ...]]:
        """Patterns of the lines that hold those of a mode, outermost first; every way there.

        Those that switches alone have, and no file of ours, do not count.
        """
        holders: dict[str, tuple[Chain, ...]] = {TOP: ((),)}
        for mode in sorted(self.depths, key=self.depths.__getitem__)[1:]:
            holders[mode] = tuple(
                (*above, rule.whole())
                for rule in self.rules
                if rule.rule.opens == mode and rule.known.is_shown
                for within in rule.known.modes
                if self.depths.get(within) == self.depths[mode] - 1
                for above in holders[within]
            )
        return holders

    def mistake(self, rule: BookRule, message: str) -> BookError:
        """Return that a rule is wrong, with its place."""
        return BookError(self.file, rule.known.line, message)

    @property
    def has_tables(self) -> bool:
        """Whether a configuration is tables, and not lines."""
        return TABLES in self.texts.modes

    def marked(self, mark: str) -> Iterator[BookRule]:
        """Yield the rules with a mark."""
        return (rule for rule in self.rules if mark in rule.known.marks)

    def owned(self) -> Iterator[tuple[BookRule, Ours]]:
        """Yield what is ours."""
        return ((rule, ours) for rule in self.rules for ours in rule.known.ours)

    def modes_of(self, rule: BookRule, ours: Ours) -> tuple[str, ...]:
        """Return the modes of a rule that what is ours is about: without those named before it."""
        earlier = rule.known.ours[: rule.known.ours.index(ours)]
        named = {mode for other in earlier if not other.when for mode in other.modes}
        modes = ours.modes or rule.known.modes
        return tuple(mode for mode in modes if mode in self.depths and mode not in named)

    def owned_at_the_top(self) -> tuple[str, ...]:
        """Return patterns of our lines that stand in no section."""
        return tuple(rule.whole(ours) for rule, ours in self.owned() if TOP in rule.known.modes)


class Books(Mapping[str, Book]):
    """The books by their systems, each read when it is asked for: a command needs a few of them.

    Parameters
    ----------
    files : mapping of str to Path
        Where they are.
    """

    def __init__(self, files: Mapping[str, Path | Traversable]) -> None:
        self._files = files
        self._read: dict[str, Book] = {}

    def __getitem__(self, system: str) -> Book:
        """Return a book; raises BookError when it is wrong."""
        if system not in self._read:
            book = read_book(self._files[system], system)
            return self._read.setdefault(system, book)
        return self._read[system]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, system: object) -> bool:
        return system in self._files


@cache
def books() -> Mapping[str, Book]:
    """Return the books of all systems that have one."""
    return Books(file_of_each(FILE))


def read_book(file: Path | Traversable, system: str) -> Book:
    """Return a book.

    Raises
    ------
    BookError
        When a line of it is wrong, or does not go with the others (`fabric.book.check`).
    """
    texts = read_texts(file)
    rules = [_parsed(file, rank, text) for rank, text in enumerate(texts.rules)]
    for line, message in mistakes(texts, rules):
        raise BookError(file, line, message)
    return Book(system, file, texts, tuple(map(BookRule, texts.rules, rules)))


def _parsed(file: Path | Traversable, rank: int, text: RuleText) -> Rule:
    try:
        return parse_rule(without_trait(text.text), rank)
    except ValueError as error:
        raise BookError(file, text.line, str(error)) from None
