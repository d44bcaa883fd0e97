"""Subnets of leaves and addresses of cables that the inventory sets, as found in a fabric."""

from __future__ import annotations

from ipaddress import IPv4Interface, IPv6Interface
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fabric.core import hostlist
from fabric.core.findings import Finding, Severity
from fabric.topology.model import NO_VLAN, other_end
from fabric.topology.own_ipv6 import write_own_subnet, wrong_nic, wrong_subnet
from fabric.topology.routed import gateway_offset

#: The last address of IPv4: a gateway beyond it is none, and rule ADR004 says so.
LAST_ADDRESS = 2**32 - 1

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.intent.device_model import DeviceOverride, LeafSubnet
    from fabric.intent.host_model import HostOverride
    from fabric.intent.inventory import Intent, Located
    from fabric.topology.layout import Layout
    from fabric.topology.model import Fabric, Subnets

    _Interface: TypeAlias = IPv4Interface | IPv6Interface
    #: An override, and the path of a field in it.
    _Place: TypeAlias = tuple[
        Located[DeviceOverride] | Located[HostOverride], *tuple[str | int, ...]
    ]


def write_own_subnets(intent: Intent, layout: Layout, table: Subnets) -> None:
    """Write the subnets of leaves that the inventory sets; `wrong_subnets` names the others."""
    overrides = [one.value for one in intent.devices if one.value.subnets]
    rows = {name: row for row, name in enumerate(layout.names[: layout.leaf_count])}
    for override in overrides:
        for name in hostlist.expand(override.names):
            for own in override.subnets if name in rows else ():
                _write(intent, table, subnet_row(table, rows[name], own), own)


def _write(intent: Intent, table: Subnets, row: int | None, own: LeafSubnet) -> None:
    if row is None:
        return
    if own.vlan is not None and table.vlan[row] != NO_VLAN:
        table.vlan[row] = own.vlan
    if own.network is not None:
        table.network[row] = int(own.network.network_address)
        table.prefix_length[row] = own.network.prefixlen
        is_routed, offset = table.vlan[row] == NO_VLAN, intent.fabric.addressing.gateway_offset
        offset = gateway_offset(own.network.prefixlen) if is_routed else offset
        table.gateway[row] = min(int(table.network[row]) + offset, LAST_ADDRESS)
    if own.gateway is not None:
        table.gateway[row] = int(own.gateway)
    if table.ipv6 is not None:
        write_own_subnet(table.ipv6, row, own)


def subnet_row(table: Subnets, leaf: int, own: LeafSubnet) -> int | None:
    """Return the row of a subnet of a leaf; None where the leaf has no such rail or slot."""
    first, last = np.searchsorted(table.leaf, [leaf, leaf + 1]).tolist()
    rails = table.rail[first:last]
    mine = np.flatnonzero(rails == (own.rail if own.rail is not None else rails[0]))
    if own.rail is None and (rails != rails[0]).any():
        return None
    if (own.slot is None) is (len(mine) > 1):
        return None
    slot = own.slot or 0
    return first + int(mine[slot]) if slot < len(mine) else None


def wrong_subnets(fabric: Fabric, row: int, override: Located[DeviceOverride]) -> Iterator[Finding]:
    """Yield the subnets of an override that a switch cannot have."""
    table = fabric.subnets
    for index, own in enumerate(override.value.subnets):
        leaf = row < fabric.switches.leaf_count
        subnet = subnet_row(table, row, own) if leaf else None
        if subnet is None:
            which = " with its rail, and with its slot if each NIC has one" if leaf else ""
            message = f"{fabric.switches.names[row]} has no such subnet of NICs"
            fix = f"name a subnet of a leaf{which}"
            yield _finding(message, fix, (override, "subnets", index))
            continue
        if own.vlan is not None and table.vlan[subnet] == NO_VLAN:
            message = "vlan is about VLANs, and this NIC is on a routed port"
            yield _finding(message, "remove it", (override, "subnets", index, "vlan"))
        for field, message, fix in wrong_subnet(fabric, subnet, own):
            yield _finding(message, fix, (override, "subnets", index, field))


def write_own_nic(
    fabric: Fabric, row: int, override: Located[HostOverride], index: int
) -> Iterator[Finding]:
    """Write the IPv6 address of a NIC; yield what is wrong with its addresses."""
    change, table = override.value.nics[index], fabric.subnets.ipv6
    wrong = list(wrong_nic(fabric, row, change))
    for field, message, fix in wrong:
        yield _finding(message, fix, (override, "nics", index, field))
    if change.ipv6 and table and not wrong:
        table.own_nics[int(fabric.nics.subnet[row])] = change.ipv6


def write_own_links(
    fabric: Fabric, overrides: Iterable[tuple[int, Located[DeviceOverride]]]
) -> Iterator[Finding]:
    """Write the addresses of cables between switches; yield what is wrong with them.

    Parameters
    ----------
    overrides : iterable of (int, Located)
        Rows of switches and their overrides; a later one of a port counts.
    """
    up = fabric.uplinks
    ends: dict[tuple[int, bool, int], tuple[_Interface, _Place]] = {}
    for row, override in overrides:
        numbers = fabric.switches.skus[row].port_numbers()
        for port, field, address in _of_ports(override.value):
            cable = fabric.uplink_at(row, numbers[port])
            place: _Place = (override, "ports", port, field)
            if cable is None:
                message = f"{port} has no cable to another switch, so it has no address"
                yield _finding(message, "remove the address, or name another port", place)
            elif address.version == 6 and fabric.links6 is None:  # noqa: PLR2004 - a family
                message = f"{address} is of IPv6, and links have IPv4 alone"
                yield _finding(message, "add addressing.ipv6.uplinks, or remove it", place)
            else:
                ends[cable, int(up.upper[cable]) == row, address.version] = (address, place)
    for (cable, upper, version), (address, place) in ends.items():
        far = _write_end(fabric, cable, address, upper=upper)
        other = ends.get((cable, not upper, version))
        if upper and other and other[0] != far:
            message = f"{address} and {other[0]} are not the two ends of one subnet"
            length = address.network.prefixlen
            yield _finding(message, f"set one end alone, or both in one /{length}", place)


def _of_ports(override: DeviceOverride) -> Iterator[tuple[str, str, _Interface]]:
    """Yield port, field and value of the addresses of cables that an override sets."""
    for port, change in override.ports.items():
        for field in ("address", "ipv6"):
            if address := getattr(change, field):
                yield port, field, address


def _write_end(fabric: Fabric, cable: int, address: _Interface, *, upper: bool) -> _Interface:
    """Give an end of a cable an address; return that of the other end."""
    if isinstance(address, IPv6Interface):
        assert fabric.links6
        return fabric.links6.write(cable, address, above=upper)
    up, length, mine = fabric.uplinks, address.network.prefixlen, int(address.ip)
    far = other_end(mine, length)
    up.upper_address[cable], up.prefix_length[cable] = mine if upper else far, length
    return IPv4Interface((far, length))


def _finding(message: str, fix: str, place: _Place) -> Finding:
    override, *path = place
    field, position = override.field(*path), override.position(*path)
    return Finding("TOP028", Severity.ERROR, message, fix, field, position)
