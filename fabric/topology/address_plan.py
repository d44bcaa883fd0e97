"""Fields of the address plan that contradict each other, or have no meaning in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.topology.ipv6 import HALF
from fabric.topology.routed import OF_VLANS, routed_units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.intent.inventory import Intent

_OF_ROUTED = ("routed_hosts", "routed_prefix_length", "advertise", "ipv6")


def wrong_fields(intent: Intent) -> Iterator[Finding]:
    """Yield what is wrong with the fields of the address plan, as findings of TOP040."""
    for path, message, fix in (*_pools(intent), *_meaningless(intent), *_ipv6(intent)):
        yield intent.finding("TOP040", message, fix, "addressing", *path.split("."))


def _pools(intent: Intent) -> Iterator[tuple[str, str, str]]:
    addressing, routed = intent.fabric.addressing, routed_units(intent.fabric)
    if not all(routed) and addressing.hosts is None:
        message = "NICs in VLANs have no pool"
        yield "hosts", message, "add addressing.hosts, such as 10.64.0.0/16"
    elif all(routed) and not addressing.ipv4 and not addressing.ipv6:
        message = "NICs have neither a pool of IPv4 nor of IPv6"
        yield "hosts", message, "add addressing.hosts or addressing.ipv6"
    if any(routed) and not all(routed) and addressing.routed_hosts is None:
        message = "some units have VLANs and others routed ports, which need another pool"
        yield "hosts", message, "add addressing.routed_hosts"


def _meaningless(intent: Intent) -> Iterator[tuple[str, str, str]]:
    addressing, routed = intent.fabric.addressing, routed_units(intent.fabric)
    said = addressing.model_fields_set
    for field in OF_VLANS if all(routed) else ():
        if field in said:
            message = f"{field} is about VLANs, and every NIC is on a routed port"
            fix = "remove it; routed_prefix_length is the length, and offsets follow from it"
            yield field, message, fix
    for field in _OF_ROUTED if not any(routed) else ():
        if field in said:
            message = f"{field} is about routed NIC ports, and there are none"
            yield field, message, "remove it, or set vlan_per: none"
    if not addressing.ipv4 and "routed_prefix_length" in said:
        message = "routed_prefix_length is about IPv4, and NICs have IPv6 alone"
        yield "routed_prefix_length", message, "remove it, or add addressing.hosts"
    subnets = [subnet for one in intent.devices for subnet in one.value.subnets]
    for field in ("network", "ipv6") if any(routed) and addressing.advertise == "leaf" else ():
        if any(getattr(subnet, field) for subnet in subnets):
            message = "a leaf announces one prefix, and a subnet that is set can be outside"
            yield "advertise", message, f"use nic, or remove devices.subnets.{field}"


def _ipv6(intent: Intent) -> Iterator[tuple[str, str, str]]:
    file, plan = intent.fabric, intent.fabric.addressing.ipv6
    if plan is None:
        return
    if plan.hosts.prefixlen > HALF:
        message = f"{plan.hosts} is longer than the /64 of a rail"
        yield "ipv6.hosts", message, "use a /64 or a shorter one, such as fd00:64::/48"
    if file.addressing.rdma_ipv6 and not all(routed_units(file)):
        message = "RDMA uses IPv6, and NICs in VLANs have none"
        yield "ipv6.rdma", message, "remove it until every unit has vlan_per: none"
    if not plan.rdma and "rdma" in plan.model_fields_set and not file.addressing.ipv4:
        message = "rdma is false, and NICs have IPv6 alone"
        yield "ipv6.rdma", message, "remove it, or add addressing.hosts"
    if file.spines and file.bgp.peering == "numbered" and plan.uplinks is None:
        message = "numbered sessions of IPv6 need addresses"
        yield "ipv6", message, "add addressing.ipv6.uplinks, or use bgp.peering: unnumbered"
    if plan.uplinks and plan.uplinks.prefixlen < HALF:
        message = f"{plan.uplinks} is more than one /64, which is enough for all links"
        yield "ipv6.uplinks", message, "use a /64 or a longer one, such as fd00:65::/64"
    by_link = any(one.value.peering or one.value.ports for one in intent.devices)
    if plan.uplinks and file.bgp.peering == "unnumbered" and not by_link:
        message = "sessions over link-local addresses need no pool"
        yield "ipv6.uplinks", message, "remove it, or use bgp.peering: numbered"
