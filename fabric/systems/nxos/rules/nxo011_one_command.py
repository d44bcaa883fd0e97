"""NXO011: on NX-OS a description holds no semicolon after a blank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import port_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("NXO011")
class OneCommand(ModelRule):
    """On NX-OS a description contains no semicolon after a space."""

    why = (
        "A space and a semicolon end a command: the rest of the description would "
        "run as a separate command."
    )
    source = (
        "Cisco Nexus 9000 NX-OS programmability guide 10.5(x), NX-API CLI; troubleshooting guide "
        "10.1(x), NX-API: commands are separated by a blank and a semicolon"
    )
    guards = ("devices.ports.description",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the description of every port of NX-OS."""
        for device in model.devices.values():
            for port in device.ports if device.platform == "nxos" else ():
                if " ;" in port.description:
                    place = port_place(model.intent, device.name, port.name, "description")
                    yield self.finding(
                        f"the description {port.description!r} contains a space and "
                        "a semicolon, which end a command",
                        "remove the semicolon",
                        place=place or model.place("host", "interfaces"),
                        device=device.name,
                        port=port.name,
                    )
