"""Rules about Cumulus Linux beside its limits in features.toml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import SwitchRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.validate.places import Places


#: NVIDIA Cumulus Linux 5.14 user guide, Adaptive Routing (Spectrum-4).
SPEEDS_GBPS = (200, 400)


@rules.add("CUM012")
class AdaptiveRouting(SwitchRule):
    """Adaptive routing is used only where the ASIC supports it."""

    why = "Mixing adaptive and hashing ports in one ECMP group spreads flows unevenly."
    source = (
        "NVIDIA Cumulus Linux 5.14 user guide, Adaptive Routing: Spectrum-4 at 200G and 400G, not "
        "at 800G; routed ports of the default VRF"
    )
    guards = ("ecmp.mode", "speeds.uplink_gbps", "platforms.leaf.sku", "platforms.spine.sku")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for other ASICs, and for speeds without it."""
        if device.platform != "cumulus" or device.ecmp_mode != "per-packet":
            return
        fact = device.sku.asic_facts.fact("adaptive_routing")
        if fact is None or fact.value != "yes":
            yield self.finding(
                f"adaptive routing is not confirmed for the ASIC of {device.sku.name}",
                "set ecmp.mode to hash, or use a Spectrum-4 model",
                place=places.sku_place(device),
                device=device.name,
            )
        uplinks = [port for port in device.ports if port.kind == "uplink"]
        for port in [port for port in uplinks if port.speed_gbps not in SPEEDS_GBPS][:1]:
            yield self.finding(
                f"adaptive routing works at 200G and 400G, not at {port.speed_gbps}G",
                "use uplinks of 400G (breakouts: 2x400G), or set ecmp.mode to hash",
                place=places.cable_place(device, port, "speed_gbps"),
                device=device.name,
                port=port.name,
            )
