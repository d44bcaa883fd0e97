"""NXO008: ARP and MAC ageing are in the range of NX-OS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: Field of the inventory, field of the design, lowest and highest value in seconds.
RANGES = (
    ("timeout_s", "arp_timeout_s", 60, 28_800),
    ("mac_ageing_s", "mac_ageing_s", 120, 918_000),
)


@rules.add("NXO008")
class AgeingRange(ModelRule):
    """ARP and MAC ageing are in the range of NX-OS."""

    why = "The switch rejects the line, and the whole change is rolled back."
    source = (
        "YangModels/yang Cisco NX-OS 9.3(2): ip arp timeout 60 to 28800; Cisco Nexus 9000 layer 2 "
        "configuration guide: mac address-table aging-time 120 to 918000"
    )
    guards = ("arp.timeout_s", "arp.mac_ageing_s")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare both ages of every NX-OS switch with what it takes."""
        for device in model.devices.values():
            for name, field, low, high in RANGES if device.platform == "nxos" else ():
                value = getattr(device.neighbours, field)
                if not low <= value <= high:
                    yield self.finding(
                        f"arp.{name} {value} is outside {low} to {high}, the range of NX-OS",
                        "use a time in the range",
                        place=model.place("arp", name),
                        device=device.name,
                    )
