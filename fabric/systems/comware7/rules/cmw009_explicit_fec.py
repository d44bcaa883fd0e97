"""CMW009: on Comware 7 FEC is left to the switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import port_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CMW009")
class ExplicitFec(ModelRule):
    """On Comware 7 FEC is left to the switch."""

    why = "The command syntax for the modes is not published; rendering fails."
    source = "h3c.com command list of S9825 and S9855 R932x: port fec mode, arguments not readable"
    guards = ("devices.ports.fec",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for ports of Comware 7 that ask for FEC."""
        for device in model.devices.values():
            for port in device.ports if device.platform == "comware7" else ():
                if port.fec:
                    place = port_place(model.intent, device.name, port.name, "fec")
                    yield self.finding(
                        f"FEC {port.fec} cannot be rendered for Comware 7",
                        "remove fec; the switch then selects FEC by transceiver",
                        place=place or model.sku_place(device),
                        device=device.name,
                        port=port.name,
                    )
