"""JUN007: on Junos ARP ages in minutes, and MAC addresses from a minute on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

MINUTE_S = 60
LONGEST_ARP_S = 240 * MINUTE_S
LONGEST_MAC_S = 1_000_000


@rules.add("JUN007")
class Ageing(ModelRule):
    """On Junos ARP ageing is in minutes, and MAC ageing at least one minute."""

    why = "A value out of range is rejected at commit; fractions of a minute cannot be expressed."
    source = (
        "juniper.net CLI reference aging-timer (1 to 240 minutes), "
        "global-mac-table-aging-time (60 to 1000000 s)"
    )
    guards = ("arp.timeout_s", "arp.mac_ageing_s")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at both times of the switches with Junos."""
        for device in model.devices.values():
            if device.platform != "junos":
                continue
            arp_s, mac_s = device.neighbours.arp_timeout_s, device.neighbours.mac_ageing_s
            if arp_s % MINUTE_S or not MINUTE_S <= arp_s <= LONGEST_ARP_S:
                yield self.finding(
                    f"arp.timeout_s {arp_s} is not 1 to 240 whole minutes",
                    f"use a multiple of {MINUTE_S} up to {LONGEST_ARP_S}",
                    place=model.place("arp", "timeout_s"),
                    device=device.name,
                )
            if not MINUTE_S <= mac_s <= LONGEST_MAC_S:
                yield self.finding(
                    f"arp.mac_ageing_s {mac_s} is not {MINUTE_S} to {LONGEST_MAC_S} seconds",
                    "use a time in that range",
                    place=model.place("arp", "mac_ageing_s"),
                    device=device.name,
                )
