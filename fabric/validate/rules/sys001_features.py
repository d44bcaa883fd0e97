"""SYS001: every system has the features that the design uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.design.features import missing
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("SYS001")
class FeaturesAvailable(ModelRule):
    """Every switch system supports the features that the design uses."""

    why = (
        "What a system does not support is not rendered: without PFC or a map the fabric drops "
        "packets, and no device reports why."
    )
    source = "docs/platforms.md: the sources that each system cites for its features"
    guards = (
        *("lossless.pfc", "lossless.ecn.kmin_bytes", "lossless.watchdog.enabled"),
        *("lossless.pause_buffer", "lossless.dynamic_th", "lossless.scheduler"),
        *("addressing.vlan_per", "arp.timeout_s", "arp.mac_ageing_s", "bgp.peering", "bgp.bfd"),
        *("platforms.leaf.breakouts", "platforms.leaf.buffer_model", "devices.ports.fec"),
        *("management.ntp_servers", "management.syslog_servers", "devices.ports.description"),
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare what the design of each switch uses with what its system declares."""
        for device in model.devices.values():
            for one in missing(device):
                if one.feature.rule == self.id:
                    yield self.finding(
                        one.message,
                        one.fix,
                        place=model.feature_place(device, one.feature.field),
                        device=device.name,
                    )
