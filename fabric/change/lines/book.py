"""What a book says of changes: whose a line is, what negates it, and what its change does."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from fabric.book.book import books
from fabric.change.lines.grammar import either
from fabric.change.model import Risk

if TYPE_CHECKING:
    from fabric.change.lines.grammar import Form

#: Statements whose risk is remembered: most of a switch are those of others too.
_LINES_KEPT = 1 << 16
_NEGATE_FIRST, _STAYS = "negate first", "stays"


def _weight(risk: str) -> int:
    return -Risk.from_word(risk).value


class Changes(NamedTuple):
    """Parts of a grammar of changes (`fabric.change.lines.grammar.Grammar`)."""

    owned: re.Pattern[str]
    kept: tuple[str, ...]
    risks: tuple[tuple[str, tuple[str, ...]], ...]
    forms: tuple[Form, ...]
    toggles: re.Pattern[str]


def changes(system: str, negation: str) -> Changes:
    """Return what the book of a system says of changes.

    Parameters
    ----------
    negation : str
        The word that negates a line.
    """
    book = books()[system]
    ours = [rule for rule in book.rules if rule.known.ours]
    replaced = [rule for rule in ours if rule.is_keyed and _NEGATE_FIRST not in rule.known.marks]
    forms = dict.fromkeys(chain.from_iterable(rule.keys() for rule in replaced))
    texts = {rule.known.text: rule for rule in book.rules}
    toggles = [re.escape(one) for one in texts if f"{negation} {one}" in texts]
    risks: dict[str, dict[str, None]] = {}
    for rule in ours:
        if rule.known.risk:
            risks.setdefault(rule.known.risk, {}).update(dict.fromkeys(rule.beginnings()))
    return Changes(
        owned=re.compile(rf"(?:{negation} )?(?:{'|'.join(book.owned_at_the_top())})"),
        kept=tuple(rule.whole() for rule in book.marked(_STAYS)),
        risks=tuple((risk, tuple(risks[risk])) for risk in sorted(risks, key=_weight)),
        forms=tuple((re.compile(f"({key})(?= ).*"), rf"{negation} \g<0>") for key in forms),
        toggles=either(*toggles),
    )


class Statements:
    """What a book says of statements that stand alone, without a section around them.

    Parameters
    ----------
    system : str
        Its book.
    """

    def __init__(self, system: str) -> None:
        book = books()[system]
        self._owned = re.compile("|".join(book.owned_at_the_top()))
        printed = (rule.whole(ours) for rule, ours in book.owned() if ours.template)
        self._printed = re.compile("|".join(printed))
        self._risks: dict[str, list[tuple[re.Pattern[str], str]]] = {}
        for rule in book.rules:
            for line in rule.lines() if rule.known.ours else ():
                pattern = re.compile(line)
                for word in rule.rule.first_words:
                    self._risks.setdefault(word, []).append((pattern, rule.known.risk))
        self.risk = lru_cache(maxsize=_LINES_KEPT)(self._risk)

    def is_ours(self, statement: str) -> bool:
        """Tell whether rocefab owns a statement."""
        return bool(self._owned.fullmatch(statement))

    def is_printed(self, statement: str) -> bool:
        """Tell whether a template prints such a statement."""
        return bool(self._printed.fullmatch(statement))

    def _risk(self, statement: str) -> Risk:
        """Return what a change of a statement does to traffic, by the first rule that it fits."""
        rules = self._risks.get(statement.partition(" ")[0], ())
        risk = next((risk for pattern, risk in rules if pattern.fullmatch(statement)), "")
        return Risk.from_word(risk) if risk else Risk.BRIEF_LOSS


@cache
def statements(system: str) -> Statements:
    """Return what the book of a system says of statements."""
    return Statements(system)
