"""The statements of the book (`fabric.book`) as a tree: how they nest, and what replaces what."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from fabric.book.book import books
from fabric.book.grammar import JOINT, element, spellings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.book.grammar import Element
    from fabric.systems.junos.platforms.text import Words

_VALUE, _VALUES = "=", "+="


class StatementError(ValueError):
    """A statement that is not in the grammar; ``word`` is what it fails at."""

    def __init__(self, word: str) -> None:
        super().__init__(f"syntax error at {word!r}")
        self.word = word


class Level(NamedTuple):
    """Words of a rule that stand on one level of the hierarchy.

    Parameters
    ----------
    inline : bool
        Whether what follows stays on the line.
    leaf, several : bool
        Whether the last word is a value, and whether others may stand beside it.
    """

    elements: tuple[Element, ...] = ()
    inline: bool = False
    leaf: bool = False
    several: bool = False


@dataclass(slots=True)
class LevelNode:
    """A level of the grammar with what may stand below it; ``whole`` if a statement may end."""

    level: Level
    whole: bool = False
    below: dict[tuple[str, ...], LevelNode] = field(default_factory=dict)
    by_word: dict[str, list[LevelNode]] = field(default_factory=dict)
    others: list[LevelNode] = field(default_factory=list)

    def index(self) -> None:
        """Sort what stands below by its first word; what any value may begin is in ``others``."""
        firsts = [(child, child.level.elements[0]) for child in self.below.values()]
        self.others = [child for child, first in firsts if first.check]
        self.by_word = {
            word: [child for child, first in firsts if first.check or word in first.literals]
            for word in {word for _, first in firsts for word in first.literals}
        }
        for child in self.below.values():
            child.index()


class Step(NamedTuple):
    """Words of a statement that stand on one level of the hierarchy."""

    words: Words
    level: Level


Statement = tuple[Step, ...]


@cache
def root() -> LevelNode:
    """Return the grammar."""
    top = LevelNode(Level())
    for rule in books()["junos"].rules:
        for pieces in spellings(rule.known.text.split()) if rule.known.is_shown else ():
            node = top
            for level in _levels(pieces):
                key = tuple(part.pattern for part in level.elements)
                node = node.below.setdefault(key, LevelNode(level))
                node.level = node.level._replace(inline=node.level.inline or level.inline)
            node.whole = True
    top.index()
    return top


def _levels(pieces: list[str]) -> Iterator[Level]:
    """Yield the levels of a rule; a value stands on the level of the word before it."""
    for piece, after in pairwise([*pieces, ""]):
        if piece in {_VALUE, _VALUES}:
            continue
        elements = tuple(map(element, JOINT.split(piece.removesuffix("!"))))
        if after in {_VALUE, _VALUES}:
            yield Level((*elements, element(pieces[-1])), leaf=True, several=after == _VALUES)
            return
        yield Level(elements, inline=piece.endswith("!"))


def statements(words: Words) -> tuple[Statement, ...]:
    """Return the statements of a ``set`` line: one, or more where several share a line.

    Raises
    ------
    StatementError
        When the grammar has no such statement.
    """
    steps, rest, ended, wrong = _walk(words)
    if wrong:
        raise StatementError(wrong)
    if not rest:
        if not ended:
            raise StatementError(words[-1])
        return (steps,)
    anchor = max((n for n, step in enumerate(steps) if step.level.inline), default=-1)
    if anchor < 0 or not ended or len(steps) <= anchor + 1:
        raise StatementError(rest[0])
    head = tuple(word for step in steps[: anchor + 1] for word in step.words)
    return (steps, *statements((*head, *rest)))


def levels(words: Words) -> list[Words]:
    """Return the words of every level on the way to the end of a statement, the whole one last.

    Of what the grammar does not know, only the whole statement is a level.
    """
    steps, *_ = _walk(words)
    rows = [
        tuple(word for step in steps[:count] for word in step.words)
        for count in range(1, len(steps) + 1)
    ]
    return rows if words in rows else [*rows, words]


def replaces(words: Words) -> bool:
    """Tell whether setting a statement takes the place of one that differs in the last word."""
    try:
        (statement,) = statements(words)
    except (StatementError, ValueError):
        return False
    return statement[-1].level.leaf and not statement[-1].level.several


def _walk(words: Words) -> tuple[Statement, Words, bool, str]:
    """Return how far the grammar goes.

    Returns
    -------
    tuple
        The steps, the words behind them, whether a statement may end there, and the word that does
        not fit behind one that does.
    """
    steps: list[Step] = []
    node, at, wrong = root(), 0, ""
    while at < len(words) and not wrong:
        below, wrong = _below(node, words, at)
        if below is None:
            break
        node, start = below, at
        at += len(below.level.elements)
        steps.append(Step(words[start:at], below.level))
    return tuple(steps), words[at:], node.whole, wrong


def _below(node: LevelNode, words: Words, at: int) -> tuple[LevelNode | None, str]:
    """Return the level that words begin with, or the word that ends a level too early."""
    longest = 0
    for child in node.by_word.get(words[at], node.others):
        elements = child.level.elements
        length = 0
        for part, word in zip(elements, words[at:], strict=False):
            if not _fits(part, word):
                break
            length += 1
        if length == len(elements):
            return child, ""
        longest = max(longest, length)
    return None, words[min(at + longest, len(words) - 1)] if longest else ""


def _fits(part: Element, word: str) -> bool:
    if part.check is None:
        return word in part.literals
    return part.check(word) is not None
