"""Rules about NICs on routed ports (ADR, JOB)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted, noun
from fabric.core.findings import Severity
from fabric.core.units import ipv4_text
from fabric.topology.model import NO_VLAN
from fabric.topology.routed import (
    no_prefix,
    rail_length,
    rail_size,
    rail_starts,
    room_for,
    routed_units,
)
from fabric.topology.tenant_members import spaces
from fabric.validate.addresses6 import outside_rail
from fabric.validate.origins import subnet_place
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import traits_of_hosts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.topology.model import Fabric
    from fabric.validate.world import Model

#: Bits of an IPv4 address.
_BITS = 32


@rules.add("ADR008")
class RoomForFunctions(ModelRule):
    """The subnet of a routed NIC port has addresses for the virtual functions of the NIC.

    Those of pods are counted by JOB003.
    """

    why = (
        "A virtual function needs an address in the subnet of its port: without a VLAN, no other "
        "address reaches it."
    )
    source = "RFC 3021 and RFC 6164 (a /31 and a /127 have two); RFC 1812 section 4.2.2.11"
    guards = (
        "addressing.routed_prefix_length",
        "addressing.ipv6.assignment",
        "host.nic.virtual_functions",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the virtual functions of every host whose NICs are on routed ports."""
        file, units = model.intent.fabric, model.fabric.hosts.unit.tolist()
        routed, most, where = routed_units(file), 0, ""
        for unit, (name, traits) in zip(units, traits_of_hosts(model), strict=True):
            count = traits.nic.virtual_functions
            if routed[unit] and traits.container_mode == "host-network" and count > most:
                most, where = count, name
        length = file.addressing.routed_prefix_length
        free = max((1 << _BITS - length) - 4, 0)
        if most:
            yield from self._ipv6(model, most, where)
        if most > free and file.addressing.ipv4:
            yield self.finding(
                f"{counted(most, 'virtual function')} of a NIC {noun(most, 'needs', 'need')} "
                f"addresses, but the /{length} of a routed port has {free} free after leaf and NIC",
                room_for(most),
                place=model.place("addressing", "routed_prefix_length"),
                device=where,
            )

    def _ipv6(self, model: Model, count: int, host: str) -> Iterator[Finding]:
        """Look for a /127, which has no address for so many virtual functions of a NIC."""
        addressing = model.intent.fabric.addressing
        if addressing.ipv6 and addressing.ipv6.assignment == "static":
            needed = addressing.rdma_ipv6
            yield self.finding(
                f"{counted(count, 'virtual function')} of a NIC "
                f"{noun(count, 'needs', 'need') if needed else noun(count, 'has no', 'have no')} "
                "IPv6 addresses: the /127 of a routed port has none free after leaf and NIC",
                "use addressing.ipv6.assignment: slaac"
                + (", or addressing.hosts and ipv6.rdma: false" if needed else ""),
                place=model.place("addressing", "ipv6", "assignment"),
                device=host,
                severity=None if needed else Severity.WARNING,
            )


@rules.add("ADR009")
class SubnetsInRail(ModelRule):
    """Subnets of routed NIC ports lie in the addresses of their rail."""

    why = (
        "A rail is one prefix; a subnet outside it looks like another rail, and a new leaf of that "
        "rail takes the same subnet."
    )
    source = "NVIDIA/nccl src/transport/net_ib (NCCL_IB_SUBNET_PREFIX_LEN); RFC 4632 section 5"
    guards = ("devices.subnets.network", "devices.subnets.ipv6", "addressing.routed_hosts")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare every subnet that an override sets with the addresses of its rail."""
        fabric, table = model.fabric, model.fabric.subnets
        for row, start in _outside(fabric):
            leaf = fabric.switches.names[int(table.leaf[row])]
            place = subnet_place(fabric.intent, leaf, table.text(row))
            if place:
                rail = int(table.rail[row])
                own = f"{ipv4_text(start)}/{rail_length(fabric.intent.fabric)}"
                routed = fabric.intent.fabric.addressing.routed_hosts
                pool = f"addressing.{'routed_hosts' if routed else 'hosts'}"
                yield self.finding(
                    f"{table.text(row)} is outside {own}, the addresses of rail {rail}",
                    f"set {pool} to a pool in which the rail has it, use a subnet of the rail, or "
                    "remove the override",
                    place=place,
                    device=leaf,
                )
        for message, fix, at, device in outside_rail(fabric):
            yield self.finding(message, fix, place=at, device=device)


def _outside(fabric: Fabric) -> list[tuple[int, int]]:
    """Return the subnets outside the addresses of their rail, and where these begin."""
    file, table = fabric.intent.fabric, fabric.subnets
    if not file.addressing.ipv4:
        return []
    starts = rail_starts(file, np.maximum(fabric.switches.plane[table.leaf], 0), table.rail)
    starts = starts + spaces(fabric).shift
    outside = (table.network < starts) | (table.last >= starts + rail_size(file))
    rows = np.flatnonzero(outside & (table.vlan == NO_VLAN))
    return list(zip(rows.tolist(), starts[rows].tolist(), strict=True))


@rules.add("JOB011")
class PrefixOfRail(ModelRule):
    """A rail is one prefix where NCCL chooses NICs by subnet."""

    why = (
        "NCCL compares the first bits of the addresses of both ends: where they are not those of a "
        "rail, no NIC of a peer matches, or those of another rail do."
    )
    source = "NVIDIA/nccl @ 5067397c src/transport/net_ib/connect.cc (NCCL_IB_SUBNET_PREFIX_LEN)"
    guards = ("host.nccl_subnet_aware", "addressing.vlan_per", "planes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for rails that are no prefix."""
        file = model.intent.fabric
        if not file.host.nccl_subnet_aware:
            return
        outside = not file.addressing.rdma_ipv6 and _outside(model.fabric)
        moved = "a subnet is outside the addresses of its rail" if outside else ""
        if reason := no_prefix(file) or moved:
            yield self.finding(
                f"host.nccl_subnet_aware has no prefix to compare: {reason}",
                "remove it, or use addressing.vlan_per: none in all units, one plane, no subnet "
                "outside its rail, and static addresses of IPv6",
                place=model.place("host", "nccl_subnet_aware"),
            )
