"""Numbers as ranges."""

from __future__ import annotations

import pytest

from fabric.core.spans import MOST_NUMBERS, numbers_of, spans


@pytest.mark.parametrize(
    ("numbers", "wanted"),
    [([], []), ([3], ["3"]), ([0, 1, 2, 4], ["0-2", "4"]), (list(range(8)), ["0-7"])],
)
def test_spans(numbers: list[int], wanted: list[str]) -> None:
    """Consecutive numbers join."""
    assert spans(numbers) == wanted


def test_numbers_of_a_list() -> None:
    assert numbers_of("1,3-5 7") == [1, 3, 4, 5, 7]
    assert len(numbers_of(f"1-{MOST_NUMBERS}")) == MOST_NUMBERS


@pytest.mark.parametrize(
    "text", ["1-99999999", f"1-{MOST_NUMBERS} 1", "1,x", "-", f"1-{'9' * 5000}", f"{'9' * 5000}-1"]
)
def test_a_list_that_no_switch_has_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="number|invalid literal"):
        numbers_of(text)
