"""TOP010: the switch model offers the speed of each port."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP010")
class SpeedOffered(ModelRule):
    """The switch model offers the speed of each port."""

    why = "A port that does not support the designed speed stays down."
    source = "Port tables of the vendors, as cited in fabric/systems/*/skus"
    guards = (
        "speeds.host_gbps",
        "speeds.uplink_gbps",
        "speeds.core_gbps",
        "units.host_gbps",
        "devices.ports.speed_gbps",
        "hosts.nics.speed_gbps",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the speeds in use with those of the model."""
        for device in model.devices.values():
            for port in device.ports:
                offered = device.sku.speeds_of(port.number)
                if port.kind != "unused" and port.speed_gbps not in offered:
                    mode = port.place.mode
                    what = f" in mode {mode.word}" if mode else ""
                    yield self.finding(
                        f"{device.sku.name} has no {port.speed_gbps}G ports{what}; it offers "
                        f"{', '.join(map(str, offered))}",
                        "use an offered speed, another mode or another model",
                        place=model.cable_place(device, port, "speed_gbps"),
                        device=device.name,
                        port=port.name,
                    )
