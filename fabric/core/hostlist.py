"""Names written as ranges, ``gpu[001-064]``: expanding and folding."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_NAMES = 1_000_000
#: Characters of a name outside of brackets, and digits of a number in them: RFC 1035 section
#: 2.3.4, without the root.
_LONGEST_NAME = 253
#: A limit that we chose: no name has more ranges in it.
_MOST_BRACKETS = 16
#: Characters of ranges that a line for people holds: our choice.
MOST_CHARACTERS = 160
#: What begins the fix at the end of an error of this module.
_FIX = re.compile(r"; (?=use the form |write the range )")
_BRACKET = re.compile(r"\[([0-9,\-]+)\]")
_SEPARATOR = re.compile(r"\[[^\[\]]*\]|(,)")
#: A range as people write it elsewhere: gpu001-gpu032.
_UNBRACKETED = re.compile(r"(.*[^0-9])([0-9]+)-\1([0-9]+)")
#: The same without its second name: gpu001-032.
_NO_BRACKETS = re.compile(r"(.*?)([0-9]+)-([0-9]+)")
#: Pieces of a range text: numbers and brackets, and what is between them.
_PIECES = re.compile(r"(\[[^\]]*\]|[0-9]+)")
#: Numbers of a name that fold, from its beginning; our choice: names of devices have two or three.
_MOST_NUMBERS = 8
_TRAILING_NUMBER = re.compile(r"^(.*?)([0-9]+)$")


def count(text: str) -> int:
    """Return how many names a range text stands for, without making them.

    Raises
    ------
    ValueError
        When a bracket is malformed or a range runs backwards.
    """
    total = 0
    for item in _split(text):
        product = 1
        for bracket in _BRACKET.findall(item):
            product *= sum(last - first + 1 for first, last, _ in _ranges(bracket))
        total += product
    return total


def with_brackets(name: str) -> tuple[str, str]:
    """Return the range that a name looks like, and its first name; empty for another name.

    Examples
    --------
    >>> with_brackets("gpu001-032")
    ('gpu[001-032]', 'gpu001')
    """
    match = _NO_BRACKETS.fullmatch(name)
    if not match or int(match[2]) >= int(match[3]):
        return "", ""
    return f"{match[1]}[{match[2]}-{match[3]}]", f"{match[1]}{match[2]}"


def worded(error: ValueError, fix: str) -> tuple[str, str]:
    """Return what is wrong with a range, and what to do: as the error says, or else ``fix``."""
    reason, *own = _FIX.split(str(error), maxsplit=1)
    return reason, own[0] if own else fix


def expand(text: str) -> list[str]:
    """Return the names that a range text stands for, rightmost bracket fastest.

    Parameters
    ----------
    text : str
        One or more names with ``[a-b,c]`` brackets, separated by commas, at most 1,000,000 names.

    Raises
    ------
    ValueError
        When a bracket is malformed, a range runs backwards, or there are too many names.

    Examples
    --------
    >>> expand("gpu[01-03],login")
    ['gpu01', 'gpu02', 'gpu03', 'login']
    """
    if count(text) > MAX_NAMES:
        raise ValueError(f"{_shown(text)!r} expands to more than {MAX_NAMES:,} names")
    return [name for item in _split(text) for name in _expand_item(item)]


def fold(names: Iterable[str]) -> str:
    """Return the shortest range text for the names, in natural order, as Slurm folds them.

    Numbers fold only at the end of a name; padding counts: ``10`` and ``011`` stay apart. Numbers
    of fewer digits come first.

    Examples
    --------
    >>> fold(["n3", "n1", "n2", "n011"])
    'n[1-3,011]'
    """
    return ",".join(_folded(names))


def _folded(names: Iterable[str]) -> list[str]:
    groups: dict[tuple[str, bool], list[str]] = {}
    for name in sorted(set(names), key=lambda name: (natural_key(name), name)):
        match = _TRAILING_NUMBER.match(name)
        prefix, number = match.groups() if match else (name, "")
        groups.setdefault((prefix, bool(number)), []).append(number)
    return [_fold_group(prefix, numbers) for (prefix, _), numbers in groups.items()]


def fold_inside(names: Iterable[str]) -> str:
    """Return range text for people, where other numbers than the last fold too.

    Slurm, whose form `fold` has, knows ranges at the end of a name.

    Examples
    --------
    >>> fold_inside(["su1-leaf", "su2-leaf", "spine1"])
    'spine1,su[1-2]-leaf'
    """
    ranges = [_PIECES.split(item, _MOST_NUMBERS) for item in _folded(names)]
    for place in range(max(map(len, ranges), default=0) - 1, -1, -1):
        ranges = _fold_at(ranges, place)
    return ",".join(map("".join, ranges))


def _fold_at(ranges: list[list[str]], place: int) -> list[list[str]]:
    """Return names in pieces, with those as one that differ in the number at a place alone."""
    groups: dict[tuple[object, ...], list[list[str]]] = {}
    for pieces in ranges:
        is_number = place < len(pieces) and pieces[place].isdecimal()
        key = (*pieces[:place], None, *pieces[place + 1 :]) if is_number else tuple(pieces)
        groups.setdefault(key, []).append(pieces)
    return [
        [
            *same[0][:place],
            _fold_group("", [pieces[place] for pieces in same]),
            *same[0][place + 1 :],
        ]
        if len(same) > 1
        else same[0]
        for same in groups.values()
    ]


def fold_in_order(names: Sequence[str]) -> str:
    """Return names as ranges that keep their order.

    Examples
    --------
    >>> fold_in_order(["gpu128", "gpu001", "gpu002"])
    'gpu128,gpu[001-002]'
    """
    runs: list[list[str]] = []
    for before, name in zip(["", *names], names, strict=False):
        if runs and name == _next(before):
            runs[-1].append(name)
        else:
            runs.append([name])
    return ",".join(map(fold, runs))


def _next(name: str) -> str:
    """Return the name with the number that follows; empty without a number."""
    match = _TRAILING_NUMBER.match(name)
    return f"{match[1]}{int(match[2]) + 1:0{len(match[2])}d}" if match else ""


def doubled(names: Iterable[str]) -> list[str]:
    """Return the names that are there more than once, in their order."""
    return [name for name, times in Counter(names).items() if times > 1]


def in_short(names: Iterable[str], most: int = MOST_CHARACTERS) -> str:
    """Return the names as range text; where that is long, the first ranges and a count.

    Parameters
    ----------
    most : int
        Characters of the ranges that are written out, > 0. The first range is always whole.

    Examples
    --------
    >>> in_short(["leaf1", "leaf2", "spine1", "spine2"], most=12)
    'leaf[1-2] and 2 more'
    """
    text = fold_inside(names)
    if len(text) <= most:
        return text
    try:
        return _first_ranges(text, most)
    except ValueError:  # a name with a comma or a bracket, as no device has
        return f"{text[:most]}..."


def _first_ranges(text: str, most: int) -> str:
    first, *others = _split(text)
    for other in others:
        if len(first) + len(other) >= most:
            break
        first += f",{other}"
    more = count(text) - count(first)
    return f"{first} and {more:,} more" if more else first


def natural_key(text: str) -> tuple[tuple[int, int | str], ...]:
    """Return a sort key that orders the numbers inside names by value."""
    return tuple(
        (0, int(part)) if part.isdecimal() else (1, part)
        for part in re.split(r"([0-9]+)", text)
        if part
    )


def _split(text: str) -> list[str]:
    places = [comma.start() for comma in _SEPARATOR.finditer(text) if comma[1]]
    ends = zip([-1, *places], [*places, len(text)], strict=True)
    items = [text[start + 1 : end].strip() for start, end in ends]
    for item in items:
        rest, brackets = _BRACKET.subn("", item)
        if not item or "[" in rest or "]" in rest:
            raise ValueError(f"{_shown(text)!r} is not a name range; use the form gpu[001-064]")
        if len(rest) > _LONGEST_NAME or brackets > _MOST_BRACKETS:
            raise ValueError(f"{_shown(item)!r} is longer than a name can be")
        range_ = _UNBRACKETED.fullmatch(item)
        if range_:
            head, first, last = range_.groups()
            raise ValueError(f"{item!r} is one name; write the range as {head}[{first}-{last}]")
    return items


def _ranges(bracket: str) -> list[tuple[int, int, int]]:
    ranges = []
    for part in bracket.split(","):
        first, dash, last = part.partition("-")
        last = last if dash else first
        if not _is_number(first) or not _is_number(last):
            raise ValueError(f"{_shown(f'[{bracket}]')} is not a range; use the form [001-064]")
        if int(last) < int(first):
            backwards = f"{_shown(f'[{bracket}]')} counts down"
            raise ValueError(f"{backwards}; write the range as [{last}-{first}]")
        width = len(first) if first.startswith("0") or len(first) == len(last) else 0
        ranges.append((int(first), int(last), width))
    return ranges


def _expand_item(item: str) -> list[str]:
    head, *pieces = _BRACKET.split(item)
    names = [head]
    for bracket, text in zip(pieces[::2], pieces[1::2], strict=True):
        names = [
            f"{name}{number:0{width}d}{text}"
            for name in names
            for first, last, width in _ranges(bracket)
            for number in range(first, last + 1)
        ]
    return names


def _is_number(text: str) -> bool:
    return text.isdigit() and len(text) <= _LONGEST_NAME


def _shown(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}..."


def _fold_group(prefix: str, numbers: list[str]) -> str:
    if numbers == [""]:
        return prefix
    ranges = []
    widths = _widths(numbers)
    ordered = enumerate(sorted((widths[text], int(text), text) for text in numbers))
    for _, run in groupby(ordered, key=lambda item: (item[1][0], item[1][1] - item[0])):
        texts = [text for _, (_, _, text) in run]
        ranges.append(texts[0] if len(texts) == 1 else f"{texts[0]}-{texts[-1]}")
    ranges.sort(key=lambda text: (text.index("-") if "-" in text else len(text), text))
    if len(ranges) == 1 and "-" not in ranges[0]:
        return prefix + ranges[0]
    return f"{prefix}[{','.join(ranges)}]"


def _widths(numbers: list[str]) -> dict[str, int]:
    """Return the padded width of each number, 0 without padding; 100 goes on from 099."""
    known: dict[str, int] = {}
    for text in sorted(numbers, key=lambda text: (int(text), text)):
        before = int(text) - 1
        padded = text.startswith("0") and len(text) > 1
        goes_on = known.get(f"{before:0{len(text)}d}", 0) > 0 and known.get(str(before)) != 0
        known[text] = len(text) if padded or goes_on else 0
    return known
