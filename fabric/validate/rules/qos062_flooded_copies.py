"""QOS062: lossless packets are not flooded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.platforms import platforms
from fabric.qos.deadlock.lossless import floods
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.validate.world import Model


@rules.add("QOS062")
class FloodedCopies(ModelRule):
    """Lossless packets are not flooded.

    ARP001 judges the two ages. This says what follows from them for the buffers of a leaf, with
    the figures that really hold on its system. A VLAN ends at its leaf, so copies close no cycle.
    """

    severity = Severity.INFO
    why = (
        "A flooded packet needs room at every port of the VLAN at once, so one paused "
        "host blocks traffic to all of them, and the pause spreads to the spines."
    )
    source = "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.2"
    guards = ("arp.timeout_s", "arp.mac_ageing_s", "addressing.vlan_per", "lossless.pfc")

    def check(self, model: Model) -> Iterator[Finding]:
        """Follow the copies of every leaf that forgets MAC addresses first."""
        for flood in floods(model.fabric, model.resolver):
            device = model.devices[flood.leaf]
            ages = device.neighbours
            if ages.refresh_s < ages.mac_ageing_s:
                continue
            yield self.finding(
                f"the MAC entry of a silent NIC expires after {ages.mac_ageing_s} s "
                f"({self._origin(model, device)}), but is refreshed only after {ages.refresh_s} s: "
                f"lossless packets to it go to all {flood.ports} ports of its VLAN, and a "
                f"pause on any of them blocks {flood.uplinks} uplinks",
                f"use arp.timeout_s below {ages.mac_ageing_s}, or addressing.vlan_per nic",
                place=model.place("arp", "timeout_s"),
                device=flood.leaf,
            )

    def _origin(self, model: Model, device: DeviceDesign) -> str:
        platform = platforms[device.platform]
        if platform.fixed_mac_ageing_s:
            return f"fixed in {platform.title}"
        if model.intent.fabric.arp.mac_ageing_s:
            return "arp.mac_ageing_s"
        return f"the default of {platform.title}"
