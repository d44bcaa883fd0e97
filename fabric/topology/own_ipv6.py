"""Subnets and addresses of NICs that the inventory sets, where the fabric has IPv6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.topology.ipv6 import halves
from fabric.topology.model import NO_VLAN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.intent.device_model import LeafSubnet
    from fabric.intent.host_model import NicOverride
    from fabric.topology.ipv6 import Ipv6Subnets
    from fabric.topology.model import Fabric, Subnets

#: Fields of IPv4, and those of IPv6 in their place.
_SAME = {"network": "ipv6", "gateway": "ipv6_gateway"}


def write_own_subnet(table: Ipv6Subnets, row: int, own: LeafSubnet) -> None:
    """Write the subnet of a NIC and the address of the leaf in it."""
    if own.ipv6 is not None:
        table.upper[row], table.lower[row] = halves(own.ipv6.network_address)
        table.own_gateways.pop(row, None)
        table.own.add(row)
    if own.ipv6_gateway is not None:
        table.own_gateways[row] = own.ipv6_gateway


def wrong_subnet(fabric: Fabric, row: int, own: LeafSubnet) -> Iterator[tuple[str, str, str]]:
    """Yield a field of a subnet that has no meaning, what is wrong with it, and what to do."""
    table = fabric.subnets
    for field in ("network", "gateway") if not fabric.intent.fabric.addressing.ipv4 else ():
        if getattr(own, field) is not None:
            yield field, f"{field} is about IPv4, and NICs have IPv6 alone", f"use {_SAME[field]}"
    reason = _no_ipv6(table, row)
    for field in ("ipv6", "ipv6_gateway"):
        if reason and getattr(own, field) is not None:
            yield field, f"{field} is about IPv6, and {reason}", "remove it"
    if table.ipv6 and not reason and own.ipv6 and own.ipv6.prefixlen != table.ipv6.prefix_length:
        length = table.ipv6.prefix_length
        message = f"{own.ipv6} is not a /{length}, which every NIC has"
        yield "ipv6", message, f"use a /{length}, such as {table.ipv6.network(row)}"


def wrong_nic(fabric: Fabric, row: int, change: NicOverride) -> Iterator[tuple[str, str, str]]:
    """Yield a field of a NIC that has no meaning, what is wrong with it, and what to do."""
    if change.address is not None and not fabric.intent.fabric.addressing.ipv4:
        yield "address", "address is about IPv4, and NICs have IPv6 alone", "use ipv6"
    if change.ipv6 is None:
        return
    table, subnet = fabric.subnets, int(fabric.nics.subnet[row])
    if reason := _no_ipv6(table, subnet):
        yield "ipv6", f"ipv6 is about IPv6, and {reason}", "remove it"
    elif table.ipv6 and table.ipv6.slaac:
        message = "with slaac a NIC makes its own address, so it cannot be set"
        yield "ipv6", message, "remove it, or use addressing.ipv6.assignment: static"


def _no_ipv6(table: Subnets, row: int) -> str:
    """Return why the NICs of a subnet have no IPv6; empty where they have."""
    if table.ipv6 is None:
        return "there is no addressing.ipv6"
    return "this NIC is in a VLAN" if table.vlan[row] != NO_VLAN else ""
