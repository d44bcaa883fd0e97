"""What a book says of changes: whose a line is, what negates it, and what its change does."""

from __future__ import annotations

import re
from functools import cache, cached_property, lru_cache
from itertools import chain, takewhile
from typing import TYPE_CHECKING, NamedTuple

from fabric.book.book import books
from fabric.book.file import TOP
from fabric.change.lines.grammar import either
from fabric.change.model import Risk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.book.book import BookRule
    from fabric.book.grammar import Variant
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
    forms = chain.from_iterable(_forms(rule, negation) for rule in ours)
    longest = sorted(dict.fromkeys(forms), key=lambda form: -form.length)
    texts = {rule.known.text: rule for rule in book.rules}
    toggles = [re.escape(one) for one in texts if f"{negation} {one}" in texts]
    risks: dict[str, dict[str, None]] = {}
    for rule in ours:
        if rule.known.risk:
            risks.setdefault(rule.known.risk, {}).update(dict.fromkeys(rule.beginnings()))
    return Changes(
        owned=re.compile(rf"(?:{negation} )?(?:{'|'.join(book.owned_at_the_top())})"),
        kept=tuple(staying(system, negation, TOP)),
        risks=tuple((risk, tuple(risks[risk])) for risk in sorted(risks, key=_weight)),
        forms=tuple((re.compile(one.line), one.negation) for one in longest),
        toggles=either(*toggles),
    )


def staying(system: str, negation: str, mode: str) -> Iterator[str]:
    """Yield patterns of the lines of a mode that stay, negated ones too."""
    for rule in books()[system].marked(_STAYS):
        if mode in rule.known.modes:
            yield rf"(?:{negation} )?(?:{rule.whole()})"


class _Form(NamedTuple):
    """Lines that take the place of each other, what negates them, and how long their key is."""

    length: int
    line: str
    negation: str


def _forms(rule: BookRule, negation: str) -> Iterator[_Form]:
    """Yield the forms of the lines of a rule; without one a line is negated whole."""
    is_apart = _NEGATE_FIRST in rule.known.marks
    for variant in rule.rule.variants if rule.is_keyed else ():
        about, negated = _parts(rule, variant)
        has_value = len(variant.elements) > variant.key_length
        value = ("( .*)" if is_apart else "(?= ).*") if has_value else ""
        if not is_apart or negated != r"\g<0>":
            yield _Form(variant.key_length, f"{about}{value}", f"{negation} {negated}")


def _parts(rule: BookRule, variant: Variant) -> tuple[str, str]:
    """Return the key in groups, and the words that negate a line.

    A phrase of its own begins as the key does; its other words have no arguments.
    """
    key = [f"(?:{one.pattern})" for one in variant.elements[: variant.key_length]]
    if not rule.rule.undo:
        return f"({' '.join(key)})", r"\1" if variant.sign == ":=" else r"\g<0>"
    phrase = min(rule.rule.undo, key=len)
    pairs = zip(phrase, variant.elements[: variant.key_length], strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0].pattern == pair[1].pattern, pairs))
    rest = "".join(f" {one}" for one in key[same:])
    words = (min(one.literals) for one in phrase[same:])
    return f"({' '.join(key[:same])})({rest})", " ".join([r"\1", *words])


class Statements:
    """What a book says of statements that stand alone, without a section around them."""

    def __init__(self, system: str) -> None:
        book = books()[system]
        self._book = book
        self._owned = re.compile("|".join(book.owned_at_the_top()))
        self._risks: dict[str, list[tuple[str, str]]] = {}
        for rule in book.rules:
            for line in rule.lines() if rule.known.ours else ():
                for word in rule.rule.first_words:
                    self._risks.setdefault(word, []).append((line, rule.known.risk))
        self._pattern = cache(re.compile)  # a change is about few of the lines
        self.risk = lru_cache(maxsize=_LINES_KEPT)(self._risk)

    @cached_property
    def _printed(self) -> re.Pattern[str]:
        owned = self._book.owned()
        printed = (key for rule, ours in owned if ours.template for key in rule.keys(ours))
        return re.compile(f"(?:{'|'.join(printed)})(?: .*)?")

    def is_ours(self, statement: str) -> bool:
        """Tell whether rocefab owns a statement."""
        return bool(self._owned.fullmatch(statement))

    def is_printed(self, statement: str) -> bool:
        """Tell whether a template prints such a statement."""
        return bool(self._printed.fullmatch(statement))

    def _risk(self, statement: str) -> Risk:
        """Return what a change of a statement does to traffic, by the first rule that it fits."""
        rules = self._risks.get(statement.partition(" ")[0], ())
        risk = next((risk for line, risk in rules if self._pattern(line).fullmatch(statement)), "")
        return Risk.from_word(risk) if risk else Risk.BRIEF_LOSS


@cache
def statements(system: str) -> Statements:
    """Return what the book of a system says of statements."""
    return Statements(system)
