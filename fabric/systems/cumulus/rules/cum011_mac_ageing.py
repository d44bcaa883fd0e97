"""CUM011: on Cumulus Linux MAC ageing is at most 65535 seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.cumulus import platforms as cumulus
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CUM011")
class MacAgeing(ModelRule):
    """On Cumulus Linux MAC ageing is at most 65535 seconds."""

    why = "The switch rejects the line, and with it the whole change."
    source = (
        "CumulusNetworks/docs content/cumulus-linux-510, Ethernet Bridging (bridge domain ageing)"
    )
    guards = ("arp.mac_ageing_s",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the age with the range."""
        low, high = cumulus.MAC_AGEING_S
        for device in model.devices.values():
            ageing = device.neighbours.mac_ageing_s
            if device.platform == "cumulus" and not low <= ageing <= high:
                yield self.finding(
                    f"arp.mac_ageing_s {ageing} is outside {low} to {high}",
                    f"use at most {high}",
                    place=model.place("arp", "mac_ageing_s"),
                    device=device.name,
                )
