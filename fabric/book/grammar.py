"""A strict grammar of configurations made of lines: rules written as text, matched word by word.

One rule is one line, as in the book of a system (`fabric.book.file`)::

    mtu = <68-9214>
    neighbor <peer> next-hop-self
    interface <name:ethernet> > if-ethernet

``<kind>`` is an argument, ``<name:kind>`` one with a name, ``a|b`` a choice of words, ``[ ... ]``
optional, ``( ... | ... )`` a choice of phrases, ``<0-63 ...>`` a list that the system keeps as
separate entries, ``<0-63,...>`` one that it keeps as it is, ``<text>`` the rest of the line,
``<@TABLE>`` the key of a row (`fabric.book.tables`). What stands before ``=`` is the key: a line
replaces the line with the same key. Without ``=`` the whole line is the key. ``> mode`` opens a
mode. A leading ``-`` marks a phrase that only a removal may use; it removes every line that begins
with it. A leading ``xgs:`` binds the rule to a trait of the switch, such as a family of chips.

A removal names the key or the whole line; behind ``:=`` the key alone, behind ``&=`` the whole line
alone. ``! phrase`` at the end is the removal where its words are others, with the arguments of the
key in their order; ``!-`` says that there is none.

Where a system also shows its lines as a hierarchy, ``unit~<0-9>`` are words of one level, ``word!``
keeps what follows on its line, and ``+=`` stands before a value beside which others may stand. The
lines themselves do not show these signs.

Known: error texts ``Invalid input (at token 1: 'x')``, tokens counted from 0, and ``Incomplete
command (at token n: 'x')`` (aristanetworks/anta ``anta/custom_types`` and ``asynceapi`` tests).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from fabric.book.kinds import checker, expand_numbers, is_kind, loose, several

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.book.kinds import Checker


class LineRefusedError(ValueError):
    """A line that a system refuses, in its words."""


class InvalidInputError(LineRefusedError):
    """A line that fits no rule; the words are those of EOS.

    Parameters
    ----------
    depth : int
        Number of words that were understood.
    incomplete : bool
        Words are missing rather than wrong.
    """

    def __init__(self, words: list[str], depth: int, *, incomplete: bool = False) -> None:
        self.depth = depth
        at = min(depth, len(words) - 1)
        what = "Incomplete command" if incomplete else "Invalid input"
        self.text = f"{what} (at token {at}: '{words[at] if words else ''}')"
        super().__init__(self.text)


_SIGNS = ("=", ":=", "&=")
_BRACKETS = ("(", ")", "[", "]", "|", ">")


@dataclass(frozen=True, slots=True)
class Element:
    """One word of a rule: literals, an argument, a list of numbers or the rest of the line.

    Parameters
    ----------
    pattern : str
        Regular expression of what it may be, wherever a line comes from: without the limits.
    name : str
        Of an argument, where the rule gives one.
    kind : str
        Of an argument, as the rule has it.
    many : str
        ``,`` or ``...`` where an argument is a list of such values.
    """

    pattern: str = ""
    name: str = ""
    literals: frozenset[str] = frozenset()
    check: Checker | None = None
    span: tuple[int, int] | None = None
    rest: bool = False
    peer: bool = False
    kind: str = ""
    many: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """One spelling of a rule, without options."""

    elements: tuple[Element, ...]
    key_length: int
    sign: str = ""

    def removals(self) -> tuple[tuple[Element, ...], ...]:
        """Return the phrases that remove a line of this spelling."""
        key = self.elements[: self.key_length]
        return {":=": (key,), "&=": (self.elements,)}.get(self.sign, (self.elements, key))

    def key_with(self, arguments: list[str]) -> str:
        """Return the key with these arguments in their order."""
        rest = iter(arguments)
        elements = self.elements[: self.key_length]
        return " ".join(next(rest) if one.check else min(one.literals) for one in elements)


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of line of one mode."""

    rank: int
    variants: tuple[Variant, ...]
    opens: str = ""
    removes_only: bool = False
    undo: tuple[tuple[Element, ...], ...] | None = None

    @property
    def first_words(self) -> set[str]:
        """Words with which the rule may begin; empty set when it may begin with anything."""
        words: set[str] = set()
        for variant in self.variants:
            words |= variant.elements[0].literals
        return words

    @property
    def has_peer(self) -> bool:
        """Whether a line of this kind is about a neighbour."""
        return any(element.peer for variant in self.variants for element in variant.elements)


