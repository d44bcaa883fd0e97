"""What differs in names and numbers alone is one group."""

from __future__ import annotations

from fabric.core.hostlist import in_short
from fabric.core.likeness import like_groups, shape


def test_numbers_addresses_and_names_with_numbers_are_alike() -> None:
    for text, other in (
        ("su1-rail0 Ethernet8: MTU 1500", "su12-rail3 Ethernet256: MTU 9100"),
        ("session with 10.254.0.1 is down", "session with 10.254.12.33 is down"),
        ("address 2001:db8::1/64", "address 2001:db8:a::beef:1/64"),
        ("mac 00:1b:21:aa:bb:cc", "mac 40:a6:b7:00:00:01"),
    ):
        assert shape(text) == shape(other)
    assert shape("the port is shut down") != shape("the port is enabled")


def test_groups_come_in_the_order_of_their_first() -> None:
    names = ["spine1", "leaf2", "leaf1", "spine2"]
    assert like_groups(names, shape) == [["spine1", "spine2"], ["leaf2", "leaf1"]]


def test_names_in_short_are_whole_ranges_and_a_count() -> None:
    leaves = [f"su{unit}-rail{rail}" for unit in range(1, 65) for rail in range(8)]
    assert in_short(leaves) == "su[1-64]-rail[0-7]"
    leaves = [f"{hall}-rail{rail}" for hall in ("east", "north", "west") for rail in range(8)]
    text = in_short(leaves, most=30)
    assert text == "east-rail[0-7],north-rail[0-7] and 8 more"
    assert in_short(leaves, most=1) == "east-rail[0-7] and 16 more"
    assert in_short(["leaf1"], most=1) == "leaf1"
