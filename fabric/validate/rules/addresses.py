"""Rules about addresses (ADR)."""

from __future__ import annotations

import ipaddress
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Severity
from fabric.core.units import ipv4_text
from fabric.topology.model import NO_VLAN
from fabric.topology.routed import PAIR, host_pools, named_pools, routed_units
from fabric.topology.tenant_members import spaces
from fabric.validate.addresses import POOLS, SPACE, owners
from fabric.validate.addresses6 import at_gateway, doubles, outside_subnet, wrong_subnets
from fabric.validate.origins import nic_place, switch_place
from fabric.validate.rule import ModelRule, SwitchRule, areas, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.topology.model import Bools, Fabric, Ints, Subnets
    from fabric.validate.places import Places
    from fabric.validate.world import Model


areas.add("ADR")("Addresses")
IPV6 = 6
#: Ranges without addresses of hosts, and what they are for (IANA IPv6 Special-Purpose Address
#: Registry; RFC 4291 section 2.4).
_NO_HOSTS = (
    ("::/8", "the unspecified, the loopback and mapped IPv4 addresses"),
    ("100::/64", "addresses whose packets are dropped"),
    ("2001::/23", "addresses of protocols, such as Teredo"),
    ("2001:db8::/32", "addresses for documentation"),
    ("2002::/16", "addresses of 6to4"),
    ("3fff::/20", "addresses for documentation"),
    ("fe80::/10", "link-local addresses"),
    ("fec0::/10", "site-local addresses, which are obsolete,"),
    ("ff00::/8", "multicast addresses"),
)
_of = cache(ipaddress.IPv6Network)


@rules.add("ADR001")
class PoolsApart(ModelRule):
    """Address pools do not overlap."""

    why = "Two devices get the same address, or a route to one pool also covers the other."
    source = "RFC 4632 section 5 (longest match)"
    guards = POOLS

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the pools with each other."""
        pools = named_pools(model.intent.fabric)
        for (first, one), (second, other) in combinations(pools.items(), 2):
            if one.overlaps(other):
                yield self.finding(
                    f"addressing.{second} {other} overlaps addressing.{first} {one}",
                    "use separate pools",
                    place=model.place("addressing", *second.split(".")),
                )


@rules.add("ADR002")
class UniqueAddresses(ModelRule):
    """No override assigns an address twice."""

    why = "Two owners of one address reply in turn, and sessions break at random."
    source = "RFC 5227 section 1"
    guards = (
        "devices.loopback",
        "devices.ports.address",
        "devices.subnets.gateway",
        "hosts.nics.address",
        "addressing.hosts",
        "devices.subnets.ipv6",
        "devices.subnets.ipv6_gateway",
        "hosts.nics.ipv6",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare all addresses of switches, gateways and NICs."""
        table = owners(model.fabric)
        values, counts = np.unique(table.address, return_counts=True)
        for address in values[counts > 1].tolist():
            rows = np.flatnonzero(table.address == address).tolist()
            for row in rows:
                place = table.place(row)
                if place:
                    other = next(item for item in rows if item != row)
                    yield self.finding(
                        f"{ipv4_text(address % SPACE)} is also the address of {table.owner(other)}",
                        "use a free address",
                        place=place,
                        device=table.owner(row),
                    )
        for message, fix, place, device in doubles(model.fabric):
            yield self.finding(message, fix, place=place, device=device)