@dataclass(frozen=True, slots=True)
class Matched:
    """A line that fits a rule, in the form in which the system shows it."""

    rule: Rule
    words: tuple[str, ...]
    key_length: int
    list_at: int = -1
    numbers: tuple[int, ...] = ()
    peer: str = ""

    def entries(self) -> Iterator[tuple[str, str, int | None]]:
        """Yield (key, line, number); several when the line holds a list."""
        for value in self.numbers or (None,):
            words = list(self.words)
            if value is not None:
                words[self.list_at] = str(value)
            key = " ".join(words[: self.key_length]).removeprefix("no ")
            yield key, " ".join(words), value


@dataclass(slots=True)
class _Cursor:
    shown: list[str] = field(default_factory=list)
    list_at: int = -1
    numbers: list[int] = field(default_factory=list)
    peer: str = ""


def _take(element: Element, words: list[str], at: int, cursor: _Cursor, *, shorten: bool) -> int:
    """Match one element at a word; return how many words it took, 0 for no match."""
    word = words[at]
    if element.rest:
        cursor.shown.append(" ".join(words[at:]))
        return len(words) - at
    if element.span:
        return _take_list(element.span, words, at, cursor)
    if element.check:
        shown = element.check(word)
        if shown is None:
            return 0
        cursor.peer = shown if element.peer else cursor.peer
        cursor.shown.append(shown)
        return 1
    literals = [word] if word in element.literals else []
    if shorten and not literals:
        literals = [literal for literal in element.literals if literal.startswith(word)]
    if len(literals) != 1:
        return 0
    cursor.shown += literals
    return 1


def _take_list(span: tuple[int, int], words: list[str], at: int, cursor: _Cursor) -> int:
    taken = 0
    for word in words[at:]:
        numbers = expand_numbers(word, *span)
        if numbers is None:
            break
        cursor.numbers += numbers
        taken += 1
    if taken:
        cursor.list_at = len(cursor.shown)
        cursor.shown.append("")
    return taken


def match_variant(
    elements: tuple[Element, ...], words: list[str], *, shorten: bool = False
) -> tuple[_Cursor | None, int, bool]:
    """Match words with elements.

    Returns
    -------
    tuple
        The cursor or None; the number of words understood; whether words are missing.
    """
    cursor, at = _Cursor(), 0
    for element in elements:
        if at >= len(words):
            return None, at, True
        taken = _take(element, words, at, cursor, shorten=shorten)
        if not taken:
            return None, at, False
        at += taken
    return (cursor, at, False) if at == len(words) else (None, at, False)


_NAMED = re.compile(r"<([a-z_]+):(.+)>")
_LIST = re.compile(r"(.+?)(,?)\.\.\.")


def element(piece: str) -> Element:
    """Return a word of a rule: literals, or an argument with its kind."""
    named = _NAMED.fullmatch(piece)
    name, piece = (named[1], f"<{named[2]}>") if named else ("", piece)
    listed = re.fullmatch(r"<(\d+)-(\d+)\.\.\.>", piece)
    if listed:
        return Element(r"[\d, -]+", name, span=(int(listed[1]), int(listed[2])))
    if piece == "<text>":
        return Element(r".+", name, rest=True, kind="text")
    if named and not is_kind(named[2]):
        piece = named[2]
    if piece.startswith("<"):
        if not piece.endswith(">"):
            raise ValueError(f"the argument {piece!r} is not closed, or has a blank")
        kind = piece[1:-1]
        if list_of := _LIST.fullmatch(kind):
            kind, many = list_of.groups()
            check = several(checker(kind))
            return Element(r".+", name, check=check, kind=kind, many=many or "...")
        return Element(loose(kind), name, check=checker(kind), peer=piece == "<peer>", kind=kind)
    words = piece.split("|")
    if "" in words:
        raise ValueError(f"{piece!r} has an empty word")
    pattern = re.escape(piece).replace("\\-", "-").replace("\\|", "|")
    return Element(pattern, name, literals=frozenset(words))


