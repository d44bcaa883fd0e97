"""Rules about the routes to NICs (ADR)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Severity
from fabric.platforms.asic_catalogue import asic, asic_names
from fabric.topology.addressing import slots_per_subnet_group
from fabric.topology.routed import routed_units, summary_bits
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.topology.model import Fabric, Ints
    from fabric.validate.world import Model


@rules.add("ADR010")
class HiddenNic(ModelRule):
    """A leaf announces each routed NIC port, so that the route to a dead one goes."""

    severity = Severity.INFO
    why = (
        "With one prefix for a leaf and rail, other switches keep sending to a NIC whose link is "
        "down, and the leaf drops the packets: a sender waits for a timeout, where it would get no "
        "route."
    )
    source = "RFC 4271 section 9.2.2.2 (aggregation); RFC 4632 section 5.1 (discard route)"
    guards = ("addressing.advertise",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a prefix in place of the subnets."""
        file = model.intent.fabric
        if file.addressing.advertise == "leaf" and any(routed_units(file)):
            yield self.finding(
                "leaves announce one prefix for the NICs of a rail, which hides that one is cut "
                "off",
                "use advertise: nic where the tables of the switches have room",
                place=model.place("addressing", "advertise"),
            )


@rules.add("ADR011")
class RouteRoom(ModelRule):
    """The routing table of a switch has room for the subnets of NICs."""

    why = "Routes beyond the table are not programmed: their packets are dropped or go by software."
    source = (
        "CumulusNetworks/docs content/cumulus-linux-514, Forwarding Table Size and Profiles; "
        "facts route_entries of docs/platforms.md"
    )
    guards = ("addressing.vlan_per", "addressing.advertise", "addressing.hosts")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count subnets and loopbacks, and compare with each model of switch."""
        file, fabric = model.intent.fabric, model.fabric
        if not any(routed_units(file)):
            return
        need = _announced(fabric) + len(fabric.switches.names)
        place = model.place("addressing", "advertise")
        fix = "use advertise: leaf, so that a leaf announces one prefix for each rail"
        for sku in dict.fromkeys(fabric.switches.skus):
            room = sku.route_entries
            if room is not None and need > room:
                message = f"{need:,} routes are expected, and {sku.name} has room for {room:,}"
                yield self.finding(message, fix, place=place)
            elif room is None and need > _smallest():
                yield self.finding(
                    f"{need:,} routes are expected, and how many {sku.name} has room for is not "
                    "known",
                    f"{fix}, or ask its vendor",
                    place=place,
                    severity=Severity.WARNING,
                )


def _smallest() -> int:
    """Return the fewest routes that any ASIC is known to hold."""
    known = [asic(name).integer("route_entries") for name in asic_names()]
    return min(count for count in known if count is not None)


def _announced(fabric: Fabric) -> int:
    """Return the most prefixes of NICs that a switch knows: those of its plane."""
    rows = np.unique(fabric.nics.subnet[fabric.nics.enabled])
    table, addressing = fabric.subnets, fabric.intent.fabric.addressing
    network: Ints = table.network[rows]
    if addressing.advertise == "leaf":
        bits = summary_bits(addressing, slots_per_subnet_group(fabric.intent))
        network = np.where(table.vlan[rows], network, network >> bits << bits)
    plane = np.maximum(fabric.switches.plane[table.leaf[rows]], 0)
    own = np.unique(np.column_stack((plane, network)), axis=0)
    return int(np.bincount(own[:, 0]).max(initial=0))
