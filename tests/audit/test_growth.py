"""Short lines that stand for much, or take long: they are refused or read in time."""

from __future__ import annotations

import pytest

from fabric.observe.parsers import UnreadableError
from fabric.systems.cumulus.platforms.lines import expand
from fabric.systems.cumulus.reading import text as cumulus
from fabric.systems.junos.reading_lossless.ports import fits
from tests.cases import each


@each(
    ("pattern", "port", "expected"),
    [
        ("all", "et-0/0/1", True),
        ("et-*", "et-0/0/1", True),
        ("*/0/1", "et-0/0/1", True),
        ("et-0/0/1", "et-0/0/1", True),
        ("et-0/0/1", "et-0/0/10", False),
        ("et-?/0/1", "et-0/0/1", False),
        ("[e]t-*", "et-0/0/1", False),
        ("et-" + "*0" * 40 + "x", "et-" + "0" * 90, False),  # each star doubled the time
    ],
)
def test_a_wildcard_stands_for_ports(pattern: str, port: str, expected: bool) -> None:
    assert fits(pattern, port) is expected


def test_what_is_unset_is_left_out() -> None:
    text = "nv set a b c\nnv set a d\nnv unset a b\nnv set a b e\nnv set a d\nnv unset x\n"
    assert [(block.line, block.text) for block in cumulus.paths_of(text)] == [
        (4, "a b e"),
        (5, "a d"),
    ]


def test_many_lines_are_unset_in_time() -> None:
    lines = [f"nv set a {number}\nnv unset b {number}\n" for number in range(3000)]
    assert len(cumulus.paths_of("".join(lines))) == 3000


def test_values_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="has too many values"):
        expand("swp1-4096,swp1-4096,swp1")
    monkeypatch.setattr(cumulus, "MOST_VALUES", 9000)
    with pytest.raises(UnreadableError, match="line 3: more than 9,000 values"):
        cumulus.paths_of("nv set interface swp1-4000 link mtu 9216\n" * 4)
    with pytest.raises(UnreadableError, match="more than 9,000 values"):
        cumulus.paths_of("- set:\n" + "    interface:\n      swp1-4000:\n        a: b\n" * 4)