def _split(pieces: list[str]) -> Iterator[list[str]]:
    """Split at the ``|`` that stand outside inner brackets."""
    depth, part = 0, list[str]()
    for piece in pieces:
        depth += (piece in "([") - (piece in ")]")
        if piece == "|" and depth == 0:
            yield part
            part = []
        else:
            part.append(piece)
    yield part


def spellings(pieces: list[str]) -> list[list[str]]:
    """Expand ``[ ... ]`` and ``( ... | ... )`` into flat phrases.

    Raises
    ------
    ValueError
        When a bracket is not closed.
    """
    for start, piece in enumerate(pieces):
        if piece not in ("(", "["):
            continue
        depth = 0
        for end in range(start, len(pieces)):
            depth += (pieces[end] in "([") - (pieces[end] in ")]")
            if depth == 0:
                break
        else:
            raise ValueError(f"a {piece!r} is not closed")
        inner = list(_split(pieces[start + 1 : end]))
        if piece == "[":
            inner.append([])
        heads = [pieces[:start] + choice for choice in inner]
        return [flat for head in heads for flat in spellings(head + pieces[end + 1 :])]
    return [pieces]


#: Between the words of a level; the pattern of an argument may hold the sign too.
JOINT = re.compile(r"(?<=[\w>-])~(?=[\w<])")
#: Signs of a hierarchy: levels of several words, levels on one line, and values side by side.
_LEVEL_SIGNS = re.compile(rf"{JOINT.pattern}|(?<=[\w>])!(?= |$)| \+=(?= )")
_BOUND = re.compile(r"\s*([a-z]\w*):\s+(.*)")


def bound_to(text: str) -> str:
    """Return the trait that a rule is bound to; empty where it is for all switches."""
    bound = _BOUND.match(text)
    return bound[1] if bound else ""


def without_trait(text: str) -> str:
    """Return a rule as it is for the switches that have it."""
    bound = _BOUND.match(text)
    return bound[2] if bound else text


def parse_rule(text: str, rank: int) -> Rule:
    """Read one rule, which is bound to no trait.

    Raises
    ------
    ValueError
        When it is written wrongly.
    """
    body, bang, undo = _LEVEL_SIGNS.sub(" ", text).partition(" !")
    body, sign, opens = body.partition(" > ")
    if sign and not opens.strip():
        raise ValueError("the name of a mode stands behind `>`")
    removes_only = body.startswith("-")
    pieces = body.lstrip("-").replace(" ...>", "...>").split()
    variants = tuple(map(_variant, spellings(pieces)))
    if bang and not undo.strip():
        raise ValueError("a phrase, or `-`, stands behind `!`")
    removals = exec_spellings(undo.strip()) if undo.strip() != "-" else ()
    return Rule(rank, variants, opens.strip(), removes_only, removals if bang else None)


def _variant(flat: list[str]) -> Variant:
    """Return one spelling."""
    if stray := [piece for piece in flat if piece in _BRACKETS or piece.startswith("[")]:
        raise ValueError(f"{stray[0]!r} stands alone")
    signs = [piece for piece in flat if piece in _SIGNS]
    sign = signs[0] if signs else ""
    key_length = flat.index(sign) if sign else len(flat)
    elements = tuple(element(piece) for piece in flat if piece not in _SIGNS)
    if not key_length:
        raise ValueError("a rule begins with a word; what stands in `[ ]` may be missing")
    if len(signs) > 1:
        raise ValueError(f"the key ends once, but here at {' and '.join(signs)}")
    return Variant(elements, key_length, sign)


