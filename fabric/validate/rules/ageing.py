"""Rules about ageing and neighbour tables (ARP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.platforms import platforms
from fabric.topology.routed import routed_units
from fabric.validate.rule import SwitchRule, areas, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.validate.places import Places


areas.add("ARP")("Ageing and neighbour tables")


@rules.add("ARP001")
class ArpBeforeMac(SwitchRule):
    """A silent NIC is refreshed before its MAC entry expires."""

    why = (
        "If the MAC entry of a known neighbour expires, its packets are flooded to every port of "
        "the VLAN. "
        "The answer to an ARP request keeps the MAC known. The trigger of that request differs: on "
        "SONiC arp_update every 300 s, regardless of arp.timeout_s; elsewhere the ARP timeout."
    )
    source = (
        "RFC 1812 section 3.3.2; Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM "
        "2016, section 4.2; the mechanism of each system: docs/lossless.md, section flooding"
    )
    guards = ("arp.timeout_s", "arp.mac_ageing_s")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Compare the longest silence with the MAC ageing of every switch."""
        if _routes_nics_alone(places, device):
            return
        table, platform = device.neighbours, platforms[device.platform]
        refresh = platform.neighbour_refresh
        if table.refresh_s >= table.mac_ageing_s:
            below_s = int((table.mac_ageing_s - refresh.probes_s) / refresh.spread)
            yield self.finding(
                f"{platform.title} refreshes a silent NIC after up to {table.refresh_s} "
                f"s ({refresh.mechanism}), but its MAC entry expires after "
                f"{table.mac_ageing_s} s",
                f"use a timeout below {below_s}, or a larger arp.mac_ageing_s",
                place=places.place("arp", "timeout_s"),
                device=device.name,
                severity=None if device.vlans else Severity.WARNING,
            )


@rules.add("ARP002")
class MacKnob(SwitchRule):
    """MAC ageing is set only where the switch can configure it."""

    severity = Severity.WARNING
    why = "The value is not used; the system keeps its own."
    source = (
        "sonic-net/sonic-buildimage dockers/docker-orchagent/switch.json.j2 (fdb_aging_time 600)"
    )
    guards = ("arp.mac_ageing_s",)

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for a MAC ageing that a platform cannot set."""
        target = places.intent.fabric.arp.mac_ageing_s
        fixed = platforms[device.platform].fixed_mac_ageing_s
        idle = _routes_nics_alone(places, device)
        if target is not None and fixed is not None and target != fixed and not idle:
            yield self.finding(
                f"arp.mac_ageing_s {target} has no effect on {device.platform}, which "
                f"keeps {fixed} s",
                "remove it, or set the fixed value",
                place=places.place("arp", "mac_ageing_s"),
                device=device.name,
            )


@rules.add("ARP003")
class NeighbourRoom(SwitchRule):
    """The neighbour table has room for every NIC."""

    why = (
        "Above gc_thresh3 the kernel rejects new neighbours, above gc_thresh2 it evicts live ones."
    )
    source = "Linux Documentation/networking/ip-sysctl.rst, neigh/default/gc_thresh1..3"
    guards = ("arp.neighbour_capacity",)

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Count the NICs and uplinks of a switch."""
        table = device.neighbours
        need = sum(port.kind != "unused" for port in device.ports)
        if need > table.gc_thresholds[1]:
            above = need > table.capacity
            yield self.finding(
                f"{counted(need, 'neighbour is', 'neighbours are')} expected, "
                + (
                    f"the table has room for {table.capacity}"
                    if above
                    else f"above {table.gc_thresholds[1]} the kernel evicts live entries"
                ),
                "increase arp.neighbour_capacity",
                place=places.place("arp", "neighbour_capacity"),
                device=device.name,
                severity=None if above else Severity.WARNING,
            )


def _routes_nics_alone(places: Places, device: DeviceDesign) -> bool:
    """Tell whether a switch has no VLAN, in a fabric with NICs on routed ports."""
    return not device.vlans and any(routed_units(places.intent.fabric))
