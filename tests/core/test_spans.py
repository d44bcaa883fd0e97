"""Numbers as ranges."""

from __future__ import annotations

import pytest

from fabric.core.spans import spans


@pytest.mark.parametrize(
    ("numbers", "wanted"),
    [([], []), ([3], ["3"]), ([0, 1, 2, 4], ["0-2", "4"]), (list(range(8)), ["0-7"])],
)
def test_spans(numbers: list[int], wanted: list[str]) -> None:
    """Consecutive numbers join."""
    assert spans(numbers) == wanted
