"""VRP013: a VRP8 switch has room for the policies of its ports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.vrp8.platforms import MOST_DOMAINS
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("VRP013")
class Policies(ModelRule):
    """A VRP8 switch supports the number of policies of its ports."""

    why = "Each policy needs its own DiffServ domain, and the switch rejects the eighth."
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), diffserv "
        "domain (seven besides the default one)"
    )
    guards = ("devices.ports.lossless",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the policies of every VRP8 switch."""
        for device in model.devices.values():
            count = len(device.qos_profiles) if device.platform == "vrp8" else 0
            if count > MOST_DOMAINS:
                yield self.finding(
                    f"the ports use {count} policies, but the switch supports {MOST_DOMAINS}",
                    "use the same lossless settings on more ports",
                    place=model.sku_place(device),
                    device=device.name,
                )
