"""Rules about neighbours and routes of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.core.units import ms_to_s
from fabric.design.host import GC_THRESH1_FLOOR
from fabric.design.nic import leaf_macs
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_of_hosts, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST005")
class NeighbourTable(ModelRule):
    """The neighbour table of a host has room for every NIC of its subnets."""

    why = "Above gc_thresh3 the kernel rejects new neighbours: RDMA connections fail only at scale."
    source = "Linux Documentation/networking/ip-sysctl.rst, neigh/default/gc_thresh1..3"
    guards = ("units.hosts",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the NICs in the subnets of every host."""
        fabric, nics = model.fabric, model.fabric.nics
        peers = np.bincount(nics.subnet, minlength=len(fabric.subnets))
        need = peers[nics.subnet].reshape(len(fabric.hosts), fabric.nics_per_host).sum(axis=1)
        for row in np.flatnonzero(need > 2 * GC_THRESH1_FLOOR).tolist():
            host, count = model.hosts[fabric.hosts.names[row]], need[row]
            if count > host.gc_thresholds[1]:
                yield self.finding(
                    f"{counted(count, 'neighbour is', 'neighbours are')} expected, gc_thresh2 is "
                    f"{host.gc_thresholds[1]}",
                    "use smaller units, or vlan_per nic",
                    place=model.place("units"),
                    device=host.name,
                )


@rules.add("HST015")
class StaticNeighbours(ModelRule):
    """Static neighbours have the MAC address of their leaf."""

    why = "A static neighbour needs a MAC address, and a wrong one disconnects the NIC."
    source = "iproute2 ip-neighbour manual page (lladdr, nud permanent)"
    guards = ("host.static_neighbours", "devices.mac")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for the MAC of every leaf with such hosts."""
        nics, fabric, macs = model.fabric.nics, model.fabric, leaf_macs(model.intent)
        chosen = np.array([traits.static_neighbours for _, traits in traits_of_hosts(model)])
        rows = np.flatnonzero(chosen[nics.host] & nics.enabled)
        leaves, first = np.unique(nics.leaf[rows], return_index=True)
        for leaf, row in zip(leaves.tolist(), rows[first].tolist(), strict=True):
            name = fabric.switches.names[leaf]
            host = fabric.hosts.names[int(nics.host[row])]
            if name not in macs:
                yield self.finding(
                    f"{name} has no mac, which the static neighbour entry of its hosts needs",
                    f"set devices.mac of {name} to the MAC of its "
                    f"gateways, or set static_neighbours: false",
                    place=traits_place(model, host, "static_neighbours"),
                    device=name,
                )


#: An entry is reachable for up to this times base_reachable_time.
MOST = 1.5


@rules.add("HST018")
class NeighbourAges(ModelRule):
    """Neighbour entries expire on hosts before they expire on the leaf."""

    severity = Severity.WARNING
    why = (
        "If the leaf entry expires first, the leaf must resolve a silent host again; "
        "RDMA packets to it wait, or are flooded."
    )
    source = (
        "Linux Documentation/networking/ip-sysctl.rst (base_reachable_time_ms, gc_stale_time); RFC"
        " 4861 section 6.3.4 (the factor 0.5 to 1.5)"
    )
    guards = ("arp.timeout_s",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the longest age on a host, the same on all, with the timeout of the leaves."""
        host, arp_s = model.hosts[model.fabric.hosts.names[0]], model.intent.fabric.arp.timeout_s
        age_s = MOST * ms_to_s(host.base_reachable_time_ms) + host.gc_stale_time_s
        if age_s >= arp_s:
            yield self.finding(
                f"hosts keep a neighbour for up to {age_s:g} s, leaves for {arp_s} s",
                "increase arp.timeout_s",
                place=model.place("arp", "timeout_s"),
                device=host.name,
            )


@rules.add("HST014")
class StackDropsRules(ModelRule):
    """Hosts with netplan over NetworkManager get NetworkManager keyfiles."""

    severity = Severity.INFO
    why = (
        "netplan silently drops routing-policy for NetworkManager: replies would "
        "leave by the wrong NIC."
    )
    source = (
        "canonical/netplan 0.106 src/nm.c (routing-policy is not written); nm-settings-keyfile "
        "manual page"
    )
    guards = ("host.network_stack",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            if kind.host.traits.network_stack == "netplan-networkmanager":
                yield self.finding(
                    "netplan drops routing-policy for NetworkManager, so keyfiles are rendered "
                    f"instead of a netplan file{kind.others}",
                    "",
                    place=traits_place(model, kind.host.name, "network_stack"),
                    device=kind.host.name,
                    is_example=True,
                )


#: default, main and local (iproute2 etc/iproute2/rt_tables).
_TAKEN = range(253, 256)


@rules.add("HST025")
class FreeTables(ModelRule):
    """The routing tables of the NICs are not those of the kernel."""

    why = "Routes of a NIC would be in the main or local table and attract all traffic."
    source = "iproute2 etc/iproute2/rt_tables (253 default, 254 main, 255 local)"
    guards = ("host.first_table",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the range that the hosts of the fabric use."""
        first = model.intent.fabric.host.first_table
        stop = first + model.fabric.nics_per_host
        if first < _TAKEN.stop and stop > _TAKEN.start:
            yield self.finding(
                f"routing tables {first} to {stop - 1} include 253 to 255, which the kernel "
                "reserves",
                f"use tables below 253, or set host.first_table to {_TAKEN.stop} or above",
                place=model.place("host", "first_table"),
            )
