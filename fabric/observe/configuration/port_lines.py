"""Addresses of ports, in lines that several systems read alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import address as address_line

if TYPE_CHECKING:
    from fabric.observe.configuration.model import ConfiguredPort


def give_address(
    port: ConfiguredPort, line: int, address: str, mask: str | None = None, more: str | None = None
) -> None:
    """Give a routed port an IPv4 address: its only one, unless it is a further one.

    Raises
    ------
    ValueError
        When it is a switched port.
    """
    if not port.routed:
        raise ValueError("not a routed port")
    others = [entry for entry in port.addresses if more or entry.is_ipv6]
    port.addresses = [*others, address_line(address, mask, line)]


def add_address6(port: ConfiguredPort, line: int, address: str) -> None:
    """Give a routed port a further IPv6 address; raise ValueError for a switched one."""
    give_address(port, line, address, more="further")
