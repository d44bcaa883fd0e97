"""What is wrong with a book where each of its lines is right: how its lines go together.

A mistake is the line of the book and what to do there. Who reads a book refuses it for the first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from fabric.book.file import READERS, TABLES, TOP
from fabric.book.grammar import bound_to, match_variant
from fabric.book.kinds import contains, referred

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fabric.book.file import RuleText, Texts
    from fabric.book.grammar import Element, Rule, Variant

    Mistakes = Iterator[tuple[int, str]]


class Line(NamedTuple):
    """A rule as it stands in the book, and as it is understood."""

    known: RuleText
    rule: Rule

    @property
    def names(self) -> set[str]:
        """Names of the arguments."""
        return {part.name for one in self.rule.variants for part in one.elements} - {""}


def mistakes(texts: Texts, rules: Sequence[Rule]) -> Mistakes:
    """Yield what is wrong, by the line of the book."""
    lines = [*map(Line, texts.rules, rules)]
    for line in lines:
        at = line.known.line
        yield from ((at, message) for message in (*_of_rule(line), *_negations(line)))
        yield from ((at, message) for message in _places(line, lines, texts))
    yield from _twice(lines)
    yield from _modes(texts, lines)
    yield from _hidden(texts, lines)
    for audience in ("", *READERS):
        yield from _taken_twice(texts, lines, audience)


def _of_rule(line: Line) -> Iterator[str]:
    """Yield what is wrong with a rule and what stands below it."""
    known = line.known
    if known.ours and not known.source:
        yield "a line of ours has no source"
    for variant in line.rule.variants:
        names = [part.name for part in variant.elements if part.name]
        if len({*names}) < len(names):
            yield "two arguments have one name"
        if known.is_shown and any(part.rest for part in variant.elements[:-1]):
            yield "<text> is the rest of the line: nothing follows it"


def _negations(line: Line) -> Iterator[str]:
    """Yield what is wrong with the phrase that removes a line.

    The change engine writes the words of the phrase that the key does not have, so these are none
    of the arguments; the stand-in finds the key by the arguments of the phrase.
    """
    for variant in line.rule.variants if line.rule.undo else ():
        key = variant.elements[: variant.key_length]
        phrases = line.rule.undo or ()
        if any(phrase[0].pattern != key[0].pattern for phrase in phrases):
            yield "what stands behind `!` begins as the key does"
            return
        arguments = _arguments(key)
        if any(_arguments(phrase)[: len(arguments)] != arguments for phrase in phrases):
            yield "what stands behind `!` has the arguments of the key in their order"
            return
        if len(_arguments(min(phrases, key=len))) > len(arguments):
            yield "what stands behind `!` has an argument that the key has not: set it in `[ ]`"
            return


def _arguments(elements: tuple[Element, ...]) -> list[str]:
    return [part.kind for part in elements if not part.literals]


def _places(line: Line, lines: list[Line], texts: Texts) -> Iterator[str]:
    """Yield what a rule refers to and the book does not have."""
    opens = line.rule.opens
    if opens and opens not in texts.modes:
        yield f"there is no mode {opens!r}"
    rows = {one for row in lines if TABLES in row.known.modes for one in row.rule.first_words}
    parts = (part for variant in line.rule.variants for part in variant.elements)
    for table in sorted({table for part in parts for table in referred(part.kind)} - rows):
        yield f"there is no table {table!r}"
    for mode in sorted({mode for ours in line.known.ours for mode in ours.modes}):
        if mode not in line.known.modes:
            yield f"`ours` is narrowed to the mode {mode!r}, and the rule is in no such mode"
    narrowed = {name for ours in line.known.ours for name, _ in ours.when} - line.names
    around = (one for one in lines if narrowed and one.rule.opens in line.known.modes)
    for name in sorted(narrowed.difference(*(one.names for one in around))):
        yield f"no argument has the name {name!r}, by which `ours` is narrowed"


def _twice(lines: list[Line]) -> Mistakes:
    seen: set[tuple[str, str]] = set()
    for line in lines:
        places = {(mode, " ".join(line.known.text.split())) for mode in line.known.modes}
        if seen & places:
            yield line.known.line, "the rule is there twice"
        seen |= places


def _modes(texts: Texts, lines: list[Line]) -> Mistakes:
    """Yield modes that nothing opens; of tables they are lines of another file."""
    opened = {TOP, TABLES, *(line.rule.opens for line in lines)}
    for mode, at in texts.modes.items() if TABLES not in texts.modes else ():
        if mode not in opened:
            yield at, f"no rule opens the mode {mode!r}"


def _hidden(texts: Texts, lines: list[Line]) -> Mistakes:
    """Yield lines that are hidden, and that no rule takes in any mode of their header."""
    headers: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    for mode, hidden in texts.hidden.items():
        for text, at in hidden.items():
            headers[at, text].add(mode)
    shown = [line for line in lines if _is_heard(line, "")]
    for (at, text), modes in headers.items():
        rules = (line.rule for line in shown if modes.intersection(line.known.modes))
        parts = (variant.elements for rule in rules for variant in rule.variants)
        if not any(match_variant(elements, text.split())[0] for elements in parts):
            yield at, f"no rule of {' '.join(sorted(modes))} takes the line"


def _taken_twice(texts: Texts, lines: list[Line], audience: str) -> Mistakes:
    """Yield rules whose lines a rule before them takes, from a reader or from the stand-in.

    Rows and fields of tables are known by their names, wherever one of any name stands.
    """
    heard = [line for line in lines if _is_heard(line, audience)]
    any_word = () if TABLES in texts.modes else ("",)
    for mode in texts.modes:
        before: defaultdict[str, list[tuple[Line, Variant]]] = defaultdict(list)
        for line in (one for one in heard if mode in one.known.modes):
            takers = [_taker(line, one, before, audience) for one in line.rule.variants]
            if taker := next((one for one in takers if one), None) if all(takers) else None:
                yield line.known.line, f"the rule of line {taker.known.line} takes these lines"
            for variant in line.rule.variants:
                for word in variant.elements[0].literals or any_word:
                    before[word].append((line, variant))


def _is_heard(line: Line, audience: str) -> bool:
    """Tell whether a rule is for a reader, or for the stand-in where none is named."""
    is_meant = audience in line.known.means if audience else line.known.is_shown
    return is_meant and not line.rule.removes_only


def _taker(
    line: Line,
    variant: Variant,
    before: dict[str, list[tuple[Line, Variant]]],
    audience: str,
) -> Line | None:
    """Return a rule before it that takes every line of this spelling.

    A stand-in tries rules that begin with any word last. A reader knows no limits and no traits,
    which is a mistake where the rules mean two things to it.
    """
    first = min(variant.elements[0].literals, default="")
    for earlier, taken in chain(before[first], before[""] if first and audience else ()):
        is_bound = bound_to(earlier.known.text) not in {"", bound_to(line.known.text)}
        is_loose = earlier.known.means.get(audience) != line.known.means.get(audience)
        takes = _looks_like_all if is_loose else _takes_all
        if (is_loose or not is_bound) and _covers(taken.elements, variant.elements, takes):
            return earlier
    return None


def _covers(
    taken: tuple[Element, ...],
    elements: tuple[Element, ...],
    takes: Callable[[Element, Element], bool],
) -> bool:
    for one, other in zip(taken, elements, strict=False):
        if one.rest:
            return True
        if not takes(one, other):
            return False
    return len(taken) == len(elements)


def _looks_like_all(one: Element, other: Element) -> bool:
    """Tell whether the pattern of a word takes all that another word may be."""
    if other.literals:
        return all(re.fullmatch(one.pattern, word) for word in other.literals)
    return one.pattern in {other.pattern, r"\S+"} and not other.rest


def _takes_all(one: Element, other: Element) -> bool:
    """Tell whether a word of a rule takes all that another one takes."""
    if one.literals:
        return bool(other.literals) and other.literals <= one.literals
    if other.literals:
        return one.check is not None and all(one.check(word) for word in other.literals)
    if other.rest or one.many != other.many or bool(one.span) != bool(other.span):
        return False
    if one.span and other.span:
        return one.span[0] <= other.span[0] and other.span[1] <= one.span[1]
    return contains(one.kind, other.kind)
