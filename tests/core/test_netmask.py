"""Masks, as the standard library has them."""

from __future__ import annotations

from ipaddress import IPv4Interface

import pytest

from fabric.core.netmask import with_mask


def test_masks_are_those_of_the_standard_library() -> None:
    """Every length has its mask."""
    for length in range(33):
        interface = IPv4Interface(f"10.1.2.3/{length}")
        assert with_mask(str(interface)) == (str(interface.ip), str(interface.netmask))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("10.0.0.1", ("10.0.0.1", "255.255.255.255")),
        ("fd00::/64", ("fd00::", "64")),
        ("fd00::1", ("fd00::1", "128")),
    ],
)
def test_hosts_and_ipv6(text: str, parts: tuple[str, str]) -> None:
    """A host has the whole length, and IPv6 keeps its own."""
    assert with_mask(text) == parts
