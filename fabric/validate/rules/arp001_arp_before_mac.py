"""ARP001: a silent NIC is asked again before its MAC entry dies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.platforms import platforms
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ARP001")
class ArpBeforeMac(ModelRule):
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

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the longest silence with the MAC ageing of every switch."""
        for name, device in model.devices.items():
            table, platform = device.neighbours, platforms[device.platform]
            refresh = platform.neighbour_refresh
            if table.refresh_s >= table.mac_ageing_s:
                below_s = int((table.mac_ageing_s - refresh.probes_s) / refresh.spread)
                yield self.finding(
                    f"{platform.title} refreshes a silent NIC after up to {table.refresh_s} "
                    f"s ({refresh.mechanism}), but its MAC entry expires after "
                    f"{table.mac_ageing_s} s",
                    f"use a timeout below {below_s}, or a larger arp.mac_ageing_s",
                    place=model.place("arp", "timeout_s"),
                    device=name,
                    severity=None if device.vlans else Severity.WARNING,
                )
