"""VRP012: on VRP8 a port asks for a FEC that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.vrp8.platforms import takes_base_r
from fabric.validate.origins import port_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("VRP012")
class FecKnown(ModelRule):
    """On VRP8 a port uses a supported FEC mode."""

    why = "The switch rejects the line, and with it the whole commit."
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), fec mode "
        "base-r (100GE with 50G cables only; not on 25GE parts of CE8855 and its like)"
    )
    guards = ("devices.ports.fec",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for ports on VRP8 that ask for Base-R where there is none."""
        for device in model.devices.values():
            for port in device.ports if device.platform == "vrp8" else ():
                part = port.place.mode is not None
                if port.fec == "fc" and not takes_base_r(device.sku, port.speed_gbps, part=part):
                    place = port_place(model.intent, device.name, port.name, "fec")
                    yield self.finding(
                        f"FEC fc is not available at {port.speed_gbps}G on {port.name}",
                        "use rs or none, or remove fec; the switch then selects FEC by medium",
                        place=place or model.sku_place(device),
                        device=device.name,
                        port=port.name,
                    )
