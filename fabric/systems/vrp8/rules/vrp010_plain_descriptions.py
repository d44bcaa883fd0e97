"""VRP010: descriptions on VRP8 hold no question mark and are short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import port_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: ``description`` (interface view).
LONGEST = 242


@rules.add("VRP010")
class PlainDescriptions(ModelRule):
    """Descriptions on VRP8 are short and contain no question mark."""

    why = (
        "A question mark triggers help and the rest of the line is lost; "
        "longer descriptions are rejected."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), "
        "description (interface view)"
    )
    guards = ("devices.ports.description",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the description of every port on VRP8."""
        for device in model.devices.values():
            for port in device.ports if device.platform == "vrp8" else ():
                if "?" in port.description or len(port.description) > LONGEST:
                    place = port_place(model.intent, device.name, port.name, "description")
                    yield self.finding(
                        f"the description of {port.name} contains a question mark or more than "
                        f"{LONGEST} characters",
                        "shorten the description and remove question marks",
                        place=place or model.place("host", "interfaces"),
                        device=device.name,
                        port=port.name,
                    )
