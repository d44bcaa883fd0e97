"""Waves that break the same are one line, with the greatest loss."""

from __future__ import annotations

import pytest

from fabric.workflow.lost_paths import LostPaths, folded

TEXTS = ("leaf1: none", "leaf2: no route")
OPEN = ("leaf1: NICs of tenant red reach those of blue",)
ENDS = ("leaf1 p1: [4] here and [3]", "leaf1 p2: [4] here and [3]")
SPINES = ("spine1", "spine2")
CASES = {
    "nothing": ([], []),
    "one state": (
        [LostPaths("after", 2, TEXTS, 40, 56)],
        ["after wave 2: 40 of 56 pairs of NICs lose packets, for example leaf1: none"],
    ),
    "all pairs after some waves, fewer later": (
        [LostPaths("after", number, TEXTS, 56 - number, 54) for number in (2, 3, 4)],
        ["after waves 2 to 4: up to all 54 pairs of NICs lose packets, for example leaf1: none"],
    ),
    "waves apart": (
        [LostPaths("after", number, TEXTS, 40, 56) for number in (2, 4)],
        [
            f"after wave {number}: 40 of 56 pairs of NICs lose packets, for example leaf1: none"
            for number in (2, 4)
        ],
    ),
    "no more pairs than before the change": (
        [LostPaths("during", 1, TEXTS, 0, 56)],
        ["during wave 1: leaf1: none (and 1 more)"],
    ),
    "ends of cables": (
        [LostPaths("after", 1, ENDS, 0, 0, ["leaf1"]), LostPaths("after", 2, ENDS, 0, 0, SPINES)],
        ["after waves 1 to 2: leaf1 p1: [4] here and [3] (and 3 more cables of leaf1,spine[1-2])"],
    ),
    "ends of cables of one device": (
        [
            LostPaths("after", 2, ENDS, 0, 0, ["leaf1"]),
            LostPaths("after", 4, ENDS[:1], 0, 0, SPINES),
        ],
        [
            "after wave 2: leaf1 p1: [4] here and [3] (and 1 more of its cables)",
            "after wave 4: leaf1 p1: [4] here and [3]",
        ],
    ),
    "tenants that reach each other are told apart": (
        [
            LostPaths(when, number, texts, 4 if texts == TEXTS else 0, 4)
            for number in (1, 2)
            for when in ("during", "after")
            for texts in (TEXTS, OPEN)
        ],
        [
            "during waves 1 to 2: all 4 pairs of NICs lose packets, for example leaf1: none",
            f"during waves 1 to 2: {OPEN[0]}",
            "after waves 1 to 2: all 4 pairs of NICs lose packets, for example leaf1: none",
            f"after waves 1 to 2: {OPEN[0]}",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_states_are_told_as_one(name: str) -> None:
    states, lines = CASES[name]
    assert folded(states) == lines
