"""diff: which findings count less, and what uplinks carry less."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.intent.inventory import load
from fabric.report.diff.capacity import less_bandwidth
from fabric.report.diff.model import Compared
from fabric.report.diff.severities import lowered
from tests.report.diffs import edited

#: Levels of QOS029, whose findings are `info` by default, and what is said of the change.
CASES = {
    "an error no more": ("error", "", "error -> info"),
    "a lower level": ("error", "warning", "error -> warning"),
    "a level that is the default": ("info", "", ""),
    "a higher level": ("", "error", ""),
}


def _severity(folder: Path, name: str, level: str) -> Path:
    line = f"severity: {{QOS029: {{level: {level}, reason: ours}}}}\n" if level else ""
    return edited(folder, ("rails: 2\n", f"rails: 2\n{line}"), name=name)


@pytest.mark.parametrize(("before", "after", "words"), CASES.values(), ids=CASES)
def test_each_severity(tmp_path: Path, before: str, after: str, words: str) -> None:
    sides = (("before", before), ("after", after))
    first, second = (load(_severity(tmp_path, name, level)) for name, level in sides)
    follows = [(one.risk, one.words) for one in lowered(first, second)]
    said = ("less protection", f"findings of QOS029 count less: {words}")
    assert follows == ([said] if words else [])


#: What `show capacity` has on both sides, and what is said of it.
CARRIED = {
    "half the spines": (
        *("oversubscription, leaf tier", "1.00:1", "2.00:1"),
        "uplinks carry less of the bandwidth below them: leaf tier 1.00:1 -> 2.00:1",
    ),
    "not yet oversubscribed": ("oversubscription, leaf tier", "0.50:1", "1.00:1", ""),
    "more spines": ("oversubscription, leaf tier", "2.00:1", "1.00:1", ""),
    "no uplinks": ("oversubscription, worst leaf", "1.00:1", "no uplinks", ""),
    "a longer path": ("longest cable path", "90 m", "190 m", ""),
}


@pytest.mark.parametrize(("item", "before", "after", "words"), CARRIED.values(), ids=CARRIED)
def test_each_bandwidth(item: str, before: str, after: str, words: str) -> None:
    follows = [(one.risk, one.words) for one in less_bandwidth([Compared(item, before, after)])]
    assert follows == ([("less protection", words)] if words else [])
