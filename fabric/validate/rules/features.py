"""Rules about what systems declare (SYS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.design.features import FEATURES, missing
from fabric.platforms import platforms
from fabric.platforms.features import feature
from fabric.validate.rule import SwitchRule, areas, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.validate.places import Places


areas.add("SYS")("Features of switch systems")


@rules.add("SYS001")
class FeaturesAvailable(SwitchRule):
    """Every switch system supports the features that the design uses."""

    why = (
        "What a system does not support is not rendered: without PFC or a map the fabric drops "
        "packets, and no device reports why."
    )
    source = "docs/reference/platforms.md: the sources that each system cites for its features"
    guards = (
        *("lossless.pfc", "lossless.ecn.kmin_bytes", "lossless.watchdog.enabled"),
        *("lossless.pause_buffer", "lossless.dynamic_th", "lossless.scheduler"),
        *("addressing.vlan_per", "arp.timeout_s", "arp.mac_ageing_s", "bgp.peering", "bgp.bfd"),
        *("platforms.leaf.breakouts", "platforms.leaf.buffer_model", "devices.ports.fec"),
        *("management.ntp_servers", "management.syslog_servers", "devices.ports.description"),
    )

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Compare what the design of each switch uses with what its system declares."""
        for one in missing(device, self.id):
            yield self.finding(
                one.message,
                one.fix,
                place=places.feature_place(device, one.feature.field),
                device=device.name,
            )


@rules.add("SYS002")
class NotRendered(SwitchRule):
    """Every value that the inventory sets is rendered."""

    severity = Severity.INFO
    why = "The system keeps its own setting, and the fabric behaves unlike the inventory says."
    source = "docs/reference/platforms.md: the sources that each system cites for its features"
    guards = ("lossless.dynamic_th",)

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for features that the design of a switch uses and its system does not render."""
        for one in FEATURES:
            cell = feature(device.platform, one.name, device.sku, device.role)
            if cell and not cell.rendered and not cell.rule and one.used(device):
                yield self.finding(
                    f"{one.title}: not rendered for {platforms[device.platform].title}",
                    cell.fix or "set it for other systems only",
                    place=places.feature_place(device, one.field),
                    device=device.name,
                )
