"""JUN009: on Junos FEC is left to the optic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.origins import port_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JUN009")
class ExplicitFec(ModelRule):
    """On Junos FEC is selected by the optic."""

    severity = Severity.WARNING
    why = (
        "The position of the statement in the QFX52xx hierarchy is not published; a "
        "wrong position is rejected, and with it the whole commit."
    )
    source = "Juniper/yang @ 2a696d62 24.4R1-EVO junos-conf-interfaces (fec below gigether-options)"
    guards = ("devices.ports.fec",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for ports of Junos switches that name a FEC."""
        for device in model.devices.values():
            for port in device.ports if device.platform == "junos" else ():
                if port.fec and port.kind != "unused":
                    yield self.finding(
                        f"fec {port.fec} is rendered at a position in the hierarchy that is not "
                        "confirmed for "
                        f"{device.sku.name}",
                        "remove it, or try it on one switch first",
                        place=port_place(model.intent, device.name, port.name, "fec"),
                        device=device.name,
                        port=port.name,
                    )
