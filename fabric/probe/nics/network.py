"""Checks of MTU, GIDs, addresses, routes, neighbours and cabling of a NIC (H9 to H14).

Sources: Linux include/rdma/ib_addr.h, iboe_get_mtu (`fabric.qos.path`);
Documentation/networking/ip-sysctl.rst; drivers/infiniband/core/roce_gid_mgmt.c (the index of a GID
depends on the order in which addresses came, so it is never compared).
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from fabric.core.units import gbps_to_bps
from fabric.probe.nics import Looked, Remark, checks, compare
from fabric.qos.path import roce_mtu_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.design.host_model import NicAddress
    from fabric.observe.hostfacts.gids import Gid

#: As the files of a host set them: answer and ask only for the own address, loose reverse path.
_ARP = {"arp_ignore": 1, "arp_announce": 2}
_STRICT = 1


@checks.add("H0")
def link(looked: Looked) -> Iterator[Remark]:
    """Check that the link is up at its speed and with the FEC of the other end."""
    nic = looked.nic
    if nic.up is False:
        yield Remark("H0", "the link is down")
        return
    if nic.up is None:
        yield Remark("H0", "the state of the link could not be read", unknown=True)
    speed = round(gbps_to_bps(looked.plan.speed_gbps))
    yield from compare("H0", "speed in bit/s", nic.rate_bps, speed)
    if looked.fec:
        yield from compare("H0", "FEC", _fec(nic.fec), looked.fec)


def _fec(modes: tuple[str, ...] | None) -> str | None:
    if modes is None:
        return None
    names = {"baser": "fc", "off": "none"}
    return ",".join(names.get(mode, mode) for mode in modes)


@checks.add("H9")
def mtu(looked: Looked) -> Iterator[Remark]:
    """Check that the network device has the planned MTU, and RoCE the one that follows."""
    planned = looked.plan.mtu_bytes
    yield from compare("H9", "MTU in bytes", looked.nic.mtu_bytes, planned)
    active = looked.nic.active_mtu_bytes
    yield from compare("H9", "active MTU of RoCE in bytes", active, roce_mtu_bytes(planned))


@checks.add("H10")
def gid(looked: Looked) -> Iterator[Remark]:
    """Check that one GID of RoCEv2 is in each planned subnet, found by its content."""
    table, plan = looked.nic.gids, looked.plan
    if table is None:
        yield Remark("H10", "the GID table could not be read", unknown=True)
        return
    for own in plan.addresses:
        yield from _gid_of(table, own)


def _gid_of(table: tuple[Gid, ...], own: NicAddress) -> Iterator[Remark]:
    """Check the GID of one address; a NIC that makes its own has one, whichever it is."""
    mine = roce_gids(table, own.network)
    present = ", ".join(f"{gid.ip} at index {gid.index}" for gid in mine)
    if not mine:
        others = [gid for gid in table if gid.is_routable and bool(gid.address) != own.is_ipv6]
        there = f"; there is {', '.join(gid.ip for gid in others)}" if others else ""
        yield Remark("H10", f"no RoCEv2 GID in {own.network}{there}")
    elif own.address and [gid.ip for gid in mine] != [own.address]:
        yield Remark("H10", f"RoCEv2 GIDs are {present}, expected {own.address} only")
    elif len(mine) > 1:
        yield Remark("H10", f"RoCEv2 GIDs are {present}: use_tempaddr makes more than one")


def roce_gids(table: tuple[Gid, ...], network: str) -> list[Gid]:
    """Return the GIDs of RoCEv2 whose address is in a network."""
    inside = ipaddress.ip_network(network)
    return [gid for gid in table if gid.version == "v2" and ipaddress.ip_address(gid.ip) in inside]


@checks.add("H11")
def arp(looked: Looked) -> Iterator[Remark]:
    """Check that the NIC answers and asks for its own address alone; replies find their way."""
    actual = looked.nic.arp
    if actual is None:
        yield Remark("H11", "the kernel parameters of ARP could not be read", unknown=True)
        return
    for name, planned in _ARP.items():
        yield from compare("H11", name, getattr(actual, name), planned)
    if actual.rp_filter == _STRICT:
        yield Remark("H11", "rp_filter is strict: replies through another rail are dropped")


@checks.add("H12")
def neighbours(looked: Looked) -> Iterator[Remark]:
    """Check that the neighbour table holds every peer of the rails; told once, at the first NIC."""
    first = next((nic for nic in looked.host.nics if nic.enabled), None)
    if first is not None and looked.plan.interface != first.interface:
        return
    actual, planned = looked.facts.neighbour_limits, looked.host.gc_thresholds
    if actual is None:
        yield Remark("H12", "the sizes of the neighbour table could not be read", unknown=True)
    elif any(now < limit for now, limit in zip(actual, planned, strict=True)):
        numbers = ", ".join(str(size) for size in actual)
        yield Remark("H12", f"the neighbour table limits are {numbers}, expected {planned}")


@checks.add("H13")
def source_routing(looked: Looked) -> Iterator[Remark]:
    """Check that traffic from the address of a NIC leaves by that NIC and its gateway."""
    facts, plan = looked.facts, looked.plan
    for own in plan.addresses:
        families = (facts.rules6, facts.routes6) if own.is_ipv6 else (facts.rules, facts.routes)
        rules, routes = families
        if rules is None or routes is None:
            family = " of IPv6" if own.is_ipv6 else ""
            yield Remark("H13", f"rules or routes{family} could not be read", unknown=True)
            continue
        if str(plan.table) not in {rule.table for rule in rules if rule.source == own.source}:
            source = own.address or own.network
            yield Remark("H13", f"no routing rule sends {source} to table {plan.table}")
        ways = {
            (route.destination, route.interface, route.gateway)
            for route in routes
            if route.table == str(plan.table)
        }
        for pool in own.pools:
            if (pool, plan.interface, own.gateway) not in ways:
                yield Remark("H13", f"no route to {pool} by {own.gateway} in table {plan.table}")