@rules.add("ADR003")
class NicInSubnet(ModelRule):
    """NIC addresses are host addresses of their subnet."""

    why = "A NIC outside its subnet, or on its first or last address, cannot reach its gateway."
    source = "RFC 1122 section 3.2.1.3; RFC 919; RFC 4291 section 2.1"
    guards = (
        "hosts.nics.address",
        "hosts.nics.ipv6",
        "addressing.first_host_offset",
        "addressing.host_prefix_length",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare every NIC address with its subnet."""
        fabric, nics, subnets = model.fabric, model.fabric.nics, model.fabric.subnets
        network = subnets.network[nics.subnet]
        offset = nics.address - network
        last = (subnets.last - subnets.network)[nics.subnet]
        first = np.where(last == 1, 0, 1)  # both addresses of a /31 are of hosts (RFC 3021)
        wrong = (offset < first) | (offset > last - first)
        for row in np.flatnonzero(wrong).tolist() if model.intent.fabric.addressing.ipv4 else ():
            yield self.finding(
                f"{ipv4_text(int(nics.address[row]))} is not a host address of "
                f"{subnets.text(int(nics.subnet[row]))}",
                "use an address in the subnet of this rail and leaf",
                place=nic_place(fabric, row, "address")
                or model.place("addressing", "first_host_offset"),
                device=fabric.hosts.names[int(nics.host[row])],
            )
        for message, fix, place, device in outside_subnet(fabric):
            yield self.finding(message, fix, place=place, device=device)


@rules.add("ADR004")
class GatewayFree(ModelRule):
    """Gateways are free host addresses of their subnet."""

    why = "A gateway outside the subnet, or with the address of a NIC, is not reachable."
    source = "RFC 1812 section 2.2; RFC 1122 section 3.2.1.3"
    guards = (
        "addressing.gateway_offset",
        "addressing.first_host_offset",
        "devices.subnets.ipv6_gateway",
        "hosts.nics.ipv6",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the gateways with the subnet and with the NICs."""
        fabric, nics, subnets = model.fabric, model.fabric.nics, model.fabric.subnets
        offset = model.intent.fabric.addressing.gateway_offset
        length = model.intent.fabric.addressing.host_prefix_length
        last = (1 << (32 - length)) - 1
        place = model.place("addressing", "gateway_offset")
        if offset >= last and not all(routed_units(model.intent.fabric)):
            yield self.finding(
                f"gateway_offset {offset} is not a host address of a /{length} subnet",
                f"use an offset from 1 to {last - 1}",
                place=place,
            )
        for row in np.flatnonzero(nics.address == subnets.gateway[nics.subnet]).tolist():
            yield self.finding(
                f"{ipv4_text(int(nics.address[row]))} is the gateway of the subnet",
                "use another address, or move gateway_offset below first_host_offset",
                place=nic_place(fabric, row, "address") or place,
                device=fabric.hosts.names[int(nics.host[row])],
            )
        for message, fix, own, device in at_gateway(fabric):
            yield self.finding(message, fix, place=own, device=device)


@rules.add("ADR005")
class LoopbackInPool(SwitchRule):
    """Loopbacks are in their pool."""

    why = "Switches announce prefixes of the pools only, so another loopback is not reachable."
    source = "RFC 7938 section 5.2.3 (prefix advertisement)"
    guards = ("devices.loopback", "addressing.loopbacks")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Compare every loopback with the pool."""
        pool = places.intent.fabric.addressing.loopbacks
        place = switch_place(places.intent, device.name, "loopback")
        if place and ipaddress.IPv4Address(device.loopback) not in pool:
            yield self.finding(
                f"loopback {device.loopback} is outside addressing.loopbacks {pool}",
                "use an address in the pool",
                place=place,
                device=device.name,
            )


@rules.add("ADR006")
class UsableSpace(ModelRule):
    """Pools are usable address space."""

    why = (
        "Hosts and switches drop packets of reserved networks; public space in use elsewhere"
        " is not reachable."
    )
    source = "RFC 6890; RFC 1918; RFC 4291 section 2.4; RFC 4193; RFC 3849; RFC 9637"
    guards = POOLS

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for reserved and for public networks among the pools."""
        for name, pool in named_pools(model.intent.fabric).items():
            place = model.place("addressing", *name.split("."))
            if reason := _reserved(pool):
                yield self.finding(
                    f"addressing.{name} {pool} {reason} and cannot be used for hosts",
                    "use private address space, such as fd00:64::/48"
                    if pool.version == IPV6
                    else "use private address space",
                    place=place,
                )
            elif pool.is_global:
                yield self.finding(
                    f"addressing.{name} {pool} is public address space",
                    "make sure that you own it, or use private space",
                    place=place,
                    severity=Severity.INFO,
                )


def _reserved(pool: ipaddress.IPv4Network | ipaddress.IPv6Network) -> str:
    """Return why no host has addresses of a pool; empty where hosts may."""
    if pool.version == IPV6:
        return next((f"has {why}" for text, why in _NO_HOSTS if _of(text).overlaps(pool)), "")
    bad = pool.is_loopback or pool.is_multicast or pool.is_link_local or pool.is_reserved
    none = pool.is_unspecified or pool.network_address.packed[0] == 0
    return "is reserved" if bad or none else ""


@rules.add("ADR007")
class SubnetsApart(ModelRule):
    """NIC subnets and their VLANs do not overlap, lie in the pool, and have their gateway."""

    why = (
        "Hosts route the pool over their NICs and leaves announce it alone; packets to a subnet on"
        " two leaves reach either of them, and two subnets in one VLAN share their broadcasts."
    )
    source = (
        "RFC 1812 section 5.2.4.3 (longest match); RFC 4632 section 5; IEEE 802.1Q clause 6.8; "
        "RFC 6164 section 5"
    )
    guards = (
        "devices.subnets.network",
        "devices.subnets.gateway",
        "devices.subnets.vlan",
        "devices.subnets.ipv6",
        "devices.subnets.ipv6_gateway",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the subnets with the pool, with each other, and with their gateways."""
        yield from self._ipv4(model) if model.intent.fabric.addressing.ipv4 else ()
        for message, fix, place, device in wrong_subnets(model.fabric):
            yield self.finding(message, fix, place=place, device=device)

    def _ipv4(self, model: Model) -> Iterator[Finding]:
        table, pools = model.fabric.subnets, host_pools(model.intent.fabric)
        inside, of = np.zeros(len(table), bool), spaces(model.fabric)
        for pool in pools.values():
            first, last = int(pool.network_address), int(pool.broadcast_address)
            inside |= (table.network - of.shift >= first) & (table.last - of.shift <= last)
        served = (table.gateway > table.network) & (table.gateway < table.last)
        served |= (
            (table.prefix_length == PAIR)
            & (table.gateway >= table.network)
            & (table.gateway <= table.last)
        )
        shown = " and ".join(f"addressing.{name} {pool}" for name, pool in pools.items())
        for wrong, message, fix in (
            (~inside, f"is outside {shown}", "use a subnet of a pool"),
            (~served, "does not have its gateway inside", "use a gateway of the subnet"),
            (
                _overlapping(table, of.space),
                "overlaps a subnet of another leaf or rail",
                "use a free subnet",
            ),
            (
                _doubled(table.leaf * 4096 + table.vlan) & (table.vlan != NO_VLAN),
                "shares its VLAN",
                "use a free VLAN",
            ),
        ):
            for row in np.flatnonzero(wrong & _used(model.fabric)).tolist():
                leaf = model.fabric.switches.names[int(table.leaf[row])]
                place = switch_place(model.intent, leaf, "subnets")
                network = table.text(row)
                vlan = int(table.vlan[row])
                if place:
                    yield self.finding(
                        f"{network}{f' in VLAN {vlan}' if vlan else ''} {message}",
                        fix,
                        place=place,
                        device=leaf,
                    )


def _used(fabric: Fabric) -> Bools:
    """Return the subnets that leaves have: of single NICs, those with a NIC."""
    per_rail = fabric.intent.fabric.addressing.vlan_per == "rail"
    used: Bools = (fabric.subnets.vlan != NO_VLAN) & per_rail
    used[fabric.nics.subnet[fabric.nics.enabled]] = True
    return used


def _overlapping(table: Subnets, space: Ints) -> Bools:
    """Return which subnets have an address that another one has."""
    network, last = table.network + space * SPACE, table.last + space * SPACE
    order = np.lexsort((last, network))
    network, last = network[order], last[order]
    before = np.maximum.accumulate(last)[:-1] >= network[1:]
    wrong = np.zeros(len(table), bool)
    wrong[order[1:][before]] = True
    wrong[order[:-1][last[:-1] >= network[1:]]] = True
    return wrong


def _doubled(values: Ints) -> Bools:
    """Return which values are there more than once."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse] > 1)