class Mode:
    """The rules of one mode, found by the first word."""

    def __init__(self, texts: list[str]) -> None:
        self.by_word: dict[str, list[Rule]] = {}
        self.open_start: list[Rule] = []
        self.peer_rank = -1
        for rank, text in enumerate(texts):
            rule = parse_rule(text, rank)
            if self.peer_rank < 0 and rule.has_peer and not rule.removes_only:
                self.peer_rank = rank
            for word in rule.first_words:
                self.by_word.setdefault(word, []).append(rule)
            if not rule.first_words:
                self.open_start.append(rule)

    def _candidates(self, words: list[str]) -> list[Rule]:
        return self.by_word.get(words[0], []) + self.open_start if words else []

    def match(self, words: list[str]) -> Matched:
        """Return the rule that takes all words.

        Raises
        ------
        InvalidInputError
            When no rule does; it tells which word is wrong.
        """
        best, missing = 0, False
        for rule in self._candidates(words):
            if rule.removes_only:
                continue
            for variant in rule.variants:
                cursor, depth, short = match_variant(variant.elements, words)
                if cursor is not None:
                    return Matched(
                        rule,
                        tuple(cursor.shown),
                        variant.key_length,
                        cursor.list_at,
                        tuple(cursor.numbers),
                        peer=cursor.peer,
                    )
                if depth > best:
                    best, missing = depth, short
                elif depth == best:
                    missing = missing or short
        raise InvalidInputError(words, best, incomplete=missing and best == len(words))

    def match_removal(self, words: list[str]) -> tuple[list[str], bool]:
        """Return the keys that ``no words`` removes, and whether longer keys go too.

        Raises
        ------
        InvalidInputError
            When ``no`` cannot be used with these words.
        """
        best = 0
        for rule in self._candidates(words):
            for elements, variant in _removals(rule):
                cursor, depth, _ = match_variant(elements, words)
                best = max(best, depth)
                if cursor is None:
                    continue
                if rule.undo is not None:
                    arguments = [w for w, e in zip(cursor.shown, elements, strict=True) if e.check]
                    return [variant.key_with(arguments)], False
                matched = Matched(
                    rule,
                    tuple(cursor.shown),
                    variant.key_length,
                    cursor.list_at,
                    tuple(cursor.numbers),
                )
                return [key for key, _, _ in matched.entries()], rule.removes_only
        raise InvalidInputError(["no", *words], best + 1 if best else 0)


def _removals(rule: Rule) -> Iterator[tuple[tuple[Element, ...], Variant]]:
    for variant in rule.variants:
        forms = variant.removals() if rule.undo is None else rule.undo
        yield from ((elements, variant) for elements in forms)


class Grammar:
    """All modes of one switch.

    Parameters
    ----------
    tables : mapping
        Rules by mode, as text.
    traits : frozenset of str
        Which bound rules hold.
    """

    def __init__(self, tables: Mapping[str, str], traits: frozenset[str]) -> None:
        self.modes = {
            mode: Mode(list(_bound(table.splitlines(), traits))) for mode, table in tables.items()
        }

    def __getitem__(self, mode: str) -> Mode:
        return self.modes[mode]


def _bound(lines: list[str], traits: frozenset[str]) -> Iterator[str]:
    for line in lines:
        bound = _BOUND.match(line)
        if bound and bound[1] not in traits:
            continue
        text = without_trait(line).strip()
        if text and not text.startswith("#"):
            yield text


@cache
def exec_spellings(text: str) -> tuple[tuple[Element, ...], ...]:
    """Return the spellings of one exec command, compiled."""
    return tuple(tuple(element(piece) for piece in flat) for flat in spellings(text.split()))
