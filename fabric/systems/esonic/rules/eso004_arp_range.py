"""ESO004: the ARP timeout is in the range of Enterprise SONiC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.esonic.platforms import ARP_TIMEOUT_S
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ESO004")
class ArpRange(ModelRule):
    """The ARP timeout is in the range of Enterprise SONiC."""

    why = "The switch rejects the line, and the whole change is rolled back."
    source = "ansible-collections/dellemc.enterprise_sonic @ 9851e680 sonic_ip_neighbor"
    guards = ("arp.timeout_s",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the timeout of every switch that runs Enterprise SONiC with what it takes."""
        low, high = ARP_TIMEOUT_S
        for device in model.devices.values():
            value = device.neighbours.arp_timeout_s
            if device.platform == "esonic" and not low <= value <= high:
                yield self.finding(
                    f"arp.timeout_s {value} is outside {low} to {high}, the range of Enterprise "
                    "SONiC",
                    "use a time in the range",
                    place=model.place("arp", "timeout_s"),
                    device=device.name,
                )
