"""The hierarchical form of a stanza whose like has gone through the grammar before.

A stanza is what stands below one word of the top level. Leaves of a fabric differ in addresses, AS
numbers and descriptions, so a stanza is seen as text with slots. The first of a kind goes through
the grammar, and what the grammar asks about its values is recorded. Another one with the same text
and the same slots has the same hierarchy if its values get the same answers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from fabric.systems.junos.platforms.grammar import StatementError, Step, literals, statements
from fabric.systems.junos.platforms.text import ConfigurationTextError, read_set, unquoted
from fabric.systems.junos.platforms.tree import nested, placed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fabric.book.kinds import Checker
    from fabric.systems.junos.platforms.grammar import Answers, Statement

#: What differs from switch to switch: quoted text with a space, what begins and ends with a digit,
#: an IPv6 address, and a word with a digit at the end of its line. Words of the grammar are none.
_VALUE = (
    r' ("[^"\\\n]* [^"\\\n]*"|\d[\w.:/-]++(?<=\d)|[a-f]\w*:[\w.:/]*'
    r"|[\w.:/-]++(?<=[\w.:/-]\d)(?![^\n])EXCEPT)(?![^ \n])"
)
_SLOT = re.compile(r"~(\d+)~")


@dataclass(frozen=True, slots=True)
class Slotted:
    """A stanza as the text around its values, and which of these are equal.

    Parameters
    ----------
    around : tuple of str
        The text before the first value, between each two, and behind the last.
    slots : tuple of int
        Number of each value, in the order in which values first appear.
    values : tuple of str
        The values by number. Two stanzas of a kind are equal whatever they are.
    """

    around: tuple[str, ...]
    slots: tuple[int, ...]
    values: tuple[str, ...] = field(compare=False)

    @classmethod
    def of(cls, stanza: str) -> Slotted:
        """Return ``set`` lines with slots."""
        pieces = _values().split(stanza)
        numbers: dict[str, int] = {}
        slots = tuple([numbers.setdefault(value, len(numbers)) for value in pieces[1::2]])
        return cls(tuple(pieces[::2]), slots, tuple(numbers))


class Form(NamedTuple):
    """The hierarchy of all stanzas of a kind.

    Parameters
    ----------
    around, slots
        As in `Slotted`, for the hierarchy.
    guards : tuple
        Checks of the grammar with the number of a value and whether it must fit.
    others : frozenset of str
        Words that no value may be, since they stand in the text or in the grammar.
    """

    around: tuple[str, ...]
    slots: tuple[int, ...]
    guards: tuple[tuple[Checker, int, bool], ...]
    others: frozenset[str]

    def holds(self, words: Sequence[str]) -> bool:
        """Tell whether the grammar takes other values in the same way."""
        return self.others.isdisjoint(words) and all(
            (check(words[slot]) is not None) is fits for check, slot, fits in self.guards
        )


@lru_cache(maxsize=64)
def hierarchy_alike(stanza: str) -> str | None:
    """Return the ``set`` lines of a stanza as hierarchy; None if the grammar must see them."""
    slotted = Slotted.of(stanza)
    form = _form(slotted)
    if form is None or not form.holds([unquoted(value) for value in slotted.values]):
        return None
    return _filled(form.around, form.slots, slotted.values, "")


def _filled(around: Iterable[str], slots: Iterable[int], values: Sequence[str], before: str) -> str:
    inner = [f"{before}{values[slot]}" for slot in slots]
    return "".join(chain.from_iterable(zip_longest(around, inner, fillvalue="")))


@cache
def _values() -> re.Pattern[str]:
    words = sorted(word for word in literals() if word[-1].isdigit())
    outside = "".join(f"(?<! {re.escape(word)})" for word in words)
    return re.compile(_VALUE.replace("EXCEPT", outside), re.ASCII)


@lru_cache(maxsize=128)
def _form(stanza: Slotted) -> Form | None:
    """Return the form of a kind, or None where the grammar does not take its first stanza."""
    text = _filled(stanza.around, stanza.slots, stanza.values, " ")
    rows = text.splitlines()
    if len(set(rows)) < len(rows) or any(sign in part for sign in '~"' for part in stanza.around):
        return None
    asked: Answers = set()
    try:
        found = [s for _, words in read_set(text) for s in statements(words, asked)]
    except (ConfigurationTextError, StatementError):
        return None
    numbers = {unquoted(value): number for number, value in enumerate(stanza.values)}
    tree = _SLOT.split(nested(placed(_marked(statement, numbers)) for statement in found))
    return Form(
        tuple(tree[::2]),
        tuple(map(int, tree[1::2])),
        tuple((check, numbers[word], fits) for check, word, fits in asked if word in numbers),
        literals().union(*(part.split() for part in stanza.around)),
    )


def _marked(statement: Statement, numbers: Mapping[str, int]) -> Statement:
    """Return a statement with the mark of its slot for each value."""
    return tuple(
        Step(tuple(f"~{numbers[w]}~" if w in numbers else w for w in step.words), step.level)
        for step in statement
    )
