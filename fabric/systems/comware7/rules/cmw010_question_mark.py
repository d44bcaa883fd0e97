"""CMW010: on Comware 7 a description holds no question mark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import port_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CMW010")
class QuestionMark(ModelRule):
    """On Comware 7 a description contains no question mark."""

    why = "The command line treats it as a help request in the middle of the line."
    source = "grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd CMD-help, CLI (online help)"
    guards = ("devices.ports.description",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the description of every port of Comware 7."""
        for device in model.devices.values():
            for port in device.ports if device.platform == "comware7" else ():
                if "?" in port.description:
                    place = port_place(model.intent, device.name, port.name, "description")
                    yield self.finding(
                        f"the description {port.description!r} contains a question mark",
                        "remove it",
                        place=place or model.sku_place(device),
                        device=device.name,
                        port=port.name,
                    )
