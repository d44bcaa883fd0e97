"""HST021: a NIC gives up its pause before the watchdog of the leaf acts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.cable import kinds_of_nic_cable
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST021")
class StormOrder(ModelRule):
    """A NIC stops its pause before the watchdog of the leaf acts."""

    severity = Severity.WARNING
    why = "Otherwise the leaf drops the queue of a NIC that would have recovered."
    source = (
        "Linux drivers/net/ethernet/mellanox/mlx5/core/en_ethtool.c (pfc-prevention-tout); sonic-"
        "net/SONiC doc/qos/PFC watchdog design"
    )
    guards = (
        "host.nic.pause_storm_ms",
        "lossless.watchdog.detection_ms",
        "lossless.watchdog.enabled",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at one NIC of every kind of cable."""
        for cable, cables in kinds_of_nic_cable(model):
            told_ms, port = cable.nic.pause_storm_ms, cable.port.qos
            if told_ms is None or port is None or not port.watchdog.enabled:
                continue
            if told_ms >= port.watchdog.detection_ms:
                yield self.finding(
                    f"{cables} NICs pause for up to {told_ms} ms, {cable.device.name} acts after "
                    f"{port.watchdog.detection_ms} ms",
                    f"use a pause_storm_ms below {port.watchdog.detection_ms}",
                    place=traits_place(model, cable.host.name, "nic", "pause_storm_ms"),
                    device=cable.host.name,
                    port=cable.nic.interface,
                )
