"""Patterns of port names: what many names have in common, as `fabric.platforms.model` writes it."""

from __future__ import annotations

import re
import string
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_DIGITS = re.compile(r"\d+")
_PART_WORD = re.compile(r"\d+|[a-z](?![A-Za-z])")
_WHOLE = ("lane", "number", "index")
_COUNTED = ("number", "index", "lane")
_PART = ("ordinal", "letter", "part", "first")
#: More digits than a name of a port has groups of; names with more have no pattern here.
_MOST_GROUPS = 8
_NEARLY_ALL = 0.95


class Name(NamedTuple):
    """A name, and the numbers that a pattern may put in it."""

    text: str
    words: Mapping[str, object]


def port_words(number: int, lane: int) -> dict[str, object]:
    """Return what a pattern knows of a whole port, counted from 1, whose lanes begin at `lane`."""
    return {"number": number, "index": number - 1, "lane": lane}


def part_words(number: int, lane: int, part: int, part_lanes: int) -> dict[str, object]:
    """Return what a pattern knows of a part of a port."""
    offset = part * part_lanes
    return {
        **port_words(number, lane + offset),
        "part": part,
        "ordinal": part + 1,
        "letter": string.ascii_lowercase[part % 26],
        "first": offset + 1,
    }


def port_pattern(names: Sequence[Name], known: Iterable[str] = (), *, by_lane: bool = False) -> str:
    """Return the pattern of the names of whole ports, or an empty text.

    A few names may differ; `exactly` tells.

    Parameters
    ----------
    known : iterable of str
        Patterns that are tried first: those of the ports before these.
    by_lane : bool
        Whether the system names ports by their first lane.
    """
    words = _WHOLE if by_lane else _COUNTED
    ends = (names[-1], names[0])  # of the last one, fewer numbers are the same by chance
    return _best((*known, *(one for end in ends for one in _with_words(end, words))), names)


def exactly(pattern: str, names: Sequence[Name]) -> bool:
    """Tell whether a pattern gives every name."""
    return all(_gives(pattern, name) for name in names)


def part_pattern(names: Sequence[Name]) -> str:
    """Return the pattern of the names of parts of ports, or an empty text.

    A few names may differ: lists of vendors have slips, such as one name given to two ports.
    """
    ends = (names[-1], names[0])
    pairs = (
        _replaced(end.text, dict.fromkeys((cage, *same), one) | {part: two})
        for end in ends
        for one, two in product(("number", "index"), _PART)
        for cage, part in _ordered_pairs(end.text)
        for same in ((), _same(end, one, part))
    )
    lanes = (one for end in ends for one in _with_words(end, ("lane",)))
    return _best((*lanes, *pairs), names)


def _best(patterns: Iterable[str], names: Sequence[Name]) -> str:
    """Return the first pattern that gives all names, else one that gives nearly all."""
    best, most = "", 0
    for pattern in dict.fromkeys(patterns):
        fitting = sum(_gives(pattern, name) for name in names)
        if fitting > most:
            best, most = pattern, fitting
        if fitting == len(names):
            break
    return best if most >= len(names) * _NEARLY_ALL else ""


def _gives(pattern: str, name: Name) -> bool:
    return pattern.format(**name.words) == name.text


def _with_words(first: Name, words: Iterable[str]) -> Iterator[str]:
    if not _plain(first.text):
        return
    for word in words:
        for match in _DIGITS.finditer(first.text):
            yield _replaced(first.text, {match.span(): word})
        yield _replaced(first.text, dict.fromkeys(_same(first, word), word))


def _same(name: Name, word: str, but: tuple[int, int] | None = None) -> tuple[tuple[int, int], ...]:
    """Return where the number of a word stands in a name, such as twice in ``Eth1(Port1)``."""
    value = str(name.words[word])
    spans = (match.span() for match in _DIGITS.finditer(name.text) if match.group() == value)
    return tuple(span for span in spans if span != but)


def _ordered_pairs(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    if not _plain(text):
        return
    for cage in _DIGITS.finditer(text):
        for part in _PART_WORD.finditer(text, cage.end()):
            yield cage.span(), part.span()


def _plain(text: str) -> bool:
    groups = len(_DIGITS.findall(text))
    return not {"{", "}"} & {*text} and groups <= _MOST_GROUPS


def _replaced(text: str, words: Mapping[tuple[int, int], str]) -> str:
    for (start, end), word in sorted(words.items(), reverse=True):
        text = f"{text[:start]}{{{word}}}{text[end:]}"
    return text
