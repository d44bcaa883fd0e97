"""Indented configurations: their tree, the tables of their lines, and addresses."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from fabric.observe.configuration import Bgp, Leftover
from fabric.observe.configuration.blocks import (
    Context,
    address,
    blocks,
    ipv4,
    mask_bits,
    network,
    numbers,
    prefix_match,
)
from fabric.observe.configuration.model import AddressLine, PrefixMatch

A = 10 << 24


@dataclass
class Thing:
    """What the lines of these tests are about."""

    name: str = ""
    size: int = 0
    enabled: bool = True
    parts: list[str] = field(default_factory=list)


TOP, PART = Context(r"about .*"), Context()
TOP.sets(r"name (?P<value>\S+)", "name")
TOP.sets(r"size (?P<value>\S+)( bytes)?", "size", int)
TOP.switches("shutdown", "enabled", on=False)
PART.switches("on", "enabled", undo="undo ")


@TOP.line(r"part (?P<name>\S+)", inside=PART)
def _part(thing: Thing, line: int, name: str) -> None:
    thing.parts.append(f"{name}:{line}")


def _read(text: str) -> tuple[Thing, list[Leftover]]:
    thing, leftovers = Thing(), []
    TOP.read(thing, blocks(text), leftovers)
    return thing, leftovers


def test_lines_set_and_switch() -> None:
    """Fields of what they are about, the same inside where nothing else is returned."""
    thing, leftovers = _read("name x\nsize 9 bytes\nshutdown\npart a\n  undo on\n")
    assert thing == Thing("x", 9, enabled=False, parts=["a:4"])
    assert leftovers == []
    assert _read("shutdown\nno shutdown\n")[0].enabled


def test_what_no_row_knows_is_left_over() -> None:
    """A line, a value that cannot be, and what stands below a line that has nothing below it."""
    text = "about x\n  weird\nsize many\nname x\n  weird\npart a\n  off\nother\n  weird\n"
    assert _read(text)[1] == [
        Leftover(3, "size many"),
        Leftover(5, "weird"),
        Leftover(7, "off"),
        Leftover(8, "other"),
    ]


def test_separators_end_what_is_indented_as_far() -> None:
    """A mark at the depth of a section stands between it and the next one."""
    tree = blocks("a\n b\n !\n c\n#\n d\n")
    assert [(one.text, [two.text for two in one.inside]) for one in tree] == [
        ("a", ["b", "c"]),
        ("d", []),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("101", [101]),
        ("1,101-103", [1, 101, 102, 103]),
        ("2 101 to 103 200", [2, 101, 102, 103, 200]),
    ],
)
def test_lists_of_numbers(text: str, expected: list[int]) -> None:
    """With ranges in either spelling."""
    assert numbers(text) == expected


def test_a_list_of_other_words_is_none() -> None:
    """Such as `all`."""
    with pytest.raises(ValueError, match="all"):
        numbers("all")


def test_addresses() -> None:
    """With a length, a mask, or a length in place of the mask."""
    assert address("10.0.0.1/31", None, 7) == AddressLine(A + 1, 31, 7)
    assert address("10.0.0.1", "255.255.255.254", 7) == AddressLine(A + 1, 31, 7)
    assert address("10.0.0.1", "31", 7) == AddressLine(A + 1, 31, 7)
    assert network("10.9.8.7/8") == (A, 8)
    assert mask_bits("0.0.0.0") == 0


@pytest.mark.parametrize(
    ("text", "mask"),
    [
        ("10.0.0.1", None),
        ("10.0.0.1/33", None),
        ("10.0.0.1/-1", None),
        ("10.0.0.256/24", None),
        ("10.0.0.1", "255.0.255.0"),
        ("10.0.0.1", "33"),
    ],
)
def test_no_addresses(text: str, mask: str | None) -> None:
    """Are rejected, so that their line is left over."""
    with pytest.raises(ValueError, match=r".*"):
        address(text, mask, 1)


@pytest.mark.parametrize(
    ("bits", "low", "high"),
    [
        ({}, 8, 8),
        ({"exact": "32"}, 32, 32),
        ({"low": "24"}, 24, 32),
        ({"high": "24"}, 8, 24),
        ({"low": "16", "high": "24"}, 16, 24),
    ],
)
def test_lengths_of_a_prefix_list(bits: dict[str, str], low: int, high: int) -> None:
    """What is left out follows from the other words."""
    entry = prefix_match("permit", "10.0.0.0/8", 3, **bits)
    assert entry == PrefixMatch(True, A, 8, low, high, 3)


def test_a_peer_takes_from_its_group_what_its_lines_leave_open() -> None:
    """And from the process whether it is active."""
    bgp = Bgp(65101, 1, active_by_default=False)
    bgp.group("G", 2).asn = 65100
    bgp.group("G", 2).policy_out = "O"
    for session, line in (("10.0.0.0", 3), ("10.0.0.2", 4)):
        bgp.peer(session, line).group = "G"
    bgp.peer("10.0.0.2", 5).asn = 65099
    bgp.resolve()
    assert [(p.asn, p.policy_out, p.activated, p.line) for p in bgp.peers.values()] == [
        (65100, "O", False, 3),
        (65099, "O", False, 4),
    ]


def test_sessions_and_router_ids_are_addresses() -> None:
    """Or the names of ports, in the case of sessions."""
    bgp = Bgp(65101, 1)
    assert bgp.peer("Ethernet0", 1).session == "Ethernet0"
    assert ipv4("10.0.0.1") == "10.0.0.1"
    assert bgp.peer("2001:DB8:0::1", 1).session == "2001:db8::1"
    for text in ("10.0.0.300", "2001:db8::1::"):
        with pytest.raises(ValueError, match=text):
            bgp.peer(text, 1)
        with pytest.raises(ValueError, match=text):
            ipv4(text)
