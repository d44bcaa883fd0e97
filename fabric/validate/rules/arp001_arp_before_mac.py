"""ARP001: ARP entries die before MAC entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ARP001")
class ArpBeforeMac(ModelRule):
    """ARP entries die before MAC entries."""

    why = (
        "Packets for a known neighbour with a forgotten MAC are flooded to every port of the VLAN."
    )
    source = (
        "RFC 1812 section 3.3.2; Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM "
        "2016, section 4.2"
    )
    guards = ("arp.timeout_s", "arp.mac_ageing_s")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the two ages of every switch."""
        for name, device in model.devices.items():
            table = device.neighbours
            if table.arp_timeout_s >= table.mac_ageing_s:
                yield self.finding(
                    f"arp.timeout_s {table.arp_timeout_s} is not below the MAC ageing of "
                    f"{table.mac_ageing_s} s",
                    f"use a timeout below {table.mac_ageing_s}",
                    place=model.place("arp", "timeout_s"),
                    device=name,
                    severity=None if device.vlans else Severity.WARNING,
                )
