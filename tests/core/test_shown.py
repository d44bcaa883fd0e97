"""Lists in messages are cut between items."""

from __future__ import annotations

from fabric.core.shown import few
from tests.cases import each


@each(
    ("items", "most", "text"),
    [
        ([], 9, ""),
        (["leaf1"], 2, "leaf1"),
        (["leaf1", "leaf2"], 12, "leaf1, leaf2"),
        (["leaf1", "leaf2"], 11, "leaf1 and 1 more"),
        (["leaf1", "leaf2", "b"], 13, "leaf1, leaf2 and 1 more"),
        (["x"] * 2000, 7, "x, x, x and 1,997 more"),
    ],
)
def test_few(items: list[str], most: int, text: str) -> None:
    assert few(items, most) == text
