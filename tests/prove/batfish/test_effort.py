"""What is said before a proof by Batfish."""

from __future__ import annotations

import pytest

from fabric.prove.batfish.effort import effort


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((6, 8, 0), "6 switches, 8 NICs: about 10 s, with 1 GB of heap at the service"),
        ((24, 512, 1), "24 switches, 512 NICs, 1 failure: about 57 s, with 2 GB of heap"),
        ((160, 4096, 0), "160 switches, 4,096 NICs: about 4 minutes, with 9 GB of heap"),
    ],
)
def test_time_and_memory(sizes: tuple[int, int, int], words: str) -> None:
    assert effort(*sizes).startswith(f"Batfish: {words}")
