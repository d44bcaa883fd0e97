"""CUM007: Cumulus Linux reserves VLANs 3725 to 4064."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.cumulus import platforms as cumulus
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CUM007")
class ReservedVlans(ModelRule):
    """Cumulus Linux reserves VLANs 3725 to 4064."""

    why = "The switch rejects the VLAN, and with it the whole change."
    source = "CumulusNetworks/docs content/cumulus-linux-510, VLAN-aware Bridge Mode (reserved)"
    guards = ("addressing.vlan_first",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every VLAN."""
        for device in model.devices.values():
            for vlan in device.vlans if device.platform == "cumulus" else ():
                if vlan.vlan in cumulus.RESERVED_VLANS:
                    yield self.finding(
                        f"VLAN {vlan.vlan} is reserved by Cumulus Linux",
                        f"use VLANs below {cumulus.RESERVED_VLANS.start}",
                        place=model.place("addressing", "vlan_first"),
                        device=device.name,
                    )
