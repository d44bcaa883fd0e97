"""Rules about Cumulus Linux beside its limits in features.toml."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.platforms.model import role_field
from fabric.systems.cumulus.platforms import CUMULUS
from fabric.systems.cumulus.platforms.words import DEFAULT_RELEASE, trains_like
from fabric.topology.hardware import planned_release
from fabric.validate.rule import SwitchRule, rules
from fabric.validate.world import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.validate.places import Places


#: NVIDIA Cumulus Linux 5.14 user guide, Adaptive Routing (Spectrum-4).
SPEEDS_GBPS = (200, 400)


@rules.add("CUM014")
class ReleaseSaid(SwitchRule):
    """The release of a switch is said, as the words of its lines depend on it."""

    severity = Severity.INFO
    why = "A switch rejects lines of another release: `enable on` became `state enabled` in 5.15."
    source = "CumulusNetworks/docs content/cumulus-linux-515, New and Changed NVUE Commands"
    guards = ("platforms.leaf.release", "platforms.spine.release", "devices.release")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for a switch without a release."""
        if device.platform != "cumulus":
            return
        release = device.sku.release or DEFAULT_RELEASE
        planned = planned_release(places.intent, device.name, device.role)
        if not planned and CUMULUS.knows(release):
            first, last = trains_like(release)
            place = places.sku_place(device)
            own = re.fullmatch(r"(devices\[.*)sku", place.field)
            beside = own[1] if own else f"platforms.{role_field(device.role)}."
            yield self.finding(
                f"no release is set: the lines are those of {first} to {last}",
                f"set {beside}release to the release that runs",
                place=place,
                device=device.name,
            )


@rules.add("CUM015")
class DescriptionWithoutSpaces(SwitchRule):
    """The description of a port has no spaces on Cumulus Linux."""

    severity = Severity.INFO
    why = (
        "The user guide has descriptions of one word alone, so rocefab writes `_` for each space: "
        "who looks for the text of the inventory on the switch does not find it."
    )
    source = "CumulusNetworks/docs content/cumulus-linux-514, Interface Configuration (description)"
    guards = ("devices.ports.description",)

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for spaces in descriptions that the inventory has; others always have them."""
        if device.platform != "cumulus":
            return
        space = CUMULUS.description_space
        for override in places.intent.device_overrides.get(device.name, ()):
            for name, port in override.value.ports.items():
                if port.description and " " in port.description:
                    path = "ports", name, "description"
                    text = port.description.replace(" ", space)
                    yield self.finding(
                        f"the switch gets the description {text!r}, with `{space}` for each space",
                        f"nothing to do, or write `{space}` in the inventory too",
                        place=Place(override.field(*path), override.position(*path)),
                        device=device.name,
                        port=name,
                    )


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
