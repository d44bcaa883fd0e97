"""NVUE's command tree, as far as the book has it: what may follow a word in a release."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from fabric.book.book import books
from fabric.book.grammar import element, spellings
from fabric.systems.cumulus.platforms.lines import split
from fabric.systems.cumulus.platforms.words import VOCABULARIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.book.grammar import Element
    from fabric.systems.cumulus.platforms.lines import Path
    from fabric.systems.cumulus.platforms.words import Words

_VALUE = "="


@dataclass
class WordNode:
    """One word of the tree: what may follow it, and whether a line may end there.

    ``value`` says that a line has no more than one such word at this place.
    """

    literals: dict[str, WordNode] = field(default_factory=dict)
    keys: dict[str, tuple[Element, WordNode]] = field(default_factory=dict)
    ends: bool = False
    value: bool = False

    def next(self, word: str) -> WordNode | None:
        """Return the node of the next word, or None when it may not stand here."""
        if word in self.literals:
            return self.literals[word]
        return next((node for part, node in self.keys.values() if _fits(part, word)), None)


def _fits(part: Element, word: str) -> bool:
    return part.check is None or part.check(word) is not None


@cache
def tree(words: Words) -> WordNode:
    """Return the root of the command tree of a range of releases."""
    root = WordNode()
    for rule in books()["cumulus"].rules:
        for pieces in spellings(rule.known.text.split()) if rule.known.is_shown else ():
            if words.has(pieces):
                _plant([root], pieces, words)
    return root


@lru_cache(maxsize=16_384)
def is_value(path: Path) -> bool:
    """Tell whether the last word is the one value of those before it, in any known release."""
    return next((node.value for words in VOCABULARIES if (node := _node(words, path))), False)


def of_one_release(line: str) -> bool:
    """Tell whether some known releases have a line of ``nv``, and others not."""
    path = tuple(split(line)[2:])
    return len({_node(words, path) is None for words in VOCABULARIES}) > 1


def _node(words: Words, path: Path) -> WordNode | None:
    """Return where a path leads in a range of releases; None where that does not have it."""
    node: WordNode | None = tree(words)
    for word in path:
        node = node.next(word) if node else None
    return node


def _plant(nodes: list[WordNode], pieces: list[str], words: Words) -> None:
    """Grow the tree by a rule, on each of the places that it stands at."""
    is_value = False
    for piece in pieces:
        if piece == _VALUE:
            is_value = True
            continue
        part = element(piece)
        nodes = [below for node in nodes for below in _below(node, part, words)]
        for node in nodes:
            node.value = node.value or is_value
    for node in nodes:
        node.ends = True


def _below(node: WordNode, part: Element, words: Words) -> Iterator[WordNode]:
    """Yield the nodes of a word below another: one for each spelling of the release."""
    if part.literals:
        for word in words.of_release(part.literals):
            yield node.literals.setdefault(word, WordNode())
    else:
        yield node.keys.setdefault(part.pattern, (part, WordNode()))[1]
