"""VRP001: the hardware family of a VRP8 switch is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.vrp8.platforms import FAMILIES, family_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("VRP001")
class FamilyKnown(ModelRule):
    """The hardware family of a VRP8 switch is known."""

    why = (
        "The two families of these switches use different lossless commands; "
        "those of the wrong family are rejected or have no effect."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), qos "
        "buffer headroom-pool, qos ecn enable and dcb pfc buffer: each names its models"
    )
    guards = ("platforms.leaf.sku", "platforms.spine.sku")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the facts of the model of every VRP8 switch."""
        for device in model.devices.values():
            if device.platform == "vrp8" and family_of(device.sku) is None:
                yield self.finding(
                    f"{device.sku.asic} of {device.sku.name} does not identify a hardware family",
                    f"set the asic of the model to {' or '.join(FAMILIES)}",
                    place=model.sku_place(device),
                    device=device.name,
                )
