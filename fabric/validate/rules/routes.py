"""Rules about the routes to NICs (ADR)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.platforms.asic_catalogue import asic, asic_names
from fabric.topology.addressing import slots_per_subnet_group
from fabric.topology.ipv6 import HALF
from fabric.topology.routed import routed_units, summary_bits
from fabric.validate.addresses6 import used_subnets
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
        "facts route_entries and route_entries_ipv6 of docs/reference/platforms.md"
    )
    guards = (
        "addressing.vlan_per",
        "addressing.advertise",
        "addressing.hosts",
        "addressing.ipv6.hosts",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Count subnets and loopbacks, and compare with each model of switch."""
        file, fabric = model.intent.fabric, model.fabric
        if not any(routed_units(file)):
            return
        yield from self._room(model, "route_entries", _announced(fabric) + len(fabric.switches))
        if fabric.subnets.ipv6:
            longest = fabric.subnets.ipv6.summary_length
            if file.addressing.advertise == "nic":
                longest = fabric.subnets.ipv6.prefix_length
            fact = "route_entries_ipv6" if longest > HALF else ""
            yield from self._room(model, fact, _announced6(fabric), " of IPv6")

    def _room(self, model: Model, fact: str, need: int, kind: str = "") -> Iterator[Finding]:
        """Compare so many routes with each model of switch; without a fact nothing is known."""
        place = model.place("addressing", "advertise")
        fix = "use advertise: leaf, so that a leaf announces one prefix for each rail"
        for sku in dict.fromkeys(model.fabric.switches.skus):
            room = sku.asic_facts.integer(fact) if fact else None
            if room is not None and need > room:
                message = (
                    f"{counted(need, 'route')}{kind} are expected, and {sku.name} has room for"
                )
                yield self.finding(f"{message} {room:,}", fix, place=place)
            elif room is None and need > _smallest(fact or "route_entries_ipv6"):
                yield self.finding(
                    f"{counted(need, 'route')}{kind} are expected, and how many {sku.name} has "
                    "room for is not known",
                    f"{fix}, or ask its vendor",
                    place=place,
                    severity=Severity.WARNING,
                )


def _smallest(fact: str) -> int:
    """Return the fewest routes that any ASIC is known to hold."""
    known = [asic(name).integer(fact) for name in asic_names()]
    return min(count for count in known if count is not None)


def _announced6(fabric: Fabric) -> int:
    """Return the most IPv6 prefixes of NICs that a switch knows: those of its plane."""
    ipv6, rows = fabric.subnets.ipv6, used_subnets(fabric)
    if ipv6 is None:
        return 0
    upper, lower = ipv6.upper[rows], ipv6.lower[rows]
    if fabric.intent.fabric.addressing.advertise == "leaf":
        bits = np.uint64(
            HALF - ipv6.summary_length if ipv6.slaac else 2 * HALF - ipv6.summary_length
        )
        upper, lower = (upper >> bits, lower) if ipv6.slaac else (upper, lower >> bits)
    plane = np.maximum(fabric.switches.plane[fabric.subnets.leaf[rows]], 0)
    order = np.lexsort((lower, upper, plane))
    columns = [column[order] for column in (plane, upper, lower)]
    first = np.insert(np.any([np.diff(one) != 0 for one in columns], axis=0), 0, values=True)
    return int(np.bincount(columns[0][first]).max(initial=0)) if len(rows) else 0


def _announced(fabric: Fabric) -> int:
    """Return the most prefixes of NICs that a switch knows: those of its plane."""
    rows = np.unique(fabric.nics.subnet[fabric.nics.enabled])
    table, addressing = fabric.subnets, fabric.intent.fabric.addressing
    if not addressing.ipv4:
        return 0
    network: Ints = table.network[rows]
    if addressing.advertise == "leaf":
        bits = summary_bits(addressing, slots_per_subnet_group(fabric.intent))
        network = np.where(table.vlan[rows], network, network >> bits << bits)
    plane = np.maximum(fabric.switches.plane[table.leaf[rows]], 0)
    own = np.unique(np.column_stack((plane, network)), axis=0)
    return int(np.bincount(own[:, 0]).max(initial=0))
