"""Nouns take the form that their number needs."""

from __future__ import annotations

import pytest

from fabric.core.counts import counted


@pytest.mark.parametrize(
    ("number", "word", "text"),
    [
        (1, "leaf", "1 leaf"),
        (2, "leaf", "2 leaves"),
        (0, "policy", "0 policies"),
        (2000, "switch", "2,000 switches"),
        (3, "super-spine", "3 super-spines"),
    ],
)
def test_a_number_with_its_noun(number: int, word: str, text: str) -> None:
    assert counted(number, word) == text
