"""CMW007: ARP and MAC ageing are in the range of Comware 7."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.units import S_PER_MIN
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

MAC_RANGE_S = (10, 3600)


@rules.add("CMW007")
class AgeingRange(ModelRule):
    """ARP and MAC ageing are in the range of Comware 7."""

    why = (
        "ARP entries age in whole minutes, MAC addresses in seconds; the switch rejects other "
        "times."
    )
    source = (
        "grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd CMD-help, arp timer aging (1 to 1440 minutes)"
        " and mac-address timer (the range differs by model, 10 to 3600 s is the narrowest)"
    )
    guards = ("arp.timeout_s", "arp.mac_ageing_s")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare both ages of every Comware 7 switch with what it takes."""
        for device in model.devices.values():
            if device.platform != "comware7":
                continue
            arp_s, mac_s = device.neighbours.arp_timeout_s, device.neighbours.mac_ageing_s
            if arp_s % S_PER_MIN:
                yield self.finding(
                    f"arp.timeout_s {arp_s} is not a whole minute",
                    f"use a multiple of {S_PER_MIN}",
                    place=model.place("arp", "timeout_s"),
                    device=device.name,
                )
            if not MAC_RANGE_S[0] <= mac_s <= MAC_RANGE_S[1]:
                yield self.finding(
                    f"arp.mac_ageing_s {mac_s} is outside {MAC_RANGE_S[0]} to {MAC_RANGE_S[1]}",
                    "use a time that every model accepts",
                    place=model.place("arp", "mac_ageing_s"),
                    device=device.name,
                )
