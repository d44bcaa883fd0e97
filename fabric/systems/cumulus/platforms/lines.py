r"""Lines of ``nv set`` and ``nv unset`` as paths: tuples of words, one for each value.

``nv config show -o commands`` writes many values on one line (``interface swp1-2,32``, ``vlan
101,102``); here they are apart, so that two spellings of one configuration are equal.
"""

from __future__ import annotations

import re
import shlex
from functools import lru_cache
from itertools import pairwise, product, zip_longest
from math import prod
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Path: TypeAlias = "tuple[str, ...]"

#: Words whose next word may stand for many values.
_LISTED = frozenset({"interface", "vlan", "traffic-class", "switch-priority", "dscp", "pcp"})
#: Words after which the rest of a line is one text, whether it is quoted or not.
_TEXTS = frozenset({"description", "message", "full-name"})
_RANGE = re.compile(r"([A-Za-z][A-Za-z0-9_.]*[A-Za-z_.])?(\d+)-(\d+)")
_NUMBERED = re.compile(r"([A-Za-z][A-Za-z0-9_.]*[A-Za-z_.])\d+")
_MAX_VALUES = 4096
#: Values of a second list on a line: all DSCPs, RFC 2474.
_MAX_LISTS = 64
#: Lines whose meaning is remembered; our choice: a configuration is read several times, and most
#: of its lines stand on other switches too.
_LINES_KEPT = 65_536
#: The only values that go over several lines (``nv config show -o commands``).
_MESSAGE = re.compile(r"nv set system message (pre|post)-log(in|out) ")
_QUOTES = re.compile(r"['\"\\]")


def expand(word: str) -> list[str]:
    """Return the values of a list: ``swp1-2,32`` is swp1, swp2 and swp32.

    Raises
    ------
    ValueError
        When a range runs backwards or has too many values.
    """
    rows: list[str] = []
    prefix = ""
    for item in word.split(","):
        if len(rows) > _MAX_VALUES:
            raise ValueError(f"{word[:60]!r} has too many values")
        span = _RANGE.fullmatch(item)
        if span:
            prefix = span[1] or prefix
            first, last = int(span[2]), int(span[3])
            if not first <= last <= first + _MAX_VALUES:
                raise ValueError(f"{item!r} is not a range")
            rows += [f"{prefix}{number}" for number in range(first, last + 1)]
            continue
        numbered = _NUMBERED.fullmatch(item)
        prefix = numbered[1] if numbered else prefix
        rows.append(f"{prefix}{item}" if item.isdecimal() else item)
    return rows


def split(line: str) -> list[str]:
    """Return the words of a line; quotes keep words together where they are balanced."""
    try:
        words = shlex.split(line) if _QUOTES.search(line) else line.split()
    except ValueError:
        words = line.split()
    for place, word in enumerate(() if _TEXTS.isdisjoint(words) else words):
        if word in _TEXTS and place + 2 < len(words):
            return [*words[: place + 1], " ".join(words[place + 1 :])]
    return words


def paths(words: list[str]) -> Iterator[Path]:
    """Yield the path of each value that the words after ``nv set`` or ``nv unset`` stand for.

    Raises
    ------
    ValueError
        When a list cannot be read, or all lists stand for too many values.
    """
    lists = (word for before, word in pairwise(words) if before in _LISTED)
    if not any("," in word or "-" in word for word in lists):
        yield tuple(words)
        return
    choices = [
        expand(word) if place and words[place - 1] in _LISTED else [word]
        for place, word in enumerate(words)
    ]
    if prod(map(len, choices)) > _MAX_VALUES * _MAX_LISTS:
        raise ValueError(f"{' '.join(words)[:60]!r} has too many values")
    yield from product(*choices)


def read(text: str, verb: str = "set") -> set[Path]:
    """Return the paths of all lines of a text that holds nothing but ``nv`` lines of one verb.

    Raises
    ------
    ValueError
        Naming the line that is something else.
    """
    names: set[Path] = set()
    for _, line in whole_rows(text):
        if not line.strip():
            continue
        names.update(_paths_of(line, verb))
    return leaves(names)


@lru_cache(maxsize=_LINES_KEPT)
def _paths_of(line: str, verb: str) -> tuple[Path, ...]:
    head, name, *words = split(line) if line.startswith("nv ") else ("", "")
    if (head, name) != ("nv", verb) or not words:
        raise ValueError(f"{line!r} is not a line of nv {verb}")
    return tuple(paths(words))


def whole_rows(text: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line; a message in quotes may go over several of them.

    Raises
    ------
    ValueError
        When such a message has no end.
    """
    rows = enumerate(text.splitlines(), 1)
    for number, row in rows:
        whole = row
        while _MESSAGE.match(whole) and (mark := _open_quote(whole)):
            more = next((line for _, line in rows), None)
            if more is None:
                raise ValueError(f"the text in {mark} that begins in line {number} has no end")
            whole = f"{whole} {more}"
        yield number, whole


def _open_quote(text: str) -> str:
    """Return the quote that a text opens and does not close; empty where it closes all."""
    mark = ""
    for sign in re.findall(r"\\.|['\"]", text):
        if sign == mark:
            mark = ""
        elif not mark and len(sign) == 1:
            mark = sign
    return mark


def leaves(found: set[Path]) -> set[Path]:
    """Return the paths that do not lead to others: ``interface swp1`` says nothing beside them."""
    # In the order of words, a path that leads to others stands right before one of them.
    ordered = sorted(found)
    return {path for path, after in zip_longest(ordered, ordered[1:]) if not _leads(path, after)}


def _leads(path: Path, after: Path | None) -> bool:
    return after is not None and after[: len(path)] == path


def write(found: Iterable[Path], verb: str = "set") -> str:
    """Return one line for each path, in the order of names and numbers."""
    return "".join(f"nv {verb} {_joined(path)}\n" for path in sorted(found, key=natural))


_joined = lru_cache(maxsize=_LINES_KEPT)(shlex.join)


@lru_cache(maxsize=_LINES_KEPT)
def natural(path: Path) -> tuple[tuple[tuple[int, int, str], ...], ...]:
    """Return a key that sorts swp2 before swp10."""
    return tuple(_natural_word(word) for word in path)


@lru_cache(maxsize=65_536)
def _natural_word(word: str) -> tuple[tuple[int, int, str], ...]:
    parts = re.split(r"(\d+)", word)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)
