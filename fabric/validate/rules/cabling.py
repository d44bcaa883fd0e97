"""Rules about cabling (TOP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Severity
from fabric.core.units import ipv4_text
from fabric.topology.layout import designed_pairs
from fabric.validate.capacity import switch_gbps
from fabric.validate.origins import Place, cable_ends, nic_place, uplinks_place
from fabric.validate.rule import ModelRule, areas, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


areas.add("TOP")("Topology and cabling")


@rules.add("TOP011")
class EndsAgree(ModelRule):
    """Overrides at the two ends of a cable agree."""

    why = "A cable has one speed and one length; if the ends differ, one value is wrong."
    source = "IEEE 802.3 clause 73 (no common speed, no link)"
    guards = ("devices.ports.speed_gbps", "devices.ports.cable_m", "devices.ports.cable_type")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the speeds and lengths that overrides give to the same cable."""
        for field in ("speed_gbps", "cable_m", "cable_type"):
            known: dict[tuple[str, int], tuple[object, Place]] = {}
            for cable, value, place in cable_ends(model.fabric, field):
                other, _ = known.setdefault(cable, (value, place))
                if other != value:
                    yield self.finding(
                        f"{field} is {value} here and {other} in the override of the other end",
                        "set the same value at both ends, or at one end only",
                        place=place,
                    )


@rules.add("TOP012")
class AllSpines(ModelRule):
    """Every switch is connected to every switch it should reach in the tier above.

    A leaf should reach the spines of its pod and plane, a spine the super-spines of its plane and
    group.
    """

    severity = Severity.WARNING
    why = (
        "A leaf without a cable to a spine cannot use its bandwidth, and spreads traffic unevenly."
    )
    source = "RFC 7938 section 3.2 (Clos topology)"
    guards = ("spines.count", "spines.links_per_leaf", "super_spines.count", "super_spines.groups")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the enabled cables between each switch and those above it."""
        fabric, up, switches = model.fabric, model.fabric.uplinks, model.fabric.switches
        size, used = len(switches), up.enabled
        lower, upper = designed_pairs(fabric)
        cabled = np.append(np.sort(up.lower[used] * size + up.upper[used]), -1)
        pairs = lower * size + upper
        missing = cabled[np.searchsorted(cabled[:-1], pairs)] != pairs
        connected = np.bincount(up.lower[used], minlength=size) > 0
        for row, above in zip(lower[missing].tolist(), upper[missing].tolist(), strict=True):
            alone = not connected[row]
            yield self.finding(
                "no uplink at all" if alone else f"no cable to {switches.names[above]}",
                "correct the override that moved or disabled the cable",
                place=uplinks_place(fabric, row, "enabled", "peer")
                or model.above_place(int(switches.tier[row]), "count"),
                device=switches.names[row],
                severity=Severity.ERROR if alone else None,
            )


@rules.add("TOP013")
class OneSpine(ModelRule):
    """There is more than one spine and super-spine."""

    severity = Severity.WARNING
    why = "With a single spine, its failure or upgrade stops all traffic between leaves."
    source = "RFC 7938 section 3.2 (Clos topology)"
    guards = ("spines.count", "super_spines.count")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the spines of each pod, and the super-spines."""
        switches = model.fabric.switches
        for tier, name in enumerate(("spine", "super-spine")):
            pods = np.bincount(switches.pod[switches.of_tier(tier + 1)] + 1)
            if (pods == 1).any():
                yield self.finding(
                    f"there is only one {name}, without redundancy",
                    f"use at least two {name}s",
                    place=model.above_place(tier, "count"),
                )


@rules.add("TOP015")
class EqualUplinks(ModelRule):
    """All switches of a tier have the same uplink bandwidth."""

    severity = Severity.WARNING
    why = "A collective runs at the speed of its slowest leaf."
    source = "NVIDIA DGX SuperPOD reference architecture (rails are symmetric)"
    guards = ("spines.links_per_leaf", "super_spines.links_per_spine")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the uplink bandwidth of the leaves, and of the spines."""
        fabric = model.fabric
        _, uplinks = switch_gbps(fabric)
        for tier, kind in enumerate(("leaves", "spines")):
            rows = fabric.switches.of_tier(tier)
            most = int(uplinks[rows].max(initial=0))
            for row in rows[uplinks[rows] < most].tolist():
                yield self.finding(
                    f"uplinks carry {uplinks[row]:,} Gb/s, those of other {kind} {most:,}",
                    "correct the override of the uplink, or accept it",
                    place=uplinks_place(fabric, row, "enabled", "speed_gbps", "peer")
                    or model.above_place(tier),
                    device=fabric.switches.names[row],
                )


@rules.add("TOP016")
class RightLeaf(ModelRule):
    """Every NIC is cabled to the leaf of its rail, where its gateway is."""

    why = "The subnet of the NIC is on another leaf, so its gateway is not reachable."
    source = "NVIDIA DGX SuperPOD reference architecture (rail-optimised); RFC 1812 section 2.2"
    guards = ("hosts.nics.leaf", "hosts.nics.port")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the leaf of the cable with the leaf of the subnet."""
        fabric, nics, subnets = model.fabric, model.fabric.nics, model.fabric.subnets
        wrong = nics.enabled & (subnets.leaf[nics.subnet] != nics.leaf)
        for row in np.flatnonzero(wrong).tolist():
            subnet = int(nics.subnet[row])
            names = fabric.switches.names
            yield self.finding(
                f"the NIC of rail {int(nics.rail[row])} is cabled to "
                f"{names[int(nics.leaf[row])]}, its "
                f"gateway {ipv4_text(int(subnets.gateway[subnet]))} is on "
                f"{names[int(subnets.leaf[subnet])]}",
                "recable it, or correct nics.leaf",
                place=nic_place(fabric, row, "leaf"),
                device=fabric.hosts.names[int(nics.host[row])],
            )


@rules.add("TOP022")
class UnitsApart(ModelRule):
    """Hosts of different units reach each other."""

    severity = Severity.WARNING
    why = "Without spines no traffic leaves a leaf: a job must stay in one unit and on its rails."
    source = (
        "Wang et al., Rail-only: A Low-Cost High-Performance Network for Training LLMs with "
        "Trillion Parameters, HOTI 2024"
    )
    guards = ("design", "units")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the units of a fabric without spines."""
        units = len(model.intent.fabric.units)
        if units > 1 and not len(model.fabric.switches.of_tier(1)):
            yield self.finding(
                f"{units} units have no common spine, so they cannot reach each other",
                "put the hosts in one unit, or use a design with spines",
                place=model.place("design"),
            )


@rules.add("TOP025")
class CablesGaveWay(ModelRule):
    """Designed cables replaced by explicit ones are reported."""

    severity = Severity.INFO
    why = (
        "Explicit cables take precedence; the design alone does not show which of its cables they "
        "replace."
    )
    source = "fabric/topology/explicit_cables.py in this repository"
    guards = ("cabling",)

    def check(self, model: Model) -> Iterator[Finding]:
        """List the cables of the design that are not there."""
        cabling = model.intent.cabling
        for gone in model.fabric.gave_way if cabling else ():
            device, _, port = gone.near.partition(" ")
            yield self.finding(
                f"the designed cable to {gone.far} is replaced by the cable from {gone.row.device} "
                f"{gone.row.port} to {gone.row.peer_device} {gone.row.peer_port}",
                "",
                place=Place("cabling", cabling.position(gone.row) if cabling else None),
                device=device,
                port=port,
            )
