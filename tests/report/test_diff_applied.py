"""diff: edits of a file are made together, in any order."""

from __future__ import annotations

import copy
from itertools import permutations
from typing import Any

import pytest

from fabric.report.diff.applied import applied
from fabric.report.diff.traced import ABSENT, Swap


def _rows(text: str) -> dict[str, Any]:
    return {"rows": [{"name": name} for name in text]}


def _row(before: int, after: int, *values: str) -> Swap:
    """Return the swap of a row by the two names; a dash is no row."""
    old, new = (ABSENT if name == "-" else {"name": name} for name in values)
    return Swap("f", ("rows", before), ("rows", after), old, new)


def _member(*path: str, values: tuple[Any, Any], section: int = 0) -> Swap:
    return Swap("f", path, path, *values, section)


#: A file, edits of it, and the file after them.
CASES: dict[str, tuple[dict[str, Any], list[Swap], dict[str, Any]]] = {
    "rows go": (_rows("abcd"), [_row(0, 1, "a", "-"), _row(2, 1, "c", "-")], _rows("bd")),
    "rows come": (_rows("b"), [_row(0, 0, "-", "a"), _row(0, 2, "-", "c")], _rows("abc")),
    "one goes, one comes": (_rows("ab"), [_row(0, 1, "a", "-"), _row(1, 1, "-", "c")], _rows("bc")),
    "a member of a row behind one that goes": (
        _rows("ab"),
        [
            _row(0, 0, "a", "-"),
            Swap("f", ("rows", 1, "size"), ("rows", 0, "size"), ABSENT, 2),
        ],
        {"rows": [{"name": "b", "size": 2}]},
    ),
    "a section comes": (
        {"name": "x"},
        [
            _member("ecn", "kmin", values=(ABSENT, 1), section=1),
            _member("ecn", "kmax", values=(ABSENT, 2), section=1),
        ],
        {"name": "x", "ecn": {"kmin": 1, "kmax": 2}},
    ),
    "a part of a section goes": (
        {"lossless": {"ecn": {"kmin": 1}, "mtu": {"host": 2}}},
        [_member("lossless", "ecn", "kmin", values=(1, ABSENT), section=2)],
        {"lossless": {"mtu": {"host": 2}}},
    ),
    "a section goes with its last value": (
        {"name": "x", "lossless": {"ecn": {"kmin": 1}, "mtu": {"host": 2}}},
        [
            _member("lossless", "ecn", "kmin", values=(1, ABSENT), section=2),
            _member("lossless", "mtu", "host", values=(2, ABSENT), section=2),
        ],
        {"name": "x"},
    ),
    "a mapping that stays is empty": (
        {"ecn": {"kmin": 1}},
        [_member("ecn", "kmin", values=(1, ABSENT))],
        {"ecn": {}},
    ),
}


@pytest.mark.parametrize(("data", "swaps", "expected"), CASES.values(), ids=CASES)
def test_edits_together(data: dict[str, Any], swaps: list[Swap], expected: dict[str, Any]) -> None:
    original = copy.deepcopy(data)
    for order in permutations(swaps):
        assert applied({**data}, order) == expected
    assert data == original
