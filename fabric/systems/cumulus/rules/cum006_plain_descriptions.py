"""CUM006: on Cumulus Linux a description holds no quotes and no special characters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.systems.cumulus import platforms as cumulus
from fabric.validate.origins import port_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CUM006")
class PlainDescriptions(ModelRule):
    """On Cumulus Linux a description contains no quotes and no special characters."""

    why = (
        "NVUE does not parse apostrophes in a description, and other special "
        "characters are not documented."
    )
    source = (
        "CumulusNetworks/docs content/cumulus-linux-514, Interface Configuration and Management "
        "(interface descriptions)"
    )
    guards = ("devices.ports.description",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the description of every port; spaces become underscores."""
        for device in model.devices.values():
            for port in device.ports if device.platform == "cumulus" else ():
                if not re.fullmatch(cumulus.DESCRIPTION, port.description.replace(" ", "_")):
                    place = port_place(model.intent, device.name, port.name, "description")
                    yield self.finding(
                        f"the description {port.description!r} contains "
                        f"characters that NVUE may interpret",
                        "use letters, digits, spaces and _./:@+=,-",
                        place=place or model.place("host", "interfaces"),
                        device=device.name,
                        port=port.name,
                    )
