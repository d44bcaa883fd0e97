"""Numbers as ranges, as switches write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def spans(numbers: Iterable[int]) -> list[str]:
    """Return ascending numbers as ranges: 0, 1, 2, 4 -> ``0-2``, ``4``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return [str(low) if low == high else f"{low}-{high}" for low, high in runs]
