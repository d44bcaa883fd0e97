"""Numbers as ranges, as switches write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


#: Numbers in a list of a configuration: VLANs have the longest lists, of 12 bits (IEEE 802.1Q).
MOST_NUMBERS = 4096
#: A limit that we chose: no number in such a list has more digits.
_MOST_DIGITS = 18


def span(first: str, last: str) -> range:
    """Return the numbers from one to another, both included, as a configuration has them.

    Raises
    ------
    ValueError
        When one is no number, or they are more than `MOST_NUMBERS`.
    """
    if max(len(first), len(last)) > _MOST_DIGITS:
        raise ValueError(f"{first[:40]!r} to {last[:40]!r} is not a range of numbers")
    numbers = range(int(first), int(last) + 1)
    if len(numbers) > MOST_NUMBERS:
        raise ValueError(f"{first} to {last} are more than {MOST_NUMBERS:,} numbers")
    return numbers


def numbers_of(text: str) -> list[int]:
    """Return the numbers of a list with ranges: ``1,3-5``, or ``1 3-5``.

    Raises
    ------
    ValueError
        When it is no such list, or has more than `MOST_NUMBERS` numbers.
    """
    numbers: list[int] = []
    for part in text.replace(",", " ").split():
        first, dash, last = part.partition("-")
        numbers += span(first, last if dash else first)
        if len(numbers) > MOST_NUMBERS:
            raise ValueError(f"a list of more than {MOST_NUMBERS:,} numbers")
    return numbers


def spans(numbers: Iterable[int]) -> list[str]:
    """Return ascending numbers as ranges: 0, 1, 2, 4 -> ``0-2``, ``4``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return [str(low) if low == high else f"{low}-{high}" for low, high in runs]
